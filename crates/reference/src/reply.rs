//! An answer as a string of bytes that need not be in memory, and how much of it is to leave.

use crate::Fault;
use crate::decide::Decision;
use std::io::IoSlice;

/// Bytes of a `drip` that leave one by one.
pub(crate) const DRIP_BYTES: u64 = 64;

/// Up to here an answer and its surplus leave in one piece, which the client's kernel gets as one. The
/// loopback's segments hold 64 KiB; half of that leaves room for what the kernel keeps beside the bytes.
const ONE_PIECE: u64 = 32 * 1024;

/// Bytes after an answer of fault `surplus`.
const SURPLUS: &[u8] = b"bytes that nobody asked for\r\n";

/// Bytes that a `short_body` announces at least, so that even an empty body can be cut.
const SHORT_ANNOUNCED: u64 = 16;

pub(crate) const CLOSE: &str = "Connection: close\r\n";
/// Header for a client of HTTP/1.0 whose connection stays.
pub(crate) const KEEP: &str = "Connection: keep-alive\r\n";

const PATTERN: usize = 64 * 1024;

/// Content of bodies: the same line of 63 letters over and over, so any multiple of 64 is a start.
static BODY: [u8; PATTERN] = {
    let mut body = [b'\n'; PATTERN];
    let mut i = 0;
    while i < PATTERN {
        if i % 64 != 63 {
            body[i] = b'a' + (i % 64 % 26) as u8;
        }
        i += 1;
    }
    body
};

/// Action on the connection when all bytes have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The next request may come.
    Next,
    Fin,
    Reset,
    /// RST when the client has had time to read everything.
    ResetLater,
}

/// Form of the answer, faults aside.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Status of an answer without fault.
    pub status: u16,
    /// True if the body is left out (`HEAD`).
    pub head_only: bool,
    /// True if the connection ends after it.
    pub close: bool,
    /// True if an HTTP/1.0 client must be sent that the connection stays.
    pub old: bool,
}

impl Form {
    /// Header of the answer about the connection.
    fn connection(self, close: bool) -> &'static str {
        match (close, self.old) {
            (true, _) => CLOSE,
            (false, true) => KEEP,
            (false, false) => "",
        }
    }
}

/// The answer being sent: head, body and surplus, of which `cut` bytes leave.
#[derive(Debug)]
pub struct Reply {
    head: Vec<u8>,
    body: u64,
    tail: &'static [u8],
    cut: u64,
    sent: u64,
    pub fault: Option<Fault>,
    pub after: After,
}

impl Reply {
    pub fn new() -> Self {
        Reply { head: Vec::new(), body: 0, tail: b"", cut: 0, sent: 0, fault: None, after: After::Next }
    }

    /// Makes this the answer that was decided.
    pub fn set(&mut self, form: Form, decision: &Decision) {
        let fault = decision.fault;
        let announced = match fault {
            Some(Fault::ShortBody) => decision.size.max(SHORT_ANNOUNCED),
            _ => decision.size,
        };
        let status = if fault == Some(Fault::Status500) { 500 } else { form.status };
        self.body = if form.head_only { 0 } else { announced };
        self.tail = if fault == Some(Fault::Surplus) { SURPLUS } else { b"" };
        let in_pieces = fault == Some(Fault::Surplus) && self.body > ONE_PIECE;
        let close = form.close || in_pieces || fault == Some(Fault::ResetAfter);
        write_head(&mut self.head, status, "text/plain", announced, form.connection(close));
        let head = self.head.len() as u64;
        let whole = head + self.body + self.tail.len() as u64;
        // `cut` / 2^64 of the lengths from `least` to `most`.
        let between = |least: u64, most: u64| {
            least + ((u128::from(decision.cut) * u128::from(most - least + 1)) >> 64) as u64
        };
        (self.cut, self.after) = match fault {
            Some(Fault::ResetBefore) => (0, After::Reset),
            Some(Fault::ResetWithin) => (between(1, whole - 1), After::Reset),
            Some(Fault::ResetAfter) => (whole, After::ResetLater),
            Some(Fault::ShortBody) if form.head_only => (between(1, head - 1), After::Fin),
            Some(Fault::ShortBody) => (between(head, whole - 1), After::Fin),
            _ => (whole, if close { After::Fin } else { After::Next }),
        };
        self.sent = 0;
        self.fault = fault;
    }

    /// Makes this an answer with a body of its own, without faults.
    pub fn set_text(&mut self, status: u16, content_type: &str, body: &str, form: Form) {
        write_head(&mut self.head, status, content_type, body.len() as u64, form.connection(form.close));
        if !form.head_only {
            self.head.extend_from_slice(body.as_bytes());
        }
        self.body = 0;
        self.tail = b"";
        self.cut = self.head.len() as u64;
        self.sent = 0;
        self.fault = None;
        self.after = if form.close { After::Fin } else { After::Next };
    }

    /// Number of bytes that may leave now: all, except while the first bytes of a drip leave one by one.
    pub fn allowed(&self) -> u64 {
        let drips = self.fault == Some(Fault::Drip) && self.sent < DRIP_BYTES.min(self.cut);
        if drips { self.sent + 1 } else { self.cut }
    }

    /// Number of bytes that have left.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// True if nothing is left to send.
    pub fn is_sent(&self) -> bool {
        self.sent == self.cut
    }

    /// True if sending up to `upto` sends the last byte.
    pub fn ends_at(&self, upto: u64) -> bool {
        upto == self.cut
    }

    /// The kernel took `n` more bytes.
    pub fn take(&mut self, n: u64) {
        self.sent += n;
        debug_assert!(self.sent <= self.cut);
    }

    /// The bytes from the first unsent one up to `upto`, as far as three pieces reach.
    pub fn pieces(&self, upto: u64) -> [IoSlice<'_>; 3] {
        let head = self.head.len() as u64;
        let span = |from: u64, to: u64| (self.sent.max(from).min(to), upto.max(from).min(to));
        let (a, b) = span(0, head);
        let (c, d) = span(head, head + self.body);
        let at = ((c - head) % 64) as usize;
        let length = ((d - c) as usize).min(PATTERN - at);
        // The tail may only follow when the body went in whole.
        let (e, f) = if length as u64 == d - c { span(head + self.body, u64::MAX) } else { (0, 0) };
        let tail = head + self.body;
        let tail_piece = if f > e { &self.tail[(e - tail) as usize..(f - tail) as usize] } else { b"" };
        [
            IoSlice::new(&self.head[a as usize..b as usize]),
            IoSlice::new(&BODY[at..at + length]),
            IoSlice::new(tail_piece),
        ]
    }
}

/// The body bytes that every answer of this size has.
pub(crate) fn body_of(size: usize) -> impl Iterator<Item = u8> {
    (0..size).map(|i| BODY[i % 64])
}

/// A whole answer with that body, and with that line about the connection.
pub(crate) fn prebuilt(size: usize, connection: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_head(&mut bytes, 200, "text/plain", size as u64, connection);
    bytes.extend(body_of(size));
    bytes
}

fn write_head(head: &mut Vec<u8>, status: u16, content_type: &str, length: u64, connection: &str) {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        _ => "",
    };
    let allow = if status == 405 { "Allow: GET, HEAD, POST\r\n" } else { "" };
    head.clear();
    let text = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\n\
         Content-Length: {length}\r\n{allow}{connection}\r\n"
    );
    head.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests;
