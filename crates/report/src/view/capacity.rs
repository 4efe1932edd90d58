//! Tables of searches for a capacity.

use crate::shown::{Table, told_all};
use crate::{messages, number};
use proofload_language::{Columns, named, tr};
use proofload_stats::Measure;
use proofload_stats::capacity::{Answer, Limit};
use proofload_store::schema::{
    CapacityAnswer, CapacityResult, CapacityTrial, Plan, PlannedCapacity, RunResult, TrialOutcome, TrialStage,
};

/// The answers, then every trial.
pub(crate) fn tables(result: &RunResult) -> Vec<Table> {
    let Some(first) = result.capacities.first() else { return Vec::new() };
    let rate = |per_s: Option<f64>| {
        per_s.map_or_else(|| messages::NONE.to_string(), |per_s| number::with_unit(per_s, "per_s"))
    };
    let answer = |capacity: &CapacityResult| {
        vec![
            capacity.variant.clone(),
            capacity.estimate.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval),
            capacity_answer(&capacity.answer).to_string(),
            rate(capacity.at_least_per_s),
            rate(capacity.at_most_per_s),
            capacity.searched.to_string(),
            (capacity.trials.len() as u32).saturating_sub(capacity.searched).to_string(),
        ]
    };
    let mut tables = vec![Table::with(
        capacity_title(&first.slo),
        Columns::<7>("capacity-columns"),
        result.capacities.iter().map(answer),
    )];
    tables.extend(result.capacities.iter().filter(|capacity| !capacity.trials.is_empty()).map(trials));
    tables
}

/// A row for each rate, with what its trials saw and how they came out, below a header; and how many rates had no room. Those
/// stay that are nearest to the answer.
pub(crate) fn rates(capacity: &CapacityResult, most: usize) -> (Vec<Vec<String>>, usize) {
    let measures = measures(capacity);
    let mut rates: Vec<f64> = capacity.trials.iter().map(|trial| trial.rate_per_s).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let ends = capacity.at_least_per_s.into_iter().chain(capacity.at_most_per_s);
    let middle = capacity.estimate.as_ref().map(|found| found.point).or_else(|| ends.max_by(f64::total_cmp));
    let distance = |rate: &f64| middle.map_or(0.0, |middle| (rate / middle).ln().abs());
    let mut nearest = rates.clone();
    nearest.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.truncate(most.max(1));
    let left = rates.len() - nearest.len();
    let [_, rate, .., outcome, _] = Columns::<7>("trial-columns").texts();
    let mut header = vec![rate.to_string()];
    header.extend(measures.iter().map(|name| (*name).clone()));
    header.push(outcome.to_string());
    let row = |rate: &f64| {
        let trials: Vec<&CapacityTrial> =
            capacity.trials.iter().filter(|it| it.rate_per_s == *rate).collect();
        let mut row = vec![number::with_unit(*rate, "per_s")];
        row.extend(measures.iter().map(|name| middle_of(name, &trials)));
        row.push(trial_outcomes(&trials));
        row
    };
    let rows = rates.iter().filter(|rate| nearest.contains(rate)).map(row);
    (std::iter::once(header).chain(rows).collect(), left)
}

/// The median of what the trials saw.
fn middle_of(name: &str, trials: &[&CapacityTrial]) -> String {
    let mut seen: Vec<f64> =
        trials.iter().filter_map(|trial| trial.values.get(name).copied().flatten()).collect();
    seen.sort_by(f64::total_cmp);
    let unit = Measure::parse(name).map_or("count", Measure::unit);
    seen.get(seen.len() / 2)
        .map_or_else(|| messages::NONE.to_string(), |value| number::with_unit(*value, unit))
}

fn measures(capacity: &CapacityResult) -> Vec<&String> {
    let mut measures: Vec<&String> = Vec::new();
    for name in capacity.trials.iter().flat_map(|trial| trial.values.keys()) {
        if !measures.contains(&name) {
            measures.push(name);
        }
    }
    measures
}

fn trials(capacity: &CapacityResult) -> Table {
    let measures = measures(capacity);
    let [number_of, rate, stage, sent, carried, outcome, why] = Columns::<7>("trial-columns").texts();
    let mut header = vec![number_of, rate, stage].into_iter().map(str::to_string).collect::<Vec<_>>();
    header.extend(measures.iter().map(|name| (*name).clone()));
    header.extend([sent, carried, outcome, why].map(str::to_string));
    let row = |(at, trial): (usize, &CapacityTrial)| {
        let mut row = vec![
            (at + 1).to_string(),
            number::with_unit(trial.rate_per_s, "per_s"),
            trial_stage(&trial.stage, trial.fresh),
        ];
        row.extend(measures.iter().map(|name| value(name, trial)));
        let share = |share: Option<f64>| share.map_or_else(|| messages::NONE.to_string(), number::percent);
        row.extend([share(trial.sent_share), share(trial.carried_share)]);
        row.push(trial_outcome(&trial.outcome).to_string());
        row.push(told_all(&trial.why));
        row
    };
    Table {
        title: tr!("trials-of", variant = capacity.variant),
        header,
        rows: capacity.trials.iter().enumerate().map(row).collect(),
    }
}

fn value(name: &str, trial: &CapacityTrial) -> String {
    let unit = Measure::parse(name).map_or("count", Measure::unit);
    let found = trial.values.get(name).copied().flatten();
    found.map_or_else(|| messages::NONE.to_string(), |found| number::with_unit(found, unit))
}

fn rate(per_s: f64) -> String {
    number::with_unit(per_s, "per_s")
}

pub(crate) fn capacity_title(slo: &[String]) -> String {
    tr!("capacity-title-capacity-the-highest-rate", slo = slo.join(tr!("between-items")))
}

/// Search of a capacity, in a line: objective and range of rates.
pub(crate) fn capacity_search(search: &PlannedCapacity, plan: &Plan) -> String {
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    let warm_up_ns = plan.timing.warm_up_ns;
    tr!(
        "capacity-searched",
        from = rate(search.from_per_s),
        to = rate(search.to_per_s),
        trial = seconds(search.trial_ns),
        trials_max = search.trials_max,
        warm_up = (warm_up_ns > 0).then(|| seconds(warm_up_ns)),
        seed = plan.seed
    )
}

/// Word for an answer in a table.
pub(crate) fn capacity_answer(answer: &CapacityAnswer) -> &str {
    match answer {
        CapacityAnswer::BelowRange => tr!("capacity-answer-below-the-range"),
        CapacityAnswer::AboveRange => tr!("capacity-answer-not-within-the-range"),
        CapacityAnswer::ClientLimited => tr!("capacity-answer-client-limited"),
        CapacityAnswer::ConnectionLimited => tr!("capacity-answer-limited-by-connections"),
        CapacityAnswer::NotSettled => tr!("capacity-answer-not-settled"),
        other => named(other.name()),
    }
}

/// Purpose of a trial.
fn trial_stage(stage: &TrialStage, fresh: bool) -> String {
    let what = match stage {
        TrialStage::ConfirmLow => tr!("trial-stage-confirm-low"),
        TrialStage::ConfirmHigh => tr!("trial-stage-confirm-high"),
        other => named(other.name()),
    };
    if fresh { tr!("trial-stage-fresh", what) } else { what.to_string() }
}

pub(crate) fn trial_outcome(outcome: &TrialOutcome) -> &str {
    match outcome {
        TrialOutcome::ClientLimited => tr!("trial-outcome-client-limited"),
        TrialOutcome::ConnectionLimited => tr!("trial-outcome-connections"),
        other => named(other.name()),
    }
}

/// Outcomes of the trials of a rate: `pass`, `2 of 3 pass`.
fn trial_outcomes(trials: &[&CapacityTrial]) -> String {
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
        all => tr!("trial-outcomes", n, all, outcome),
    });
    said.collect::<Vec<_>>().join(tr!("between-items"))
}

/// The answer; the last line to remember.
pub(crate) fn capacity(variant: &str, slo: &str, answer: &Answer, process: bool) -> String {
    match *answer {
        Answer::Found { low, point, high, .. } => {
            let interval = number::with_ends(point, low, high, "per_s");
            tr!("capacity-found", variant, interval, slo, process)
        }
        Answer::BelowRange { lowest, .. } => {
            tr!("capacity-below-range", variant, slo, rate = rate(lowest), process)
        }
        Answer::AboveRange { highest, .. } => {
            tr!("capacity-above-range", variant, rate = rate(highest), slo, process)
        }
        Answer::ClientLimited { limit, at, at_least, unconfirmed, .. } => tr!(
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
            tr!("capacity-not-settled", variant, passed = passed.map(rate), failed = failed.map(rate))
        }
    }
}
