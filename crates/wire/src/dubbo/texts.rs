//! Texts drawn for each exchange, as the serializations of Dubbo write them.

use crate::utf;

pub(super) const INT32: u8 = 0x48;
pub(super) const ASCII: u8 = 0x49;
pub(super) const LONG_ASCII: u8 = 0x79;
pub(super) const UTF8: u8 = 0x7a;
/// Longest text whose length is in its first byte.
pub(super) const SHORT_MAX: usize = 47;
pub(super) const EMPTY: u8 = 0x95;
pub(super) const BYTES: u8 = 0x83;

/// Form of a drawn text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) enum JsonbText {
    Within,
    /// As a whole argument, behind its length in three bytes, so that a fixed byte parts it from the argument before.
    WithLength,
}

impl JsonbText {
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

/// Writes a text of Dubbo's own serialization.
pub(crate) fn write_native(value: &[u8], mut put: impl FnMut(&[u8])) {
    if value.is_empty() {
        return put(&[EMPTY]);
    }
    put(&[BYTES]);
    digits(utf::units(value), |digit| put(&[digit]));
    utf::write(value, put);
}

/// A length or number without sign: seven bits a byte, the lowest first, the last byte marked.
pub(super) fn digits(mut number: usize, mut put: impl FnMut(u8)) {
    while number > 0x7f {
        put((number & 0x7f) as u8);
        number >>= 7;
    }
    put(number as u8 | 0x80);
}
