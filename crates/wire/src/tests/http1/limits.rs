//! Limits, each tried at its last byte within and its first byte beyond.

use super::laws::{self, Driven};
use super::{answered, first, get, malformed};
use crate::http1::Limits;
use crate::http1::server::RequestParser;
use crate::{Close, Event, ExchangeId, MalformedKind, Session};

const BODY_MAX: u64 = 20;

/// The events of `answer` when a head may have `head_max` bytes and a body `BODY_MAX`.
fn events(head_max: usize, answer: &str) -> Vec<Event> {
    let make = || Session::http1(Limits { head_max, body_max: BODY_MAX });
    laws::every_split(make, &get(), answer.as_bytes(), Close::Fin)
}

#[test]
fn a_head_is_malformed_from_the_first_byte_beyond_its_limit() {
    let head = "HTTP/1.1 200 OK\r\nX: yyyyyyyy\r\nContent-Length: 2\r\n\r\n";
    let answer = format!("{head}ok");
    assert_eq!(events(head.len(), &answer), [first(), answered(200, 2)]);
    for max in 10..head.len() {
        let beyond = malformed(max as u64, MalformedKind::HeadTooLong);
        assert_eq!(events(max, &answer), [first(), beyond], "limit {max}");
    }
    for max in 0..10 {
        assert_eq!(events(max, &answer), [malformed(max as u64, MalformedKind::HeadTooLong)], "limit {max}");
    }
}

#[test]
fn interim_answers_count_towards_the_limit_of_the_head() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(8);
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    let (answer, len) = (format!("{interim}{head}ok"), interim.len() + head.len());
    assert_eq!(events(len, &answer), [first(), answered(200, 2)]);
    for max in 10..len {
        // The first byte is told if the final answer's status begins within the limit.
        let mut expected = vec![malformed(max as u64, MalformedKind::HeadTooLong)];
        if max >= interim.len() + 10 {
            expected.insert(0, first());
        }
        assert_eq!(events(max, &answer), expected, "limit {max}");
    }
}

#[test]
fn trailers_and_size_lines_have_the_limit_of_a_head() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let max = head.len();
    for (before, long, kept) in [("0\r\n", "X: ", "\r\n\r\n"), ("", "1;", "\r\nx\r\n0\r\n\r\n")] {
        let ending = if before.is_empty() { 2 } else { 4 };
        let fill = "y".repeat(max - long.len() - ending);
        let body = u64::from(before.is_empty());
        assert_eq!(events(max, &format!("{head}{before}{long}{fill}{kept}")), [first(), answered(200, body)]);
        let beyond = malformed((max + before.len() + max) as u64, MalformedKind::HeadTooLong);
        assert_eq!(events(max, &format!("{head}{before}{long}{fill}y{kept}")), [first(), beyond]);
    }
}

#[test]
fn a_body_is_malformed_where_it_shows_to_exceed_its_limit() {
    let (fits, exceeds) = ("y".repeat(20), "y".repeat(21));
    let head = "HTTP/1.1 200 OK\r\nContent-Length: ";
    assert_eq!(events(999, &format!("{head}20\r\n\r\n{fits}")), [first(), answered(200, 20)]);
    let beyond = malformed(head.len() as u64, MalformedKind::BodyTooLong);
    assert_eq!(events(999, &format!("{head}21\r\n\r\n")), [first(), beyond]);

    let head = "HTTP/1.1 200 OK\r\n\r\n";
    assert_eq!(events(999, &format!("{head}{fits}")), [first(), answered(200, 20)]);
    let beyond = malformed(head.len() as u64 + 20, MalformedKind::BodyTooLong);
    assert_eq!(events(999, &format!("{head}{exceeds}")), [first(), beyond]);

    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ny\r\n";
    let answer = format!("{head}13\r\n{}\r\n0\r\n\r\n", &fits[1..]);
    assert_eq!(events(999, &answer), [first(), answered(200, 20)]);
    let beyond = malformed(head.len() as u64, MalformedKind::BodyTooLong);
    assert_eq!(events(999, &format!("{head}14\r\n")), [first(), beyond.clone()]);
    assert_eq!(events(999, &format!("{head}ffffffffffffffff\r\n")), [first(), beyond]);
}

/// A body that is counted and not kept may have any length, however it is framed.
#[test]
fn a_body_that_is_not_kept_has_no_limit() {
    const PIECES: u64 = 5 << 10;
    let piece = vec![b'x'; 1 << 20];
    let chunk = [&b"100000\r\n"[..], &piece, b"\r\n"].concat();
    let length = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", PIECES << 20);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (head, repeated, end) in [
        (length.as_str(), &piece, &b""[..]),
        (chunked, &chunk, b"0\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\n\r\n", &piece, b""),
    ] {
        let mut driven = Driven::started(Session::http1(Limits::default()), &get());
        driven.receive(head.as_bytes());
        for _ in 0..PIECES {
            let Driven { session, out, events, .. } = &mut driven;
            assert_eq!(session.handle_bytes(0, repeated, out, events), repeated.len());
        }
        driven.receive(end);
        driven.close(Close::Fin);
        assert_eq!(driven.events, [first(), answered(200, PIECES << 20)], "{head}");
    }
}

#[test]
fn each_message_of_a_connection_has_the_whole_limit() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let mut driven = Driven::new(Session::http1(Limits { head_max: answer.len(), body_max: 0 }));
    for id in (0..9).map(ExchangeId) {
        driven.start(&get(), id);
        driven.receive(answer);
        assert_eq!(driven.events.pop(), Some(Event::Answered { id, code: 200, body_bytes: 0, body: None }));
    }
    let request = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    let mut parser = RequestParser::new(Limits { head_max: request.len(), body_max: 0 });
    for _ in 0..9 {
        assert!(parser.head(request).expect("within the limit").is_some());
    }
}
