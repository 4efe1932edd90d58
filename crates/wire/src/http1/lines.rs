//! Lines of a head, found without looking at any byte twice.
//!
//! A line that is not yet whole stays with the caller, who hands it in again with what followed; so the
//! reader remembers how far it looked. All offsets here count from the first byte of the slice.

use crate::MalformedKind;
use crate::scan::{Fed, before, count_work};

/// Breach of the protocol, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Offset of the first wrong byte, counted from the first byte of the connection.
    pub at: u64,
    pub kind: MalformedKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A line of `text` bytes, `len` with its ending.
    Line { text: usize, len: usize },
    /// The line is not whole yet.
    More,
    /// A control byte that no line may have.
    Control(usize),
    /// The first byte beyond the limit of the section.
    TooLong(usize),
}

/// Reads the lines of one section (a head, or trailers) whose length is limited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// Bytes of the section in lines that were given out.
    used: usize,
    /// Bytes of the current line that are known to hold no line ending and no control byte.
    scanned: usize,
}

impl Lines {
    /// Number of bytes of the current line that earlier calls of [`next`](Self::next) scanned.
    #[inline]
    pub fn scanned(&self) -> usize {
        self.scanned
    }

    /// The next line of `input`, which begins with the first byte after the last line given out.
    #[inline]
    pub fn next(&mut self, input: &[u8], max: usize) -> Next {
        let window = self.window(input, max);
        let from = self.scanned.min(window.len());
        let found = find_control(window, from);
        count_work(found.map_or(window.len(), |stop| stop + 1) - from);
        match found {
            Some(stop) if window[stop..].starts_with(b"\r\n") => self.line(stop, stop + 2),
            _ => self.other(input, window, found),
        }
    }

    /// Hands over each whole line of `input`, whose first byte is byte `at` of the connection, with where it begins, up to the
    /// empty one that ends the section.
    #[inline]
    pub fn each(
        &mut self,
        input: &[u8],
        at: u64,
        max: usize,
        mut take: impl FnMut(&[u8], u64) -> Result<(), Fault>,
    ) -> Result<Fed, Fault> {
        let mut consumed = 0;
        loop {
            let rest = &input[consumed..];
            let here = at + consumed as u64;
            match self.next(rest, max) {
                Next::Line { text: 0, len } => return Ok(Fed { consumed: consumed + len, done: true }),
                Next::Line { text, len } => {
                    take(&rest[..text], here)?;
                    consumed += len;
                }
                Next::More => return Ok(Fed { consumed, done: false }),
                Next::Control(stop) => {
                    take(&rest[..stop], here)?;
                    return Err(Fault { at: here + stop as u64, kind: MalformedKind::HeaderLine });
                }
                Next::TooLong(stop) => {
                    return Err(Fault { at: here + stop as u64, kind: MalformedKind::HeadTooLong });
                }
            }
        }
    }

    /// Result for a line that does not end as most do.
    #[cold]
    fn other(&mut self, input: &[u8], window: &[u8], found: Option<usize>) -> Next {
        let Some(stop) = found else {
            self.scanned = window.len();
            return Self::unfinished(input, window);
        };
        match (window[stop], window.get(stop + 1)) {
            (b'\n', _) => self.line(stop, stop + 1),
            (b'\r', None) => {
                self.scanned = stop;
                Self::unfinished(input, window)
            }
            _ => Next::Control(stop),
        }
    }

    /// True if nothing of the section has been scanned.
    #[inline]
    pub fn is_fresh(&self) -> bool {
        self.used == 0 && self.scanned == 0
    }

    /// The part of `input` that is within the limit of the section.
    #[inline]
    pub fn window<'a>(&self, input: &'a [u8], max: usize) -> &'a [u8] {
        &input[..input.len().min(max.saturating_sub(self.used))]
    }

    #[inline]
    fn line(&mut self, text: usize, len: usize) -> Next {
        self.used += len;
        self.scanned = 0;
        Next::Line { text, len }
    }

    fn unfinished(input: &[u8], window: &[u8]) -> Next {
        if input.len() > window.len() { Next::TooLong(window.len()) } else { Next::More }
    }
}

/// Position of the first control byte other than HTAB at or after `from`.
#[inline]
fn find_control(bytes: &[u8], from: usize) -> Option<usize> {
    let at = from + before(&bytes[from..], is_control);
    (at < bytes.len()).then_some(at)
}

/// True if a byte is forbidden in lines: a control byte other than HTAB.
#[inline]
pub(crate) fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f
}

/// Whatever follows the line that `bytes` are the rest of, if it ends in CRLF and that is there.
#[inline(always)]
pub(crate) fn behind_plain_line(bytes: &[u8]) -> Option<&[u8]> {
    bytes[before(bytes, is_control)..].strip_prefix(b"\r\n")
}

/// Length of the token at the beginning of a line, which the name of a field is.
#[inline]
pub(crate) fn token_len(line: &[u8]) -> usize {
    let at = letters_len(line);
    at + line[at..].iter().position(|&byte| !is_token(byte)).unwrap_or(line.len() - at)
}

/// Number of letters and hyphens, of which almost all names are, at the beginning of a line.
#[inline(always)]
pub(crate) fn letters_len(line: &[u8]) -> usize {
    before(line, |byte| !byte.is_ascii_alphabetic() && byte != b'-')
}

/// True if a byte may be in a token (RFC 9110 section 5.6.2).
#[inline]
pub(crate) fn is_token(byte: u8) -> bool {
    TOKEN[byte as usize]
}

static TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = matches!(byte as u8, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z'
            | b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`'
            | b'|' | b'~');
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::{find_control, is_control, is_token, token_len};

    #[test]
    fn a_token_ends_where_its_first_other_byte_stands() {
        for byte in 0..=u8::MAX {
            for before in [b'a', b'Z', b'-', b'_', b'0'] {
                for at in 0..20 {
                    let mut line = [before; 20];
                    line[at] = byte;
                    let expected = if is_token(byte) { 20 } else { at };
                    assert_eq!(token_len(&line), expected, "{byte:#04x} at {at} behind {before:#04x}");
                }
            }
        }
        assert_eq!(token_len(b""), 0);
    }

    #[test]
    fn each_byte_is_taken_for_what_it_is_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for before in [b'a', b'\t', b' ', 0x80, 0xff] {
                for at in 0..20 {
                    let mut line = [before; 20];
                    line[at] = byte;
                    for from in [0, at, at + 1] {
                        let expected = (is_control(byte) && from <= at).then_some(at);
                        assert_eq!(find_control(&line, from), expected, "{byte:#04x} at {at}, from {from}");
                    }
                }
            }
        }
        assert!([0, b'\n', b'\r', 0x1f, 0x7f].iter().all(|&byte| is_control(byte)));
        assert!(![b'\t', b' ', b'~', 0x80, 0x9f, 0xff].iter().any(|&byte| is_control(byte)));
    }
}
