use super::*;

const FORM: Form = Form { status: 200, head_only: false, close: false, old: false };

fn decision(fault: Option<Fault>, size: u64, cut: u64) -> Decision {
    Decision { fault, due_ns: 0, size, cut }
}

/// All bytes that leave when the kernel takes `step` at a time.
fn bytes(reply: &mut Reply, step: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while !reply.is_sent() {
        let mut taken = 0;
        for piece in reply.pieces(reply.allowed()) {
            let n = piece.len().min((step - taken) as usize);
            out.extend_from_slice(&piece[..n]);
            taken += n as u64;
        }
        assert!(taken > 0, "nothing to send at {} of {}", reply.sent, reply.cut);
        reply.take(taken);
    }
    out
}

fn sent(form: Form, fault: Option<Fault>, size: u64, cut: u64) -> (Vec<u8>, After) {
    let mut reply = Reply::new();
    reply.set(form, &decision(fault, size, cut));
    (bytes(&mut reply, u64::MAX), reply.after)
}

fn whole(size: u64) -> Vec<u8> {
    prebuilt(size as usize, "")
}

#[test]
fn an_ordinary_answer_is_its_head_and_its_body() {
    let (answer, after) = sent(FORM, None, 10, 0);
    let text = String::from_utf8(answer).unwrap();
    let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nabcdefghij";
    assert_eq!((text.as_str(), after), (expected, After::Next));
}

#[test]
fn head_announces_the_length_and_leaves_the_body_out() {
    let (answer, _) = sent(Form { head_only: true, ..FORM }, None, 10, 0);
    assert!(answer.ends_with(b"Content-Length: 10\r\n\r\n"));
}

#[test]
fn every_way_of_taking_the_bytes_gives_the_same_bytes() {
    for size in [0, 1, 63, 64, 65, 70_000, 200_000] {
        for fault in [None, Some(Fault::Surplus), Some(Fault::Drip)] {
            let at_once = sent(FORM, fault, size, 0).0;
            for step in [7, 64, 100, 4096, 65_536, 65_537] {
                let mut reply = Reply::new();
                reply.set(FORM, &decision(fault, size, 0));
                assert!(bytes(&mut reply, step) == at_once, "size {size}, fault {fault:?}, step {step}");
            }
        }
        assert!(sent(FORM, None, size, 0).0 == whole(size), "size {size}");
    }
}

#[test]
fn resets_cut_anywhere_but_never_nothing_and_never_all() {
    let all = whole(100);
    for cut in [0, 1 << 20, u64::MAX / 2, u64::MAX] {
        let (part, after) = sent(FORM, Some(Fault::ResetWithin), 100, cut);
        assert!(!part.is_empty() && part.len() < all.len() && all.starts_with(&part));
        assert_eq!(after, After::Reset);
    }
    assert_eq!(sent(FORM, Some(Fault::ResetWithin), 100, 0).0.len(), 1);
    assert_eq!(sent(FORM, Some(Fault::ResetWithin), 100, u64::MAX).0.len(), all.len() - 1);
    assert_eq!(sent(FORM, Some(Fault::ResetBefore), 100, u64::MAX), (vec![], After::Reset));
}

#[test]
fn a_short_body_is_short_whatever_the_size_and_the_method() {
    for size in [0, 1, 16, 100_000] {
        for cut in [0, u64::MAX] {
            let (answer, after) = sent(FORM, Some(Fault::ShortBody), size, cut);
            let all = whole(size.max(16));
            assert!(
                answer.len() < all.len() && all.starts_with(&answer) && after == After::Fin,
                "size {size}"
            );
            let (head, after) = sent(Form { head_only: true, ..FORM }, Some(Fault::ShortBody), size, cut);
            assert!(!head.is_empty() && !head.ends_with(b"\r\n\r\n") && after == After::Fin, "size {size}");
        }
    }
}

#[test]
fn a_surplus_follows_the_whole_answer_and_long_ones_announce_the_close() {
    let (short, after) = sent(FORM, Some(Fault::Surplus), 100, 0);
    assert_eq!((short, after), ([whole(100), SURPLUS.to_vec()].concat(), After::Next));
    let (long, after) = sent(FORM, Some(Fault::Surplus), 100_000, 0);
    assert_eq!((long, after), ([prebuilt(100_000, CLOSE), SURPLUS.to_vec()].concat(), After::Fin));
}

#[test]
fn a_reset_after_the_answer_announces_the_close() {
    assert_eq!(sent(FORM, Some(Fault::ResetAfter), 9, 0), (prebuilt(9, CLOSE), After::ResetLater));
}

#[test]
fn a_drip_allows_one_byte_more_each_time_then_the_rest() {
    let mut reply = Reply::new();
    reply.set(FORM, &decision(Some(Fault::Drip), 1000, 0));
    for sent in 0..DRIP_BYTES {
        assert_eq!(reply.allowed(), sent + 1);
        reply.take(1);
    }
    assert_eq!(reply.allowed(), whole(1000).len() as u64);
}

#[test]
fn a_fault_of_status_500_is_a_whole_answer() {
    let (answer, after) = sent(FORM, Some(Fault::Status500), 5, 0);
    assert!(
        answer.starts_with(b"HTTP/1.1 500 Internal Server Error\r\n") && answer.ends_with(b"\r\n\r\nabcde")
    );
    assert_eq!(after, After::Next);
}
