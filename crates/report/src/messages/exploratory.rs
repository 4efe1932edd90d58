//! Comparisons that no claim declares.

use proofload_language::{Columns, Phrase};

/// Heading of the comparisons that no claim declares.
pub const EXPLORATORY: Phrase = Phrase("exploratory");

/// Columns of the comparisons that no claim declares.
pub const EXPLORATORY_COLUMNS: Columns<7> = Columns("exploratory-columns");

/// Column of the arrival model.
pub const LOOP: Phrase = Phrase("loop");

/// The interval excludes 1 although all comparisons share an error rate.
pub const STANDS_OUT: Phrase = Phrase("stands-out");

/// `p99(nio2) / p99(nio) @ 64c`.
pub fn compared(measure: &str, over: &str, under: &str, point: &str) -> String {
    format!("{measure}({over}) / {measure}({under}) @ {point}")
}
