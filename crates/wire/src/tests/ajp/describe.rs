//! Readable lines of both directions, and what they must not show.

use super::{END, END_AND_CLOSE, PING, PONG, ask, chunk, headers, packet, post, string};
use crate::ajp::{Attributes, describe, encode};
use crate::http1::{RequestSpec, Template};

const SECRET: &str = "open sesame";

fn request() -> Vec<u8> {
    let attributes = Attributes {
        secret: Some(SECRET.to_owned()),
        ssl_key_size: Some(256),
        request: vec![("JK_LB_ACTIVATION".to_owned(), "ACT".to_owned())],
        ..Attributes::default()
    };
    let kind = vec![("Content-Type".to_owned(), "text/plain".to_owned()), ("X-Y".to_owned(), "z".to_owned())];
    let spec = RequestSpec { headers: kind, target: "/a?b=c".to_owned(), ..post(b"hello\n".to_vec()) };
    encode(&spec, &Template::default(), &attributes).expect("the request is right").bytes
}

#[test]
fn what_is_sent_reads_as_lines_without_the_secret() {
    let sent = [PING, &request(), b"\x12\x34\0\0", b"\x12\x34\0\x04\0\x02\xff\0"].concat();
    assert_eq!(
        describe(true, &sent),
        [
            "ping",
            "forward request: POST",
            "  /a HTTP/1.1",
            "  client 127.0.0.1, name (null)",
            "  server localhost, port 8009, without TLS",
            "  Host: localhost:8009",
            "  Content-Type: text/plain",
            "  X-Y: z",
            "  Content-Length: 6",
            "  secret: ***",
            "  query_string: b=c",
            "  ssl_key_size: 256",
            "  attribute JK_LB_ACTIVATION: ACT",
            "body packet, 6 bytes: hello\\n",
            "body packet, empty: there is no more",
            "body packet, 2 bytes, not text",
        ]
    );
}

#[test]
fn what_came_reads_as_lines() {
    let flush = chunk(b"");
    let head = headers(200, &[(&[0xa0, 1], "text/html"), (&string("X"), "y\u{7}"), (&[0xa0, 99], "z")]);
    let came =
        [PONG, &ask(8186), &head, &chunk("\u{e4}ö\r\n".as_bytes()), &flush, END, END_AND_CLOSE].concat();
    assert_eq!(
        describe(false, &came),
        [
            "pong",
            "get body chunk, at most 8186 bytes",
            "send headers: 200 OK",
            "  Content-Type: text/html",
            "  X: y\\u{7}",
            "  header 0xa063: z",
            "body chunk, 6 bytes: äö\\r\\n",
            "body chunk, empty: flush",
            "end response, reuse yes",
            "end response, reuse no",
        ]
    );
}

#[test]
fn odd_and_cut_bytes_show_in_hexadecimal_digits() {
    assert_eq!(describe(false, b"HTTP"), ["not a packet: 4 bytes: 48 54 54 50"]);
    assert_eq!(describe(false, b"AB\0"), ["cut packet: 3 bytes: 41 42 00"]);
    assert_eq!(
        describe(false, b"AB\0\x02\x63\x01"),
        ["packet with code 99, which the protocol does not have", "  unreadable: 2 bytes: 63 01"]
    );
    assert_eq!(
        describe(false, &ask(9)[..6]),
        ["  (cut: 2 of the packet's 3 bytes)", "  unreadable: 1 bytes: 00"]
    );
    assert_eq!(
        describe(false, &packet(b"\x05\x01\x02")),
        ["end response, reuse yes", "  unreadable: 1 bytes: 02"]
    );
    let long = describe(false, &[b'x'; 99]);
    assert!(long[0].starts_with("not a packet: 99 bytes: 78 78") && long[0].ends_with("78 …"), "{long:?}");
    assert!(describe(false, b"").is_empty());
}

#[test]
fn the_secret_never_shows() {
    let whole = request();
    let digits: String = SECRET.bytes().map(|byte| format!(" {byte:02x}")).collect();
    // Four bytes of it are too many.
    let shows = |lines: &[String]| {
        let text = lines.join("\n");
        text.contains(&SECRET[..4]) || text.contains(&digits[..12]) || text.contains(&SECRET[4..])
    };
    for from in 0..whole.len() {
        assert!(!shows(&describe(true, &whole[from..])), "from {from}");
        assert!(!shows(&describe(true, &whole[..from])), "up to {from}");
    }
    // What cannot be read may hold it.
    let secret =
        whole.windows(SECRET.len()).position(|window| window == SECRET.as_bytes()).expect("it is sent");
    for at in (0..secret - 3).filter(|at| whole[*at] == 0) {
        let mut wrong = whole.clone();
        wrong[at] = 1;
        let lines = describe(true, &wrong);
        assert!(!shows(&lines), "byte {at}: {lines:#?}");
    }
}

#[test]
fn output_is_bounded() {
    let many = describe(false, &END.repeat(10_000));
    assert_eq!(many.len(), 501);
    assert_eq!(many.last().map(String::as_str), Some("… and more"));
    let list: Vec<(&[u8], &str)> = vec![(&[0xa0, 1], "x"); 200];
    assert_eq!(describe(false, &headers(200, &list).repeat(9)).len(), 501);
    assert_eq!(describe(false, &END.repeat(500)).len(), 500);
    let long = describe(false, &chunk(&[b'x'; 8000]));
    assert!(long[0].chars().count() < 250, "{long:?}");
}
