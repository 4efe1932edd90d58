//! Requests on the wire, and refused ones.

use super::super::values::BLANKS;
use crate::http1::server::{BodyLength, Method, RequestParser};
use crate::http1::{EncodeError, Limits, Parts, RequestPart, RequestSpec, Slot, Template, first_wrong};
use crate::{ExchangeId, Expectation, Filling, Outbox, Replacement, Session, Values};

fn spec(method: &str, headers: &[(&str, &str)], body: &str) -> RequestSpec {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    RequestSpec {
        method: method.to_owned(),
        headers,
        body: body.as_bytes().to_vec(),
        ..RequestSpec::get("localhost:8080", "/a?b=c")
    }
}

#[track_caller]
fn text(spec: &RequestSpec) -> String {
    let request = spec.encode().expect("the request is right");
    String::from_utf8(request.bytes).expect("the request is text")
}

fn refused(method: &str, headers: &[(&str, &str)], body: &str) -> EncodeError {
    spec(method, headers, body).encode().expect_err("the request is wrong")
}

#[test]
fn a_request_has_host_length_and_close_as_needed() {
    const HEAD: &str = "/a?b=c HTTP/1.1\r\nHost: localhost:8080\r\n";
    assert_eq!(text(&spec("GET", &[], "")), format!("GET {HEAD}\r\n"));
    assert_eq!(text(&spec("GET", &[], "x")), format!("GET {HEAD}Content-Length: 1\r\n\r\nx"));
    for method in ["POST", "PUT", "PATCH"] {
        assert_eq!(text(&spec(method, &[], "")), format!("{method} {HEAD}Content-Length: 0\r\n\r\n"));
    }
    assert_eq!(text(&spec("DELETE", &[], "")), format!("DELETE {HEAD}\r\n"));
    assert_eq!(
        text(&spec("GET", &[("Accept", " */* "), ("X-\u{41}", "b\tc \u{e4}")], "")),
        format!("GET {HEAD}Accept: */*\r\nX-A: b\tc \u{e4}\r\n\r\n"),
    );
    let closing = RequestSpec { close: true, ..spec("GET", &[], "") };
    assert_eq!(text(&closing), format!("GET {HEAD}Connection: close\r\n\r\n"));
}

#[test]
fn the_users_own_host_length_and_close_are_taken_once() {
    let own = spec("POST", &[("content-length", "2"), ("host", "other"), ("connection", "Close")], "ok");
    let expected = "POST /a?b=c HTTP/1.1\r\nHost: other\r\ncontent-length: 2\r\nconnection: Close\r\n\r\nok";
    assert_eq!(text(&own), expected);
    assert!(own.encode().expect("right").closes);
    assert_eq!(text(&RequestSpec { close: true, ..own }), expected);
}

#[test]
fn a_request_says_what_its_answer_needs() {
    let head = RequestSpec { keep_body: 9, close: true, ..spec("HEAD", &[], "") }.encode().expect("right");
    assert!(head.closes && head.expectation != Expectation::default());
    assert_eq!(head.keep_body, 9);
    let get = spec("GET", &[("Connection", "keep-alive")], "").encode().expect("right");
    assert!(!get.closes && get.expectation == Expectation::default());
}

#[test]
fn what_would_break_framing_is_refused() {
    assert_eq!(refused("POST", &[("Transfer-Encoding", "chunked")], "x"), EncodeError::TransferEncoding);
    assert_eq!(refused("GET", &[("Upgrade", "h2c")], ""), EncodeError::Upgrade);
    assert_eq!(refused("GET", &[("Host", "a"), ("HOST", "a")], ""), EncodeError::Repeated("Host"));
    let length = ("Content-Length", "1");
    assert_eq!(refused("POST", &[length, length], "x"), EncodeError::Repeated("Content-Length"));
    for given in ["2", "", "01", "+1"] {
        assert_eq!(
            refused("POST", &[("Content-Length", given)], "x"),
            EncodeError::ContentLength { given: given.to_owned(), actual: 1 },
        );
    }
    let contradicts = RequestSpec { close: true, ..spec("GET", &[("Connection", "Keep-Alive")], "") };
    assert_eq!(contradicts.encode(), Err(EncodeError::Connection("Keep-Alive".to_owned())));
}

#[test]
fn what_could_inject_another_line_is_refused() {
    for method in ["", "G T", "GET\r\n", "GET/", "G\u{e4}T"] {
        assert_eq!(refused(method, &[], ""), EncodeError::Method(method.to_owned()));
    }
    assert_eq!(refused("CONNECT", &[], ""), EncodeError::Connect);
    for name in ["", "A B", "A:", "A\r\nB", "\u{e4}"] {
        assert_eq!(refused("GET", &[(name, "x")], ""), EncodeError::HeaderName(name.to_owned()));
    }
    for byte in [b'\r', b'\n', 0, 0x7f, 0x1b] {
        let value = format!("a{}b", byte as char);
        let expected = EncodeError::HeaderValue { name: "X".to_owned(), byte };
        assert_eq!(refused("GET", &[("X", &value)], ""), expected);
    }
    for authority in ["", "a b", "a\r\nX: y", "user@host", "host/path", "h\u{e4}st"] {
        let spec = RequestSpec { authority: authority.to_owned(), ..spec("GET", &[], "") };
        assert_eq!(spec.encode(), Err(EncodeError::Authority(authority.to_owned())));
    }
    for host in ["", "a b", "user@host", "host/path", "h\u{e4}st", "a,b"] {
        assert_eq!(refused("GET", &[("Host", host)], ""), EncodeError::Authority(host.to_owned()));
    }
}

#[test]
fn a_target_is_a_path_an_absolute_uri_or_the_whole_server() {
    let with =
        |method: &str, target: &str| RequestSpec { target: target.to_owned(), ..spec(method, &[], "") };
    for target in ["/", "//", "/%20?q=[]&r=a:b@c/?", "http://host/x", "https://host"] {
        assert!(text(&with("GET", target)).starts_with(&format!("GET {target} HTTP/1.1\r\n")));
    }
    assert!(with("OPTIONS", "*").encode().is_ok());
    for target in ["", "x", "*", "?q", "ftp://x"] {
        assert_eq!(with("GET", target).encode(), Err(EncodeError::TargetForm(target.to_owned())));
    }
    for (target, byte, at) in
        [("/a b", ' ', 2), ("/\r\n", '\r', 1), ("/a#b", '#', 2), ("/x\u{e4}", '\u{e4}', 2)]
    {
        let expected = EncodeError::TargetByte { target: target.to_owned(), byte, at };
        assert_eq!(with("GET", target).encode(), Err(expected));
    }
    // RFC 3986: reserved, unreserved and %, less the #.
    let can = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte);
    for byte in 0..=u8::MAX {
        let letter = char::from(byte).to_string();
        let sent = with("GET", &format!("/x?{letter}")).encode().is_ok();
        assert_eq!((sent, first_wrong(&letter).is_none()), (can(byte), can(byte)), "{byte:#x}");
    }
}

#[test]
fn a_mistake_is_told_with_its_remedy() {
    assert_eq!(
        refused("GET", &[("X", "a\nb")], "").to_string(),
        "header X has the control byte 0x0a in its value; remove it",
    );
    let spec = RequestSpec { target: "/a b".to_owned(), ..spec("GET", &[], "") };
    assert_eq!(
        spec.encode().expect_err("wrong").to_string(),
        "target \"/a b\" has ' ' at byte 2; percent-encode it",
    );
}

#[test]
fn what_is_encoded_is_what_the_server_reads() {
    for (method, read) in [
        ("GET", Method::Get),
        ("HEAD", Method::Head),
        ("POST", Method::Post),
        ("PUT", Method::Put),
        ("PATCH", Method::Other),
        ("get", Method::Other),
    ] {
        for body in ["", "hello"] {
            for close in [false, true] {
                let request = RequestSpec { close, ..spec(method, &[("Expect", "100-continue")], body) };
                let bytes = request.encode().expect("right").bytes;
                let mut parser = RequestParser::new(Limits::default());
                let head = parser.head(&bytes).expect("well-formed").expect("whole");
                assert_eq!(head.method, read);
                assert_eq!(&bytes[head.target], b"/a?b=c");
                assert_eq!(head.keep_alive, !close);
                assert!(head.expects_continue);
                assert_eq!(&bytes[head.consumed..], body.as_bytes());
                let length = if body.is_empty() { BodyLength::None } else { BodyLength::Length(5) };
                assert_eq!(head.body, length);
            }
        }
    }
}

/// The text that a session sends for a request with these values.
#[track_caller]
fn filled(
    spec: &RequestSpec,
    template: &Template,
    values: &[&str],
    cookies: &str,
    to: Option<&str>,
) -> String {
    let request = spec.encode_with(template).expect("the request is right");
    let mut kept = Values::default();
    request.places.draws().iter().for_each(|draw| kept.push(values[usize::from(*draw)].as_bytes()));
    let parts = Parts::of(&request.bytes).expect("it is encoded");
    assert_eq!(&request.bytes[parts.host.clone()], b"localhost:8080");
    assert_eq!(parts.method(&request.bytes), spec.method);
    let mut path = Vec::new();
    request.places.write_stretch(&request.bytes, parts.target.clone(), &kept, &mut path);
    let replacement = to.map(|to| {
        path = to.as_bytes().to_vec();
        Replacement { stretch: parts.target.clone(), bytes: to.as_bytes() }
    });
    let filling = Filling { addition: cookies.as_bytes(), replacement, ..Filling::of(&kept) };
    let mut out = Outbox::new(1 << 20);
    let mut session = Session::http1(Limits::default());
    session.start(&request, &filling, ExchangeId(0), &mut out).expect("a new session has room");
    let sent = String::from_utf8(out.pending().to_vec()).expect("the request is text");
    assert_eq!(sent.split(' ').nth(1), std::str::from_utf8(&path).ok());
    sent
}

#[test]
fn values_are_filled_in_where_they_belong_and_the_length_follows() {
    let slot = |part, at, draw| Slot { part, at, draw };
    let spec = RequestSpec { target: "/u/?q=".to_owned(), ..spec("POST", &[("X-A", "  <> ")], "{}") };
    let slots = vec![
        slot(RequestPart::Target, 3, 0),
        slot(RequestPart::Target, 6, 1),
        slot(RequestPart::Header(0), 3, 0),
        slot(RequestPart::Body, 1, 2),
        slot(RequestPart::Body, 1, 0),
    ];
    let template = Template { slots, cookies: true, ..Template::default() };
    let sent = filled(&spec, &template, &["7", "", "0123456789"], "", None);
    let head = "Host: localhost:8080\r\nX-A: <7>\r\nContent-Length: 13\r\n";
    assert_eq!(sent, format!("POST /u/7?q= HTTP/1.1\r\n{head}\r\n{{01234567897}}"));
    let sent = filled(&spec, &template, &["7", "x", ""], "Cookie: a=b; c=d\r\n", Some("/else?where"));
    let head = "Host: localhost:8080\r\nX-A: <7>\r\nContent-Length: 3\r\nCookie: a=b; c=d\r\n";
    assert_eq!(sent, format!("POST /else?where HTTP/1.1\r\n{head}\r\n{{7}}"));
}

/// The value of a header wherever its placeholder is: the same as if it were written there.
#[test]
fn a_value_in_a_header_has_the_blanks_of_its_text() {
    for (text, at) in BLANKS.iter().flat_map(|text| (0..=text.len()).map(move |at| (*text, at))) {
        let (before, after) = text.split_at(at);
        let whole = spec("GET", &[("X-A", &format!("{before}value{after}"))], "");
        let slots = vec![Slot { part: RequestPart::Header(0), at, draw: 0 }];
        let template = Template { slots, ..Template::default() };
        let sent = filled(&spec("GET", &[("X-A", text)], ""), &template, &["value"], "", None);
        assert_eq!(sent.escape_debug().to_string(), self::text(&whole).escape_debug().to_string());
    }
}

#[test]
fn a_value_where_it_would_change_the_framing_is_refused() {
    let with = |part, at, headers: &[(&str, &str)]| {
        let template =
            Template { slots: vec![Slot { part, at, draw: 0 }], cookies: true, ..Template::default() };
        spec("POST", headers, "x").encode_with(&template).expect_err("the template is wrong")
    };
    for name in ["Host", "connection", "Content-Length"] {
        let refused = with(RequestPart::Header(0), 0, &[(name, "1")]);
        assert_eq!(refused, EncodeError::SlotInFraming(name.to_owned()));
    }
    assert_eq!(
        with(RequestPart::Body, 0, &[("content-length", "1")]),
        EncodeError::SlotInFraming("content-length".into())
    );
    assert_eq!(with(RequestPart::Target, 0, &[]), EncodeError::SlotPlace);
    assert_eq!(with(RequestPart::Target, 99, &[]), EncodeError::SlotPlace);
    assert_eq!(with(RequestPart::Header(1), 0, &[("A", "b")]), EncodeError::SlotPlace);
    assert_eq!(with(RequestPart::Body, 0, &[("Cookie", "a=b")]), EncodeError::Cookies);
}
