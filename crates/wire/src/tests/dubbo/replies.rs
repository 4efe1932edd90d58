//! Replies: recorded ones, and each part at its boundary.

use super::laws::{self, Driven, ID};
use super::{frame, hex, names, numbered, reply, request, session};
use crate::dubbo::{EXCEPTION, Limits, Serialization, code_name};
use crate::{Close, Event, Events, MalformedKind, Protocol, Request, Session};

/// The events of these bytes as the answer to one request, however they are split.
fn events(bytes: &[u8]) -> Events {
    laws::every_split(session, &request(), bytes, Close::Fin)
}

fn answered(code: u16, body_bytes: usize, body: Option<&str>) -> Event {
    let body = body.map(|text| text.as_bytes().to_vec());
    Event::Answered { id: ID, code, body_bytes: body_bytes as u64, body }
}

fn first() -> Event {
    Event::FirstByte { id: ID }
}

fn malformed(at: usize, kind: MalformedKind) -> Event {
    Event::Malformed { id: Some(ID), at: at as u64, kind }
}

#[test]
fn recorded_replies_are_read_to_their_last_byte() {
    let mut seen = 0;
    for name in names(".rsp").filter(|name| !name.contains(".no") && !name.contains(".thrown")) {
        let bytes = numbered(&frame(name), u64::from(ID.0));
        let whole = [first(), answered(20, bytes.len() - 16, None)];
        assert_eq!(laws::outcome(session(), &request(), [bytes.as_slice()], Close::Fin), whole, "{name}");
        laws::same_in_pieces_of(session, &request(), &bytes, Close::Fin, &whole.to_vec(), |_| 1);
        laws::same_in_pieces_of(session, &request(), &bytes, Close::Fin, &whole.to_vec(), |_| 7);
        seen += 1;
    }
    assert_eq!(seen, 68);
}

#[test]
fn recorded_refusals_say_what_the_server_said() {
    for (name, code, told) in [
        ("2.5.3-hessian2.thrown", EXCEPTION, "java.lang.NullPointerException"),
        ("2.7.23-hessian2.thrown", EXCEPTION, "java.lang.NullPointerException"),
        ("3.3.6-hessian2.thrown", EXCEPTION, "java.lang.NullPointerException"),
        ("2.5.3-dubbo.thrown", EXCEPTION, "java.lang.NullPointerException"),
        (
            "2.7.23-fastjson.thrown",
            EXCEPTION,
            "java.lang.NullPointerException: Cannot invoke \"String.hashCode()\" because",
        ),
        ("3.3.6-fastjson2.thrown", EXCEPTION, "NullPointerException"),
        (
            "2.5.3-hessian2.noMethod",
            70,
            "com.alibaba.dubbo.rpc.RpcException: Failed to invoke remote proxy method nope",
        ),
        (
            "2.5.3-dubbo.noService",
            70,
            "com.alibaba.dubbo.remoting.RemotingException: Not found exported service: lab.Nope",
        ),
        (
            "2.7.23-fastjson.noVersion",
            70,
            "org.apache.dubbo.remoting.RemotingException: Not found exported service",
        ),
        (
            "2.7.23-hessian2.noMethod",
            40,
            "Fail to decode request due to: java.lang.IllegalArgumentException: Service not found",
        ),
        ("3.3.6-fastjson2.noService", 40, "Fail to decode request due to: RpcInvocation [methodName=echo"),
        ("3.3.6-hessian2.noVersion", 40, "Fail to decode request due to: RpcInvocation [methodName=echo"),
    ] {
        let bytes = numbered(&frame(&format!("{name}.rsp")), u64::from(ID.0));
        let events = laws::outcome(session(), &request(), [bytes.as_slice()], Close::Fin);
        let Some(Event::Answered { code: answered, body: Some(body), .. }) = events.last() else {
            panic!("{name}: {events:?}")
        };
        let said = String::from_utf8_lossy(body);
        assert_eq!(*answered, code, "{name}");
        assert!(!told.ends_with("PointerException") || said == told, "{name}: {said}");
        assert!(said.starts_with(told) && said.len() <= 300 && !said.contains('\n'), "{name}: {said}");
        laws::same_in_pieces_of(session, &request(), &bytes, Close::Fin, &events, |_| 1);
    }
}

#[test]
fn a_recorded_reply_with_a_byte_less_or_more_is_malformed() {
    for name in names(".rsp").filter(|name| name.contains(".echo")) {
        let bytes = numbered(&frame(name), u64::from(ID.0));
        let body = &bytes[16..];
        let with = |body: &[u8]| [&bytes[..12], &(body.len() as u32).to_be_bytes(), body].concat();
        let end = |bytes: &[u8]| laws::outcome(session(), &request(), [bytes], Close::Fin).pop();
        let shorter = with(&body[..body.len() - 1]);
        let late = malformed(shorter.len() - 1, MalformedKind::Other);
        assert_eq!(end(&shorter), Some(late), "{name}");
        let longer = with(&[body, b"\n"].concat());
        let early = malformed(bytes.len(), MalformedKind::Other);
        assert_eq!(end(&longer), Some(early), "{name}");
    }
}

#[test]
fn an_answer_cut_short_is_never_answered() {
    for name in [
        "2.5.3-dubbo.random.rsp",
        "2.7.23-fastjson.random.rsp",
        "3.3.6-fastjson2.random.rsp",
        "3.3.6-hessian2.random.rsp",
    ] {
        let bytes = numbered(&frame(name), u64::from(ID.0));
        laws::truncation_after(12, session, &request(), &bytes);
    }
}

#[test]
fn the_kind_of_a_reply_makes_its_code() {
    for (kind, rest, code) in [
        (0, "\"E\"\n", Some(EXCEPTION)),
        (1, "1\n", Some(20)),
        (2, "", Some(20)),
        (3, "\"E\"\n{}\n", Some(EXCEPTION)),
        (4, "1\n{}\n", Some(20)),
        (5, "{}\n", Some(20)),
        (6, "1\n", None),
    ] {
        for line_end in ["\n", "\r\n"] {
            let body = format!("{kind}\n{rest}").replace('\n', line_end);
            let told = (code == Some(EXCEPTION)).then_some("\"E\"");
            let last =
                code.map_or(malformed(16, MalformedKind::Other), |code| answered(code, body.len(), told));
            assert_eq!(
                events(&reply(Serialization::FastJson, 20, body.as_bytes())),
                [first(), last],
                "{body:?}"
            );
        }
    }
}

#[test]
fn a_status_is_the_code_and_its_text_is_told() {
    for (serialization, body) in [
        (Serialization::Hessian2, hex("09 6e6f2073756368200a78")),
        (Serialization::Native, hex("83 89 6e6f2073756368200a78")),
        (Serialization::Java, hex("aced0005 77 0f 00000009 0009 6e6f2073756368200a78")),
        (Serialization::FastJson, b"\"no such \\nx\"\n".to_vec()),
        (Serialization::FastJson2, hex("0000000a 52 6e6f2073756368200a78")),
    ] {
        for status in [30, 31, 40, 50, 60, 70, 80, 90, 100, 255] {
            let bytes = reply(serialization, status, &body);
            let told = answered(u16::from(status), body.len(), Some("no such "));
            assert_eq!(events(&bytes), [first(), told], "{serialization:?} {status}");
        }
    }
    assert_eq!(code_name(100), Some("thread pool exhausted"));
    assert_eq!(code_name(EXCEPTION), Some("exception"));
    assert_eq!(code_name(21), None);
    assert_eq!(Protocol::Dubbo.good_codes(), 20..=20);
}

#[test]
fn what_a_refusal_says_is_cut_and_told_sixteen_times() {
    let long = "\u{e4}".repeat(400);
    let body = format!("\"{long}\"\n");
    let mut driven = Driven::new(session());
    for exchange in 0..20_u32 {
        if exchange == 10 {
            driven.close(Close::Fin);
            driven.session.renew();
        }
        driven.start(&request(), ID);
        let number = u64::from(exchange % 10) << 32 | u64::from(ID.0);
        driven.receive(&numbered(&reply(Serialization::FastJson, 70, body.as_bytes()), number));
        let told = (exchange < 16).then(|| "\u{e4}".repeat(150));
        assert_eq!(driven.events.pop(), Some(answered(70, body.len(), told.as_deref())), "{exchange}");
    }
}

#[test]
fn another_protocol_is_malformed_at_its_first_byte() {
    for (bytes, at) in [(b"HTTP/1.1 400".as_slice(), 0), (b"\xda", 1), (b"\xda\xba", 1)] {
        let told = if at == bytes.len() {
            Event::ClosedEarly { id: ID, close: Close::Fin, began: false }
        } else {
            malformed(at, MalformedKind::Packet)
        };
        assert_eq!(events(bytes), [told]);
    }
}

#[test]
fn a_value_that_is_nested_too_deep_exceeds_our_limit() {
    use crate::hessian::DEPTH_MAX;
    let body = |depth: usize| [&[0x91][..], &vec![0x79; depth], b"N"].concat();
    let told = answered(20, DEPTH_MAX + 2, None);
    assert_eq!(events(&reply(Serialization::Hessian2, 20, &body(DEPTH_MAX))), [first(), told]);
    let beyond = events(&reply(Serialization::Hessian2, 20, &body(DEPTH_MAX + 1)));
    let [_, Event::Malformed { kind, .. }] = beyond.as_slice() else { panic!("{beyond:?}") };
    assert!(kind.is_own_limit() && *kind == MalformedKind::TooDeep);
    let wrong = events(&reply(Serialization::Hessian2, 20, b"\x91\x60"));
    assert!(matches!(wrong[..], [_, Event::Malformed { kind: MalformedKind::Other, .. }]), "{wrong:?}");
}

#[test]
fn a_body_has_no_limit_but_its_length_has_a_sign() {
    let bytes = |length: &[u8]| [&reply(Serialization::FastJson, 20, b"1\n")[..12], length].concat();
    let negative = events(&bytes(&[0x80, 0, 0, 0]));
    assert!(
        matches!(negative[..], [_, Event::Malformed { kind: MalformedKind::Length, .. }]),
        "{negative:?}"
    );
    let long = events(&bytes(&[0x7f, 0xff, 0xff, 0xff]));
    assert!(matches!(long[..], [_, Event::ClosedEarly { .. }]), "{long:?}");
}

#[test]
fn a_body_is_limited() {
    let limits = Limits { body_max: 12, ..Limits::default() };
    let events = |body: &[u8]| {
        let bytes = reply(Serialization::FastJson, 20, body);
        laws::every_split(|| Session::dubbo(limits, 1), &request(), &bytes, Close::Fin)
    };
    assert_eq!(events(b"1\n\"1234567\"\n"), [first(), answered(20, 12, None)]);
    assert_eq!(events(b"1\n\"12345678\"\n"), [first(), malformed(12, MalformedKind::BodyTooLong)]);
}

#[test]
fn an_empty_body_is_malformed() {
    let bytes = reply(Serialization::FastJson, 20, b"");
    assert_eq!(events(&bytes), [first(), malformed(15, MalformedKind::Other)]);
}

#[test]
fn a_serialization_that_is_not_known_is_not_looked_into() {
    let mut bytes = reply(Serialization::FastJson, 20, b"anything");
    bytes[2] = 8;
    assert_eq!(events(&bytes), [first(), answered(20, 8, None)]);
}

/// Bytes of a native value: whether it is read to its end, or found wrong at its last byte but one.
#[track_caller]
fn native(value: &str, whole: bool) {
    let body = [hex("1a"), hex(value)].concat();
    let bytes = reply(Serialization::Native, 20, &body);
    let last =
        if whole { answered(20, body.len(), None) } else { malformed(bytes.len() - 1, MalformedKind::Other) };
    assert_eq!(events(&bytes), [first(), last], "{value}");
}

#[test]
fn values_of_dubbos_own_serialization_end_where_they_end() {
    for value in [
        "94",
        "95",
        "19",
        "00ff",
        "07 0102030405060708",
        "8b8c 84 19",
        "8b90 8383 c3a4 eda0bd edb880",
        "8b81 8382 ffff",
        "8b92 8580",
        "8b93 8681 8b90838161 94",
        "8a 8383 4c543b 80 1b 19 838161",
        "8a8383 4c543b 8180",
        "8a8383 4c543b 82 82 ffff",
        "8a8383 4c543b 80 0001 19",
        "8b93 868001",
    ] {
        native(&value.replace("868001", "8680"), true);
    }
    for value in ["39", "8c", "8b92 8581 39", "8b90 8381 ff", "8a8383 4c543b 80 18"] {
        native(value, false);
    }
    // A text of three units that ends with the frame's second.
    native("8b90 8383 6161", false);
}

#[test]
fn what_a_value_of_the_platform_hides_is_no_breach() {
    // A linked list: its fields, none, then its size and elements.
    native("8b99 80 19 1a 8b8c8419", true);
    // Bytes in a field look like a text of as many units.
    native("8a8383 4c543b 80 1a 8382 ff80", true);
    // An object of a class of the platform.
    native("8a 8393 4c6a6176612f7574696c2f547265654d61703b 80 19 39 39", true);
}

/// The values of these bytes as the answer to a request that keeps so much, however they are split.
fn value(bytes: &[u8], keep_body: usize) -> String {
    let request = Request { keep_body, ..request() };
    let events = laws::outcome(session(), &request, [bytes], Close::Fin);
    laws::same_in_pieces_of(session, &request, bytes, Close::Fin, &events, |_| 1);
    laws::same_in_pieces_of(session, &request, bytes, Close::Fin, &events, |_| 7);
    let Some(Event::Answered { code: 20, body: Some(body), .. }) = events.last() else {
        panic!("{events:?}")
    };
    String::from_utf8(body.clone()).expect("it is UTF-8")
}

#[test]
fn recorded_replies_have_their_values_as_json() {
    for name in names(".rsp").filter(|name| !name.contains(".no") && !name.contains(".thrown")) {
        let told = value(&numbered(&frame(name), u64::from(ID.0)), 9000);
        let leaves = [
            "\"loginName\":\"superman\"",
            "\"age\":30",
            "\"score\":3.14",
            "\"created\":1385078400000",
            "\"phones\":[{",
        ];
        match name.rsplit('.').nth(1) {
            Some("echoString") => assert_eq!(told, "\"hello\"", "{name}"),
            Some("random") => assert_eq!(told, "\"hello:4963575\"", "{name}"),
            _ if name.contains("-dubbo.") => assert_eq!(told, "", "{name}: it has no names of fields"),
            what => {
                assert!(laws::is_value(told.as_bytes()) && told.ends_with('}'), "{name}: {told}");
                assert!(leaves.iter().all(|leaf| told.contains(leaf)), "{name}: {told}");
                let twice =
                    told.matches("\"age\":30").count() == 2 || told.contains("\"b\":{\"$ref\":\"$.a\"}");
                assert!(
                    what == Some("echoPerson") || told.starts_with("{\"a\":{") && twice,
                    "{name}: {told}"
                );
            }
        }
    }
}

#[test]
fn the_value_is_kept_as_far_as_asked_and_marked_where_it_is_cut() {
    let bytes = reply(Serialization::FastJson, 20, b"1\n\"hello\"\n");
    for (keep, kept) in
        [(1, ""), (4, "\"…"), (6, "\"he…"), (9, "\"hello…"), (10, "\"hello\""), (100, "\"hello\"")]
    {
        let request = Request { keep_body: keep, ..request() };
        let events = laws::every_split(session, &request, &bytes, Close::Fin);
        assert_eq!(events, [first(), answered(20, 10, Some(kept))], "{keep}");
        assert_eq!(Protocol::Dubbo.has_whole(kept.as_bytes(), 10), keep >= 10);
    }
    for (kind, told) in [("2\n", "null"), ("5\n{}\n", "null"), ("4\n[7]\n{}\n", "[7]"), ("1\r\n8\r\n", "8")] {
        assert_eq!(value(&reply(Serialization::FastJson, 20, kind.as_bytes()), 99), told, "{kind:?}");
    }
    let unknown = [&[0xda, 0xbb, 9, 20], &7_u64.to_be_bytes()[..], &1_u32.to_be_bytes(), b"x"].concat();
    assert_eq!(value(&unknown, 99), "", "a serialization that is not known");
}

#[test]
fn values_of_jsonb_are_told_to_the_byte_where_they_break_off() {
    for (content, told) in [
        ("af", "null"),
        ("94", "[]"),
        ("96 b1 f0", "[true,-16]"),
        ("a4 f3", "[]"),
        ("a6 a5", "{}"),
        ("a6 4a61 a6 4a62 2f a5 01 4a69 a5", "{\"a\":{\"b\":47},\"1\":\"i\"}"),
        ("92 4a50 00 a6 7f 4a61 01 97 3800 3fff 43ffff a5", "{\"a\":[0,2047,-1]}"),
        ("96 92 4a50 00 a6 7f 4a61 01 01 a5 92 00 a6 7f 01 02 a5", "[{\"a\":1},{\"a\":2}]"),
        ("99 b3 b4d001 b5 3ff8000000000000 b7 3fc00000 b7 7fc00000", "[1.0,1.0,1.5,1.5,null]"),
        ("98 48 80000000 be 7fffffffffffffff bd ff bc 8000", "[-2147483648,9223372036854775807,-1,-32768]"),
        ("97 d8 c7ffff c0 0000", "[-8,262143,-262144]"),
        ("97 b902 ba d083 b9 01 f1 b8 e1", "[1.31,-1.5,1]"),
        ("97 ac 00000001 ad 00000001 ab ffffffffffffffff", "[1000,60000,-1]"),
        (
            "97 a9 07e4 01 02 a7 01 02 03 04 a8 07e4 01 02 01 02 03 00",
            "[\"2020-01-02\",\"01:02:03.000000004\",\"2020-01-02T01:02:03.000000000\"]",
        ),
        ("97 7a 02 c3a9 79 01 e9 7c 02 e900", "[\"é\",\"é\",\"é\"]"),
        ("96 91 01 ff 93 4a24", "[\"/w==\",{\"$ref\":\"$\"}]"),
    ] {
        let (name, content) = (content, hex(content));
        let length = (content.len() as u32).to_be_bytes();
        let body = [&hex("00000002 bd01")[..], &length, &content].concat();
        assert_eq!(value(&reply(Serialization::FastJson2, 20, &body), 999), told, "{name}");
        for keep in 0..body.len() {
            let short = value_of(&body, keep);
            assert!(laws::is_value(short.as_bytes()) && short.len() <= keep, "{name} {keep}: {short}");
        }
    }
}

/// The value of a good reply in JSONB of which so much is kept.
fn value_of(body: &[u8], keep: usize) -> String {
    if keep == 0 { String::new() } else { value(&reply(Serialization::FastJson2, 20, body), keep) }
}
