//! The fields of a head that determine the end of the message and of the connection.

use super::lines::{Fault, behind_plain_line, token_len};
use crate::MalformedKind;
use crate::scan::count_work;

const KEEP_ALIVE: &[u8] = b"Connection: keep-alive\r\n";

/// Kind of the last field, for a folded line continues it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    None,
    /// A field that frames nothing.
    Plain,
    /// A field whose value is acted upon.
    Framing,
}

/// Meaning of the fields seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    /// True if the message is HTTP/1.0, where no transfer coding exists.
    pub old: bool,
    /// The body's length, and where the field's value is.
    pub length: Option<(u64, u64)>,
    /// True if the body is chunked.
    pub chunked: bool,
    /// `Connection` had `close`.
    pub close: bool,
    /// `Connection` had `keep-alive`.
    pub keep_alive: bool,
    /// Number of `Host` fields.
    pub hosts: u32,
    /// `Expect: 100-continue` was there.
    pub expects_continue: bool,
    /// `Content-Encoding` was there; told of plain heads alone.
    pub is_coded: bool,
    last: Last,
}

impl Fields {
    /// No fields yet, of a message of HTTP/1.0 (`old`) or later.
    pub fn new(old: bool) -> Self {
        Fields { old, ..Fields::default() }
    }

    /// True if the connection can carry another exchange (RFC 9112 section 9.3).
    pub fn persists(&self) -> bool {
        !self.close && (!self.old || self.keep_alive)
    }

    /// Takes one line of a head, without its ending, whose first byte is byte `at` of the connection.
    #[inline]
    pub fn line(&mut self, line: &[u8], at: u64) -> Result<(), Fault> {
        match self.syntax(line, at)? {
            // A name that matters is as long as one of these.
            name_len @ (4 | 6 | 10 | 14 | 17) => self.known(line, name_len, at),
            _ => Ok(()),
        }
    }

    /// Checks one line, acts upon nothing, and returns the length of the name (0 for a folded line).
    /// This is all that trailers get: a field there may not frame the message (RFC 9110 section 6.5.1).
    #[inline]
    pub fn syntax(&mut self, line: &[u8], at: u64) -> Result<usize, Fault> {
        let name_len = token_len(line);
        count_work(name_len);
        if name_len == 0 && matches!(line.first(), Some(b' ' | b'\t')) {
            return self.folded(at).map(|()| 0);
        }
        if name_len == 0 || line.get(name_len) != Some(&b':') {
            return Err(Fault { at: at + name_len as u64, kind: MalformedKind::HeaderLine });
        }
        self.last = Last::Plain;
        Ok(name_len)
    }

    fn folded(&mut self, at: u64) -> Result<(), Fault> {
        match self.last {
            Last::Plain => Ok(()),
            Last::None | Last::Framing => Err(Fault { at, kind: MalformedKind::HeaderLine }),
        }
    }

    /// Takes the line of an answer at the beginning of `input`, whose name is so long and well-formed, if it is written as
    /// almost all are; whatever follows it. Byte `end` of the connection is behind `input`.
    #[inline]
    pub fn plain_line<'a>(&mut self, input: &'a [u8], name_len: usize, end: u64) -> Option<&'a [u8]> {
        if !matches!(name_len, 10 | 14 | 16 | 17) {
            return behind_plain_line(&input[name_len + 1..]);
        }
        if let Some(behind) = input.strip_prefix(KEEP_ALIVE) {
            self.keep_alive = true;
            return Some(behind);
        }
        let at = end - input.len() as u64;
        if is_name(&input[..name_len], b"content-length") && self.length.is_none() && !self.chunked {
            let (length, behind) = plain_number(&input[15..])?;
            self.length = Some((length, at + 16));
            return Some(behind);
        }
        let behind = behind_plain_line(&input[name_len + 1..])?;
        self.known(&input[..input.len() - behind.len() - 2], name_len, at).ok()?;
        Some(behind)
    }

    /// Acts upon a line whose name is so long and well-formed.
    fn known(&mut self, line: &[u8], name_len: usize, at: u64) -> Result<(), Fault> {
        let name = &line[..name_len];
        if is_name(name, b"host") {
            self.hosts = self.hosts.saturating_add(1);
            return Ok(());
        }
        let (start, value) = trim(line, name_len + 1, line.len());
        let value_at = at + start as u64;
        count_work(value.len());
        if is_name(name, b"expect") {
            self.expects_continue |= value.eq_ignore_ascii_case(b"100-continue");
            return Ok(());
        }
        self.last = Last::Framing;
        if is_name(name, b"content-length") {
            return self.content_length(value, value_at, at);
        }
        if is_name(name, b"transfer-encoding") {
            return self.transfer_encoding(value, value_at, at);
        }
        if is_name(name, b"connection") {
            for option in value.split(|&byte| byte == b',').map(|option| option.trim_ascii()) {
                self.close |= option.eq_ignore_ascii_case(b"close");
                self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
            }
        } else {
            self.is_coded |= is_name(name, b"content-encoding");
            self.last = Last::Plain;
        }
        Ok(())
    }

    fn content_length(&mut self, value: &[u8], value_at: u64, at: u64) -> Result<(), Fault> {
        let fault = |at| Fault { at, kind: MalformedKind::ContentLength };
        if self.chunked {
            return Err(fault(at));
        }
        let mut start = 0;
        loop {
            let end = value[start..].iter().position(|&byte| byte == b',').map_or(value.len(), |n| start + n);
            let (digits_at, digits) = trim(value, start, end);
            let digits_at = value_at + digits_at as u64;
            let length = decimal(digits).map_err(|offset| fault(digits_at + offset as u64))?;
            match self.length {
                Some((before, _)) if before != length => return Err(fault(digits_at)),
                Some(_) => {}
                None => self.length = Some((length, digits_at)),
            }
            if end == value.len() {
                return Ok(());
            }
            start = end + 1;
        }
    }

    fn transfer_encoding(&mut self, value: &[u8], value_at: u64, at: u64) -> Result<(), Fault> {
        if self.length.is_some() || self.old || self.chunked {
            let kind = if self.length.is_some() {
                MalformedKind::ContentLength
            } else {
                MalformedKind::TransferEncoding
            };
            return Err(Fault { at, kind });
        }
        if !value.eq_ignore_ascii_case(b"chunked") {
            return Err(Fault { at: value_at, kind: MalformedKind::TransferEncoding });
        }
        self.chunked = true;
        Ok(())
    }
}

/// True if a name, which has no control bytes, is `lower`, given in lower case. Only a control byte would be turned
/// into a hyphen.
#[inline]
fn is_name<const N: usize>(name: &[u8], lower: &[u8; N]) -> bool {
    let Ok(name) = <&[u8; N]>::try_from(name) else { return false };
    name.iter().zip(lower).fold(0, |differ, (byte, lower)| differ | ((byte | 0x20) ^ lower)) == 0
}

/// A number of fewer digits is not too large.
const SAFE_DIGITS: usize = 20;

/// The number between one space and CRLF, and what follows.
#[inline]
fn plain_number(input: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    let mut rest = input.strip_prefix(b" ")?;
    while let Some((byte @ b'0'..=b'9', behind)) = rest.split_first() {
        // Only a number can overflow whose digits are too many, and which is discarded.
        number = u64::wrapping_add(u64::wrapping_mul(number, 10), u64::from(byte - b'0'));
        rest = behind;
    }
    let digits = input.len() - rest.len() - 1;
    (0 < digits && digits < SAFE_DIGITS).then_some((number, rest.strip_prefix(b"\r\n")?))
}

/// `line[start..end]` without the white space around it, and where it begins.
fn trim(line: &[u8], mut start: usize, mut end: usize) -> (usize, &[u8]) {
    while start < end && matches!(line[start], b' ' | b'\t') {
        start += 1;
    }
    while end > start && matches!(line[end - 1], b' ' | b'\t') {
        end -= 1;
    }
    (start, &line[start..end])
}

/// The number that `digits` encode, or the offset of the byte that makes them invalid (0 if the number is too large).
fn decimal(digits: &[u8]) -> Result<u64, usize> {
    if digits.is_empty() {
        return Err(0);
    }
    let mut number = 0_u64;
    for (offset, &byte) in digits.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return Err(offset);
        }
        number = number.checked_mul(10).and_then(|n| n.checked_add(u64::from(byte - b'0'))).ok_or(0_usize)?;
    }
    Ok(number)
}
