//! The table of what the variants came to at each load point.

use crate::messages::interval;
use crate::shown::Table;
use crate::{messages, number};
use proofload_analysis::figures::{TABLE, TABLE_IF_MEASURED, errors, first_byte_is_apart, outcome};
use proofload_analysis::{measures_of, restore};
use proofload_language::{named, tr};
use proofload_stats::Measure;
use proofload_store::schema::{Durations, Estimate, Figure, Point, Replication, RunResult};

/// Measures in the table: the usual ones, and those that claims use. The others are in JSON.
fn shown(result: &RunResult) -> Vec<String> {
    let restored = result.plan.as_ref().and_then(|plan| restore(plan).ok());
    let claimed = restored.map_or_else(Vec::new, |(_, claims, _)| measures_of(&claims));
    // Errors have a column in any case.
    let claimed = claimed.into_iter().filter(|measure| *measure != Measure::Errors);
    TABLE.into_iter().chain(TABLE_IF_MEASURED).chain(claimed).map(Measure::name).collect()
}

/// The table of load points: a row for each variant at each of them.
pub(crate) fn table(result: &RunResult) -> Table {
    let mut measures: Vec<&str> = Vec::new();
    let shown = shown(result);
    for figure in &result.figures {
        if shown.contains(&figure.measure) && !measures.contains(&figure.measure.as_str()) {
            measures.push(&figure.measure);
        }
    }
    let has_value =
        |measure: &str| result.figures.iter().any(|f| f.measure == measure && f.estimate.is_some());
    measures.retain(|measure| has_value(measure));
    let mut header = [tr!("variant"), tr!("errors"), tr!("loop")].map(String::from).to_vec();
    header.extend(measures.iter().map(ToString::to_string));
    let with_first_byte = result.points.iter().any(first_byte_is_apart);
    header.extend(with_first_byte.then(|| tr!("first-byte-column").to_string()));
    header.push(starts_column(&result.replication).to_string());
    header.push(tr!("answered-column").to_string());
    let rows = result.points.iter().map(|point| row(result, point, &measures, with_first_byte)).collect();
    Table { title: tr!("figures").to_string(), header, rows }
}

fn row(result: &RunResult, point: &Point, measures: &[&str], with_first_byte: bool) -> Vec<String> {
    let is_here = |figure: &&Figure| {
        (&figure.variant, &figure.point, &figure.stream) == (&point.variant, &point.point, &point.stream)
    };
    let figures: Vec<Option<&Figure>> = measures
        .iter()
        .map(|measure| result.figures.iter().filter(is_here).find(|figure| figure.measure == *measure))
        .collect();
    let starts = figures.iter().flatten().map(|figure| figure.starts).max().unwrap_or(0);
    let cell = |figure: &Option<&Figure>| {
        let Some((figure, estimate)) = figure.and_then(|f| Some((f, f.estimate.as_ref()?))) else {
            return messages::NONE.to_string();
        };
        let fewer = (figure.starts < starts).then_some(figure.starts);
        let over = over_starts(estimate, figure.rough, fewer, &result.replication);
        messages::bounded(figure.at_least, over)
    };
    let load = result.plan.iter().flat_map(|plan| &plan.points).find(|load| load.label == point.point);
    let arrivals = load.filter(|_| point.stream.is_empty()).map(messages::arrivals);
    let arrivals = arrivals.unwrap_or_else(|| named(point.model.name()).to_string());
    // Errors first: the other figures are read in view of them.
    let mut row = vec![messages::place(point), number::count(errors(point)), arrivals];
    row.extend(figures.iter().map(cell));
    row.extend(with_first_byte.then(|| first_byte(&point.first_byte_ns)));
    row.push(starts_cell(starts));
    row.push(number::count(outcome(point, "answered")));
    row
}

/// Median and p99 over all blocks, without an interval.
fn first_byte(times: &Durations) -> String {
    let at = |ns: Option<u64>, q: f64| {
        let shown = |ns: u64| messages::bounded(times.is_at_least(q), number::duration(ns as f64));
        ns.map_or_else(|| messages::NONE.to_string(), shown)
    };
    format!("{} / {}", at(times.p50, 0.5), at(times.p99, 0.99))
}

/// Column of how many starts the figures of a row rest on; of running processes it is blocks.
fn starts_column(replication: &Replication) -> &'static str {
    if *replication == Replication::Process {
        tr!("starts-column-blocks")
    } else {
        tr!("starts-column-starts")
    }
}

/// Number of starts; of a single one there is no interval.
fn starts_cell(n: u32) -> String {
    if n == 1 { tr!("starts-cell").to_string() } else { n.to_string() }
}

/// A figure with its interval between starts; marked where it is rough, and where it rests on fewer starts than the
/// others of its row.
fn over_starts(estimate: &Estimate, rough: bool, fewer: Option<u32>, replication: &Replication) -> String {
    let figure = match (rough, estimate.low) {
        (true, _) => format!("≈ {}", number::with_unit(estimate.point, &estimate.unit)),
        (false, Some(_)) => interval(estimate),
        (false, None) => number::with_unit(estimate.point, &estimate.unit),
    };
    match fewer {
        None => figure,
        Some(n) => tr!("over-starts", figure, n, restarted = *replication != Replication::Process),
    }
}
