//! Texts as Java counts and writes them: in UTF-16 units, each of which becomes up to three bytes of its own (what is
//! called modified UTF-8, or CESU-8). Values are UTF-8; bytes that are not are copied as they are.

use crate::scan;

/// UTF-16 units of a text.
pub(super) fn units(text: &[u8]) -> usize {
    let starts = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    starts + text.iter().filter(|&&byte| byte >= 0xf0).count()
}

/// Writes a text unit by unit: a character beyond the basic plane becomes two surrogates of three bytes each.
pub(super) fn write(text: &[u8], mut put: impl FnMut(&[u8])) {
    let mut rest = text;
    loop {
        let (plain, wide) = rest.split_at(scan::before(rest, |byte| byte >= 0xf0));
        put(plain);
        let Some((&[a, b, c, d], after)) = wide.split_first_chunk::<4>() else {
            return put(wide);
        };
        let bits = |byte: u8| u32::from(byte & 0x3f);
        let point = (u32::from(a & 7) << 18 | bits(b) << 12 | bits(c) << 6 | bits(d)).wrapping_sub(0x1_0000);
        for unit in [0xd800 | (point >> 10 & 0x3ff), 0xdc00 | (point & 0x3ff)] {
            put(&[0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
        }
        rest = after;
    }
}

/// The text that such bytes are; what is not text becomes U+FFFD.
pub(super) fn read(bytes: &[u8]) -> String {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let continuation = |at: usize| after.get(at).map_or(0, |byte| u16::from(byte & 0x3f));
        let (unit, more) = match first {
            0..=0x7f => (u16::from(first), 0),
            0xc0..=0xdf => (u16::from(first & 0x1f) << 6 | continuation(0), 1),
            0xe0..=0xef => (u16::from(first & 0xf) << 12 | continuation(0) << 6 | continuation(1), 2),
            _ => (0xfffd, 0),
        };
        units.push(unit);
        rest = after.get(more..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}
