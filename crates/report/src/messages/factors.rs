//! Sentences about which settings matter.

use super::{at, blocks};
use proofload_language::{Columns, Phrase, say, word};
use proofload_store::schema::LevelChange;

pub const FACTORS: Phrase = Phrase("factors");
pub const FACTOR_COLUMNS: Columns<5> = Columns("factor-columns");
/// `heap: 256m → 1g`; of an interaction both.
pub fn changes(changes: &[LevelChange]) -> String {
    let said = changes
        .iter()
        .map(|it| say!("labelled", label = it.factor, what = format!("{} → {}", it.from, it.to)));
    said.collect::<Vec<_>>().join(word!("between-changes"))
}

pub fn measured_at(measure: &str, point: &str) -> String {
    at(measure, point)
}

/// What an interval says of a setting.
pub fn finding(finding: &str, together: bool) -> &'static str {
    match (finding, together) {
        ("matters", false) => word!("chart-matters"),
        ("matters", true) => word!("finding-matters-each-depends-on"),
        ("practically equal", false) => word!("finding-equal-within"),
        ("practically equal", true) => word!("finding-depends-on-the-other"),
        _ => word!("finding-not-told-apart"),
    }
}

/// Over how much of the grid an effect is the mean.
pub fn combinations(matched: u32, of: u32, n: u32) -> String {
    say!("combinations", all = matched == of, matched, of, blocks = blocks(n))
}
