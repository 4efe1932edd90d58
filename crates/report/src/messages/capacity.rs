//! Sentences about capacities.

use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_stats::capacity::{Answer, Limit};
use proofload_store::schema::{
    CapacityAnswer, CapacityTrial, Plan, PlannedCapacity, TrialOutcome, TrialStage,
};

pub const CAPACITY_COLUMNS: Columns<7> = Columns("capacity-columns");
/// Columns of the trials; the values of the objective stand behind the third.
pub const TRIAL_COLUMNS: Columns<7> = Columns("trial-columns");

fn rate(per_s: f64) -> String {
    number::with_unit(per_s, "per_s")
}

pub fn capacity_title(slo: &[String]) -> String {
    say!("capacity-title-capacity-the-highest-rate", slo = slo.join(word!("between-items")))
}

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
