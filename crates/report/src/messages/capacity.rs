//! Sentences about capacities.

use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_stats::capacity::{Answer, Confirmed, Limit, Unsettled};
use proofload_store::schema::{CapacityAnswer, Plan, PlannedCapacity, TrialOutcome, TrialStage};

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
    say!("labelled", label = variant, what = sentence)
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
    let warm_up_ns = plan.timing.warm_up_ns;
    say!(
        "capacity-searched",
        from = rate(search.from_per_s),
        to = rate(search.to_per_s),
        trial = seconds(search.trial_ns),
        trials_max = search.trials_max,
        warm_up = (warm_up_ns > 0).then(|| seconds(warm_up_ns)),
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
    match *answer {
        Answer::Found { low, point, high, .. } => {
            let interval = number::with_ends(point, low, high, "per_s");
            say!("capacity-found", variant, interval, slo, process)
        }
        Answer::BelowRange { lowest, .. } => {
            say!("capacity-below-range", variant, slo, rate = rate(lowest), process)
        }
        Answer::AboveRange { highest, .. } => {
            say!("capacity-above-range", variant, rate = rate(highest), slo, process)
        }
        Answer::ClientLimited { limit, at, at_least, unconfirmed, .. } => say!(
            "capacity-limited",
            generator = limit == Limit::Generator,
            variant,
            rate = rate(at),
            at_least = at_least.map(rate),
            unconfirmed = unconfirmed.map(rate),
            slo,
            process
        ),
        Answer::NotSettled { passed, failed, .. } => {
            say!("capacity-not-settled", variant, passed = passed.map(rate), failed = failed.map(rate))
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
    for (at, confirmed, passed) in confirmations(answer) {
        let Confirmed { agreed, of, .. } = confirmed;
        said.push(say!("capacity-confirmed", agreed, of, process, passed, rate = rate(at)));
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
            said.extend(unsettled(answer).map(|(why, ..)| why_unsettled(why, process)))
        }
    }
    if process {
        said.push(word!("capacity-reasons-nothing-was-restarted-the").to_string());
    }
    said
}

fn why_unsettled(why: Unsettled, process: bool) -> String {
    match why {
        Unsettled::CutOff => word!("why-unsettled-the-search-was-cut").to_string(),
        Unsettled::LowNotConfirmed => say!("why-unsettled-no-lower-end-was", process),
        Unsettled::HighNotConfirmed => say!("why-unsettled-no-upper-end-was", process),
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
