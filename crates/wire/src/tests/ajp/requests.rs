//! Requests on the wire, and refused ones.

use super::{HOST, encoded, post, string};
use crate::ajp::{Attributes, EncodeError, PACKET_BYTES_MAX, PACKET_BYTES_MIN, encode};
use crate::http1::{self, RequestPart, RequestSpec, Slot, Template};
use crate::{Expectation, Request};

/// Codes as the AJPv13 document has them, apart from the encoder's own tables.
const METHODS: &str = "OPTIONS GET HEAD POST PUT DELETE TRACE PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK ACL REPORT \
    VERSION-CONTROL CHECKIN CHECKOUT UNCHECKOUT SEARCH MKWORKSPACE UPDATE LABEL MERGE BASELINE-CONTROL MKACTIVITY";
const HEADERS: &str = "accept accept-charset accept-encoding accept-language authorization connection content-type \
    content-length cookie cookie2 host pragma referer user-agent";

fn with(spec: &RequestSpec, attributes: &Attributes) -> Result<Request, EncodeError> {
    encode(spec, &Template::default(), attributes)
}

fn refused(spec: &RequestSpec) -> EncodeError {
    with(spec, &Attributes::default()).expect_err("the request is wrong")
}

/// A request's packet: `line` from code and method on, `headers` from their count on, then the attributes.
fn packet(line: &[&[u8]], headers: &[&[u8]], attributes: &[&[u8]]) -> Vec<u8> {
    let content = [line.concat(), headers.concat(), attributes.concat(), vec![0xff]].concat();
    [&[0x12, 0x34][..], &(content.len() as u16).to_be_bytes(), &content].concat()
}

/// Bytes between method and headers for a path at [`HOST`].
fn middle(path: &str) -> Vec<u8> {
    let ends = [string("127.0.0.1"), vec![0xff, 0xff], string("localhost"), vec![0x1f, 0x49, 0]].concat();
    [string("HTTP/1.1"), string(path), ends].concat()
}

fn host() -> Vec<u8> {
    [vec![0xa0, 11], string(HOST)].concat()
}

#[test]
fn a_request_has_its_line_host_and_query() {
    let plain = packet(&[&[2, 2], &middle("/a/b")], &[&[0, 1], &host()], &[]);
    assert_eq!(encoded(&RequestSpec::get(HOST, "/a/b")).bytes, plain);
    for query in ["", "b=c", "b=c?d"] {
        let request = encoded(&RequestSpec::get(HOST, &format!("/a?{query}")));
        let expected = packet(&[&[2, 2], &middle("/a")], &[&[0, 1], &host()], &[&[5], &string(query)]);
        assert_eq!(request.bytes, expected, "{query:?}");
    }
}

#[test]
fn methods_have_the_codes_of_the_document_and_others_are_stored() {
    for (method, code) in METHODS.split_whitespace().zip(1..) {
        let spec = RequestSpec { method: method.to_owned(), ..RequestSpec::get(HOST, "/") };
        assert_eq!(encoded(&spec).bytes[4..6], [2, code], "{method}");
    }
    assert_eq!(METHODS.split_whitespace().count(), 27);
    for other in ["get", "QUERY"] {
        let spec = RequestSpec { method: other.to_owned(), ..RequestSpec::get(HOST, "/") };
        let expected = packet(&[&[2, 0xff], &middle("/")], &[&[0, 1], &host()], &[&[13], &string(other)]);
        assert_eq!(encoded(&spec).bytes, expected);
    }
}

#[test]
fn headers_have_the_codes_of_the_document_and_others_their_names() {
    for (name, code) in HEADERS.split_whitespace().zip(1..) {
        if ["host", "content-length"].contains(&name) {
            continue;
        }
        for name in [name.to_owned(), name.to_ascii_uppercase()] {
            let headers = vec![(name, " v\t".to_owned())];
            let request = encoded(&RequestSpec { headers, ..RequestSpec::get(HOST, "/") });
            let list: &[&[u8]] = &[&[0, 2], &host(), &[0xa0, code], &string("v")];
            assert_eq!(request.bytes, packet(&[&[2, 2], &middle("/")], list, &[]));
        }
    }
    let headers = vec![("X-Y".to_owned(), "\u{e4} z".to_owned()), ("hOst".to_owned(), "other:81".to_owned())];
    let request = encoded(&RequestSpec { headers, ..RequestSpec::get(HOST, "/") });
    let ends = [string("127.0.0.1"), vec![0xff, 0xff], string("other"), vec![0, 81, 0]].concat();
    let list: &[&[u8]] = &[&[0, 2, 0xa0, 11], &string("other:81"), &string("X-Y"), &string("\u{e4} z")];
    let line: &[&[u8]] = &[&[2, 2], &string("HTTP/1.1"), &string("/"), &ends];
    assert_eq!(request.bytes, packet(line, list, &[]));
}

#[test]
fn attributes_have_the_codes_of_the_document() {
    let some = |text: &str| Some(text.to_owned());
    let all = Attributes {
        remote_addr: "10.0.0.9".to_owned(),
        remote_host: some("client"),
        is_ssl: true,
        context: some("c1"),
        servlet_path: some("c2"),
        remote_user: some("c3"),
        auth_type: some("c4"),
        route: some("c6"),
        ssl_cert: some("c7\n"),
        ssl_cipher: some("c8"),
        ssl_session: some("c9"),
        ssl_key_size: Some(256),
        secret: some("c12"),
        request: vec![("AJP_REMOTE_PORT".to_owned(), "9".to_owned()), ("b".to_owned(), String::new())],
        ..Attributes::default()
    };
    let ends = [string("10.0.0.9"), string("client"), string("h"), vec![1, 187, 1]].concat();
    let mut attributes = Vec::new();
    for (code, value) in
        [(1, "c1"), (2, "c2"), (3, "c3"), (4, "c4"), (6, "c6"), (7, "c7\n"), (8, "c8"), (9, "c9")]
    {
        attributes.push(code);
        attributes.extend(string(value));
    }
    let rest: &[&[u8]] = &[&[12], &string("c12"), &[5], &string("q"), &[11, 1, 0], &[13], &string("X")];
    let own: &[&[u8]] = &[&[10], &string("AJP_REMOTE_PORT"), &string("9"), &[10], &string("b"), &string("")];
    attributes.extend([rest.concat(), own.concat()].concat());
    let spec = RequestSpec { method: "X".to_owned(), ..RequestSpec::get("h", "/?q") };
    let line: &[&[u8]] = &[&[2, 0xff], &string("HTTP/1.1"), &string("/"), &ends];
    let list: &[&[u8]] = &[&[0, 1, 0xa0, 11], &string("h")];
    assert_eq!(with(&spec, &all).expect("right").bytes, packet(line, list, &[&attributes]));
    assert!(!format!("{all:?}").contains("c12"), "the secret shows");
}

#[test]
fn server_name_and_port_are_those_of_the_host() {
    for (host, is_ssl, name, port) in [
        ("h", false, "h", 80),
        ("h", true, "h", 443),
        ("h:1", true, "h", 1),
        ("h:65535", false, "h", 65535),
        ("[::1]", false, "[::1]", 80),
        ("[::1]:8009", false, "[::1]", 8009),
    ] {
        let request = with(&RequestSpec::get(host, "/"), &Attributes { is_ssl, ..Attributes::default() });
        let bytes = request.expect("right").bytes;
        let expected = [string(name), u16::to_be_bytes(port).to_vec(), vec![u8::from(is_ssl)]].concat();
        assert!(bytes.windows(expected.len()).any(|window| window == expected), "{host}");
    }
    for host in ["h:", "h:0", "h:65536", "h:http"] {
        assert_eq!(refused(&RequestSpec::get(host, "/")), EncodeError::Port(host.to_owned()));
    }
}

#[test]
fn a_length_is_set_for_a_body_as_http_does() {
    let list = |length: &str| [vec![0, 2], host(), vec![0xa0, 8], string(length)].concat();
    for method in ["POST", "PUT", "PATCH"] {
        let request = encoded(&RequestSpec { method: method.to_owned(), ..post(Vec::new()) });
        assert!(request.bytes.windows(list("0").len()).any(|window| window == list("0")), "{method}");
    }
    let get = encoded(&RequestSpec { body: b"ok".to_vec(), ..RequestSpec::get(HOST, "/") });
    let head = packet(&[&[2, 2], &middle("/")], &[&list("2")], &[]);
    assert_eq!(get.bytes, [&head[..], b"\x12\x34\0\x04\0\x02ok"].concat());
    let own =
        RequestSpec { headers: vec![("content-length".to_owned(), "2".to_owned())], ..post(b"ok".to_vec()) };
    assert_eq!(encoded(&own).bytes, encoded(&post(b"ok".to_vec())).bytes);
}

#[test]
fn a_request_says_what_its_answer_needs() {
    let spec = RequestSpec { keep_body: 9, close: true, ..RequestSpec::get(HOST, "/") };
    let closing = encoded(&spec);
    assert_eq!(closing.bytes, encoded(&RequestSpec::get(HOST, "/")).bytes, "no header closes the connection");
    assert!(closing.closes && closing.goes_as_encoded());
    assert_eq!((closing.keep_body, closing.expectation), (9, Expectation::default()));
    let own = RequestSpec {
        headers: vec![("Connection".to_owned(), "close".to_owned())],
        ..RequestSpec::get(HOST, "/")
    };
    assert!(encoded(&own).closes);
    assert_ne!(super::head().expectation, Expectation::default());
}

#[test]
fn what_http_refuses_is_refused_likewise() {
    let bad = |spec: RequestSpec| {
        let by_http = spec.encode().expect_err("the request is wrong");
        assert_eq!(refused(&spec), EncodeError::Request(by_http.clone()));
        assert_eq!(refused(&spec).to_string(), by_http.to_string());
    };
    let get = || RequestSpec::get(HOST, "/");
    let header =
        |name: &str, value: &str| RequestSpec { headers: vec![(name.to_owned(), value.to_owned())], ..get() };
    bad(RequestSpec::get(HOST, "a"));
    bad(RequestSpec::get(HOST, "/ "));
    bad(RequestSpec::get("a b", "/"));
    bad(RequestSpec { method: "CONNECT".to_owned(), ..get() });
    bad(header("a b", "x"));
    bad(header("x", "a\nb"));
    bad(header("Content-Length", "7"));
    bad(header("Transfer-Encoding", "chunked"));
    bad(RequestSpec { close: true, ..header("Connection", "keep-alive") });
    let early = Template {
        slots: vec![Slot { part: RequestPart::Target, at: 0, draw: 0 }],
        cookies: false,
        ..Template::default()
    };
    let refused = encode(&get(), &early, &Attributes::default());
    assert_eq!(refused, Err(EncodeError::Request(http1::EncodeError::SlotPlace)));
    let cookies = Template { cookies: true, ..Template::default() };
    assert_eq!(encode(&get(), &cookies, &Attributes::default()), Err(EncodeError::Cookies));
}

#[test]
fn attributes_no_container_would_take_are_refused() {
    let get = RequestSpec::get(HOST, "/");
    let nul = || "a\0".to_owned();
    for (attributes, name) in [
        (Attributes { secret: Some(nul()), ..Attributes::default() }, "secret"),
        (Attributes { remote_addr: nul(), ..Attributes::default() }, "remote_addr"),
        (Attributes { remote_host: Some(nul()), ..Attributes::default() }, "remote_host"),
        (Attributes { request: vec![(String::new(), String::new())], ..Attributes::default() }, ""),
        (Attributes { request: vec![("a".to_owned(), nul())], ..Attributes::default() }, "a"),
    ] {
        assert_eq!(with(&get, &attributes), Err(EncodeError::Attribute(name.to_owned())));
    }
    for packet_bytes in [0, PACKET_BYTES_MIN - 1, PACKET_BYTES_MAX + 1] {
        let attributes = Attributes { packet_bytes, ..Attributes::default() };
        assert_eq!(with(&get, &attributes), Err(EncodeError::PacketBytes(packet_bytes)));
    }
}

#[test]
fn a_head_may_fill_its_packet_and_no_more() {
    for packet_bytes in [PACKET_BYTES_MIN, 8192, PACKET_BYTES_MAX] {
        let most = packet_bytes as usize;
        let attributes = Attributes { packet_bytes, ..Attributes::default() };
        let base = encoded(&RequestSpec::get(HOST, "/")).bytes.len();
        let target = |more: usize| format!("/{}", "x".repeat(most - base + more));
        let fits = with(&RequestSpec::get(HOST, &target(0)), &attributes).expect("it fits");
        assert_eq!(fits.bytes.len(), most);
        assert_eq!(usize::from(u16::from_be_bytes([fits.bytes[2], fits.bytes[3]])), most - 4);
        let beyond = with(&RequestSpec::get(HOST, &target(1)), &attributes);
        assert_eq!(beyond, Err(EncodeError::HeadTooLong { bytes: most + 1, most }));
        let far = with(&RequestSpec::get(HOST, &target(100_000)), &attributes);
        assert_eq!(far, Err(EncodeError::HeadTooLong { bytes: most + 100_000, most }));
        let body = |target: &str| RequestSpec { body: b"body".to_vec(), ..RequestSpec::get(HOST, target) };
        let base = encoded(&body("/")).bytes.len() - 10;
        let target = |more: usize| format!("/{}", "x".repeat(most - base + more));
        assert_eq!(with(&body(&target(0)), &attributes).expect("it fits").bytes.len(), most + 10);
        let beyond = with(&body(&target(1)), &attributes);
        assert_eq!(beyond, Err(EncodeError::HeadTooLong { bytes: most + 1, most }));
    }
}
