//! Requests, checked and encoded once, before the first is sent.

use super::lines::{is_control, is_token};
use super::template::{RequestPart, Template};
use crate::placeholders::{Infill, LengthForm};
use crate::{Expectation, Placeholders, Request};
use std::ops::Range;

/// Bit of [`Expectation`]: the answer has no body, independent of its head (`HEAD`).
pub(super) const HEAD_ONLY: u32 = 1;
/// The body waits until the server wants it (`Expect: 100-continue`).
pub(super) const HOLDS_BODY: u32 = 2;

/// A request before it is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSpec {
    /// Method, a token.
    pub method: String,
    /// Path and query, as they go into the request line.
    pub target: String,
    /// `host:port` for the Host header, unless `headers` has one.
    pub authority: String,
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
    /// True to announce that the connection closes after this exchange.
    pub close: bool,
    /// Bytes of the answer's body to keep for a content check.
    pub keep_body: usize,
}

/// Reason for which a request cannot be sent as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The method is not a token (RFC 9110 section 5.6.2).
    #[error("method {0:?} is no HTTP token; use letters, as in GET")]
    Method(String),
    /// CONNECT would turn the connection into a tunnel.
    #[error("method CONNECT opens a tunnel, which cannot be measured as an exchange; use another method")]
    Connect,
    /// The target is neither a path, nor an absolute URI, nor `*` of OPTIONS.
    #[error("target {0:?} must begin with / or http:// or https:// (or be * with OPTIONS)")]
    TargetForm(String),
    /// The target has a character that [cannot be in one](first_wrong).
    #[error("target {target:?} has {byte:?} at byte {at}; percent-encode it")]
    TargetByte {
        target: String,
        byte: char,
        /// Its index, in bytes.
        at: usize,
    },
    /// The authority, or the value of the user's own Host header, is not `host[:port]`.
    #[error("host {0:?} must be host or host:port, without space, path or user name")]
    Authority(String),
    /// A header's name is not a token.
    #[error("header name {0:?} is no HTTP token; use letters, digits and -")]
    HeaderName(String),
    /// A header's value has CR, LF, NUL or another control byte.
    #[error("header {name} has the control byte {byte:#04x} in its value; remove it")]
    HeaderValue {
        name: String,
        /// The byte.
        byte: u8,
    },
    /// A header that may be there once is there twice.
    #[error("header {0} is given more than once; keep one")]
    Repeated(&'static str),
    /// The user's own Content-Length is not the body's length.
    #[error("header Content-Length says {given:?} but the body has {actual} bytes; leave the header out")]
    ContentLength {
        given: String,
        /// Bytes of the body.
        actual: usize,
    },
    /// Transfer-Encoding would announce a framing that the body does not have.
    #[error(
        "header Transfer-Encoding cannot be set: bodies are sent with Content-Length; leave the header out"
    )]
    TransferEncoding,
    /// Upgrade would let the server leave HTTP/1.1.
    #[error(
        "header Upgrade cannot be set: an answer in another protocol could not be read; leave the header out"
    )]
    Upgrade,
    /// The connection is to close, and the user's own Connection header is keep-alive.
    #[error(
        "header Connection says {0:?} but the connection is to close after the exchange; leave the header out"
    )]
    Connection(String),
    /// A value in a header that frames the message or the connection.
    #[error("header {0} cannot hold a value that changes: it frames the message or the connection")]
    SlotInFraming(String),
    /// A value before the first byte of the target, or at a place without a byte.
    #[error("a value cannot stand there: the target must begin with a / of its own")]
    SlotPlace,
    /// A Cookie header beside cookies that the connection keeps.
    #[error(
        "header Cookie cannot be set where connections keep cookies of their own; leave the header or the cookies out"
    )]
    Cookies,
}

/// The user's own headers that bear on framing.
#[derive(Default)]
pub(crate) struct Given<'a> {
    host: Option<&'a str>,
    /// True if Content-Length is among them.
    pub length: bool,
    pub closes: bool,
    keeps: Option<&'a str>,
}

impl RequestSpec {
    /// A GET of `target` from `authority`, without headers of its own, on a connection kept alive.
    pub fn get(authority: &str, target: &str) -> Self {
        RequestSpec {
            method: "GET".to_owned(),
            target: target.to_owned(),
            authority: authority.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            close: false,
            keep_body: 0,
        }
    }

    /// The request as it goes over the wire.
    ///
    /// Host comes first; Content-Length is set for a body, and for POST, PUT and PATCH without one (RFC 9110
    /// section 8.6); `Connection: close` if [`close`](Self::close) is set. The user's own `Connection: close`
    /// counts as if it were.
    ///
    /// # Errors
    /// Parts that could be taken for other than one request (space or control bytes), or would break its framing
    /// or the session's.
    pub fn encode(&self) -> Result<Request, EncodeError> {
        self.encode_with(&Template::default())
    }

    /// The same with places that are filled for each exchange. Values are copied as they are: they must be fit
    /// for where they go. Content-Length follows the length of a body that changes.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and when a value has no place or would change the framing.
    pub fn encode_with(&self, template: &Template) -> Result<Request, EncodeError> {
        self.encode_filled(template, &Placeholders::default())
    }

    /// A call as a POST of a body with places of its own, whatever method and body the request has; the places of its target and
    /// headers are those of `template`. Its type is `content_type` unless a header tells another.
    pub(crate) fn encode_call(
        &self,
        template: &Template,
        content_type: &str,
        body: Vec<u8>,
        places: &Placeholders,
    ) -> Result<Request, EncodeError> {
        let mut spec = RequestSpec { method: "POST".to_owned(), body, ..self.clone() };
        if !spec.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            spec.headers.push(("Content-Type".to_owned(), content_type.to_owned()));
        }
        let length = spec.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        if let Some((name, _)) = length.filter(|_| !places.is_empty()) {
            return Err(EncodeError::SlotInFraming(name.clone()));
        }
        spec.encode_filled(template, places)
    }

    /// With `body_places` in the body beside those of the template, which must then have none there.
    fn encode_filled(&self, template: &Template, body_places: &Placeholders) -> Result<Request, EncodeError> {
        let (given, host) = self.check(template)?;
        let mut draft = Draft::new(template, 256 + self.body.len());
        draft.put(&[&self.method, " "]);
        draft.put_filled(RequestPart::Target, self.target.as_bytes(), 0);
        draft.put(&[BEFORE_HOST, host, "\r\n"]);
        for (index, (name, value)) in self.headers.iter().enumerate() {
            if !name.eq_ignore_ascii_case("host") {
                let (value, from) = template.trimmed(index, value);
                draft.put(&[name, ": "]);
                draft.put_filled(RequestPart::Header(index), value.as_bytes(), from);
                draft.put(&["\r\n"]);
            }
        }
        let changes = !body_places.is_empty() || template.changes_body();
        let announces = !body_places.is_empty() || self.announces_length(template);
        if announces && changes {
            draft.put(&["Content-Length: "]);
            draft.place(Infill::Length { from: 0, to: None, form: LengthForm::Decimal });
            draft.put(&["\r\n"]);
        } else if announces && !given.length {
            draft.put(&["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        if self.close && !given.closes {
            draft.put(&["Connection: close\r\n"]);
        }
        if template.cookies || template.digest {
            draft.place(Infill::Addition);
        }
        draft.put(&["\r\n"]);
        draft.places.count_length_from(draft.bytes.len());
        draft.places.append(body_places, draft.bytes.len());
        draft.put_filled(RequestPart::Body, &self.body, 0);
        let holds = self.expects_continue() && (changes || !self.body.is_empty());
        let head_only = if self.method == "HEAD" { HEAD_ONLY } else { 0 };
        Ok(Request {
            bytes: draft.bytes,
            places: draft.places,
            closes: self.close || given.closes,
            keep_body: self.keep_body,
            by_session: holds,
            expectation: Expectation(head_only | if holds { HOLDS_BODY } else { 0 }),
        })
    }

    /// Refuses what cannot be sent in any protocol of HTTP requests. The user's own framing headers, and the host.
    pub(crate) fn check(&self, template: &Template) -> Result<(Given<'_>, &str), EncodeError> {
        self.check_method()?;
        self.check_target()?;
        let given = self.check_headers()?;
        let host = given.host.unwrap_or(&self.authority);
        check_authority(host)?;
        if let Some(value) = given.keeps.filter(|_| self.close) {
            return Err(EncodeError::Connection(value.to_owned()));
        }
        self.check_slots(template)?;
        Ok((given, host))
    }

    /// True if a header asks the server to say whether it wants the body (RFC 9110 section 10.1.1).
    pub fn expects_continue(&self) -> bool {
        let expects = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("expect") && value.trim().eq_ignore_ascii_case("100-continue")
        };
        self.headers.iter().any(expects)
    }

    /// True if the request announces the length of its body (RFC 9110 section 8.6).
    pub(crate) fn announces_length(&self, template: &Template) -> bool {
        let has_body = template.changes_body() || !self.body.is_empty();
        has_body || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH")
    }

    fn check_slots(&self, template: &Template) -> Result<(), EncodeError> {
        for slot in &template.slots {
            let length = match slot.part {
                RequestPart::Target if slot.at == 0 => return Err(EncodeError::SlotPlace),
                RequestPart::Target => self.target.len(),
                RequestPart::Body => self.body.len(),
                RequestPart::Header(index) => {
                    let Some((name, value)) = self.headers.get(index) else {
                        return Err(EncodeError::SlotPlace);
                    };
                    let framing = ["host", "content-length", "connection"];
                    if framing.iter().any(|framing| name.eq_ignore_ascii_case(framing)) {
                        return Err(EncodeError::SlotInFraming(name.clone()));
                    }
                    value.len()
                }
            };
            if slot.at > length {
                return Err(EncodeError::SlotPlace);
            }
        }
        let changes = template.changes_body();
        for (name, _) in &self.headers {
            if changes && name.eq_ignore_ascii_case("content-length") {
                return Err(EncodeError::SlotInFraming(name.clone()));
            }
            if template.cookies && name.eq_ignore_ascii_case("cookie") {
                return Err(EncodeError::Cookies);
            }
        }
        Ok(())
    }

    fn check_method(&self) -> Result<(), EncodeError> {
        if self.method.is_empty() || !self.method.bytes().all(is_token) {
            return Err(EncodeError::Method(self.method.clone()));
        }
        if self.method == "CONNECT" { Err(EncodeError::Connect) } else { Ok(()) }
    }

    fn check_target(&self) -> Result<(), EncodeError> {
        let target = &self.target;
        let known = ["/", "http://", "https://"].iter().any(|start| target.starts_with(start));
        let whole_server = target == "*" && self.method == "OPTIONS";
        if !(known || whole_server) {
            return Err(EncodeError::TargetForm(target.clone()));
        }
        match first_wrong(target) {
            Some((at, byte)) => Err(EncodeError::TargetByte { target: target.clone(), byte, at }),
            None => Ok(()),
        }
    }

    fn check_headers(&self) -> Result<Given<'_>, EncodeError> {
        let mut given = Given::default();
        for (name, value) in &self.headers {
            if name.is_empty() || !name.bytes().all(is_token) {
                return Err(EncodeError::HeaderName(name.clone()));
            }
            if let Some(byte) = value.bytes().find(|&byte| is_control(byte)) {
                return Err(EncodeError::HeaderValue { name: name.clone(), byte });
            }
            self.check_framing(name, value.trim_matches([' ', '\t']), &mut given)?;
        }
        Ok(given)
    }

    fn check_framing<'a>(
        &self,
        name: &str,
        value: &'a str,
        given: &mut Given<'a>,
    ) -> Result<(), EncodeError> {
        match name.to_ascii_lowercase().as_str() {
            "host" if given.host.is_some() => return Err(EncodeError::Repeated("Host")),
            "host" => given.host = Some(value),
            "content-length" if given.length => return Err(EncodeError::Repeated("Content-Length")),
            "content-length" if value == self.body.len().to_string() => given.length = true,
            "content-length" => {
                let (given, actual) = (value.to_owned(), self.body.len());
                return Err(EncodeError::ContentLength { given, actual });
            }
            "transfer-encoding" => return Err(EncodeError::TransferEncoding),
            "upgrade" => return Err(EncodeError::Upgrade),
            "connection" => {
                for option in value.split(',').map(str::trim) {
                    given.closes |= option.eq_ignore_ascii_case("close");
                    if option.eq_ignore_ascii_case("keep-alive") {
                        given.keeps = Some(value);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Bytes between the target of an encoded request and its host.
const BEFORE_HOST: &str = " HTTP/1.1\r\nHost: ";

/// Beginning of a target in absolute form.
pub(super) const HTTP: &[u8] = b"http://";

/// Positions of the parts of an encoded request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Path and query, without values, and without the origin before them that a proxy is told.
    pub target: Range<usize>,
    pub host: Range<usize>,
}

impl Parts {
    /// Those of the request that [`RequestSpec::encode`] made these bytes of; `None` of other bytes.
    pub fn of(bytes: &[u8]) -> Option<Parts> {
        let find =
            |byte, from: usize| Some(from + bytes.get(from..)?.iter().position(|&other| other == byte)?);
        let start = find(b' ', 0)? + 1;
        let end = find(b' ', start)?;
        let start = match bytes[start..end].strip_prefix(HTTP) {
            Some(_) => find(b'/', start + HTTP.len())?.min(end),
            None => start,
        };
        let host = end + BEFORE_HOST.len();
        Some(Parts { target: start..end, host: host..find(b'\r', host)? })
    }

    /// Appends what stands from the target to the end of the host of the request with these parts, for another target and
    /// host.
    pub fn write_at(&self, bytes: &[u8], target: &[u8], host: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(target);
        out.extend_from_slice(&bytes[self.target.end..self.host.start]);
        out.extend_from_slice(host.as_bytes());
    }

    pub fn method<'a>(&self, bytes: &'a [u8]) -> &'a str {
        let end = bytes[..self.target.start].iter().position(|&byte| byte == b' ').unwrap_or(0);
        std::str::from_utf8(&bytes[..end]).unwrap_or_default()
    }
}

struct Draft<'a> {
    template: &'a Template,
    bytes: Vec<u8>,
    places: Placeholders,
}

impl<'a> Draft<'a> {
    fn new(template: &'a Template, capacity: usize) -> Self {
        Draft { template, bytes: Vec::with_capacity(capacity), places: Placeholders::default() }
    }

    fn put(&mut self, parts: &[&str]) {
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part.as_bytes()));
    }

    fn place(&mut self, what: Infill) {
        self.places.push(self.bytes.len(), what);
    }

    /// Puts a part with its places; `text` is what is left of it from byte `from` on.
    fn put_filled(&mut self, part: RequestPart, text: &[u8], from: usize) {
        self.template.write(part, (text, from), |_| true, (&mut self.bytes, &mut self.places));
    }
}

/// True for a byte that cannot be in a request's path and query (RFC 3986, appendix A) and is to be percent-encoded there.
/// `[` and `]`, which browsers leave as they are, can.
pub(super) fn not_in_target(byte: u8) -> bool {
    !byte.is_ascii_graphic() || b"\"#<>\\^`{|}".contains(&byte)
}

/// The first character, and its index in bytes, that cannot be in a request's path and query.
pub fn first_wrong(target: &str) -> Option<(usize, char)> {
    target.char_indices().find(|(_, found)| u8::try_from(*found).map_or(true, not_in_target))
}

/// True for what a Host header can name: `host` or `host:port`.
pub(super) fn is_authority(host: &[u8]) -> bool {
    !host.is_empty() && !host.iter().any(|byte| !byte.is_ascii_graphic() || b"/?#@\\\"<>,".contains(byte))
}

fn check_authority(host: &str) -> Result<(), EncodeError> {
    if is_authority(host.as_bytes()) { Ok(()) } else { Err(EncodeError::Authority(host.to_owned())) }
}
