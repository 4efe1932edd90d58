//! Strings, quoted and escaped.

use crate::scan;
use std::borrow::Cow;

/// How many bytes a string takes. What is not UTF-8 in it becomes U+FFFD.
pub(crate) fn length(value: &[u8]) -> usize {
    let mut bytes = 0;
    write(value, |piece| bytes += piece.len());
    bytes
}

/// Writes a string, quoted and escaped.
pub(crate) fn write(value: &[u8], mut put: impl FnMut(&[u8])) {
    let text: Cow<'_, str> = String::from_utf8_lossy(value);
    let mut rest = text.as_bytes();
    put(b"\"");
    loop {
        let (plain, behind) = rest.split_at(scan::before(rest, needs_escape));
        put(plain);
        let Some((byte, behind)) = behind.split_first() else { break };
        put_escaped(*byte, &mut put);
        rest = behind;
    }
    put(b"\"");
}

fn needs_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | b'"' | b'\\')
}

fn put_escaped(byte: u8, put: &mut impl FnMut(&[u8])) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => put(&[b'\\', byte]),
        b'\n' => put(b"\\n"),
        b'\r' => put(b"\\r"),
        b'\t' => put(b"\\t"),
        _ => {
            let digit = |bits: u8| DIGITS[usize::from(bits & 0xf)];
            put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
    }
}
