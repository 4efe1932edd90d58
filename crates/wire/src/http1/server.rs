//! Requests as a server sees them: sans-I/O, incremental, without allocation.
//!
//! A server hands the bytes of a connection to [`RequestParser::head`] until it has a [`RequestHead`],
//! drops the head's bytes, and hands what follows to [`RequestParser::body`] until the body is whole.

use super::Limits;
use super::body::{Body, Chunked, Sink};
use super::fields::Fields;
use super::lines::{Fault, Lines, Next, is_token};
use crate::MalformedKind;
use std::ops::Range;

/// A request whose head is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    pub method: Method,
    /// Position of the target in the slice that was handed to [`RequestParser::head`].
    pub target: Range<usize>,
    /// True if the connection goes on after the answer (RFC 9112 section 9.3).
    pub keep_alive: bool,
    /// True if the client waits for `100 Continue` before it sends the body.
    pub expects_continue: bool,
    /// The body that follows the head, to be taken by [`RequestParser::body`].
    pub body: BodyLength,
    /// Bytes of the head; they need not be handed in again.
    pub consumed: usize,
}

/// The methods that a server distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `HEAD`: the answer has no body.
    Head,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    Other,
}

/// End of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLength {
    /// There is none; [`RequestParser::body`] need not be called.
    None,
    /// After this many bytes, at least one.
    Length(u64),
    Chunked,
}

/// Progress of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyProgress {
    /// Bytes of the slice that need not be handed in again.
    pub consumed: usize,
    /// True once the body is whole; the next bytes are a request's head.
    pub done: bool,
    /// Bytes of the body so far, after transfer decoding.
    pub body_bytes: u64,
}

/// Reason for which a request cannot be served; the connection must be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("request is malformed at byte {at} of the connection ({kind:?}); answer {} and close", self.status())]
pub struct ServerError {
    /// Offset of the first wrong byte, counted from the first byte of the connection.
    pub at: u64,
    /// Kind of the fault; `StatusLine` means the request line.
    pub kind: MalformedKind,
}

impl ServerError {
    /// The status to answer with before closing.
    pub fn status(&self) -> u16 {
        match self.kind {
            MalformedKind::HeadTooLong => 431,
            MalformedKind::BodyTooLong => 413,
            MalformedKind::TransferEncoding => 501,
            _ => 400,
        }
    }
}

impl From<Fault> for ServerError {
    fn from(Fault { at, kind }: Fault) -> Self {
        ServerError { at, kind }
    }
}

/// Reads the requests of one connection.
#[derive(Debug)]
pub struct RequestParser {
    limits: Limits,
    /// Bytes consumed since the connection began.
    received: u64,
    /// Bytes of the current head in whole lines.
    pos: usize,
    lines: Lines,
    fields: Fields,
    /// The request line, once it was read.
    request: Option<(Method, Range<usize>)>,
    body: Body,
    sink: Sink,
}

impl RequestParser {
    /// A parser at the beginning of a connection.
    pub fn new(limits: Limits) -> Self {
        RequestParser {
            limits,
            received: 0,
            pos: 0,
            lines: Lines::default(),
            fields: Fields::new(false),
            request: None,
            body: Body::Length(0),
            sink: Sink::default(),
        }
    }

    /// Reads a head. `input` begins with the head's first byte; `None` asks for the same bytes again,
    /// with more behind them (those already read are not read again). One empty line before a request
    /// is skipped (RFC 9112 section 2.2), and belongs to the head.
    ///
    /// # Errors
    /// A head that breaks RFC 9112, or exceeds a limit.
    pub fn head(&mut self, input: &[u8]) -> Result<Option<RequestHead>, ServerError> {
        loop {
            let rest = &input[self.pos.min(input.len())..];
            let here = self.received + self.pos as u64;
            match self.lines.next(rest, self.limits.head_max) {
                Next::Line { text: 0, len } if self.request.is_some() => {
                    self.pos += len;
                    return self.head_ended(here).map(Some);
                }
                Next::Line { text: 0, len } if self.pos == 0 => self.pos += len,
                Next::Line { text, len } => {
                    self.line(&rest[..text], here)?;
                    self.pos += len;
                }
                Next::More => return Ok(None),
                Next::Control(stop) => {
                    let in_fields = self.request.is_some();
                    self.line(&rest[..stop], here)?;
                    let kind = if in_fields { MalformedKind::HeaderLine } else { MalformedKind::StatusLine };
                    return Err(ServerError { at: here + stop as u64, kind });
                }
                Next::TooLong(stop) => {
                    return Err(ServerError { at: here + stop as u64, kind: MalformedKind::HeadTooLong });
                }
            }
        }
    }

    fn line(&mut self, line: &[u8], at: u64) -> Result<(), ServerError> {
        if self.request.is_some() {
            if matches!(line.first(), Some(b' ' | b'\t')) {
                return Err(ServerError { at, kind: MalformedKind::HeaderLine });
            }
            return Ok(self.fields.line(line, at)?);
        }
        let (method, target, old) = request_line(line, at)?;
        self.fields = Fields::new(old);
        self.request = Some((method, target.start + self.pos..target.end + self.pos));
        Ok(())
    }

    fn head_ended(&mut self, at: u64) -> Result<RequestHead, ServerError> {
        // A request of HTTP/1.1 names its host exactly once (RFC 9112 section 3.2).
        if self.fields.hosts > 1 || (self.fields.hosts == 0 && !self.fields.old) {
            return Err(ServerError { at, kind: MalformedKind::HeaderLine });
        }
        let (body, decoder) = match self.fields.length {
            _ if self.fields.chunked => (BodyLength::Chunked, Body::Chunked(Chunked::default())),
            None | Some((0, _)) => (BodyLength::None, Body::Length(0)),
            Some((length, at)) if length > self.limits.body_max => {
                return Err(ServerError { at, kind: MalformedKind::BodyTooLong });
            }
            Some((length, _)) => (BodyLength::Length(length), Body::Length(length)),
        };
        self.body = decoder;
        self.sink.begin(0);
        let consumed = std::mem::take(&mut self.pos);
        self.received += consumed as u64;
        self.lines = Lines::default();
        let (method, target) = self.request.take().unwrap_or((Method::Other, 0..0));
        Ok(RequestHead {
            method,
            target,
            keep_alive: self.fields.persists(),
            expects_continue: self.fields.expects_continue,
            body,
            consumed,
        })
    }

    /// Takes bytes of the body that the last head announced. Bytes that are not consumed must be handed in
    /// again in front of the following ones (an unfinished line of trailers, or the next request).
    ///
    /// # Errors
    /// A body that breaks the chunked coding, or exceeds a limit.
    pub fn body(&mut self, input: &[u8]) -> Result<BodyProgress, ServerError> {
        let fed = self.body.feed(input, self.received, &self.limits, &mut self.sink)?;
        self.received += fed.consumed as u64;
        Ok(BodyProgress { consumed: fed.consumed, done: fed.done, body_bytes: self.sink.count })
    }
}

/// Method, target and whether the version is 1.0 (RFC 9112 section 3).
fn request_line(line: &[u8], at: u64) -> Result<(Method, Range<usize>, bool), ServerError> {
    let fault = |offset: usize| ServerError { at: at + offset as u64, kind: MalformedKind::StatusLine };
    let method_len = line.iter().position(|&byte| !is_token(byte)).unwrap_or(line.len());
    if method_len == 0 || line.get(method_len) != Some(&b' ') {
        return Err(fault(method_len));
    }
    let start = method_len + 1;
    let target_len = line[start..].iter().position(|&byte| byte == b' ').unwrap_or(line.len() - start);
    let end = start + target_len;
    if target_len == 0 || end == line.len() {
        return Err(fault(end));
    }
    let old = match &line[end + 1..] {
        b"HTTP/1.0" => true,
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', b'1'..=b'9'] => false,
        _ => return Err(fault(end + 1)),
    };
    let method = match &line[..method_len] {
        b"GET" => Method::Get,
        b"HEAD" => Method::Head,
        b"POST" => Method::Post,
        b"PUT" => Method::Put,
        _ => Method::Other,
    };
    Ok((method, start..end, old))
}
