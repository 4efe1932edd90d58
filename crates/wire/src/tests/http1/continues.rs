//! Bodies that wait for `100 Continue` (RFC 9110 section 10.1.1).

use super::laws::{self, Driven};
use super::{answered, first, get, session};
use crate::http1::{RequestSpec, Template};
use crate::{Close, Event, Filling, Outbox, Request, State, Streamed};

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\nX-Way: free\r\n\r\n";
const SECOND: u64 = 1_000_000_000;

fn spec(body: &[u8]) -> RequestSpec {
    RequestSpec {
        method: "PUT".to_owned(),
        headers: vec![("EXPECT".to_owned(), " 100-Continue".to_owned())],
        body: body.to_vec(),
        ..RequestSpec::get("a.test", "/up")
    }
}

fn put() -> Request {
    spec(b"some\r\n\r\nbody").encode().unwrap()
}

fn answer(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nno").into_bytes()
}

/// The head alone, of all that the request sends.
fn head(request: &Request) -> &[u8] {
    request.bytes.strip_suffix(b"some\r\n\r\nbody").unwrap()
}

#[test]
fn the_body_follows_the_servers_word_however_that_is_split() {
    let request = put();
    let bytes = [CONTINUE, b"HTTP/1.1 103 Early\r\n\r\n", &answer("200 OK")].concat();
    for cut in 0..=bytes.len() {
        let mut driven = Driven::started(session(), &request);
        assert_eq!(driven.sent, head(&request));
        driven.receive(&bytes[..cut]);
        let expected = if cut < CONTINUE.len() { head(&request) } else { &request.bytes };
        assert_eq!(driven.sent, expected, "cut at {cut}");
        driven.receive(&bytes[cut..]);
        assert_eq!(driven.sent, request.bytes, "cut at {cut}");
        assert_eq!(driven.events, [first(), answered(200, 2)]);
        assert_eq!((driven.session.state(), driven.session.next_deadline()), (State::Ready(1), None));
    }
    laws::every_split(session, &request, &bytes, Close::Fin);
    laws::truncation(session, &request, &bytes);
}

#[test]
fn an_answer_before_the_body_ends_exchange_and_connection() {
    for status in ["200 OK", "401 Unauthorized", "413 Too Large", "417 No"] {
        let request = put();
        let bytes = [b"HTTP/1.1 102 Wait\r\n\r\n", &answer(status)[..]].concat();
        for (bytes, pieces) in [(&bytes, 1), (&bytes, 7), (&answer(status), 1), (&answer(status), 1000)] {
            let mut driven = Driven::started(session(), &request);
            bytes.chunks(bytes.len().div_ceil(pieces)).for_each(|piece| driven.receive(piece));
            let code = status[..3].parse().unwrap();
            assert_eq!(driven.events, [first(), answered(code, 2)], "{status} in {pieces} pieces");
            assert_eq!((&driven.sent[..], driven.session.state()), (head(&request), State::Dead));
        }
        laws::every_split(session, &request, &bytes, Close::Fin);
        laws::truncation(session, &request, &bytes);
        laws::one_after_another(session(), &request, &bytes.repeat(3), Close::Reset, 5);
    }
}

#[test]
fn a_second_of_silence_sends_the_body_and_an_answer_that_has_begun_does_not() {
    let request = put();
    let begun = answer("401 Unauthorized");
    for (before, sends) in [
        (&b""[..], true),
        (b"HTTP/1.1 10", true),
        (b"HTTP/1.1 102 Wait\r\nX: ", true),
        (b"HTTP/1.1 4", false),
        (&begun[..30], false),
        (&begun[..begun.len() - 1], false),
    ] {
        let mut driven = Driven::new(session());
        let filling = Filling { now_ns: 5 * SECOND, ..Filling::default() };
        driven.session.start(&request, &filling, laws::ID, &mut driven.out).unwrap();
        assert_eq!(driven.session.next_deadline(), Some(6 * SECOND));
        driven.receive(before);
        driven.session.handle_timeout(6 * SECOND, &mut driven.out, &mut driven.events);
        driven.receive(b"");
        let expected = if sends { &request.bytes } else { head(&request) };
        assert_eq!(driven.sent, expected, "{}", before.escape_ascii());
        assert_eq!(driven.session.next_deadline(), None);
        driven.receive(if sends { b"" } else { &begun[before.len()..] });
        assert_eq!(driven.session.state(), if sends { State::Ready(0) } else { State::Dead });
    }
}

#[test]
fn a_late_word_after_the_body_is_an_interim_answer() {
    let request = put();
    let mut driven = Driven::started(session(), &request);
    driven.session.handle_timeout(SECOND, &mut driven.out, &mut driven.events);
    driven.receive(CONTINUE);
    driven.receive(CONTINUE);
    driven.receive(&answer("200 OK"));
    assert_eq!((driven.sent.as_slice(), driven.session.state()), (&*request.bytes, State::Ready(1)));
    let before = driven.sent.len();
    driven.start(&get(), laws::ID);
    driven.receive(CONTINUE);
    assert_eq!(driven.sent[before..], get().bytes, "nothing of the other request is left");
}

#[test]
fn the_next_connection_begins_anew() {
    let request = put();
    let mut driven = Driven::started(session(), &request);
    driven.receive(b"HTTP/1.1 10");
    driven.session.handle_close(Close::Reset, &mut driven.events);
    assert_eq!(driven.events, [Event::ClosedEarly { id: laws::ID, close: Close::Reset, began: true }]);
    driven.session.renew();
    assert_eq!(driven.session.next_deadline(), None);
    driven.session.handle_timeout(SECOND, &mut driven.out, &mut driven.events);
    assert!(driven.out.is_empty());
    let mut again = Driven::new(driven.session);
    again.start(&request, laws::ID);
    assert_eq!(again.sent, head(&request));
    again.receive(&[CONTINUE, &answer("200 OK")].concat());
    assert_eq!((again.sent.as_slice(), again.session.state()), (&*request.bytes, State::Ready(1)));
}

#[test]
fn a_body_that_is_read_while_it_is_sent_waits_as_well() {
    let streamed = vec![(0, Streamed::new(vec![b'z'; 100_000]))];
    let request = spec(b"end").encode_with(&Template { streamed, ..Template::default() }).unwrap();
    let mut session = session();
    let (mut out, mut events) = (Outbox::new(1 << 16), Vec::new());
    session.start(&request, &Filling::default(), laws::ID, &mut out).unwrap();
    assert!(!out.is_streamed() && out.pending().ends_with(b"Content-Length: 100003\r\n\r\n"));
    let before = out.left();
    session.handle_bytes(0, CONTINUE, &mut out, &mut events);
    assert_eq!((out.left(), out.is_streamed()), (before + 100_003, true));
}

#[test]
fn without_a_body_or_with_another_expectation_nothing_waits() {
    let empty = spec(b"").encode().unwrap();
    let other = RequestSpec { headers: vec![("Expect".to_owned(), "x".to_owned())], ..spec(b"abc") };
    for request in [empty, other.encode().unwrap()] {
        assert!(request.goes_as_encoded(), "{}", request.bytes.escape_ascii());
    }
}
