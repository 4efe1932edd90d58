use crate::{ExchangeId, Outbox};

#[test]
fn an_exchange_is_sent_when_its_first_byte_is_taken() {
    let mut out = Outbox::new(16);
    assert!(out.push_control(b"ping"));
    out.push_exchange(ExchangeId(1), b"one");
    out.push_exchange(ExchangeId(2), b"two");
    let mut sent = Vec::new();
    out.take(4, |id| sent.push(id));
    assert!(sent.is_empty(), "control bytes belong to no exchange");
    out.take(1, |id| sent.push(id));
    assert_eq!(sent, [ExchangeId(1)]);
    assert_eq!(out.pending(), b"netwo");
    out.take(5, |id| sent.push(id));
    assert_eq!(sent, [ExchangeId(1), ExchangeId(2)]);
    assert!(out.pending().is_empty());
}

#[test]
fn bytes_of_an_exchange_that_was_given_up_still_go_and_are_nobodys() {
    let mut out = Outbox::new(16);
    out.push_exchange(ExchangeId(1), b"one");
    out.push_exchange(ExchangeId(2), b"two");
    out.unmark(ExchangeId(1));
    out.push_exchange(ExchangeId(1), b"again");
    let mut sent = Vec::new();
    out.take(6, |id| sent.push(id));
    assert_eq!(sent, [ExchangeId(2)]);
    assert_eq!(out.pending(), b"again");
    out.take(1, |id| sent.push(id));
    assert_eq!(sent, [ExchangeId(2), ExchangeId(1)]);
}

#[test]
fn one_that_is_never_empty_does_not_grow() {
    let mut out = Outbox::new(64);
    let (mut sent, mut expected) = (Vec::new(), Vec::new());
    assert!(out.push_control(&[b'-'; 50]));
    for number in 0..10_000u32 {
        out.push_exchange(ExchangeId(number), &[number as u8; 40]);
        out.take(40, |id| sent.push(id));
        assert_eq!((out.pending().len(), out.pending()[out.pending().len() - 1]), (50, number as u8));
        assert!(out.held() <= 4 * 90, "{}", out.held());
        expected.push(ExchangeId(number));
    }
    out.take(50, |id| sent.push(id));
    assert_eq!(sent, expected, "each is told once, in its order");
}

#[test]
fn an_outbox_is_full_from_its_high_water_mark_on() {
    let mut out = Outbox::new(4);
    assert!(out.push_control(b"abc"));
    assert!(!out.is_full());
    assert!(out.push_control(b"d"));
    assert!(out.is_full());
    out.take(1, |_| {});
    assert!(!out.is_full());
}
