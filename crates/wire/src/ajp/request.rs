//! Requests, checked and encoded once, before the first is sent.

use super::codes::{self, REQUEST_CONTENT_LENGTH, REQUEST_HOST, TO_CONTAINER};
use super::{BODY_FRAME, Note};
use crate::http1::{self, RequestPart, RequestSpec, Template};
use crate::placeholders::LengthForm;
use crate::{Filling, Placeholders, Request};
use std::fmt;

/// Default of [`Attributes::packet_bytes`], which is Tomcat's own.
pub const PACKET_BYTES_DEFAULT: u32 = 8192;
/// Least of [`Attributes::packet_bytes`].
pub const PACKET_BYTES_MIN: u32 = 512;
/// Most of [`Attributes::packet_bytes`].
pub const PACKET_BYTES_MAX: u32 = 65536;

/// Attributes that a request of AJP has beyond one of HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Address of the client, as the container shall see it.
    pub remote_addr: String,
    /// Name of the client; null when there is none.
    pub remote_host: Option<String>,
    /// True if the client came by TLS.
    pub is_ssl: bool,
    pub context: Option<String>,
    /// Path of the servlet; Tomcat ignores it.
    pub servlet_path: Option<String>,
    /// User whom the web server knows.
    pub remote_user: Option<String>,
    /// Authentication scheme by which the web server knows the user.
    pub auth_type: Option<String>,
    /// Route of the container among several.
    pub route: Option<String>,
    pub ssl_cert: Option<String>,
    pub ssl_cipher: Option<String>,
    pub ssl_session: Option<String>,
    /// Bits of the key of TLS.
    pub ssl_key_size: Option<u16>,
    /// The secret that the container demands (`secret` of Tomcat's connector).
    pub secret: Option<String>,
    /// Further attributes, by name. Tomcat refuses those that its connector does not allow.
    pub request: Vec<(String, String)>,
    /// Largest packet in bytes, its frame of four included; the container's must not be smaller (`packetSize` of
    /// Tomcat's connector). From [`PACKET_BYTES_MIN`] to [`PACKET_BYTES_MAX`].
    pub packet_bytes: u32,
}

impl Default for Attributes {
    fn default() -> Self {
        Attributes {
            remote_addr: "127.0.0.1".to_owned(),
            remote_host: None,
            is_ssl: false,
            context: None,
            servlet_path: None,
            remote_user: None,
            auth_type: None,
            route: None,
            ssl_cert: None,
            ssl_cipher: None,
            ssl_session: None,
            ssl_key_size: None,
            secret: None,
            request: Vec::new(),
            packet_bytes: PACKET_BYTES_DEFAULT,
        }
    }
}

/// Without the secret.
impl fmt::Debug for Attributes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Attributes")
            .field("remote_addr", &self.remote_addr)
            .field("has_secret", &self.secret.is_some())
            .field("packet_bytes", &self.packet_bytes)
            .finish_non_exhaustive()
    }
}

/// Reason for which a request cannot be sent as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// It could not be sent by HTTP either.
    #[error(transparent)]
    Request(#[from] http1::EncodeError),
    /// The authority's port is not a port number.
    #[error("host {0:?} must end in a port number from 1 to 65535, or have no port")]
    Port(String),
    /// Cookies that the connection keeps have no place in the packet.
    #[error("connections of AJP cannot keep cookies of their own; set the header Cookie instead")]
    Cookies,
    /// An attribute that no container would take as it is.
    #[error("attribute {0} has a NUL byte or an empty name; change it")]
    Attribute(String),
    /// The packet size is out of range.
    #[error("packets of {0} bytes cannot be sent; use {PACKET_BYTES_MIN} to {PACKET_BYTES_MAX}")]
    PacketBytes(u32),
    /// Target, headers and attributes exceed the packet size.
    #[error(
        "target, headers and attributes take {bytes} bytes but a packet has at most {most}; shorten them, or raise the packet size here and in the container"
    )]
    HeadTooLong {
        /// Their size, without values that change.
        bytes: usize,
        most: usize,
    },
}

/// The request as it goes over the wire: one packet, and a second one with the body as far as that fits. The session
/// keeps the rest back until the container asks for it.
///
/// It takes the same input as [`RequestSpec::encode_with`]. The query goes into its attribute, the host (and port 80,
/// or 443 with TLS, where the authority has none) into server name and port; Content-Length is set as HTTP does.
/// `close` adds no header, for AJP has none that closes the connection: the session closes it.
///
/// Values are copied as they are, and lengths follow. Those in target and headers must leave the head within the packet
/// size; a body with values is cut into packets by the session, which sends none for an empty one.
///
/// # Errors
/// A request that HTTP refuses, and a head that exceeds the packet size.
pub fn encode(
    spec: &RequestSpec,
    template: &Template,
    attributes: &Attributes,
) -> Result<Request, EncodeError> {
    let (given, host) = spec.check(template)?;
    attributes.check()?;
    if template.cookies {
        return Err(EncodeError::Cookies);
    }
    let packet = attributes.packet_bytes as usize;
    let changes = template.changes_body();
    let first = if changes { spec.body.len() } else { spec.body.len().min(packet - BODY_FRAME) };
    let is_cut = changes || first < spec.body.len();
    let mut draft = Draft::new(spec, template);
    let whole = draft.begin_packet(changes || !template.slots.is_empty());
    draft.line(host, attributes)?;
    let length = draft.headers(host, given.length);
    draft.attributes(attributes);
    draft.end_packet(whole);
    let body_packet = draft.bytes.len();
    draft.body(first, length);
    draft.check_head(body_packet, first, packet)?;
    draft.bytes.extend_from_slice(&spec.body[first..]);
    let packet_bytes = if is_cut { attributes.packet_bytes } else { 0 };
    let note = Note { packet_bytes, head_only: spec.method == "HEAD" };
    Ok(Request {
        bytes: draft.bytes,
        places: draft.places,
        closes: spec.close || given.closes,
        keep_body: spec.keep_body,
        by_session: is_cut,
        expectation: note.into(),
    })
}

impl Attributes {
    /// Those with one string, in the order of their codes.
    fn strings(&self) -> [(u8, &'static str, Option<&str>); 9] {
        [
            (codes::CONTEXT, "context", self.context.as_deref()),
            (codes::SERVLET_PATH, "servlet_path", self.servlet_path.as_deref()),
            (codes::REMOTE_USER, "remote_user", self.remote_user.as_deref()),
            (codes::AUTH_TYPE, "auth_type", self.auth_type.as_deref()),
            (codes::ROUTE, "route", self.route.as_deref()),
            (codes::SSL_CERT, "ssl_cert", self.ssl_cert.as_deref()),
            (codes::SSL_CIPHER, "ssl_cipher", self.ssl_cipher.as_deref()),
            (codes::SSL_SESSION, "ssl_session", self.ssl_session.as_deref()),
            (codes::SECRET, "secret", self.secret.as_deref()),
        ]
    }

    fn check(&self) -> Result<(), EncodeError> {
        if !(PACKET_BYTES_MIN..=PACKET_BYTES_MAX).contains(&self.packet_bytes) {
            return Err(EncodeError::PacketBytes(self.packet_bytes));
        }
        let ends =
            [("remote_addr", Some(self.remote_addr.as_str())), ("remote_host", self.remote_host.as_deref())];
        let strings = self.strings().map(|(_, name, value)| (name, value));
        for (name, value) in ends.into_iter().chain(strings) {
            if value.is_some_and(|value| value.contains('\0')) {
                return Err(EncodeError::Attribute(name.to_owned()));
            }
        }
        for (name, value) in &self.request {
            if name.is_empty() || name.contains('\0') || value.contains('\0') {
                return Err(EncodeError::Attribute(name.clone()));
            }
        }
        Ok(())
    }
}

/// The length of a packet being written.
enum Whole {
    /// Two bytes at this offset.
    Bytes(usize),
    /// The place with this index.
    Slot(usize),
}

struct Draft<'a> {
    spec: &'a RequestSpec,
    template: &'a Template,
    bytes: Vec<u8>,
    places: Placeholders,
}

impl<'a> Draft<'a> {
    fn new(spec: &'a RequestSpec, template: &'a Template) -> Self {
        let bytes = Vec::with_capacity(512 + spec.body.len());
        Draft { spec, template, bytes, places: Placeholders::default() }
    }

    fn number(&mut self, number: u16) {
        self.bytes.extend_from_slice(&number.to_be_bytes());
    }

    /// A string that is the same in each exchange. One too long for its length is too long for any packet.
    fn string(&mut self, text: &str) {
        self.number(text.len() as u16);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    fn string_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.string(text),
            None => self.number(codes::NULL),
        }
    }

    /// Text with the part's values; `from` is where in the part it begins. Values outside go to its ends.
    fn filled(&mut self, part: RequestPart, text: &[u8], from: usize, wanted: impl Fn(usize) -> bool) {
        self.template.write(part, (text, from), wanted, (&mut self.bytes, &mut self.places));
    }

    fn filled_string(&mut self, part: RequestPart, text: &str, from: usize, wanted: impl Fn(usize) -> bool) {
        if !self.template.slots.iter().any(|slot| slot.part == part && wanted(slot.at)) {
            return self.string(text);
        }
        let start = self.bytes.len();
        let length = self.places.push_length(start, LengthForm::U16);
        self.filled(part, text.as_bytes(), from, wanted);
        self.places.set_stretch(length, start, self.bytes.len());
        self.bytes.push(0);
    }

    fn begin_packet(&mut self, changes: bool) -> Whole {
        self.bytes.extend_from_slice(&TO_CONTAINER);
        let at = self.bytes.len();
        if changes {
            return Whole::Slot(self.places.push_length(at, LengthForm::U16));
        }
        self.number(0);
        Whole::Bytes(at)
    }

    fn end_packet(&mut self, whole: Whole) {
        let end = self.bytes.len();
        match whole {
            Whole::Bytes(at) => {
                let length = (end - at - 2) as u16;
                self.bytes[at..at + 2].copy_from_slice(&length.to_be_bytes());
            }
            Whole::Slot(place) => self.places.set_stretch(place, TO_CONTAINER.len(), end),
        }
    }

    /// Code, method, protocol, path, and the ends of the client's connection.
    fn line(&mut self, host: &str, attributes: &Attributes) -> Result<(), EncodeError> {
        let target = &self.spec.target;
        let path = &target[..query_at(target)];
        let (name, port) = server(host, attributes.is_ssl)?;
        self.bytes.push(codes::FORWARD_REQUEST);
        self.bytes.push(codes::method(&self.spec.method).unwrap_or(codes::METHOD_STORED));
        self.string("HTTP/1.1");
        self.filled_string(RequestPart::Target, path, 0, |at| at <= path.len());
        self.string(&attributes.remote_addr);
        self.string_or_null(attributes.remote_host.as_deref());
        self.string(name);
        self.number(port);
        self.bytes.push(u8::from(attributes.is_ssl));
        Ok(())
    }

    /// The headers. The index of the place of Content-Length, where that changes.
    fn headers(&mut self, host: &str, length_given: bool) -> Option<usize> {
        let changes = self.template.changes_body();
        let announces = self.spec.announces_length(self.template) && !length_given;
        let others = |(_, (name, _)): &(usize, &'a (String, String))| !name.eq_ignore_ascii_case("host");
        let own = self.spec.headers.iter().enumerate().filter(others);
        self.number((1 + own.clone().count() + usize::from(announces)) as u16);
        self.number(REQUEST_HOST);
        self.string(host);
        for (index, (name, value)) in own {
            match codes::request_header(name) {
                Some(code) => self.number(code),
                None => self.string(name),
            }
            let (value, from) = self.template.trimmed(index, value);
            self.filled_string(RequestPart::Header(index), value, from, |_| true);
        }
        if !announces {
            return None;
        }
        self.number(REQUEST_CONTENT_LENGTH);
        if !changes {
            self.string(&self.spec.body.len().to_string());
            return None;
        }
        let at = self.bytes.len();
        self.places.push_length(at, LengthForm::U16);
        let length = self.places.push_length(at, LengthForm::DecimalBehind(BODY_LENGTHS));
        self.bytes.push(0);
        Some(length)
    }

    fn attributes(&mut self, attributes: &Attributes) {
        let (spec, target) = (self.spec, &self.spec.target);
        for (code, _, value) in attributes.strings() {
            if let Some(value) = value {
                self.bytes.push(code);
                self.string(value);
            }
        }
        let query = query_at(target) + 1;
        if let Some(text) = target.get(query..) {
            self.bytes.push(codes::QUERY_STRING);
            self.filled_string(RequestPart::Target, text, query, |at| at >= query);
        }
        if let Some(bits) = attributes.ssl_key_size {
            self.bytes.push(codes::SSL_KEY_SIZE);
            self.number(bits);
        }
        if codes::method(&spec.method).is_none() {
            self.bytes.push(codes::STORED_METHOD);
            self.string(&spec.method);
        }
        for (name, value) in &attributes.request {
            self.bytes.push(codes::REQ_ATTRIBUTE);
            self.string(name);
            self.string(value);
        }
        self.bytes.push(codes::ARE_DONE);
    }

    /// The body's first packet, if there is a body; `length` is the place of Content-Length, where that changes.
    fn body(&mut self, first: usize, length: Option<usize>) {
        let content = &self.spec.body[..first];
        if let Some(length) = length {
            self.bytes.extend_from_slice(&TO_CONTAINER);
            let start = self.bytes.len();
            let (packet, chunk) =
                [LengthForm::U16; BODY_LENGTHS / 2].map(|form| self.places.push_length(start, form)).into();
            self.filled(RequestPart::Body, content, 0, |_| true);
            for place in [packet, chunk, length] {
                self.places.set_stretch(place, start, self.bytes.len());
            }
        } else if first > 0 {
            self.bytes.extend_from_slice(&TO_CONTAINER);
            self.number(first as u16 + 2);
            self.number(first as u16);
            self.bytes.extend_from_slice(content);
        }
    }

    /// Refuses a head that exceeds the packet, as it is without values.
    fn check_head(&self, body_packet: usize, first: usize, most: usize) -> Result<(), EncodeError> {
        let mut bytes = 0;
        self.places.write(&self.bytes, &Filling::default(), |piece| bytes += piece.len());
        if self.bytes.len() > body_packet {
            bytes -= BODY_FRAME + first;
        }
        if bytes > most { Err(EncodeError::HeadTooLong { bytes, most }) } else { Ok(()) }
    }
}

/// Bytes of the two lengths in the frame of a body's packet.
const BODY_LENGTHS: usize = 4;

/// Index of the target's `?`, or of its end.
fn query_at(target: &str) -> usize {
    target.find('?').unwrap_or(target.len())
}

/// Name and port of a host, whose port may be left out.
fn server(host: &str, is_ssl: bool) -> Result<(&str, u16), EncodeError> {
    let default = if is_ssl { 443 } else { 80 };
    match host.rsplit_once(':') {
        // The colon of an IPv6 address in brackets.
        Some((_, after)) if after.ends_with(']') => Ok((host, default)),
        Some((name, port)) => match port.parse() {
            Ok(port @ 1..) => Ok((name, port)),
            _ => Err(EncodeError::Port(host.to_owned())),
        },
        None => Ok((host, default)),
    }
}
