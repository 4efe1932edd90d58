//! Why a block is not whole, and why a sitting is over.

use proofload_language::{Kept, kept};

/// Why a sitting is over that left no word of its end.
pub(crate) const ENDED_WITHOUT_A_WORD: Kept = Kept("kept-ended-without-a-word");

/// Why a block is not whole.
pub(crate) const EVERY_VARIANT_LOST: Kept = Kept("kept-every-variant-lost");

/// Why a block is not whole.
pub(crate) fn too_few_slices(found: usize, expected: usize) -> String {
    kept!("kept-too-few-slices", found, expected)
}

/// Why a block is not read to its end.
pub(crate) fn line_unreadable(number: usize, why: &impl std::fmt::Display) -> String {
    kept!("kept-line-unreadable", number, why = why.to_string())
}

/// Why a block is not read to its end.
pub(crate) fn line_cut_off(number: usize) -> String {
    kept!("kept-line-cut-off", number)
}

/// Why a block is not read to its end.
pub(crate) fn too_many_lines(most: usize) -> String {
    kept!("kept-too-many-lines", most)
}
