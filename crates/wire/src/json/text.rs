//! Strings, quoted and escaped.

use crate::scan;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The JSON of RFC 8259. Bytes of a string that are not UTF-8 become U+FFFD.
    Plain,
    /// The JSON of Fastjson 1: fields that are null are left out, keys are values of any kind, and strings are copied
    /// as they are but for escapes.
    Fastjson,
}

/// Writes a string, quoted and escaped.
pub(crate) fn write(value: &[u8], dialect: Dialect, mut put: impl FnMut(&[u8])) {
    let text: Cow<'_, str>;
    let mut rest = match dialect {
        Dialect::Fastjson => value,
        Dialect::Plain => {
            text = String::from_utf8_lossy(value);
            text.as_bytes()
        }
    };
    put(b"\"");
    loop {
        let (plain, behind) = rest.split_at(scan::before(rest, needs_escape));
        put(plain);
        let Some((byte, behind)) = behind.split_first() else { break };
        put_escaped(*byte, dialect, &mut put);
        rest = behind;
    }
    put(b"\"");
}

fn needs_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | b'"' | b'\\')
}

fn put_escaped(byte: u8, dialect: Dialect, put: &mut impl FnMut(&[u8])) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => put(&[b'\\', byte]),
        b'\n' => put(b"\\n"),
        b'\r' => put(b"\\r"),
        b'\t' => put(b"\\t"),
        0x0c if dialect == Dialect::Fastjson => put(b"\\f"),
        0x08 if dialect == Dialect::Fastjson => put(b"\\b"),
        _ => {
            let digit = |bits: u8| DIGITS[usize::from(bits & 0xf)];
            put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
    }
}
