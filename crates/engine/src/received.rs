//! Received part of an answer, for a person to look at.

use proofload_wire::{Spoken, spoken};

/// Kept length of a bad answer, in bytes.
pub(crate) const SAMPLE_BYTES: usize = 4096;

/// Received part of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received<'a> {
    /// Its beginning, if it came in pieces.
    pub before: &'a [u8],
    pub latest: &'a [u8],
}

impl Received<'_> {
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        self.before.iter().chain(self.latest).copied()
    }

    /// The protocol that it shows.
    pub fn spoken(&self) -> Option<Spoken> {
        spoken(&self.bytes().take(SAMPLE_BYTES).collect::<Vec<_>>())
    }
}
