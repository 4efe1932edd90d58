//! Answers: results, errors, and bodies that are neither.

use super::super::laws;
use crate::http1::{RequestSpec, Template};
use crate::json::{Body, encode};
use crate::tests::work;
use crate::{Call, Close, Event, Protocol, Request, Session};

fn session() -> Session {
    Session::new(Protocol::JsonRpc, 1)
}

fn request() -> Request {
    let call = Call { method: "echo".to_owned(), ..Call::default() };
    encode(Body::Rpc, &call, &RequestSpec::get("h", "/"), &Template::default()).expect("the request is right")
}

fn http(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Code and body of the answer, the same however it is split.
#[track_caller]
fn answered(body: &str) -> (u16, Option<String>) {
    laws::truncation(session, &request(), &http(body));
    let events = laws::every_split(session, &request(), &http(body), Close::Fin);
    let Some(Event::Answered { code, body, .. }) = events.last() else { panic!("{events:?}") };
    (*code, body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned()))
}

#[test]
fn an_answer_with_a_result_is_good() {
    for body in [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"hello\"}",
        " { \"result\" : null , \"error\" : null }\r\n\t ",
        "{\"result\":{\"error\":1,\"a\":[1,-0.5e+3,0,10E-2,true,false,{}]}}",
        "{\"result\":[]}",
        "{\"result\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é\"}",
    ] {
        assert_eq!(answered(body), (200, None), "{body}");
    }
}

#[test]
fn an_error_is_refused_in_its_own_words() {
    for (body, said) in [
        ("{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no \\\"m\\\" \\u00e9\"}}", "-32601: no \"m\" é"),
        ("{\"error\":{\"message\":\"no\",\"data\":{\"message\":\"x\",\"code\":5}},\"result\":null}", "no"),
        ("{\"error\":\"closed\"}", "closed"),
        ("{\"error\":{\"message\":\"\\ud83d\\ude00\"}}", "\u{1f600}"),
        ("{\"error\":[\"x\"]}", "{\"error\":[\"x\"]}"),
    ] {
        assert_eq!(answered(body), (1, Some(said.to_owned())), "{body}");
    }
    let long = "x".repeat(1000);
    assert_eq!(answered(&format!("{{\"error\":\"{long}\"}}")), (1, Some(long[..300].to_owned())));
}

#[test]
fn a_body_that_is_no_answer_is_refused_with_its_beginning() {
    for body in [
        "",
        "<html>",
        "{}",
        "[{\"result\":1}]",
        "\"result\"",
        "{\"result\":1",
        "{\"result\":1}}",
        "{\"result\":1]",
        "{\"result\":[1}",
        "{\"result\":01}",
        "{\"result\":1.}",
        "{\"result\":-}",
        "{\"result\":-01}",
        "{\"result\":1e}",
        "{\"result\":.5}",
        "{\"result\":nul}",
        "{\"result\":tru e}",
        "{\"result\":1,}",
        "{\"result\":[1,]}",
        "{\"result\" 1}",
        "{result:1}",
        "{\"result\":\"\n\"}",
        "{\"result\":\"\\x\"}",
        "{\"result\":\"\\u12g4\"}",
        "{\"a\":{\"result\":1}}",
        "{\"results\":1}",
    ] {
        assert_eq!(answered(body), (2, Some(body.to_owned())), "{body}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("{{\"result\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(answered(&nested(63)).0, 200);
    assert_eq!(answered(&nested(64)).0, crate::rpc::BEYOND, "our limit, and not the server's fault");
    assert_eq!(crate::Protocol::JsonRpc.beyond_code(), Some(crate::rpc::BEYOND));
}

#[test]
fn a_large_answer_is_not_looked_at_again_with_each_byte() {
    for result in [format!("\"{}\"", "y".repeat(200_000)), format!("[{}0]", "[1,true],".repeat(20_000))] {
        let answer = http(&format!("{{\"result\":{result}}}"));
        work::take();
        let whole = laws::outcome(session(), &request(), [answer.as_slice()], Close::Fin);
        assert!(matches!(whole.last(), Some(Event::Answered { code: 200, .. })), "{whole:?}");
        assert!(work::take() <= 2 * answer.len() as u64);
        laws::same_in_pieces_of(session, &request(), &answer, Close::Fin, &whole, |_| 1);
        assert!(work::take() <= 3 * answer.len() as u64);
    }
}

#[test]
fn the_result_is_kept_as_it_came_without_the_rest() {
    for (body, keep, told) in [
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":[1, 2],\"result\":3}}",
            99,
            "{\"a\":[1, 2],\"result\":3}",
        ),
        ("{\"result\" : -1.5e3 , \"id\":1}", 99, "-1.5e3"),
        ("{\"result\":true\n}", 99, "true"),
        ("{\"result\":7}", 99, "7"),
        ("{\"result\":1,\"result\":\"x}\\\"\",\"x\":{}}", 99, "\"x}\\\"\""),
        ("{\"result\":\"é€\"}", 15, "\"é…"),
        ("{\"result\":\"hello\"}", 18, "\"hello\""),
        ("{\"id\":1,\"result\":\"hello\"}", 14, "…"),
        ("{\"result\":\"hello\"}", 2, ""),
    ] {
        let request = Request { keep_body: keep, ..request() };
        let events = laws::every_split(session, &request, &http(body), Close::Fin);
        let Some(Event::Answered { code: 200, body: Some(kept), .. }) = events.last() else {
            panic!("{events:?}")
        };
        assert_eq!(String::from_utf8_lossy(kept), told, "{body}");
    }
}
