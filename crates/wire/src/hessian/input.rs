//! Reading bytes of which any may be missing.

use super::DEPTH_MAX;
use super::chars::Chars;
use super::tree::VALUES_MAX;
use crate::utf;

/// Bytes and how far they are read. Whatever is read behind their end, or behind something wrong, is zero or empty.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    pos: usize,
    failed: bool,
    /// Values that may still be read.
    values: u32,
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Input { bytes, pos: 0, failed: false, values: VALUES_MAX }
    }

    /// Whether something was missing or wrong.
    pub fn failed(&self) -> bool {
        self.failed
    }

    pub fn fail(&mut self) {
        self.failed = true;
    }

    pub fn at_end(&self) -> bool {
        self.failed || self.pos == self.bytes.len()
    }

    /// Counts a value at that depth; false when it is one too many or too deep.
    pub fn enter(&mut self, depth: usize) -> bool {
        self.failed |= depth > DEPTH_MAX || self.values == 0;
        self.values = self.values.saturating_sub(1);
        !self.failed
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied().filter(|_| !self.failed)
    }

    /// Passes over the next byte if it is that one.
    pub fn skip_if(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.pos += usize::from(is);
        is
    }

    pub fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).first_chunk().copied().unwrap_or([0; N])
    }

    pub fn short(&mut self) -> u32 {
        u32::from(u16::from_be_bytes(self.array()))
    }

    /// The next `len` bytes, or as many as there are.
    pub fn take(&mut self, len: usize) -> &'a [u8] {
        let rest = if self.failed { &[] } else { &self.bytes[self.pos..] };
        self.failed |= rest.len() < len;
        let taken = &rest[..len.min(rest.len())];
        self.pos += taken.len();
        taken
    }

    /// Appends a text of so many code units, or what there is of it.
    pub fn text(&mut self, units: u32, text: &mut String) {
        let rest = if self.failed { &[] } else { &self.bytes[self.pos..] };
        let mut chars = Chars::new(units);
        let len = match chars.feed(rest) {
            Ok(len) => len,
            Err(wrong) => wrong.at,
        };
        self.failed |= !chars.done();
        self.pos += len;
        text.push_str(&utf::read(&rest[..len]));
    }
}
