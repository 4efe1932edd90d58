//! Texts as Java counts and writes them: in UTF-16 units, each of which becomes up to three bytes of its own (what is
//! called modified UTF-8, or CESU-8). Values are UTF-8; bytes that are not are copied as they are.

use crate::scan;

/// UTF-16 units of a text.
pub(crate) fn units(text: &[u8]) -> usize {
    let starts = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    starts + text.iter().filter(|&&byte| byte >= 0xf0).count()
}

/// Writes a text unit by unit: a character beyond the basic plane becomes two surrogates of three bytes each.
pub(crate) fn write(text: &[u8], mut put: impl FnMut(&[u8])) {
    let mut rest = text;
    loop {
        let (plain, wide) = rest.split_at(scan::before(rest, |byte| byte >= 0xf0));
        put(plain);
        let Some((&[a, b, c, d], after)) = wide.split_first_chunk::<4>() else {
            return put(wide);
        };
        let point = (u32::from(a & 7) << 18 | low(b) << 12 | low(c) << 6 | low(d)).wrapping_sub(0x1_0000);
        for unit in [0xd800 | (point >> 10 & 0x3ff), 0xdc00 | (point & 0x3ff)] {
            put(&[0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
        }
        rest = after;
    }
}

/// The text that such bytes are, or bytes of UTF-8; invalid bytes become U+FFFD.
pub(crate) fn read(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let (code, len) = match *rest {
            [0x00..=0x7f, ..] => (u32::from(first), 1),
            [0xc0..=0xdf, b, ..] => (u32::from(first & 0x1f) << 6 | low(b), 2),
            [0xe0..=0xef, b, c, ..] => (u32::from(first & 0xf) << 12 | low(b) << 6 | low(c), 3),
            [0xf0..=0xf7, b, c, d, ..] => {
                (u32::from(first & 7) << 18 | low(b) << 12 | low(c) << 6 | low(d), 4)
            }
            _ => (0xfffd, 1),
        };
        match char::from_u32(code) {
            Some(char) => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
            None => units.push(u16::try_from(code).unwrap_or(0xfffd)),
        }
        rest = &rest[len..];
    }
    String::from_utf16_lossy(&units)
}

/// The bits that a byte adds to the character it belongs to.
fn low(byte: u8) -> u32 {
    u32::from(byte & 0x3f)
}
