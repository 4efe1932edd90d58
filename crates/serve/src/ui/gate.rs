//! Check of requests before they are answered.
//!
//! The token is in the path of each address, not in a cookie: cookies do not distinguish ports, so a browser would send
//! it to every other server on this machine, those under test among them, and each of them could set it. Headers that a
//! browser adds by itself give no access.

use crate::ui::token::Token;
use hyper::header::{CONTENT_LENGTH, HeaderValue, ORIGIN, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use proofload_host::http::own_host;

/// Reason why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// For another host, or for none.
    Host,
    /// Without the token.
    Token,
    /// From a page of another site.
    Origin,
    Method,
    Body,
}

impl Refusal {
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::Host | Refusal::Token | Refusal::Origin => StatusCode::FORBIDDEN,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Body => StatusCode::PAYLOAD_TOO_LARGE,
        }
    }
}

/// The path behind the token, without the slash between the two.
pub fn admitted<'a>(head: &'a Parts, token: &Token) -> Result<&'a str, Refusal> {
    let host = own_host(&head.uri, &head.headers).ok_or(Refusal::Host)?;
    let path = head.uri.path().strip_prefix('/').ok_or(Refusal::Host)?;
    let (given, rest) = path.split_once('/').unwrap_or((path, ""));
    if !token.is(given) {
        return Err(Refusal::Token);
    }
    let is_own = |origin: &HeaderValue| origin.as_bytes() == format!("http://{host}").as_bytes();
    if !head.headers.get_all(ORIGIN).iter().all(is_own) {
        return Err(Refusal::Origin);
    }
    if head.method != Method::GET && head.method != Method::HEAD {
        return Err(Refusal::Method);
    }
    let has_length = head.headers.get_all(CONTENT_LENGTH).iter().any(|length| length.as_bytes() != b"0");
    if has_length || head.headers.contains_key(TRANSFER_ENCODING) {
        return Err(Refusal::Body);
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn asked(token: &Token, method: &str, target: &str, headers: &[(&str, &str)]) -> Result<String, Refusal> {
        let mut request = Request::builder().method(method).uri(target.replace("TOKEN", token.text()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).expect("a request").into_parts();
        admitted(&head, token).map(str::to_string)
    }

    #[test]
    fn each_reason_to_refuse_is_enough() {
        let token = Token::random().expect("random numbers");
        let ask = |method, target, headers: &[_]| asked(&token, method, target, headers);
        let host = ("Host", "127.0.0.1:4000");
        assert_eq!(ask("GET", "/TOKEN/run/a/b", &[host]), Ok("run/a/b".to_string()));
        assert_eq!(ask("HEAD", "/TOKEN", &[("Host", "localhost")]), Ok(String::new()));
        assert_eq!(ask("GET", "/TOKEN/", &[host, ("Origin", "http://127.0.0.1:4000")]), Ok(String::new()));
        for (refusal, method, target, headers) in [
            (Refusal::Host, "GET", "/TOKEN/", &[][..]),
            (Refusal::Host, "GET", "/TOKEN/", &[("Host", "evil.example:4000")]),
            (Refusal::Host, "GET", "/TOKEN/", &[("Host", "127.0.0.1.evil.example")]),
            (Refusal::Host, "GET", "/TOKEN/", &[("Host", "localhost:x")]),
            (Refusal::Host, "GET", "/TOKEN/", &[("Host", "")]),
            (Refusal::Host, "GET", "/TOKEN/", &[host, ("Host", "evil.example")]),
            (Refusal::Host, "GET", "http://evil.example/TOKEN/", &[host]),
            (Refusal::Token, "GET", "/", &[host]),
            (Refusal::Token, "GET", "/TOKENx/", &[host]),
            (Refusal::Token, "POST", "/wrong/", &[host]),
            (Refusal::Token, "GET", "//TOKEN/", &[host]),
            (Refusal::Origin, "GET", "/TOKEN/", &[host, ("Origin", "http://evil.example")]),
            (Refusal::Origin, "GET", "/TOKEN/", &[host, ("Origin", "http://127.0.0.1:8080")]),
            (Refusal::Origin, "GET", "/TOKEN/", &[host, ("Origin", "https://127.0.0.1:4000")]),
            (Refusal::Origin, "GET", "/TOKEN/", &[host, ("Origin", "null")]),
            (Refusal::Method, "POST", "/TOKEN/", &[host]),
            (Refusal::Method, "DELETE", "/TOKEN/", &[host]),
            (Refusal::Method, "OPTIONS", "/TOKEN/", &[host]),
            (Refusal::Body, "GET", "/TOKEN/", &[host, ("Content-Length", "1")]),
            (Refusal::Body, "GET", "/TOKEN/", &[host, ("Transfer-Encoding", "chunked")]),
        ] {
            assert_eq!(ask(method, target, headers), Err(refusal), "{method} {target} {headers:?}");
        }
    }
}
