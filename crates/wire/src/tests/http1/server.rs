//! Requests as a server reads them.

use crate::MalformedKind::{self, *};
use crate::http1::Limits;
use crate::http1::server::{BodyLength, BodyProgress, Method, RequestHead, RequestParser, ServerError};

/// The head of `request`, which must be whole; the same byte by byte.
#[track_caller]
fn head(request: &str) -> Result<RequestHead, ServerError> {
    let bytes = request.as_bytes();
    let limits = Limits { body_max: 1 << 30, ..Limits::default() };
    let whole = RequestParser::new(limits).head(bytes);
    let mut parser = RequestParser::new(limits);
    let by_byte = (1..=bytes.len()).map(|len| parser.head(&bytes[..len])).find(|found| *found != Ok(None));
    assert_eq!(by_byte, Some(whole.clone()), "{request:?}");
    whole.map(|head| head.expect("the head is whole"))
}

#[test]
fn a_head_tells_method_target_body_and_whether_the_connection_goes_on() {
    let request = "GET /x?y HTTP/1.1\r\nHost: h\r\n\r\n";
    let expected = RequestHead {
        method: Method::Get,
        target: 4..8,
        keep_alive: true,
        expects_continue: false,
        body: BodyLength::None,
        consumed: request.len(),
    };
    assert_eq!(head(request), Ok(expected.clone()));
    let behind_an_empty_line = RequestHead { target: 6..10, consumed: request.len() + 2, ..expected };
    assert_eq!(head(&format!("\r\n{request}")), Ok(behind_an_empty_line));
    for (request, keep_alive, body) in [
        ("HEAD * HTTP/1.1\nHost:\n\n", true, BodyLength::None),
        ("GET / HTTP/1.0\r\n\r\n", false, BodyLength::None),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, BodyLength::None),
        (
            "PUT / HTTP/1.1\r\nHost: h\r\nConnection: x, close\r\nContent-Length: 3\r\n\r\n",
            false,
            BodyLength::Length(3),
        ),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", true, BodyLength::None),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: h\r\n\r\n", true, BodyLength::Chunked),
    ] {
        let head = head(request).expect("well-formed");
        assert_eq!((head.keep_alive, head.body), (keep_alive, body), "{request:?}");
    }
}

#[test]
fn requests_follow_each_other_behind_their_bodies() {
    let bytes: &[u8] = b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyz\
        POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nok\r\n0\r\nT: x\r\n\r\n\
        GET /c HTTP/1.1\r\nHost: h\r\n\r\n";
    let mut parser = RequestParser::new(Limits::default());
    let mut rest = bytes;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let head = parser.head(rest).expect("well-formed").expect("whole");
        let target = rest[head.target].to_vec();
        rest = &rest[head.consumed..];
        let mut length = 0;
        if head.body != BodyLength::None {
            let BodyProgress { consumed, done, body_bytes } = parser.body(rest).expect("well-formed");
            assert!(done);
            rest = &rest[consumed..];
            length = body_bytes;
        }
        found.push((target, length));
    }
    assert_eq!(found, [(b"/a".to_vec(), 3), (b"/b".to_vec(), 2), (b"/c".to_vec(), 0)]);
    let error = parser.head(b"GET\r\n").expect_err("the request is wrong");
    assert_eq!(error, ServerError { at: bytes.len() as u64 + 3, kind: StatusLine }, "offsets go on counting");
}

#[test]
fn a_wrong_request_is_told_at_its_first_wrong_byte_with_the_status_to_answer() {
    for (request, at, kind, status) in [
        ("GET\r\n\r\n", 3, StatusLine, 400),
        (" GET / HTTP/1.1\r\n", 0, StatusLine, 400),
        ("GET  HTTP/1.1\r\n", 4, StatusLine, 400),
        ("GET /\r\n", 5, StatusLine, 400),
        ("GET / HTTP/2.0\r\n", 6, StatusLine, 400),
        ("GET / HTTP/1.1 \r\n", 6, StatusLine, 400),
        ("GET /\u{0} HTTP/1.1\r\n", 5, StatusLine, 400),
        ("\r\n\r\nGET / HTTP/1.1\r\n", 2, StatusLine, 400),
        ("GET / HTTP/1.1\r\n\r\n", 16, HeaderLine, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 34, HeaderLine, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 25, HeaderLine, 400),
        ("GET / HTTP/1.1\r\nA: \u{1}\r\n", 19, HeaderLine, 400),
        ("GET / HTTP/1.1\r\nContent-Length: x\r\n", 32, ContentLength, 400),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n", 35, TransferEncoding, 501),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999999\r\n\r\n", 41, BodyTooLong, 413),
    ] {
        let error = head(request).expect_err("the request is wrong");
        assert_eq!((error, error.status()), (ServerError { at, kind }, status), "{request:?}");
    }
}

#[test]
fn a_head_beyond_its_limit_is_refused() {
    let request = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    for head_max in 0..request.len() {
        let mut parser = RequestParser::new(Limits { head_max, ..Limits::default() });
        let error = ServerError { at: head_max as u64, kind: MalformedKind::HeadTooLong };
        assert_eq!(parser.head(request), Err(error));
        assert_eq!(error.status(), 431);
    }
    let mut parser = RequestParser::new(Limits { head_max: request.len(), ..Limits::default() });
    assert!(parser.head(request).expect("well-formed").is_some());
}
