//! Heads that are wrong, odd or without end, and interim answers.

use super::case::{Ask, Case, Expected, GOOD, answers, plays, send};
use proofload_measure::Outcome::{
    Answered, BeyondLimit, ClosedEarly, Malformed, Mismatch, Rejected, Timeout,
};
use proofload_testkit::ScriptStep::{AwaitRequest, Fin, Flood};

pub fn cases() -> Vec<Case> {
    let mut all = status_lines();
    all.extend(fields());
    all.extend(lengths());
    all.extend(without_end());
    all.extend(interim());
    all.extend(without_body());
    all.extend(well_formed_refusals());
    all
}

/// An answer with this status line and a body of two bytes.
fn with_status(line: &[u8]) -> Vec<u8> {
    [line, b"\r\nContent-Length: 2\r\n\r\nok"].concat()
}

/// An answer with these lines beside a right length.
fn with_lines(lines: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", lines, b"\r\n\r\nok"].concat()
}

/// An answer with these lines and nothing else that frames it.
fn framed_by(lines: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\n", lines, b"\r\n\r\nok"].concat()
}

fn status_lines() -> Vec<Case> {
    let bad: [(&str, &[u8]); 12] = [
        ("a status of two digits", b"HTTP/1.1 20 OK"),
        ("a status of four digits", b"HTTP/1.1 2000 OK"),
        ("a status below 100", b"HTTP/1.1 099 Odd"),
        ("a status that is no number", b"HTTP/1.1 2x0 OK"),
        ("a status line with two spaces", b"HTTP/1.1  200 OK"),
        ("a status line with a tab for the space", b"HTTP/1.1\t200 OK"),
        ("a lower-case version", b"http/1.1 200 OK"),
        ("version 2.0 in a status line", b"HTTP/2.0 200 OK"),
        ("an ICY status line", b"ICY 200 OK"),
        ("a NUL in the status line", b"HTTP/1.1 200 O\0K"),
        ("an empty line before the status line", b"\r\nHTTP/1.1 200 OK"),
        ("a byte order mark before the status line", b"\xef\xbb\xbfHTTP/1.1 200 OK"),
    ];
    let bad = bad.map(|(name, line)| answers(format!("sends {name}"), with_status(line)).is(Malformed));
    let good: [(&str, &[u8]); 3] = [
        ("no reason", b"HTTP/1.1 200"),
        ("an empty reason", b"HTTP/1.1 200 "),
        ("a reason in Latin-1", b"HTTP/1.1 200 Tr\xe8s bien"),
    ];
    let good =
        good.map(|(name, line)| answers(format!("sends a status line with {name}"), with_status(line)));
    bad.into_iter().chain(good.map(|case| case.is(Answered))).collect()
}

fn fields() -> Vec<Case> {
    let bad: [(&str, &[u8]); 9] = [
        ("a header without colon", b"No colon"),
        ("a header without name", b": value"),
        ("a space before a header's colon", b"Name : value"),
        ("a NUL in a header's name", b"Na\0me: value"),
        ("a NUL in a header's value", b"Name: val\0ue"),
        ("an escape character in a header's value", b"Name: \x1b[2J"),
        ("a bare CR in a header's value", b"Name: val\rue"),
        ("a folded Connection header", b"Connection: keep-alive,\r\n close"),
        ("a name outside ASCII", b"N\xc3\xa4me: value"),
    ];
    let good: [(&str, &[u8]); 6] = [
        ("a folded line behind a header that frames nothing", b"Name: value\r\n more of it"),
        ("a tab in a header's value", b"Name: a\tb"),
        ("bytes beyond ASCII in a header's value", b"Name: \xff\xfe"),
        ("a header without value", b"Name:"),
        ("lines that end in a bare LF", b"Name: value\nOther: value"),
        (
            "the same header a hundred times",
            &[b"Name: value\r\n".repeat(99), b"Name: value".to_vec()].concat().leak()[..],
        ),
    ];
    let bad = bad.map(|(name, lines)| answers(format!("sends {name}"), with_lines(lines)).is(Malformed));
    let good = good.map(|(name, lines)| answers(format!("sends {name}"), with_lines(lines)).is(Answered));
    let folded_first = b"HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 2\r\n\r\nok";
    let mut all: Vec<Case> = bad.into_iter().chain(good).collect();
    all.push(answers("sends a folded line behind the status line", folded_first).is(Malformed));
    all
}

fn lengths() -> Vec<Case> {
    let bad: [(&str, &[u8]); 16] = [
        ("two lengths that differ", b"Content-Length: 2\r\nContent-Length: 3"),
        ("a list of lengths that differ", b"Content-Length: 2, 3"),
        ("a negative length", b"Content-Length: -2"),
        ("a length with a plus", b"Content-Length: +2"),
        ("a hexadecimal length", b"Content-Length: 0x2"),
        ("a length that is a fraction", b"Content-Length: 2.0"),
        ("an empty length", b"Content-Length:"),
        ("a length with a space in it", b"Content-Length: 1 2"),
        ("a length beyond 64 bits", b"Content-Length: 18446744073709551618"),
        ("a folded length", b"Content-Length:\r\n 2"),
        ("a length and a transfer coding", b"Content-Length: 2\r\nTransfer-Encoding: chunked"),
        ("a transfer coding and a length", b"Transfer-Encoding: chunked\r\nContent-Length: 2"),
        ("an unknown transfer coding", b"Transfer-Encoding: gzip"),
        ("two transfer codings", b"Transfer-Encoding: gzip, chunked"),
        ("chunked twice", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        ("a transfer coding that only looks like chunked", b"Transfer-Encoding: xchunked"),
    ];
    let mut all: Vec<Case> = bad
        .into_iter()
        .map(|(name, lines)| answers(format!("sends {name}"), framed_by(lines)).is(Malformed))
        .collect();
    let twice: [(&str, &[u8]); 3] = [
        ("the same length twice", b"Content-Length: 2\r\nContent-Length: 2"),
        ("a list of equal lengths", b"Content-Length: 2, 2"),
        ("a length with leading zeros", b"Content-Length: 0002"),
    ];
    all.extend(twice.map(|(name, lines)| answers(format!("sends {name}"), framed_by(lines)).is(Answered)));
    let long = framed_by(b"Content-Length: 9000000000000000000");
    all.push(answers("sends a length of exabytes and two bytes", long).is(ClosedEarly));
    let old = b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    all.push(answers("sends a transfer coding in HTTP/1.0", old).is(Malformed));
    let short = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay";
    all.push(answers("sends more than the length", short).then(Answered, Answered));
    let none = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nok";
    all.push(answers("sends a body behind length 0", none).then(Answered, Answered));
    all
}

fn without_end() -> Vec<Case> {
    let flood = |name: &str, first: &[u8], again: &[u8]| {
        plays(name, vec![AwaitRequest, send(first), Flood(again.repeat(4096 / again.len()))]).is(BeyondLimit)
    };
    vec![
        flood("sends headers without end", b"HTTP/1.1 200 OK\r\n", b"Name: value\r\n"),
        flood("sends one header without end", b"HTTP/1.1 200 OK\r\nName: ", b"value"),
        flood("sends a header's name without end", b"HTTP/1.1 200 OK\r\n", b"name"),
        flood("sends a reason without end", b"HTTP/1.1 200 ", b"fine "),
        flood("sends folded lines without end", b"HTTP/1.1 200 OK\r\nName: value\r\n", b" more\r\n"),
        flood("sends interim answers without end", b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        flood("sends empty lines without end", b"", b"\r\n").is(Malformed),
        flood("sends zero bytes without end", b"", b"\0").is(Malformed),
    ]
}

fn interim() -> Vec<Case> {
    let then_good = |name: &str, before: &[u8]| answers(name, [before, GOOD].concat()).is(Answered);
    let switching = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    vec![
        then_good("sends 100 Continue before the answer", b"HTTP/1.1 100 Continue\r\n\r\n"),
        then_good(
            "sends 103 Early Hints before the answer",
            b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=x\r\n\r\n",
        ),
        then_good(
            "sends ten interim answers before the answer",
            &b"HTTP/1.1 102 Processing\r\n\r\n".repeat(10),
        ),
        then_good(
            "sends an interim answer that claims a length",
            b"HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\n",
        ),
        answers("switches protocols unasked", switching).is(Malformed),
        answers("sends an interim answer with a broken header", b"HTTP/1.1 100 Continue\r\n: x\r\n\r\n")
            .is(Malformed),
        plays("sends an interim answer, then only junk", {
            vec![AwaitRequest, send(b"HTTP/1.1 100 Continue\r\n\r\njunk"), Fin]
        })
        .is(Malformed),
    ]
}

/// Answers that have no body whatever they claim.
fn without_body() -> Vec<Case> {
    let both = |name: &str, answer: &[u8]| answers(name, answer).then(Answered, Answered);
    let head = |name: &str, answer: &[u8]| both(name, answer).asked(Ask::Head);
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    vec![
        both(
            "answers 204 with a length and no body",
            b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
        )
        .kept(),
        both("answers 204 with a body", b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"),
        both(
            "answers 304 with a length and no body",
            b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        )
        .kept(),
        both("answers 304 with a body", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello"),
        both("answers 205 with length 0", b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n").kept(),
        head("answers HEAD with a length and no body", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            .kept(),
        head("answers HEAD with a body", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        head("answers HEAD with a coding and no body", chunked).kept(),
        head("answers HEAD without a word on length", b"HTTP/1.1 200 OK\r\n\r\n").kept(),
        plays(
            "answers HEAD in part",
            vec![AwaitRequest, send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), Fin],
        )
        .asked(Ask::Head)
        .is(ClosedEarly),
        answers("answers 200 without a word on length and waits", b"HTTP/1.1 200 OK\r\n\r\n")
            .hurried()
            .is(Timeout),
    ]
}

fn well_formed_refusals() -> Vec<Case> {
    let refuses = |status: &str| {
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nno");
        answers(format!("answers {status}"), answer).then(Rejected, Rejected).kept()
    };
    let mut all: Vec<Case> =
        ["400 Bad Request", "404 Not Found", "429 Too Many Requests", "500 Oops", "503 Busy"]
            .into_iter()
            .map(refuses)
            .collect();
    all.extend(["600 Odd", "999 Request Denied"].map(refuses));
    let moved = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n";
    all.push(answers("answers 302, which is not followed unless asked", moved).is(Answered));
    let closing = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    all.push(
        plays("answers 503 and closes", vec![AwaitRequest, send(closing), Fin]).then(Rejected, Rejected),
    );
    all.push(answers("sends another size than expected", GOOD).expecting(Expected::Bytes(347)).is(Mismatch));
    all.push(
        answers("sends another text than expected", GOOD).expecting(Expected::Text("fine")).is(Mismatch),
    );
    all
}
