//! Texts as Java writes them: chunks of UTF-16 code units, each unit in UTF-8 on its own.

use crate::utf;
use std::borrow::Cow;

/// Most code units of a chunk.
const CHUNK_UNITS: usize = 0x8000;

/// Writer of the head of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Hessian 1.0: `s` or `S` and two bytes.
    V1,
    /// Hessian 2.0: `R` or `S` and two bytes, or one or two bytes for a short text.
    V2,
}

/// Number of bytes that a text takes. What is not UTF-8 in it becomes U+FFFD.
pub(crate) fn length(value: &[u8], dialect: Dialect) -> usize {
    let mut bytes = 0;
    each_chunk(&utf8(value), |chunk| bytes += dialect.head(&chunk).len() + chunk.bytes());
    bytes
}

/// Writes a text in chunks.
pub(crate) fn write(value: &[u8], dialect: Dialect, mut put: impl FnMut(&[u8])) {
    each_chunk(&utf8(value), |chunk| {
        put(dialect.head(&chunk).as_slice());
        utf::write(chunk.text.as_bytes(), &mut put);
    });
}

/// Writes a text behind its length in two bytes, as Hessian 1.0 writes the names of methods and types. It is cut at the
/// longest that these can tell.
pub(crate) fn write_name(name: &str, bytes: &mut Vec<u8>) {
    let chunk = first_chunk(name, usize::from(u16::MAX));
    bytes.extend_from_slice(&(chunk.units as u16).to_be_bytes());
    utf::write(chunk.text.as_bytes(), |piece| bytes.extend_from_slice(piece));
}

fn utf8(value: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(value)
}

/// A part of a text that is written in one piece.
struct Chunk<'a> {
    text: &'a str,
    /// UTF-16 code units.
    units: usize,
    pairs: usize,
    last: bool,
}

impl Chunk<'_> {
    /// Bytes that the content takes: a pair has four in UTF-8 and six here.
    fn bytes(&self) -> usize {
        self.text.len() + 2 * self.pairs
    }
}

fn each_chunk<'a>(mut text: &'a str, mut take: impl FnMut(Chunk<'a>)) {
    loop {
        let chunk = first_chunk(text, CHUNK_UNITS);
        let (len, last) = (chunk.text.len(), chunk.last);
        take(chunk);
        text = &text[len..];
        if last {
            return;
        }
    }
}

/// The longest beginning of at most `most` code units that cuts no pair.
fn first_chunk(text: &str, most: usize) -> Chunk<'_> {
    if text.len() <= most && text.is_ascii() {
        return Chunk { text, units: text.len(), pairs: 0, last: true };
    }
    if let Some(ascii) = text.get(..most).filter(|beginning| beginning.is_ascii()) {
        return Chunk { text: ascii, units: most, pairs: 0, last: false };
    }
    let (mut units, mut pairs) = (0, 0);
    for (at, char) in text.char_indices() {
        let more = char.len_utf16();
        if units + more > most {
            return Chunk { text: &text[..at], units, pairs, last: false };
        }
        units += more;
        pairs += more - 1;
    }
    Chunk { text, units, pairs, last: true }
}

/// The head of a chunk.
struct Head {
    bytes: [u8; 3],
    len: usize,
}

impl Head {
    fn len(&self) -> usize {
        self.len
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Dialect {
    fn head(self, chunk: &Chunk<'_>) -> Head {
        let [high, low] = (chunk.units as u16).to_be_bytes();
        match (self, chunk.last, chunk.units) {
            (Dialect::V2, true, 0..=31) => Head { bytes: [low, 0, 0], len: 1 },
            (Dialect::V2, true, 32..=1023) => Head { bytes: [0x30 | high, low, 0], len: 2 },
            (_, true, _) => Head { bytes: [b'S', high, low], len: 3 },
            (Dialect::V1, false, _) => Head { bytes: [b's', high, low], len: 3 },
            (Dialect::V2, false, _) => Head { bytes: [b'R', high, low], len: 3 },
        }
    }
}
