//! Answers to requests.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

pub const HTML: &str = "text/html; charset=utf-8";

/// Content security policy: a page may run and draw what this server has, ask this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub kind: &'static str,
    pub body: Bytes,
    /// Entity tag by which a browser names its copy.
    pub etag: Option<String>,
}

impl Answer {
    pub fn text(status: StatusCode, text: &str) -> Answer {
        let body = format!("{text}\n").into();
        Answer { status, kind: "text/plain; charset=utf-8", body, etag: None }
    }

    pub fn html(status: StatusCode, body: String) -> Answer {
        Answer { status, kind: HTML, body: body.into(), etag: None }
    }

    pub fn response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::from_str(&etag).ok()) {
            headers.insert(header::ETAG, etag);
        }
        response
    }
}
