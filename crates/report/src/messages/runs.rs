//! Sentences about several runs: their list, two side by side, a baseline; and about runs that went on or were repeated.

use super::{blocks, why};
use crate::number;
use proofload_stats::{Judged, Names, Reason};
use proofload_store::schema::Verdict;

/// Heading of the list of runs.
pub const HISTORY: &str = "Runs";
/// There are no runs.
pub const NO_RUNS: &str =
    "no runs here; they are made in runs/ of the working directory, or of the one that --dir names";
/// Heading of the differences between two plans.
pub const DIFF_PLAN: &str = "Plan";
/// Heading of the differences between two machines.
pub const DIFF_ENVIRONMENT: &str = "Environment";
/// Heading of the verdicts that differ.
pub const DIFF_VERDICTS: &str = "Verdicts that differ";
/// Which two runs.
pub fn diff_title(left: &str, right: &str) -> String {
    format!("first {left}, second {right}")
}

/// Nothing differs.
pub const SAME: &str = "the same";
/// What the ratios of two runs are not.
pub const NOT_PAIRED: &str = "not paired: different times; the interval covers how blocks differ within each run, not how the \
                              machine changed between them, so this is no verdict";

/// Heading of the comparison with a baseline.
pub fn baseline_title(tolerance: f64, run: &str) -> String {
    format!("Against the baseline {run}: worse by more than {} is a regression", number::percent(tolerance))
}

/// Why a figure's comparison with the baseline is what it is.
pub fn baseline_reasons(judged: &Judged, names: &Names) -> Vec<String> {
    let crosses = |reason: &Reason| match reason {
        Reason::IntervalCrosses { resolution, .. } => Some(format!(
            "the interval contains the tolerance; the resolution is ±{}",
            number::percent(*resolution)
        )),
        Reason::TooFewBlocks { have, need } => {
            Some(format!("{} on one side, at least {need} are needed", blocks(*have)))
        }
        _ => None,
    };
    let unit = judged.estimate.map_or("ratio", |estimate| estimate.unit);
    judged.reasons.iter().map(|reason| crosses(reason).unwrap_or_else(|| why(reason, names, unit))).collect()
}

/// Columns of the comparison with a baseline.
pub const BASELINE_COLUMNS: [&str; 6] = ["figure", "this run / baseline", "confidence", "blocks", "", "why"];

/// How a figure stands against the baseline's.
pub fn against_baseline(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Supported => "no regression",
        Verdict::Refuted => "REGRESSION",
        _ => "undecided",
    }
}

/// What a comparison with a baseline cannot know.
pub const BASELINE_NOT_PAIRED: &str = "the comparison with the baseline is not paired: the runs were made at different times, and a \
                                       machine that changed between them is within the ratio";

/// How much the figures differ between sittings is not known.
pub const BASELINE_WITHOUT_TAU: &str = "how much the figures differ between sittings is not known (four runs like the baseline beside it \
                                        would show it): where it is 5 to 7 %, an equal run regresses in 12 to 20 of 100 comparisons";

/// The generator was built anew between the two runs.
pub fn another_build(difference: &str) -> String {
    format!(
        "the baseline was measured by another build of Proofload: {difference}; the ratio holds what that changed"
    )
}

/// The baseline was measured elsewhere or otherwise.
pub fn baseline_differs(what: &str) -> String {
    format!("the baseline is not comparable and was compared all the same: {what}")
}

/// Only one of two runs has it.
pub fn unmatched(what: &str) -> String {
    format!("the baseline has no {what}")
}

/// A run in several sittings.
pub fn resumed(times: usize, cut: Option<u32>) -> String {
    let times = if times == 1 { "once".to_string() } else { format!("{times} times") };
    let cut = cut
        .map(|cut| format!("; {} cut off by that: on record, not judged, not counted as lost", blocks(cut)));
    format!("resumed {times}{}", cut.unwrap_or_default())
}

/// It went on although something had changed.
pub fn resumed_elsewhere(what: &str) -> String {
    format!("resumed although something had changed: {what}")
}

/// It repeats another run.
pub fn repeats(run: &str, differences: &[String]) -> String {
    match differences {
        [] => format!("repeats {run}"),
        _ => format!("repeats {run}, with differences: {}", differences.join("; ")),
    }
}
