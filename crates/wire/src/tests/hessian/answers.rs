//! Answers to calls: values, faults, and bodies that are neither.

use super::laws::{self, Driven};
use super::{servers, unhex};
use crate::hessian::{Version, encode};
use crate::http1::{RequestSpec, Template};
use crate::tests::work;
use crate::{Call, Close, Event, ExchangeId, Protocol, Request, Session};

fn session() -> Session {
    Session::new(Protocol::Hessian, 1)
}

fn request(keep_body: usize) -> Request {
    let call = Call { method: "echo".to_owned(), arguments: vec!["hello".into()], ..Call::default() };
    let spec = RequestSpec { keep_body, ..RequestSpec::get("h", "/hessian") };
    encode(Version::V2, &call, &spec, &Template::default()).expect("the request is right")
}

fn http(status: u16, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} \r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Code and body of the answer, the same however it is split.
#[track_caller]
fn answered(status: u16, body: &[u8], keep_body: usize) -> (u16, Option<String>) {
    let answer = http(status, body);
    let request = request(keep_body);
    laws::truncation(session, &request, &answer);
    let events = laws::every_split(session, &request, &answer, Close::Fin);
    let [Event::FirstByte { .. }, Event::Answered { code, body_bytes, body: kept, .. }] = events.as_slice()
    else {
        panic!("{events:?}");
    };
    assert_eq!(*body_bytes, body.len() as u64);
    (*code, kept.as_ref().map(|kept| String::from_utf8_lossy(kept).into_owned()))
}

/// Fault of Hessian 2.0 as Caucho's servlet writes it.
const FAULT: &[u8] = b"H\x02\0FH\x04code\x10ServiceException\x07message\x06closed\x06detailC\x0fjava.lang.Error\x92\x0ddetailMessage\x05cause`\x06closedQ\x91Z";

#[test]
fn what_is_nested_too_deep_is_told_from_what_is_wrong() {
    let second = |depth: usize| [&b"H\x02\0R"[..], &vec![0x79; depth], b"N"].concat();
    assert_eq!(answered(200, &second(crate::hessian::DEPTH_MAX), 0).0, 200);
    assert_eq!(answered(200, &second(crate::hessian::DEPTH_MAX + 1), 0).0, crate::rpc::BEYOND);
    let first = [&b"r\x01\0"[..], &[b'V'; crate::hessian::DEPTH_MAX + 1]].concat();
    assert_eq!(answered(200, &first, 0).0, crate::rpc::BEYOND);
    assert_eq!(
        answered(200, b"H\x02\0R\x79\x60", 0).0,
        crate::rpc::NO_ANSWER,
        "a class that was not defined"
    );
}

#[test]
fn recorded_answers_are_good_however_they_are_split() {
    for (connection, server) in servers().iter().enumerate() {
        let begins: Vec<usize> =
            (0..server.len()).filter(|at| server[*at..].starts_with(b"HTTP/1.1 ")).collect();
        assert_eq!(begins.len(), 4);
        for (index, begin) in begins.iter().enumerate() {
            let answer = &server[*begin..begins.get(index + 1).copied().unwrap_or(server.len())];
            let whole = laws::outcome(session(), &request(0), [answer], Close::Fin);
            assert!(
                matches!(whole[..], [Event::FirstByte { .. }, Event::Answered { code: 200, body: None, .. }]),
                "{whole:?}"
            );
            laws::same_in_pieces_of(session, &request(0), answer, Close::Fin, &whole, |_| 1);
            if connection == 0 && index < 2 {
                laws::every_split(session, &request(0), answer, Close::Fin);
                laws::truncation(session, &request(0), answer);
            }
        }
    }
}

#[test]
fn a_value_is_good_and_kept_as_json_when_asked() {
    assert_eq!(answered(200, b"H\x02\0R\x05hello", 0), (200, None));
    assert_eq!(answered(200, b"r\x01\0S\0\x05helloz", 0), (200, None));
    assert_eq!(answered(200, b"r\x01\0H\0\x02abI\0\0\0\x01H\0\0NTz", 0), (200, None));
    for (reply, keep, told) in [
        (&b"H\x02\0R\x05hello"[..], 2, ""),
        (b"H\x02\0R\x05hello", 8, "\"hel…"),
        (b"H\x02\0R\x05hello", 99, "\"hello\""),
        (b"H\x02\0R\x7a\x90\x91", 5, "[…"),
        (b"H\x02\0RJ\0\0\x01\x42\x7d\x1b\x28\0", 99, "1385078401024"),
        (b"r\x01\0H\0\x02abI\0\0\0\x01H\0\0NTz", 99, "true"),
        (
            b"r\x01\0Mt\0\x01PS\0\x01aD\x7f\xf0\0\0\0\0\0\0I\0\0\0\x05B\0\x02\xff\xfezz",
            99,
            "{\"a\":null,\"5\":\"//4=\"}",
        ),
        // A list that has itself, an object twice, a key that is an object, a decimal.
        (b"H\x02\0R\x7aQ\x90\x90", 99, "[null,0]"),
        (b"H\x02\0R\x7aC\x01P\x91\x01n`\x03a\"bQ\x91", 99, "[{\"n\":\"a\\\"b\"},{\"n\":\"a\\\"b\"}]"),
        (b"H\x02\0RH\x79TNZ", 99, "{\"[true]\":null}"),
        (b"H\x02\0RC\x14java.math.BigDecimal\x91\x05value`\x0512.50", 99, "12.50"),
    ] {
        assert_eq!(answered(200, reply, keep), (200, Some(told.to_owned())), "{reply:?}");
    }
}

#[test]
fn another_status_than_200_is_no_answer_to_a_call() {
    let value = b"H\x02\0R\x05hello";
    for status in [201, 202, 204, 302, 399, 404, 503] {
        let body = if status == 204 { b"".as_slice() } else { value };
        assert_eq!(answered(status, body, 0).0, status);
        for protocol in [Protocol::Hessian, Protocol::JsonRpc] {
            assert!(!protocol.good_codes().contains(&status), "{protocol:?}: {status}");
        }
    }
    assert_eq!(answered(302, b"", 0), (302, Some(String::new())));
}

#[test]
fn a_fault_is_refused_in_its_own_words() {
    assert_eq!(answered(200, FAULT, 0), (1, Some("java.lang.Error: closed".to_owned())));
    assert_eq!(answered(500, FAULT, 0), (500, Some("java.lang.Error: closed".to_owned())));
    let plain = b"H\x02\0FH\x04code\x09NoMethod!\x07message\x02noZ";
    assert_eq!(answered(200, plain, 0), (1, Some("NoMethod!: no".to_owned())));
    let code = b"H\x02\0FH\x04code\x01x\x07messageNZ";
    assert_eq!(answered(200, code, 0), (1, Some("x".to_owned())));
    for fault in [
        "fS\0\x04codeS\0\x01xS\0\x07messageS\0\x02noz",
        "r\x01\0fS\0\x04codeS\0\x01xS\0\x07messageS\0\x02nozz",
    ] {
        let events =
            laws::outcome(session(), &request(0), [http(200, fault.as_bytes()).as_slice()], Close::Fin);
        let refused = Event::Answered {
            id: laws::ID,
            code: 1,
            body_bytes: fault.len() as u64,
            body: Some(b"x: no".to_vec()),
        };
        assert_eq!(events.last(), Some(&refused), "{fault:?}");
    }
}

#[test]
fn recorded_faults_are_refused_in_their_own_words() {
    let mut refused = 0;
    for (name, digits) in include_str!("fixtures/replies.hex").lines().filter_map(|line| line.split_once(' '))
    {
        let (_, called) = name.rsplit_once('.').expect("versions and what was called");
        let said = match called {
            "fail" => "java.lang.IllegalStateException: closed: x",
            "quiet" => "java.lang.UnsupportedOperationException",
            "nomethod" => "NoSuchMethodException: The service has no method named: there",
            "mismatch" => {
                "NoSuchMethod: method public abstract int Sk$Api.two(int,java.lang.String) argument length mismatch, \
                 received length=1"
            }
            _ => {
                assert_eq!(answered(200, &unhex(digits), 0), (200, None), "{name}");
                continue;
            }
        };
        let answer = http(200, &unhex(digits));
        let whole = laws::outcome(session(), &request(0), [answer.as_slice()], Close::Fin);
        let Some(Event::Answered { code, body: Some(body), .. }) = whole.last() else {
            panic!("{name}: {whole:?}")
        };
        assert_eq!((*code, String::from_utf8_lossy(body).as_ref()), (1, said), "{name}");
        laws::same_in_pieces_of(session, &request(0), &answer, Close::Fin, &whole, |_| 1);
        laws::same_in_pieces_of(session, &request(0), &answer, Close::Fin, &whole, |_| 7);
        refused += 1;
    }
    assert_eq!(refused, 16);
}

#[test]
fn a_long_message_is_cut_between_characters() {
    let message = format!("x{}", "é".repeat(300));
    let head = [b"H\x02\0FH\x07message\x31\x2d".as_slice(), message.as_bytes(), b"Z"].concat();
    let (code, said) = answered(200, &head, 0);
    assert_eq!((code, said.as_deref()), (1, Some(&message[..299])));
}

#[test]
fn a_body_that_is_no_answer_is_refused_with_its_beginning() {
    let page = format!("<html>{}</html>", "x".repeat(400));
    assert_eq!(answered(200, page.as_bytes(), 0), (2, Some(page[..300].to_owned())));
    assert_eq!(answered(404, b"<html>", 0), (404, Some("<html>".to_owned())));
    assert_eq!(answered(503, b"", 0), (503, Some(String::new())));
    for body in [
        &b""[..],
        b"H\x02\0R\x05hell",
        b"H\x02\0R\x01ab",
        b"H\x01\0RN",
        b"H\x02\0CN",
        b"H\x02\0FH",
        b"r\x01\0N",
        b"r\x01\0NzN",
        b"r\x01\0z",
        b"r\x03\0Nz",
        b"f",
        b"fNNzzz",
    ] {
        let events = laws::every_split(session, &request(0), &http(200, body), Close::Fin);
        let said = Some(body.to_vec());
        let body_bytes = body.len() as u64;
        assert_eq!(events.last(), Some(&Event::Answered { id: laws::ID, code: 2, body_bytes, body: said }));
    }
}

#[test]
fn an_answer_until_the_close_is_whole_with_it() {
    let answer = b"HTTP/1.1 200 OK\r\n\r\nH\x02\0R\x05hello";
    let events = laws::every_split(session, &request(0), answer, Close::Fin);
    assert_eq!(events.last(), Some(&Event::Answered { id: laws::ID, code: 200, body_bytes: 10, body: None }));
}

#[test]
fn only_the_first_sixteen_refusals_of_a_session_are_told_over_all_connections() {
    let mut driven = Driven::new(session());
    for index in 0..20 {
        driven.start(&request(3), ExchangeId(index));
        driven.receive(&http(200, FAULT));
        let Some(Event::Answered { code: 1, body, .. }) = driven.events.last() else {
            panic!("{:?}", driven.events)
        };
        assert_eq!(body.is_some(), index < 16, "refusal {index}");
        driven.session.renew();
    }
    driven.start(&request(4), ExchangeId(20));
    driven.receive(&http(200, b"H\x02\0RN"));
    let Some(Event::Answered { code: 200, body: Some(body), .. }) = driven.events.last() else { panic!() };
    assert_eq!(body, "…".as_bytes());
}

#[test]
fn a_large_answer_is_not_looked_at_again_with_each_byte() {
    let text = "y".repeat(0x8000);
    let body = [b"H\x02\0R".as_slice(), &[b"R\x80\0", text.as_bytes()].concat().repeat(8), &[0]].concat();
    let answer = http(200, &body);
    work::take();
    let whole = laws::outcome(session(), &request(0), [answer.as_slice()], Close::Fin);
    assert!(matches!(whole.last(), Some(Event::Answered { code: 200, .. })), "{whole:?}");
    assert!(work::take() <= 2 * answer.len() as u64);
    laws::same_in_pieces_of(session, &request(0), &answer, Close::Fin, &whole, |_| 1);
    assert!(work::take() <= 3 * answer.len() as u64);
}

#[test]
fn a_request_has_the_type_of_hessian_unless_a_header_tells_another() {
    let recorded = unhex("480200430465 63686f910568656c6c6f");
    let bytes = request(0).bytes;
    let head = "POST /hessian HTTP/1.1\r\nHost: h\r\nContent-Type: x-application/hessian\r\nContent-Length: 16\r\n\r\n";
    assert_eq!(bytes, [head.as_bytes(), &recorded].concat());
    let headers = vec![("content-type".to_owned(), "application/x-hessian".to_owned())];
    let spec = RequestSpec { headers, ..RequestSpec::get("h", "/") };
    let bytes = encode(Version::V2, &Call::default(), &spec, &Template::default()).expect("right").bytes;
    assert_eq!(bytes.windows(12).filter(|window| window.eq_ignore_ascii_case(b"content-type")).count(), 1);
}

/// gzip -n of a reply with the value `hello`.
const CODED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xf3\x60\x62\x08\x62\xcd\x48\xcd\xc9\xc9\x07\x00\x12\x3f\xa4\x54\x0a\x00\x00\x00";

fn coded(coding: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 \r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

#[test]
fn a_reply_in_a_content_coding_is_read_without_it() {
    let answer = |coding: &str, body: &[u8]| {
        let events = laws::every_split(session, &request(40), &coded(coding, body), Close::Fin);
        let [Event::FirstByte { .. }, Event::Answered { code, body_bytes, body: kept, .. }] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert_eq!(*body_bytes, body.len() as u64);
        (*code, kept.clone())
    };
    assert_eq!(answer("gzip", CODED), (200, Some(b"\"hello\"".to_vec())));
    assert_eq!(answer("snappy", CODED).0, 3, "a coding that is not known is our limit");
    assert_eq!(answer("gzip", &CODED[..CODED.len() - 3]).0, 2, "it is cut");
    assert_eq!(answer("gzip", b"H\x02\0R\x05hello").0, 2, "it is not in it");
}

#[test]
fn each_reply_of_a_connection_has_its_own_content_coding() {
    const PLAIN: &[u8] = b"H\x02\0R\x05hello";
    let chunk = [b"R\x80\0", "y".repeat(0x8000).as_bytes()].concat();
    let long = [b"H\x02\0R".as_slice(), &chunk.repeat(40), &[0]].concat();
    let replies = [
        coded("gzip", CODED),
        coded("gzip", CODED),
        http(200, PLAIN),
        coded("gzip", CODED),
        coded("Identity", PLAIN),
        coded("identity", &long),
    ];
    let mut driven = Driven::new(session());
    for (reply, index) in replies.iter().zip(0..) {
        driven.start(&request(0), ExchangeId(index));
        driven.receive(reply);
        let last = driven.events.last();
        assert!(matches!(last, Some(Event::Answered { code: 200, .. })), "reply {index}: {last:?}");
    }
}
