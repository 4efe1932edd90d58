//! Sentences about which settings matter.

use super::{at, blocks};
use crate::number;
use proofload_language::{Columns, Phrase, say, word};
use proofload_store::schema::{FactorTable, LevelChange};

/// Heading of the table.
pub const FACTORS: Phrase = Phrase("factors");
/// Its columns.
pub const FACTOR_COLUMNS: Columns<5> = Columns("factor-columns");
/// A quantile of which a start saw too little.
pub const NOT_RESOLVABLE: Phrase = Phrase("not-resolvable");
/// Most combinations that are named in one sentence.
const NAMES_TOLD_MAX: usize = 3;
/// Most sentences about what was left out.
const REASONS_TOLD_MAX: usize = 6;

/// `heap: 256m → 1g`; of an interaction both.
pub fn changes(changes: &[LevelChange]) -> String {
    let said = changes
        .iter()
        .map(|it| say!("labelled", label = it.factor, what = format!("{} → {}", it.from, it.to)));
    said.collect::<Vec<_>>().join(word!("between-changes"))
}

/// Of what, where.
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

/// What was looked at, and how often it errs.
pub fn explored(table: &FactorTable, told: u32) -> String {
    if table.effects.is_empty() {
        return word!("explored-cannot-tell-which-settings").to_string();
    }
    let shown = say!("explored-interactions-are", told);
    say!(
        "explored-which-settings-matter-was",
        main_effects = table.main_effects,
        interactions = table.interactions,
        shown,
        table = number::percent(table.error_rate)
    )
}

/// Combinations on which nothing rests.
pub fn combination_left_out(place: &str, names: &[&str], why: &str) -> String {
    let named =
        names.iter().take(NAMES_TOLD_MAX).copied().collect::<Vec<_>>().join(word!("between-sentences"));
    say!("combination-left-out", place, named, more = names.len().saturating_sub(NAMES_TOLD_MAX), why)
}

/// A change that no two variants differ in alone.
pub fn unmatched_change(change: &str, measure: &str, point: &str) -> String {
    say!("unmatched-change", change, place = measured_at(measure, point))
}

/// The first of these, and how many more there are.
pub fn some_of(reasons: &[String]) -> Vec<String> {
    let mut said: Vec<String> = reasons.iter().take(REASONS_TOLD_MAX).cloned().collect();
    if reasons.len() > REASONS_TOLD_MAX {
        said.push(say!("some-of", reasons = reasons.len() - REASONS_TOLD_MAX));
    }
    said
}
