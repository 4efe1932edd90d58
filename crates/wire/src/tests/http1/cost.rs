//! However the bytes come, none is looked at again and again. Work is counted in bytes looked at, not
//! in time; bodies by length or until the close are not looked at but counted, so they cost nothing.

use super::get;
use super::laws;
use crate::http1::{Limits, server::RequestParser};
use crate::tests::work;
use crate::{Close, Event, Session};

/// Bytes of what is long: looking at a byte again with each further one would take thousands of looks a byte.
const LONG: usize = 128 * 1024;

fn limits() -> Limits {
    Limits { head_max: 2 * LONG, ..Limits::default() }
}

/// `answer` fed byte by byte costs at most four times the whole, and the whole at most four looks a byte.
#[track_caller]
fn check(answer: &[u8]) {
    work::take();
    let events = laws::outcome(Session::http1(limits()), &get(), [answer], Close::Fin);
    assert!(matches!(events.last(), Some(Event::Answered { .. })), "{events:?}");
    let whole = work::take();
    laws::same_in_pieces_of(|| Session::http1(limits()), &get(), answer, Close::Fin, &events, |_| 1);
    let by_byte = work::take();
    assert!(by_byte <= 4 * whole, "{by_byte} looks byte by byte, {whole} for the whole");
    assert!(whole <= 4 * answer.len() as u64, "{whole} looks for {} bytes", answer.len());
}

#[test]
fn a_long_line_is_not_looked_at_again_with_each_byte() {
    let fill = "y".repeat(LONG);
    check(format!("HTTP/1.1 200 OK\r\nX: {fill}\r\nContent-Length: 0\r\n\r\n").as_bytes());
    check(format!("HTTP/1.1 204 {fill}\r\n\r\n").as_bytes());
    check(format!("HTTP/1.1 100 {fill}\r\n\r\nHTTP/1.1 204 No\r\n\r\n").as_bytes());
    check(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: {fill}\r\n\r\n").as_bytes());
    check(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0;{fill}\r\n\r\n").as_bytes());
}

#[test]
fn many_short_lines_are_not_looked_at_again_with_each_byte() {
    for line in ["a:\r\n", "a: b\t\tc\r\n d\r\n", "Content-Length: 0,0\r\n", "Connection: keep-alive\r\n"] {
        let lines = line.repeat(LONG / line.len());
        check(format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: 0\r\n\r\n").as_bytes());
    }
    let interim = "HTTP/1.1 100 \r\n\r\n".repeat(LONG / 17);
    check(format!("{interim}HTTP/1.1 204 No\r\n\r\n").as_bytes());
}

#[test]
fn a_long_body_is_not_looked_at_again_with_each_byte() {
    let fill = "y".repeat(LONG);
    check(format!("HTTP/1.1 200 OK\r\nContent-Length: {LONG}\r\n\r\n{fill}").as_bytes());
    check(format!("HTTP/1.1 200 OK\r\n\r\n{fill}").as_bytes());
    let chunks = "1\r\ny\r\n".repeat(LONG / 6);
    check(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n").as_bytes());
}

#[test]
fn a_request_is_not_looked_at_again_with_each_byte() {
    let request = format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "y".repeat(LONG));
    work::take();
    assert!(RequestParser::new(limits()).head(request.as_bytes()).expect("well-formed").is_some());
    let whole = work::take();
    let mut parser = RequestParser::new(limits());
    for len in 1..request.len() {
        assert_eq!(parser.head(&request.as_bytes()[..len]), Ok(None));
    }
    assert!(parser.head(request.as_bytes()).expect("well-formed").is_some());
    let by_byte = work::take();
    assert!(by_byte <= 4 * whole, "{by_byte} looks byte by byte, {whole} for the whole");
}
