//! How the serializations of Dubbo write texts that are drawn for each exchange.

use super::utf;
use crate::scan;

pub(super) const INT32: u8 = 0x48;
pub(super) const ASCII: u8 = 0x49;
pub(super) const LONG_ASCII: u8 = 0x79;
pub(super) const UTF8: u8 = 0x7a;
/// Longest text whose length is in its first byte.
pub(super) const SHORT_MAX: usize = 47;
pub(super) const EMPTY: u8 = 0x95;
pub(super) const BYTES: u8 = 0x83;

/// How a drawn text is written: quoted and escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonText;

impl JsonText {
    pub fn length(self, value: &[u8]) -> usize {
        let mut length = 0;
        self.write(value, |piece| length += piece.len());
        length
    }

    pub fn write(self, value: &[u8], mut put: impl FnMut(&[u8])) {
        put(b"\"");
        let mut rest = value;
        loop {
            let (plain, behind) = rest.split_at(scan::before(rest, is_escaped));
            put(plain);
            let Some((byte, behind)) = behind.split_first() else { break };
            if let Some((escaped, length)) = escape(*byte) {
                put(&escaped[..length]);
            }
            rest = behind;
        }
        put(b"\"");
    }
}

fn is_escaped(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | b'"' | b'\\')
}

/// What a byte becomes in a quoted text, and how long that is; `None` when it stays.
fn escape(byte: u8) -> Option<([u8; 6], usize)> {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0c => b'f',
        0x08 => b'b',
        0..0x20 => {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            return Some(([b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xf)], 6));
        }
        _ => return None,
    };
    Some(([b'\\', short, 0, 0, 0, 0], 2))
}

/// How a drawn text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) enum JsonbText {
    /// Within another value.
    Within,
    /// As a whole argument, behind its length in three bytes, so that a fixed byte parts it from the argument before.
    WithLength,
}

impl JsonbText {
    pub fn length(self, value: &[u8]) -> usize {
        let mut length = 0;
        self.write(value, |piece| length += piece.len());
        length
    }

    pub fn write(self, value: &[u8], mut put: impl FnMut(&[u8])) {
        let (mut head, mut length) = ([0; 6], 1);
        let (ascii, short) = (value.is_ascii(), value.len() <= SHORT_MAX);
        head[0] = match (ascii, short) {
            (true, true) => ASCII + value.len() as u8,
            (true, false) => LONG_ASCII,
            (false, _) => UTF8,
        };
        if !(ascii && short) {
            integer(value.len() as i32, |piece| {
                head[length..length + piece.len()].copy_from_slice(piece);
                length += piece.len();
            });
        }
        if self == JsonbText::WithLength {
            put(&((length + value.len()) as u32).to_be_bytes()[1..]);
        }
        put(&head[..length]);
        put(value);
    }
}

/// An integer of 32 bits, in one to five bytes.
pub(super) fn integer(value: i32, mut put: impl FnMut(&[u8])) {
    let [a, b, c, d] = value.to_be_bytes();
    match value {
        -16..=47 => put(&[d]),
        -0x800..=0x7ff => put(&[0x38_u8.wrapping_add(c), d]),
        -0x4_0000..=0x3_ffff => put(&[0x44_u8.wrapping_add(b), c, d]),
        _ => put(&[INT32, a, b, c, d]),
    }
}

/// How a drawn text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NativeText;

impl NativeText {
    pub fn length(self, value: &[u8]) -> usize {
        let mut length = 0;
        self.write(value, |piece| length += piece.len());
        length
    }

    pub fn write(self, value: &[u8], mut put: impl FnMut(&[u8])) {
        if value.is_empty() {
            return put(&[EMPTY]);
        }
        put(&[BYTES]);
        digits(utf::units(value), |digit| put(&[digit]));
        utf::write(value, put);
    }
}

/// A length or number without sign: seven bits a byte, the lowest first, the last byte marked.
pub(super) fn digits(mut number: usize, mut put: impl FnMut(u8)) {
    while number > 0x7f {
        put((number & 0x7f) as u8);
        number >>= 7;
    }
    put(number as u8 | 0x80);
}
