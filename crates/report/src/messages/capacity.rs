//! Sentences about capacities.

use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_stats::capacity::{Answer, Confirmed, Limit, Unsettled};
use proofload_store::schema::{
    CapacityAnswer, CapacityTrial, Plan, PlannedCapacity, TrialOutcome, TrialStage,
};

/// Columns of the capacities.
pub const CAPACITY_COLUMNS: Columns<7> = Columns("capacity-columns");
/// Columns of the trials; the values of the objective stand behind the third.
pub const TRIAL_COLUMNS: Columns<7> = Columns("trial-columns");
/// Nobody knows what the generator reaches.
pub const CAPACITY_NO_CEILING: Phrase = Phrase("capacity-no-ceiling");

/// A quantile of the objective that a trial can hardly tell.
pub fn rough_objective(measure: &str, requests: u64, beyond: u64) -> String {
    say!("rough-objective", measure, requests = number::count(requests), beyond)
}

fn rate(per_s: f64) -> String {
    number::with_unit(per_s, "per_s")
}

/// A sentence about one of several variants.
pub fn of_variant(variant: &str, sentence: &str) -> String {
    say!("of-variant", variant, sentence)
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

/// How the trials of a rate came out: `pass`, `2 of 3 pass`.
pub fn trial_outcomes(trials: &[&CapacityTrial]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for trial in trials {
        let said = trial_outcome(&trial.outcome);
        match kinds.iter_mut().find(|(kind, _)| *kind == said) {
            Some((_, n)) => *n += 1,
            None => kinds.push((said, 1)),
        }
    }
    let all = trials.len();
    let said = kinds.into_iter().map(|(outcome, n)| match all {
        1 => outcome.to_string(),
        all => say!("trial-outcomes", n, all, outcome),
    });
    said.collect::<Vec<_>>().join(word!("between-items"))
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

/// What belongs to an answer; `limited` is what the first trial said in which that was the limit.
pub fn capacity_reasons(
    answer: &Answer,
    planned: &PlannedCapacity,
    process: bool,
    limited: Option<&str>,
) -> Vec<String> {
    let mut said = Vec::new();
    let starts = if process {
        word!("capacity-reasons-trials-with-new-connections")
    } else {
        word!("capacity-reasons-fresh-starts")
    };
    for (at, confirmed, passed) in confirmations(answer) {
        let verb = if passed { word!("capacity-reasons-passed") } else { word!("capacity-reasons-failed") };
        said.push(say!(
            "capacity-reasons-of-at",
            agreed = confirmed.agreed,
            of = confirmed.of,
            starts,
            verb,
            rate = rate(at)
        ));
    }
    match answer {
        Answer::Found { .. } => said.push(word!("capacity-reasons-the-interval-begins-as").to_string()),
        Answer::BelowRange { .. } => {
            said.push(say!("capacity-reasons-look-below-give-from", rate = rate(planned.from_per_s)))
        }
        Answer::AboveRange { .. } => {
            said.push(say!("capacity-reasons-look-above-give-to", rate = rate(planned.to_per_s)))
        }
        Answer::ClientLimited { limit, .. } => {
            said.extend(limited.map(str::to_string));
            said.push(
                match limit {
                    Limit::Generator => word!("capacity-reasons-give-the-generator-more"),
                    Limit::Connections => word!("capacity-reasons-give-more-connections-c"),
                }
                .to_string(),
            );
        }
        Answer::NotSettled { .. } => {
            said.extend(unsettled(answer).map(|(why, ..)| why_unsettled(why, starts)))
        }
    }
    if process {
        said.push(word!("capacity-reasons-nothing-was-restarted-the").to_string());
    }
    said
}

fn why_unsettled(why: Unsettled, starts: &str) -> String {
    match why {
        Unsettled::CutOff => word!("why-unsettled-the-search-was-cut").to_string(),
        Unsettled::LowNotConfirmed => say!("why-unsettled-no-lower-end-was", starts),
        Unsettled::HighNotConfirmed => say!("why-unsettled-no-upper-end-was", starts),
    }
}

/// How the ends were confirmed.
fn confirmations(answer: &Answer) -> Vec<(f64, Confirmed, bool)> {
    match *answer {
        Answer::Found { low, high, passed, failed, .. } => vec![(low, passed, true), (high, failed, false)],
        Answer::BelowRange { lowest, failed } => vec![(lowest, failed, false)],
        Answer::AboveRange { highest, passed } => vec![(highest, passed, true)],
        Answer::ClientLimited { at_least: Some(rate), passed, .. } => vec![(rate, passed, true)],
        Answer::ClientLimited { .. } | Answer::NotSettled { .. } => Vec::new(),
    }
}

/// Why a search has no answer.
fn unsettled(answer: &Answer) -> Option<(Unsettled, Option<f64>, Option<f64>)> {
    match *answer {
        Answer::NotSettled { passed, failed, why } => Some((why, passed, failed)),
        _ => None,
    }
}
