//! Sentences about which settings matter.

use super::{at, blocks};
use proofload_language::{Columns, Phrase, say, word};
use proofload_store::schema::LevelChange;

/// Heading of the table.
pub const FACTORS: Phrase = Phrase("factors");
/// Its columns.
pub const FACTOR_COLUMNS: Columns<5> = Columns("factor-columns");
/// Most combinations that are named in one sentence.
/// Most sentences about what was left out.

/// `heap: 256m → 1g`; of an interaction both.
pub fn changes(changes: &[LevelChange]) -> String {
    let said = changes
        .iter()
        .map(|change| say!("changes-one", factor = change.factor, from = change.from, to = change.to));
    said.collect::<Vec<_>>().join(word!("changes-with"))
}

/// Of what, where.
pub fn measured_at(measure: &str, point: &str) -> String {
    at(measure, point)
}

/// What an interval says of a setting.
pub fn finding(finding: &str, together: bool) -> &'static str {
    match (finding, together) {
        ("matters", false) => "matters",
        ("matters", true) => word!("finding-matters-each-depends-on"),
        ("practically equal", false) => word!("finding-equal-within"),
        ("practically equal", true) => word!("finding-depends-on-the-other"),
        _ => word!("finding-not-told-apart"),
    }
}

/// Over how much of the grid an effect is the mean.
pub fn combinations(matched: u32, of: u32, n: u32) -> String {
    let matched = match (matched == of, of) {
        (true, 1) => word!("combinations-combination-of-the-others").to_string(),
        (true, _) => say!("combinations-of-the-others", of),
        (false, _) => say!("combinations-of-the", matched, of),
    };
    say!("combinations-over-blocks", matched, blocks = blocks(n))
}
