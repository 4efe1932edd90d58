//! Tables of searches for a capacity.

use crate::shown::{Table, told_all};
use crate::{messages, number};
use proofload_stats::Measure;
use proofload_store::schema::{CapacityResult, CapacityTrial, RunResult};

/// The answers, then every trial.
pub(crate) fn tables(result: &RunResult) -> Vec<Table> {
    if result.capacities.is_empty() {
        return Vec::new();
    }
    let rate = |per_s: Option<f64>| {
        per_s.map_or_else(|| messages::NONE.to_string(), |per_s| number::with_unit(per_s, "per_s"))
    };
    let answer = |capacity: &CapacityResult| {
        vec![
            capacity.variant.clone(),
            capacity.estimate.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval),
            messages::capacity_answer(&capacity.answer).to_string(),
            rate(capacity.at_least_per_s),
            rate(capacity.at_most_per_s),
            capacity.searched.to_string(),
            (capacity.trials.len() as u32).saturating_sub(capacity.searched).to_string(),
        ]
    };
    let mut tables = vec![Table {
        title: messages::capacity_title(&result.capacities[0].slo),
        header: messages::CAPACITY_COLUMNS.map(str::to_string).to_vec(),
        rows: result.capacities.iter().map(answer).collect(),
    }];
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
    let [_, rate, .., outcome, _] = messages::TRIAL_COLUMNS.texts();
    let mut header = vec![rate.to_string()];
    header.extend(measures.iter().map(|name| (*name).clone()));
    header.push(outcome.to_string());
    let row = |rate: &f64| {
        let trials: Vec<&CapacityTrial> =
            capacity.trials.iter().filter(|it| it.rate_per_s == *rate).collect();
        let mut row = vec![number::with_unit(*rate, "per_s")];
        row.extend(measures.iter().map(|name| middle_of(name, &trials)));
        row.push(messages::trial_outcomes(&trials));
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
    let [number_of, rate, stage, sent, carried, outcome, why] = messages::TRIAL_COLUMNS.texts();
    let mut header = vec![number_of, rate, stage].into_iter().map(str::to_string).collect::<Vec<_>>();
    header.extend(measures.iter().map(|name| (*name).clone()));
    header.extend([sent, carried, outcome, why].map(str::to_string));
    let row = |(at, trial): (usize, &CapacityTrial)| {
        let mut row = vec![
            (at + 1).to_string(),
            number::with_unit(trial.rate_per_s, "per_s"),
            messages::trial_stage(&trial.stage, trial.fresh),
        ];
        row.extend(measures.iter().map(|name| value(name, trial)));
        let share = |share: Option<f64>| share.map_or_else(|| messages::NONE.to_string(), number::percent);
        row.extend([share(trial.sent_share), share(trial.carried_share)]);
        row.push(messages::trial_outcome(&trial.outcome).to_string());
        row.push(told_all(&trial.why));
        row
    };
    Table {
        title: messages::trials_of(&capacity.variant),
        header,
        rows: capacity.trials.iter().enumerate().map(row).collect(),
    }
}

fn value(name: &str, trial: &CapacityTrial) -> String {
    let unit = Measure::parse(name).map_or("count", Measure::unit);
    let found = trial.values.get(name).copied().flatten();
    found.map_or_else(|| messages::NONE.to_string(), |found| number::with_unit(found, unit))
}
