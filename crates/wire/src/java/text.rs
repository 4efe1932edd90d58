//! Texts as Java writes them: modified UTF-8 (Java Virtual Machine Specification, 4.4.7), in which NUL takes two bytes
//! and a character beyond U+FFFF takes six, three for each of its surrogates.

use super::{SHORT_TEXT_MAX, tag};

/// How many bytes the UTF-8 `text` takes in modified UTF-8.
pub(crate) fn modified_len(text: &[u8]) -> usize {
    text.iter().fold(text.len(), |len, byte| match byte {
        0 => len + 1,
        0xf0..=0xf4 => len + 2,
        _ => len,
    })
}

/// Hands the UTF-8 `text` over in modified UTF-8. Bytes that are not UTF-8 go as they are, so that the length holds.
pub(crate) fn write_modified(text: &[u8], mut put: impl FnMut(&[u8])) {
    let mut from = 0;
    for (at, byte) in text.iter().enumerate() {
        if !matches!(byte, 0 | 0xf0..=0xf4) {
            continue;
        }
        put(&text[from..at]);
        from = at + 1;
        if *byte == 0 {
            put(&[0xc0, 0x80]);
            continue;
        }
        let four = text.get(at..at + 4).and_then(|four| std::str::from_utf8(four).ok());
        match four.and_then(|four| four.chars().next()) {
            Some(character) => {
                put(&surrogates(character));
                from = at + 4;
            }
            None => put(&[*byte, b'?', b'?']),
        }
    }
    put(text.get(from..).unwrap_or_default());
}

/// The two surrogates of a character beyond U+FFFF, in three bytes each.
fn surrogates(character: char) -> [u8; 6] {
    let mut units = [0; 2];
    character.encode_utf16(&mut units);
    let [high, low] = units
        .map(|unit| [0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
    [high[0], high[1], high[2], low[0], low[1], low[2]]
}

/// How many bytes the string object of the UTF-8 `text` takes: tag, length and text.
pub(crate) fn form_length(text: &[u8]) -> usize {
    let len = modified_len(text);
    len + if len <= SHORT_TEXT_MAX { 3 } else { 9 }
}

/// Hands over the string object of the UTF-8 `text`.
#[inline]
pub(crate) fn form_write(text: &[u8], mut put: impl FnMut(&[u8])) {
    let len = modified_len(text);
    if let Ok(short) = u16::try_from(len) {
        let [high, low] = short.to_be_bytes();
        put(&[tag::STRING, high, low]);
    } else {
        put(&[tag::LONG_STRING]);
        put(&(len as u64).to_be_bytes());
    }
    if len == text.len() {
        put(text);
    } else {
        write_modified(text, put);
    }
}

/// The text that `bytes` of modified UTF-8 mean; what means nothing becomes U+FFFD.
pub(crate) fn from_modified(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let (unit, len) = match (first, rest.get(1), rest.get(2)) {
            (0..=0x7f, _, _) => (u16::from(first), 1),
            (0xc0..=0xdf, Some(&second), _) => (u16::from(first & 0x1f) << 6 | low_six(second), 2),
            (0xe0..=0xef, Some(&second), Some(&third)) => {
                (u16::from(first & 0x0f) << 12 | low_six(second) << 6 | low_six(third), 3)
            }
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = &rest[len..];
    }
    String::from_utf16_lossy(&units)
}

fn low_six(byte: u8) -> u16 {
    u16::from(byte & 0x3f)
}
