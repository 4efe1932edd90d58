//! Sentences about capacities.

use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_stats::capacity::{Answer, Limit};
use proofload_store::schema::{CapacityAnswer, Plan, PlannedCapacity, TrialOutcome, TrialStage};

/// Columns of the capacities.
pub const CAPACITY_COLUMNS: Columns<7> = Columns("capacity-columns");
/// Columns of the trials; the values of the objective stand behind the third.
pub const TRIAL_COLUMNS: Columns<7> = Columns("trial-columns");

fn rate(per_s: f64) -> String {
    number::with_unit(per_s, "per_s")
}

/// Heading of the capacities.
pub fn capacity_title(slo: &[String]) -> String {
    say!("capacity-title-capacity-the-highest-rate", slo = slo.join(word!("between-items")))
}

/// A parameter.
pub const CAPACITY_SEARCH: Phrase = Phrase("capacity-search");

/// What was searched, in a line.
pub fn capacity_search(search: &PlannedCapacity, plan: &Plan) -> String {
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    let warm_up = match plan.timing.warm_up_ns {
        0 => String::new(),
        ns => say!("capacity-search-starts-warmed-for-s", seconds = seconds(ns)),
    };
    say!(
        "capacity-search-to-trials-of-s",
        rate = rate(search.from_per_s),
        rate2 = rate(search.to_per_s),
        seconds = seconds(search.trial_ns),
        trials_max = search.trials_max,
        warm_up,
        seed = plan.seed
    )
}

/// Heading of the trials of a variant.
pub fn trials_of(variant: &str) -> String {
    say!("trials-of", variant)
}

/// What an answer is called in a table.
pub fn capacity_answer(answer: &CapacityAnswer) -> &str {
    match answer {
        CapacityAnswer::BelowRange => word!("capacity-answer-below-the-range"),
        CapacityAnswer::AboveRange => word!("capacity-answer-not-within-the-range"),
        CapacityAnswer::ClientLimited => word!("capacity-answer-client-limited"),
        CapacityAnswer::ConnectionLimited => word!("capacity-answer-limited-by-connections"),
        CapacityAnswer::NotSettled => word!("capacity-answer-not-settled"),
        other => named(other.name()),
    }
}

/// What a trial was for.
pub fn trial_stage(stage: &TrialStage, fresh: bool) -> String {
    let what = match stage {
        TrialStage::ConfirmLow => word!("trial-stage-confirm-low"),
        TrialStage::ConfirmHigh => word!("trial-stage-confirm-high"),
        other => named(other.name()),
    };
    if fresh { say!("trial-stage-fresh", what) } else { what.to_string() }
}

/// How a trial came out.
pub fn trial_outcome(outcome: &TrialOutcome) -> &str {
    match outcome {
        TrialOutcome::ClientLimited => word!("trial-outcome-client-limited"),
        TrialOutcome::ConnectionLimited => word!("trial-outcome-connections"),
        other => named(other.name()),
    }
}

/// The answer; the last line to remember.
pub fn capacity(variant: &str, slo: &str, answer: &Answer, process: bool) -> String {
    let whose = if process { word!("capacity-this-running-process") } else { "" };
    match *answer {
        Answer::Found { low, point, high, .. } => {
            let interval = number::with_ends(point, low, high, "per_s");
            say!("capacity-carries-with", variant, interval, slo, whose)
        }
        Answer::BelowRange { lowest, .. } => {
            say!("capacity-not-within-the-range", variant, slo, rate = rate(lowest), whose)
        }
        Answer::AboveRange { highest, .. } => {
            say!("capacity-not-within-the-range-it-carries", variant, rate = rate(highest), slo, whose)
        }
        Answer::ClientLimited { limit, at, at_least, unconfirmed, .. } => {
            let what = match limit {
                Limit::Generator => word!("capacity-client-limited"),
                Limit::Connections => word!("capacity-limited-by-its-connections"),
            };
            let said = match (at_least, unconfirmed) {
                (Some(at_least), _) => {
                    say!("capacity-is-at-least", rate = rate(at_least), slo, whose)
                }
                (None, Some(low)) => {
                    say!("capacity-most-trials-passed-at", rate = rate(low))
                }
                (None, None) => word!("capacity-nothing-can-be-said").to_string(),
            };
            say!("capacity-at", variant, what, rate = rate(at), said)
        }
        Answer::NotSettled { passed, failed, .. } => {
            let between = match (passed, failed) {
                (Some(low), Some(high)) => {
                    say!("capacity-most-trials-passed-at-most-failed", rate = rate(low), rate2 = rate(high))
                }
                (Some(low), None) => say!("capacity-most-trials-passed-at-2", rate = rate(low)),
                (None, Some(high)) => say!("capacity-most-trials-failed-at", rate = rate(high)),
                (None, None) => String::new(),
            };
            say!("capacity-not-settled", variant, between)
        }
    }
}
