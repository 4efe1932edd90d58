//! Sentences about several runs: their list, two side by side, a baseline; and about runs that went on or were repeated.

use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_store::schema::{FigurePair, HistoryEntry, Verdict};

/// Heading of the list of runs.
pub const HISTORY: Phrase = Phrase("history");
pub const HISTORY_COLUMNS: Columns<8> = Columns("history-columns");
/// How a run ended, or that nobody can tell.
pub fn history_ended(entry: &HistoryEntry) -> &str {
    if entry.damage.is_empty() { named(entry.status.state.name()) } else { word!("history-unreadable") }
}

/// What a run comes to that goes on.
pub const OPEN: Phrase = Phrase("ui-still-open");
pub const NO_RUNS: Phrase = Phrase("no-runs");
/// Columns of the figures of two runs.
pub const DIFF_COLUMNS: Columns<4> = Columns("diff-columns");
/// Heading of the differences between two plans.
pub const DIFF_PLAN: Phrase = Phrase("diff-plan");
/// Heading of the differences between two machines.
pub const DIFF_ENVIRONMENT: Phrase = Phrase("diff-environment");
/// Heading of the verdicts that differ.
pub const DIFF_VERDICTS: Phrase = Phrase("diff-verdicts");
pub fn diff_title(left: &str, right: &str) -> String {
    say!("diff-title-first-second", left, right)
}

/// Which figure of two runs: `p99[reads](nio) @ 64c`.
pub fn figure_of(pair: &FigurePair) -> String {
    let stream = if pair.stream.is_empty() { String::new() } else { format!("[{}]", pair.stream) };
    format!("{}{stream}({}) @ {}", pair.measure, pair.variant, pair.point)
}

pub const SAME: Phrase = Phrase("same");
/// What the ratios of two runs are not.
pub const NOT_PAIRED: Phrase = Phrase("not-paired");

/// Heading of the comparison with a baseline.
pub fn baseline_title(tolerance: f64, run: &str) -> String {
    say!("baseline-title", run, tolerance = number::percent(tolerance))
}

/// Columns of the comparison with a baseline.
pub const BASELINE_COLUMNS: Columns<6> = Columns("baseline-columns");

/// How a figure stands against the baseline's.
pub fn against_baseline(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Supported => word!("against-baseline-no-regression"),
        Verdict::Refuted => word!("against-baseline-regression"),
        _ => word!("against-baseline-undecided"),
    }
}
