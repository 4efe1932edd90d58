//! Sentences about which settings matter.

use super::{at, blocks};
use crate::number;
use proofload_store::schema::{FactorTable, LevelChange};

/// Heading of the table.
pub const FACTORS: &str = "Which settings matter: explored, not claimed";
/// Its columns.
pub const FACTOR_COLUMNS: [&str; 5] = ["setting", "figure", "times as much", "finding", "based on"];
/// A quantile of which a start saw too little.
pub const NOT_RESOLVABLE: &str = "not resolvable, too few exchanges of a start lie beyond it";
/// Most combinations that are named in one sentence.
const NAMES_TOLD_MAX: usize = 3;
/// Most sentences about what was left out.
const REASONS_TOLD_MAX: usize = 6;

/// `heap: 256m → 1g`; of an interaction both.
pub fn changes(changes: &[LevelChange]) -> String {
    let said = changes.iter().map(|change| format!("{}: {} → {}", change.factor, change.from, change.to));
    said.collect::<Vec<_>>().join(" with ")
}

/// Of what, where.
pub fn measured_at(measure: &str, point: &str) -> String {
    at(measure, point)
}

/// What an interval says of a setting.
pub fn finding(finding: &str, together: bool) -> &'static str {
    match (finding, together) {
        ("matters", false) => "matters",
        ("matters", true) => "matters: each depends on the other",
        ("practically equal", false) => "equal within 2 %",
        ("practically equal", true) => "depends on the other, by less than 2 %",
        _ => "not told apart",
    }
}

/// Over how much of the grid an effect is the mean.
pub fn combinations(matched: u32, of: u32, n: u32) -> String {
    let matched = match (matched == of, of) {
        (true, 1) => "1 combination of the others".to_string(),
        (true, _) => format!("{of} combinations of the others"),
        (false, _) => format!("{matched} of {of} combinations of the others, those that match"),
    };
    format!("{matched}, {}", blocks(n))
}

/// What was looked at, and how often it errs.
pub fn explored(table: &FactorTable, told: u32) -> String {
    if table.effects.is_empty() {
        return "cannot tell which settings matter: no effect has matched combinations in three blocks"
            .to_string();
    }
    let shown = if told == 1 { "1 interaction is" } else { &format!("{told} interactions are") };
    format!(
        "which settings matter was explored, not claimed: of {} main effects, each an average over the other settings, \
         and {} interactions; {shown} shown, the interval of which excludes 1; with a probability of {} at most any of all \
         these is told although there is nothing (Holm), where the number of blocks was fixed before and not by what was \
         found",
        table.main_effects,
        table.interactions,
        number::percent(table.error_rate)
    )
}

/// Combinations on which nothing rests.
pub fn combination_left_out(place: &str, names: &[&str], why: &str) -> String {
    let named = names.iter().take(NAMES_TOLD_MAX).copied().collect::<Vec<_>>().join("; ");
    let more = match names.len().saturating_sub(NAMES_TOLD_MAX) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!("which settings matter: {place} of {named}{more} left out: {why}")
}

/// A change that no two variants differ in alone.
pub fn unmatched_change(change: &str, measure: &str, point: &str) -> String {
    format!(
        "which settings matter: no effect of {change} on {}: no two variants differ in it alone and have values in three \
         blocks",
        measured_at(measure, point)
    )
}

/// The first of these, and how many more there are.
pub fn some_of(reasons: &[String]) -> Vec<String> {
    let mut said: Vec<String> = reasons.iter().take(REASONS_TOLD_MAX).cloned().collect();
    if reasons.len() > REASONS_TOLD_MAX {
        said.push(format!("which settings matter: {} more were left out", reasons.len() - REASONS_TOLD_MAX));
    }
    said
}
