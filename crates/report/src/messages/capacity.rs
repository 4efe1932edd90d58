//! Sentences about capacities.

use crate::number;
use proofload_stats::capacity::{Answer, Confirmed, Limit, Unsettled};
use proofload_store::schema::{CapacityAnswer, Plan, PlannedCapacity, TrialOutcome, TrialStage};

/// Columns of the capacities.
pub const CAPACITY_COLUMNS: [&str; 7] =
    ["variant", "capacity", "answer", "holds at", "not at", "trials", "to confirm"];
/// Columns of the trials; the values of the objective stand behind the third.
pub const TRIAL_COLUMNS: [&str; 7] = ["trial", "rate", "for", "sent", "carried", "", "why"];
/// Nobody knows what the generator reaches.
pub const CAPACITY_NO_CEILING: &str = "the generator's ceiling in this setting is not known: that it was fit is based on its other \
                                       checks";

/// A quantile of the objective that a trial can hardly tell.
pub fn rough_objective(measure: &str, requests: u64, beyond: u64) -> String {
    format!(
        "{measure} is based on little: a trial had {} requests, {beyond} of which lie beyond it; give longer trials (--trial), \
         or a higher --from",
        number::count(requests)
    )
}

fn rate(per_s: f64) -> String {
    number::with_unit(per_s, "per_s")
}

/// A sentence about one of several variants.
pub fn of_variant(variant: &str, sentence: &str) -> String {
    format!("{variant}: {sentence}")
}

/// Heading of the capacities.
pub fn capacity_title(slo: &[String]) -> String {
    format!("Capacity: the highest rate with {}", slo.join(", "))
}

/// A parameter.
pub const CAPACITY_SEARCH: &str = "search";

/// What was searched, in a line.
pub fn capacity_search(search: &PlannedCapacity, plan: &Plan) -> String {
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    let warm_up = match plan.timing.warm_up_ns {
        0 => String::new(),
        ns => format!(", starts warmed for {} s", seconds(ns)),
    };
    format!(
        "{} to {}, trials of {} s, at most {} before the confirmation{warm_up}, seed {}",
        rate(search.from_per_s),
        rate(search.to_per_s),
        seconds(search.trial_ns),
        search.trials_max,
        plan.seed
    )
}

/// Heading of the trials of a variant.
pub fn trials_of(variant: &str) -> String {
    format!("Trials of {variant}")
}

/// What an answer is called in a table.
pub fn capacity_answer(answer: &CapacityAnswer) -> &str {
    match answer {
        CapacityAnswer::BelowRange => "below the range",
        CapacityAnswer::AboveRange => "not within the range: at least its highest rate",
        CapacityAnswer::ClientLimited => "CLIENT-LIMITED",
        CapacityAnswer::ConnectionLimited => "limited by connections",
        CapacityAnswer::NotSettled => "not settled",
        other => other.name(),
    }
}

/// What a trial was for.
pub fn trial_stage(stage: &TrialStage, fresh: bool) -> String {
    let what = match stage {
        TrialStage::ConfirmLow => "confirm low",
        TrialStage::ConfirmHigh => "confirm high",
        other => other.name(),
    };
    if fresh { format!("{what}, fresh") } else { what.to_string() }
}

/// How a trial came out.
pub fn trial_outcome(outcome: &TrialOutcome) -> &str {
    match outcome {
        TrialOutcome::ClientLimited => "client-limited",
        TrialOutcome::ConnectionLimited => "connections",
        other => other.name(),
    }
}

/// The answer; the last line to remember.
pub fn capacity(variant: &str, slo: &str, answer: &Answer, process: bool) -> String {
    let whose = if process { ", this running process" } else { "" };
    match *answer {
        Answer::Found { low, point, high, .. } => {
            let interval = number::with_ends(point, low, high, "per_s");
            format!("{variant} carries {interval} with {slo}{whose}")
        }
        Answer::BelowRange { lowest, .. } => format!(
            "{variant}: not within the range: {slo} does not hold at its lowest rate, {}{whose}",
            rate(lowest)
        ),
        Answer::AboveRange { highest, .. } => format!(
            "{variant}: not within the range: it carries at least {}, the highest rate, with {slo}{whose}",
            rate(highest)
        ),
        Answer::ClientLimited { limit, at, at_least, unconfirmed, .. } => {
            let what = match limit {
                Limit::Generator => "client-limited",
                Limit::Connections => "limited by its connections",
            };
            let said = match (at_least, unconfirmed) {
                (Some(at_least), _) => {
                    format!("capacity is at least {} with {slo}{whose}", rate(at_least))
                }
                (None, Some(low)) => {
                    format!("most trials passed at {}, which was not confirmed", rate(low))
                }
                (None, None) => "nothing can be said of its capacity".to_string(),
            };
            format!("{variant}: {what} at {}: {said}", rate(at))
        }
        Answer::NotSettled { passed, failed, .. } => {
            let between = match (passed, failed) {
                (Some(low), Some(high)) => {
                    format!(": most trials passed at {}, most failed at {}", rate(low), rate(high))
                }
                (Some(low), None) => format!(": most trials passed at {}", rate(low)),
                (None, Some(high)) => format!(": most trials failed at {}", rate(high)),
                (None, None) => String::new(),
            };
            format!("{variant}: capacity not settled{between}")
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
    let starts = if process { "trials with new connections" } else { "fresh starts" };
    for (at, confirmed, passed) in confirmations(answer) {
        let verb = if passed { "passed" } else { "failed" };
        said.push(format!("{} of {} {starts} {verb} at {}", confirmed.agreed, confirmed.of, rate(at)));
    }
    match answer {
        Answer::Found { .. } => said.push(
            "the interval begins as the 95 % interval of the fit of all trials, and is widened until both ends are \
             confirmed; docs/capacity.md says how often it holds the capacity"
                .to_string(),
        ),
        Answer::BelowRange { .. } => said.push(format!("look below {}: give --from", rate(planned.from_per_s))),
        Answer::AboveRange { .. } => said.push(format!("look above {}: give --to", rate(planned.to_per_s))),
        Answer::ClientLimited { limit, .. } => {
            said.extend(limited.map(str::to_string));
            said.push(match limit {
                Limit::Generator => "give the generator more workers or CPUs of its own, or load from another machine",
                Limit::Connections => "give more connections (-c auto, --max-connections)",
            }
            .to_string());
        }
        Answer::NotSettled { .. } => said.extend(unsettled(answer).map(|(why, ..)| why_unsettled(why, starts))),
    }
    if process {
        said.push("nothing was restarted: the next start may carry another rate".to_string());
    }
    said
}

fn why_unsettled(why: Unsettled, starts: &str) -> String {
    match why {
        Unsettled::CutOff => {
            "the search was cut off before it had an answer; give it more time with --budget".to_string()
        }
        Unsettled::LowNotConfirmed => format!(
            "no lower end was confirmed by {starts}: the server differs from trial to trial by more than an interval of \
             some 15 %; longer trials (--trial) may help"
        ),
        Unsettled::HighNotConfirmed => format!(
            "no upper end was confirmed by {starts}: the server differs from trial to trial by more than an interval of \
             some 15 %, or its limit lies at the end of the range; raise --to, or give longer trials (--trial)"
        ),
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
