//! The chunked coding done wrong, and servers that speak something else.

use super::case::{Case, Expected, answers, plays, send};
use proofload_measure::Outcome::{Answered, BeyondLimit, ClosedEarly, Malformed, Mismatch, Timeout};
use proofload_testkit::ScriptStep::{AwaitRequest, Flood};

const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

pub fn cases() -> Vec<Case> {
    let mut all = wrong_chunks();
    all.extend(odd_chunks());
    all.extend(endless_chunks());
    all.extend(strangers());
    all
}

fn wrong_chunks() -> Vec<Case> {
    let bad: [(&str, &[u8]); 15] = [
        ("a chunk size that is no number", b"zz\r\nok\r\n0\r\n\r\n"),
        ("an empty chunk size", b"\r\nok\r\n0\r\n\r\n"),
        ("a negative chunk size", b"-1\r\nok\r\n0\r\n\r\n"),
        ("a chunk size with 0x", b"0x2\r\nok\r\n0\r\n\r\n"),
        ("a chunk size with a leading space", b" 2\r\nok\r\n0\r\n\r\n"),
        ("a chunk size beyond 64 bits", b"10000000000000000\r\nok"),
        ("a chunk longer than its size", b"2\r\nokay\r\n0\r\n\r\n"),
        ("a chunk shorter than its size", b"9\r\nok\r\n0\r\n\r\nxxxx"),
        ("a chunk size that ends in a bare LF", b"2\nok\r\n0\r\n\r\n"),
        ("a chunk that ends in a bare LF", b"2\r\nok\n0\r\n\r\n"),
        ("a chunk that ends in a bare CR", b"2\r\nok\r0\r\n\r\n"),
        ("a NUL in a chunk's extension", b"2;a=\0\r\nok\r\n0\r\n\r\n"),
        ("a trailer without colon", b"2\r\nok\r\n0\r\nNo colon\r\n\r\n"),
        ("a NUL in a trailer", b"2\r\nok\r\n0\r\nName: \0\r\n\r\n"),
        ("no line end between two chunks", b"2\r\nok2\r\nok\r\n0\r\n\r\n"),
    ];
    let long = [CHUNKED, b"ffffffffffffffff\r\nok"].concat();
    bad.into_iter()
        .map(|(name, body)| answers(format!("sends {name}"), [CHUNKED, body].concat()).is(Malformed))
        .chain([answers("sends the largest chunk size of 64 bits and two bytes", long).is(ClosedEarly)])
        .collect()
}

fn odd_chunks() -> Vec<Case> {
    let good: [(&str, &[u8]); 7] = [
        ("a chunk's extension", b"2;name=value\r\nok\r\n0\r\n\r\n"),
        ("a quoted chunk extension", b"2;name=\"a;b\"\r\nok\r\n0;last\r\n\r\n"),
        ("a space behind a chunk size", b"2 \r\nok\r\n0\r\n\r\n"),
        ("a chunk size with leading zeros", b"0000000000000000000002\r\nok\r\n000\r\n\r\n"),
        ("a chunk for each byte", b"1\r\no\r\n1\r\nk\r\n0\r\n\r\n"),
        ("a trailer that names a length", b"2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n"),
        ("trailers that end in a bare LF", b"2\r\nok\r\n0\r\nName: value\n\n"),
    ];
    let good = good.map(|(name, body)| {
        let case = answers(format!("sends {name}"), [CHUNKED, body].concat());
        case.expecting(Expected::Bytes(2)).is(Answered)
    });
    let nothing = answers("sends no chunk but the last", [CHUNKED, b"0\r\n\r\n"].concat());
    let surplus =
        answers("sends bytes behind the last chunk", [CHUNKED, b"2\r\nok\r\n0\r\n\r\n0\r\n\r\n"].concat());
    let mut all = Vec::from(good);
    all.push(nothing.clone().then(Answered, Answered).kept());
    all.push(
        Case { name: "sends no chunk where two bytes are expected".into(), ..nothing }
            .expecting(Expected::Bytes(2))
            .is(Mismatch),
    );
    all.push(surplus.then(Answered, Answered));
    all
}

fn endless_chunks() -> Vec<Case> {
    let flood = |name: &str, first: &[u8], again: &[u8]| {
        let again = again.repeat(4096 / again.len());
        plays(name, vec![AwaitRequest, send([CHUNKED, first].concat()), Flood(again)])
    };
    vec![
        flood("sends a chunk size without end", b"", b"0").is(BeyondLimit),
        flood("sends a chunk's extension without end", b"2;", b"a=b;").is(BeyondLimit),
        flood("sends one trailer without end", b"0\r\nName: ", b"value").is(BeyondLimit),
        flood("sends trailers without end", b"0\r\n", b"Name: value\r\n").is(BeyondLimit),
        flood("sends chunks without end", b"", b"1\r\nx\r\n").hurried().is(Timeout),
    ]
}

/// Other protocols on a port that was taken for HTTP's.
fn strangers() -> Vec<Case> {
    let others: [(&str, &[u8]); 14] = [
        ("a TLS alert", b"\x15\x03\x01\x00\x02\x02\x46"),
        ("a TLS handshake", b"\x16\x03\x03\x00\x31\x02\x00\x00\x2d\x03\x03"),
        ("a page of HTTP/0.9", b"<html><body>ok</body></html>\r\n"),
        ("the settings of HTTP/2", b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"),
        ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("a request", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("the banner of SSH", b"SSH-2.0-OpenSSH_9.6\r\n"),
        ("the banner of SMTP", b"220 mail.example ESMTP\r\n"),
        ("an error of Redis", b"-ERR unknown command 'GET'\r\n"),
        ("the greeting of MySQL", b"\x4a\x00\x00\x00\x0a8.0.36\x00"),
        ("an answer of AJP", b"AB\x00\x04\x04\x00\xc8\x00"),
        ("a single zero byte", b"\0"),
        ("a single line feed", b"\n"),
        ("bytes above 127", b"\xff\xfe\xfd\xfc\xfb\xfa"),
    ];
    let mut all: Vec<Case> = others
        .into_iter()
        .map(|(name, bytes)| answers(format!("answers with {name}"), bytes).is(Malformed))
        .collect();
    let unasked = |name: &str, bytes: &[u8]| plays(name, vec![send(bytes)]).fresh().is(Malformed);
    all.push(unasked("greets with a banner before the request", b"220 ready\r\n"));
    all.push(unasked("greets with zero bytes before the request", &[0; 100]));
    all
}
