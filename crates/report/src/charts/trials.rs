//! The trials of a search for a capacity.

use super::{Axis, Cell, Chart, Drawn, Scale, of_name};
use proofload_language::{measure_in_words, tr};
use proofload_stats::Measure;
use proofload_store::schema::{CapacityTrial, RunResult, TrialOutcome};
use std::collections::BTreeSet;

/// Values of each term of the objective in each trial, over its rate.
pub fn charts(result: &RunResult) -> Vec<Chart> {
    let trials = result.capacities.iter().flat_map(|capacity| &capacity.trials);
    let measures: BTreeSet<&String> = trials.flat_map(|trial| trial.values.keys()).collect();
    measures.into_iter().map(|measure| chart(result, measure)).collect()
}

fn chart(result: &RunResult, measure: &str) -> Chart {
    let unit = Measure::parse(measure).map_or("count", Measure::unit);
    let scale = if unit == "ns" { Scale::Log } else { Scale::Linear };
    let rows = result.capacities.iter().flat_map(|capacity| {
        let row = |trial: &CapacityTrial| {
            vec![
                Cell::text(&capacity.variant),
                Cell::Number(trial.rate_per_s),
                Cell::of(trial.values.get(measure).copied().flatten()),
                why_not(trial),
            ]
        };
        capacity.trials.iter().map(row).collect::<Vec<_>>()
    });
    let axes = [
        Axis { name: tr!("chart-rate").to_string(), unit: "per_s", scale: Scale::Log },
        Axis { name: measure_in_words(measure).to_string(), unit, scale },
    ];
    let title = tr!("chart-of-trials", measure = measure_in_words(measure));
    let chart = Chart::course(
        format!("trials-{}", of_name(measure)),
        title,
        tr!("chart-trials-says"),
        axes,
        rows.collect(),
    );
    Chart { drawn: Drawn::Dots, ..chart }
}

fn why_not(trial: &CapacityTrial) -> Cell {
    match trial.outcome {
        TrialOutcome::Pass => Cell::text(""),
        _ => Cell::text(crate::view::capacity::trial_outcome(&trial.outcome)),
    }
}
