//! A table of answers with the exact events they yield; each row is also held to the split law.

use super::laws::{self, ID};
use super::{answered, first, get, head, malformed, session};
use crate::MalformedKind::{self, *};
use crate::{Close, Event, Request};

/// `answer`, then FIN, yields `expected`.
#[track_caller]
fn check(request: &Request, answer: &str, expected: &[Event]) {
    check_closed(request, answer, Close::Fin, expected);
}

#[track_caller]
fn check_closed(request: &Request, answer: &str, close: Close, expected: &[Event]) {
    let events = laws::every_split(session, request, answer.as_bytes(), close);
    assert_eq!(events, expected, "{answer:?}");
    laws::ends_exactly_once(&events, &[ID]);
}

/// The final answer's first byte is told, and then byte `at` is wrong.
#[track_caller]
fn check_bad(answer: &str, at: usize, kind: MalformedKind) {
    check(&get(), answer, &[first(), malformed(at as u64, kind)]);
}

fn closed_early(close: Close) -> Event {
    Event::ClosedEarly { id: ID, close, began: true }
}

#[test]
fn an_answer_ends_after_its_content_length() {
    for (answer, code, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, 5),
        ("HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello", 200, 5),
        ("HTTP/1.1 200 OK\r\nContent-Length: \t 5 \t\r\n\r\nhello", 200, 5),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0005\r\n\r\nhello", 200, 5),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, 0),
        ("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200, 0),
        ("HTTP/1.1 404 Not \u{e4} Found\r\nContent-Length: 2\r\n\r\nno", 404, 2),
        ("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", 302, 0),
        ("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", 999, 0),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, 2),
        ("HTTP/1.7 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, 2),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, 2),
        ("HTTP/1.1 200 OK\r\nX:\r\nY: \ta\tb\r\nContent-Length: 1\r\n\r\n\n", 200, 1),
        ("HTTP/1.1 205 Reset\r\nContent-Length: 1\r\n\r\nx", 205, 1),
    ] {
        check(&get(), answer, &[first(), answered(code, body)]);
        laws::truncation(session, &get(), answer.as_bytes());
    }
}

#[test]
fn a_chunked_answer_ends_after_its_trailers() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (body, bytes) in [
        ("0\r\n\r\n", 0),
        ("5\r\nhello\r\n0\r\n\r\n", 5),
        ("5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n", 12),
        ("0000000000000000000000005\r\nhello\r\n000\r\n\r\n", 5),
        ("a\r\n0123456789\r\nA;x=\"y;\tz\"\r\n0123456789\r\n0;last\r\n\r\n", 20),
        ("5  \r\nhello\r\n5 ;x\r\nhello\r\n0\t\r\n\r\n", 10),
        ("2\r\n\r\n\r\n0\r\n\r\n", 2),
        ("1\r\nx\r\n0\r\nExpires: never\r\nX-Sum: 1\r\n\r\n", 1),
        ("1\r\nx\r\n0\r\nContent-Length: 77\r\nTransfer-Encoding: gzip\r\nConnection: x\r\n\r\n", 1),
        ("1\r\nx\r\n0\r\nX: folded\r\n and so on\r\n\n", 1),
    ] {
        let answer = format!("{HEAD}{body}");
        check(&get(), &answer, &[first(), answered(200, bytes)]);
        laws::truncation(session, &get(), answer.as_bytes());
    }
    check(
        &get(),
        "HTTP/1.1 200 OK\r\ntransfer-encoding:CHUNKED\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        &[first(), answered(200, 1)],
    );
}

#[test]
fn an_answer_without_length_ends_with_the_connection() {
    for answer in [
        "HTTP/1.1 200 OK\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
    ] {
        check(&get(), answer, &[first(), answered(200, 5)]);
        for close in [Close::Reset, Close::TlsTruncated, Close::Local] {
            check_closed(&get(), answer, close, &[first(), closed_early(close)]);
        }
        laws::truncation(session, &get(), answer.as_bytes());
    }
    check(&get(), "HTTP/1.1 200 OK\r\n\r\n", &[first(), answered(200, 0)]);
}

#[test]
fn a_connection_that_ends_within_an_answer_leaves_it_closed_early() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 2",
    ] {
        check(&get(), answer, &[first(), closed_early(Close::Fin)]);
    }
    for answer in ["H", "HTTP/1.1 ", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: x"] {
        check(&get(), answer, &[closed_early(Close::Fin)]);
    }
    let nothing = Event::ClosedEarly { id: ID, close: Close::Fin, began: false };
    check(&get(), "", &[nothing]);
}

#[test]
fn interim_answers_are_skipped() {
    for interim in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nConnection: close\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 100\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 199 Odd\r\n\r\n",
    ] {
        let answer = format!("{interim}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        check(&get(), &answer, &[first(), answered(200, 2)]);
    }
    check(&get(), "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n", &[malformed(9, Other)]);
}

#[test]
fn some_answers_have_no_body_whatever_they_claim() {
    let head = head();
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
    ] {
        check(&head, answer, &[first(), answered(200, 0)]);
    }
    for (answer, code) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", 204),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: \"x\"\r\n\r\n", 304),
        ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304),
    ] {
        check(&get(), answer, &[first(), answered(code, 0)]);
    }
}

#[test]
fn a_wrong_status_line_is_told_at_its_first_wrong_byte() {
    for (answer, at) in [
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", 0),
        ("SSH-2.0-OpenSSH_9.6\r\n", 0),
        ("\u{15}\u{3}\u{3}", 0),
        ("HTTP/2 200\r\n", 5),
        ("HTTP/1.\r\n", 7),
        ("http/1.1 200 OK\r\n\r\n", 0),
        ("HTTP/1.1200 OK\r\n\r\n", 8),
        ("HTTP/1.1  200 OK\r\n\r\n", 9),
        ("HTTP/1.1 \r\n", 9),
        ("HTTP/1.1 x00 OK\r\n\r\n", 9),
    ] {
        check(&get(), answer, &[malformed(at, StatusLine)]);
    }
    for (answer, at) in [
        ("HTTP/1.1 2\r\n", 10),
        ("HTTP/1.1 20 OK\r\n\r\n", 11),
        ("HTTP/1.1 2000 OK\r\n\r\n", 12),
        ("HTTP/1.1 099 OK\r\n\r\n", 9),
        ("HTTP/1.1 200 O\u{0}K\r\n\r\n", 14),
        ("HTTP/1.1 200 OK\rX", 15),
        ("HTTP/1.1 20\u{0}", 11),
    ] {
        check_bad(answer, at, StatusLine);
    }
}

#[test]
fn a_wrong_header_line_is_told_at_its_first_wrong_byte() {
    const LINE: usize = "HTTP/1.1 200 OK\r\n".len();
    for (line, at) in [
        ("no colon\r\n", 2),
        ("nocolon\r\n", 7),
        (": no name\r\n", 0),
        ("Name : value\r\n", 4),
        ("N\u{e4}me: value\r\n", 1),
        ("Name: a\u{0}b\r\n", 7),
        ("Name: a\u{7f}b\r\n", 7),
        ("Name: a\rb\r\n", 7),
        ("Na me: a\u{1}b\r\n", 2),
        (" folded: too early\r\n", 0),
        ("Content-Length: 0\r\n 1\r\n", 19),
        ("Transfer-Encoding: chunked\r\n\tx\r\n", 28),
        ("Connection: keep\r\n -alive\r\n", 18),
        ("\r\r\n", 0),
    ] {
        check_bad(&format!("HTTP/1.1 200 OK\r\n{line}\r\n"), LINE + at, HeaderLine);
    }
}

#[test]
fn a_folded_line_behind_a_plain_field_is_skipped() {
    check(
        &get(),
        "HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\n\tContent-Length: 7\r\n \r\nContent-Length: 1\r\n\r\nx",
        &[first(), answered(200, 1)],
    );
}

#[test]
fn lengths_must_be_one_number() {
    const VALUE: usize = "HTTP/1.1 200 OK\r\nContent-Length: ".len();
    for length in ["1, 1", "1,1 , 01", "1\r\nContent-Length: 1", "1\r\ncontent-length: 01,1"] {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nx");
        check(&get(), &answer, &[first(), answered(200, 1)]);
    }
    for (length, at) in [
        ("", 0),
        ("-1", 0),
        ("+1", 0),
        ("0x5", 1),
        ("5 5", 1),
        ("5.0", 1),
        ("5,", 2),
        ("5, 6", 3),
        ("5\r\nContent-Length: 6", 19),
        ("18446744073709551616", 0),
        ("99999999999999999999999", 0),
    ] {
        check_bad(&format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"), VALUE + at, ContentLength);
    }
}

#[test]
fn a_length_beside_a_transfer_coding_is_malformed() {
    const LINE: usize = "HTTP/1.1 200 OK\r\n".len();
    for (first_line, second_line) in [
        ("Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"),
        ("Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n"),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\n{first_line}{second_line}\r\n");
        check_bad(&answer, LINE + first_line.len(), ContentLength);
    }
}

#[test]
fn only_a_single_chunked_coding_can_be_undone() {
    const VALUE: usize = "HTTP/1.1 200 OK\r\nTransfer-Encoding: ".len();
    for (coding, at) in [
        ("gzip", 0),
        ("gzip, chunked", 0),
        ("chunked, chunked", 0),
        ("identity", 0),
        ("chunkedx", 0),
        ("", 0),
        ("chunked\r\nTransfer-Encoding: chunked", 9),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n");
        check_bad(&answer, VALUE + at, TransferEncoding);
    }
    check_bad("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 17, TransferEncoding);
}

#[test]
fn a_wrong_chunk_is_told_at_its_first_wrong_byte() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (body, at, kind) in [
        ("\r\n", 0, Chunk),
        ("x\r\n", 0, Chunk),
        (" 5\r\n", 0, Chunk),
        (";x\r\n", 0, Chunk),
        ("-5\r\n", 0, Chunk),
        ("0x5\r\n", 1, Chunk),
        ("5 5\r\n", 2, Chunk),
        ("5\n", 1, Chunk),
        ("5\rx", 2, Chunk),
        ("5;a\nb\r\n", 3, Chunk),
        ("5;a\u{0}\r\n", 3, Chunk),
        ("10000000000000000\r\n", 16, Chunk),
        ("5\r\nhello0\r\n", 8, Chunk),
        ("5\r\nhello\n0\r\n", 8, Chunk),
        ("5\r\nhello\rx", 9, Chunk),
        ("0\r\nno colon\r\n\r\n", 5, HeaderLine),
        ("0\r\n folded\r\n\r\n", 3, HeaderLine),
        ("0\r\nX: \u{1}\r\n\r\n", 6, HeaderLine),
        ("0\r\n\rx", 3, HeaderLine),
    ] {
        check_bad(&format!("{HEAD}{body}"), HEAD.len() + at, kind);
    }
}

#[test]
fn bytes_after_an_answer_are_surplus_and_leave_it_answered() {
    for (answer, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 2),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 2),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 0),
    ] {
        for surplus in ["\r\n", "x", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"] {
            let breach = Event::Malformed { id: None, at: answer.len() as u64, kind: Surplus };
            check(&get(), &format!("{answer}{surplus}"), &[first(), answered(200, body), breach]);
        }
    }
    let head = head();
    let breach = Event::Malformed { id: None, at: 38, kind: Surplus };
    check(&head, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", &[first(), answered(200, 0), breach]);
}

#[test]
fn the_first_bytes_of_a_body_are_kept_when_asked_for() {
    for (answer, keep, kept, count) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 3, "hel", 5),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 99, "hello", 5),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 3, "", 0),
        ("HTTP/1.1 200 OK\r\n\r\nhello", 4, "hell", 5),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\n\r\n",
            4,
            "hell",
            5,
        ),
    ] {
        let body = Some(kept.as_bytes().to_vec());
        let whole = Event::Answered { id: ID, code: 200, body_bytes: count, body };
        check(&Request { keep_body: keep, ..get() }, answer, &[first(), whole]);
    }
}

#[test]
fn the_content_encoding_is_handed_out_where_the_body_is_kept() {
    let codings = |keep_body: usize, head: &str, piece: usize| {
        let answer = format!("{head}Content-Length: 2\r\n\r\nok");
        let mut driven = laws::Driven::started(session(), &Request { keep_body, ..get() });
        answer.as_bytes().chunks(piece).for_each(|piece| driven.receive(piece));
        String::from_utf8(driven.session.codings().to_vec()).unwrap()
    };
    for (head, expected) in [
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n", "gzip"),
        ("HTTP/1.1 200 OK\r\ncontent-encoding:br\r\nServer: x\r\n", "br"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: zstd\r\n", "gzip,zstd"),
        ("HTTP/1.1 200 OK\r\nContent-Language: gzip\r\n", ""),
        ("HTTP/1.1 103 Early\r\nContent-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\n", ""),
    ] {
        for piece in 1..head.len() + 25 {
            assert_eq!(codings(1, head, piece), expected, "{head:?} {piece}");
            assert_eq!(codings(0, head, piece), "", "{head:?} {piece}");
        }
    }
}

#[test]
fn the_content_encoding_of_an_answer_is_forgotten_with_the_next_request() {
    let request = Request { keep_body: 9, ..get() };
    let mut driven = laws::Driven::started(session(), &request);
    driven.receive(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(driven.session.codings(), b"gzip");
    driven.start(&request, ID);
    driven.receive(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(driven.session.codings(), b"");
}

#[test]
fn header_fields_are_kept_of_the_answer_itself_and_over_connections() {
    let answer = b"HTTP/1.1 103 Early\r\nX-Id: early\r\nSet-Cookie: s=0\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: s=1; Path=/\r\n\
        ETag: \"7\"\r\nSET-COOKIE: t=a=b\r\nSet-Cookie: s = 2 ; Secure\r\nContent-Length: 0\r\n\r\n";
    for size in 1..answer.len() {
        let mut session = session();
        assert_eq!((session.field(0), session.set_cookie("s")), (None, None));
        session.keep_fields(["x-id".to_owned(), "etag".to_owned()].into());
        session.keep_set_cookies();
        session.renew();
        let mut driven = laws::Driven::started(session, &get());
        answer.chunks(size).for_each(|piece| driven.receive(piece));
        let kept = &driven.session;
        assert_eq!((kept.field(0), kept.field(1)), (None, Some(&b"\"7\""[..])), "pieces of {size}");
        assert_eq!((kept.set_cookie("s"), kept.set_cookie("t")), (Some(&b"2"[..]), Some(&b"a=b"[..])));
        assert_eq!((kept.set_cookie("S"), kept.set_cookie("early")), (None, None));
        driven.start(&get(), ID);
        driven.receive(b"HTTP/1.1 200 OK\r\nX-Id: 8\r\nContent-Length: 0\r\n\r\n");
        assert_eq!((driven.session.field(0), driven.session.field(1)), (Some(&b"8"[..]), None));
        assert_eq!(driven.session.set_cookie("s"), None);
    }
}
