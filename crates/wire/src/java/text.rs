//! Texts as Java writes them: modified UTF-8 (Java Virtual Machine Specification, 4.4.7), in which NUL takes two bytes
//! and a character beyond U+FFFF takes six, three for each of its surrogates.

use super::{SHORT_TEXT_MAX, tag};
use crate::{scan, utf};

/// Number of bytes that the UTF-8 `text` takes in modified UTF-8.
pub(crate) fn modified_len(text: &[u8]) -> usize {
    let mut len = 0;
    write_modified(text, |piece| len += piece.len());
    len
}

/// Hands the UTF-8 `text` over in modified UTF-8.
pub(crate) fn write_modified(text: &[u8], mut put: impl FnMut(&[u8])) {
    let mut rest = text;
    loop {
        let (plain, behind) = rest.split_at(scan::before(rest, |byte| byte == 0));
        utf::write(plain, &mut put);
        let Some((_, behind)) = behind.split_first() else { return };
        put(&[0xc0, 0x80]);
        rest = behind;
    }
}

/// Number of bytes that the string object of the UTF-8 `text` takes: tag, length and text.
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
