//! Figures over the load, and from block to block.

use super::{Axis, Cell, Chart, Scale, claims, series};
use proofload_language::{measure_in_words, tr};
use proofload_store::schema::{Figure, LoadPoint, Model, RunResult};

/// The measures that are drawn: name, unit, and whether their values lie on a logarithmic scale.
const MEASURES: [(&str, &str, Scale); 5] = [
    ("throughput", "per_s", Scale::Linear),
    ("p50", "ns", Scale::Log),
    ("p99", "ns", Scale::Log),
    ("error_share", "share", Scale::Linear),
    ("cpu_per_request", "ns", Scale::Linear),
];

/// More blocks than that are not shown one by one beside their mean.
const DOTS_MAX: usize = 40;

/// Those that are drawn block by block.
const BY_BLOCK: [&str; 2] = ["throughput", "p99"];

/// Figures of a measure, all streams together.
fn figures<'a>(result: &'a RunResult, measure: &str) -> Vec<&'a Figure> {
    let of =
        |figure: &&Figure| figure.measure == measure && figure.stream.is_empty() && figure.estimate.is_some();
    result.figures.iter().filter(of).collect()
}

fn ends_of(figure: &Figure) -> [Option<f64>; 3] {
    figure.estimate.as_ref().map_or([None; 3], claims::ends)
}

/// A chart for each measure: over the load where there are several load points, else variant beneath variant. A search
/// for a capacity has its own figures.
pub fn charts(result: &RunResult) -> Vec<Chart> {
    let Some(plan) = result.plan.as_ref().filter(|plan| plan.capacity.is_none()) else { return Vec::new() };
    let is_never = |measure: &str| {
        let points = figures(result, measure).into_iter().filter_map(|figure| figure.estimate.as_ref());
        measure == "error_share" && points.into_iter().all(|found| found.point == 0.0)
    };
    let chart = |(measure, unit, scale): (&str, &'static str, Scale)| match plan.points.len() {
        0 => None,
        // A single value needs no chart.
        1 if plan.variants.len() < 2 => None,
        1 => Some(beneath(measure, unit, &figures(result, measure))),
        _ => Some(over_load(measure, unit, scale, &plan.points, &figures(result, measure))),
    };
    MEASURES.into_iter().filter(|(measure, ..)| !is_never(measure)).filter_map(chart).collect()
}

fn beneath(measure: &str, unit: &'static str, figures: &[&Figure]) -> Chart {
    let blocks = figures.iter().map(|figure| figure.per_block.len()).max().filter(|most| *most <= DOTS_MAX);
    let row = |figure: &&Figure| {
        let mut row = claims::row(&figure.variant, "", ends_of(figure), [None; 2]);
        let of_block = |at| Cell::of(figure.per_block.get(at).copied().flatten());
        row.extend((0..blocks.unwrap_or(0)).map(of_block));
        row
    };
    let x = Axis { name: measure_in_words(measure).to_string(), unit, scale: Scale::Linear };
    let rows = figures.iter().map(row).collect();
    let says = match blocks {
        Some(1..) => tr!("chart-beneath-with-dots-says"),
        _ => tr!("chart-beneath-says"),
    };
    Chart::intervals(measure, tr!("chart-of", measure = measure_in_words(measure)), says, x, rows)
}

/// Load of each point, where points differ by one number: connections of closed loops, rates of open ones.
fn amounts(points: &[LoadPoint]) -> Option<(Vec<f64>, &'static str)> {
    let amounts: Vec<f64> = match &points.first()?.model {
        Model::Closed => points.iter().map(|point| f64::from(point.connections)).collect(),
        _ => points.iter().filter_map(|point| point.rate_per_s).collect(),
    };
    let alike = points.iter().all(|point| point.model == points[0].model);
    let mut distinct = amounts.clone();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let is_one_number = alike && distinct.len() == points.len() && distinct.first() > Some(&0.0);
    is_one_number.then_some((amounts, if points[0].model == Model::Closed { "count" } else { "per_s" }))
}

/// Name, unit and scale of the load, by the unit of its amounts.
fn along(unit: Option<&'static str>) -> (&'static str, &'static str, Scale) {
    match unit {
        Some("count") => (tr!("chart-connections"), "count", Scale::Log),
        Some(unit) => (tr!("chart-rate"), unit, Scale::Linear),
        None => (tr!("chart-load"), "", Scale::Names),
    }
}

fn over_load(
    measure: &str,
    unit: &'static str,
    scale: Scale,
    points: &[LoadPoint],
    figures: &[&Figure],
) -> Chart {
    let amounts = amounts(points);
    let place = |label: &str| {
        let at = points.iter().position(|point| point.label == label);
        match (&amounts, at) {
            (Some((amounts, _)), Some(at)) => Cell::of(amounts.get(at).copied()),
            _ => Cell::text(label),
        }
    };
    let row = |figure: &&Figure| {
        let place = [Cell::text(&figure.variant), place(&figure.point)];
        place.into_iter().chain(ends_of(figure).map(Cell::of)).collect()
    };
    let (name, along_unit, along_scale) = along(amounts.as_ref().map(|(_, unit)| *unit));
    let axes = [
        Axis { name: name.to_string(), unit: along_unit, scale: along_scale },
        Axis { name: measure_in_words(measure).to_string(), unit, scale },
    ];
    let title = tr!("chart-over-load", measure = measure_in_words(measure));
    Chart::lines(measure.to_string(), title, tr!("chart-load-says"), axes, figures.iter().map(row).collect())
}

/// The value of each block, in the order in which they were measured.
pub fn block_by_block(result: &RunResult) -> Vec<Chart> {
    let points = result.plan.as_ref().map_or(0, |plan| plan.points.len());
    let chart = |(measure, unit, scale): (&str, &'static str, Scale)| {
        let figures = figures(result, measure);
        let rows =
            figures.iter().flat_map(|figure| {
                let name = series(&figure.variant, &figure.point, points);
                figure.per_block.iter().enumerate().map(move |(at, value)| {
                    vec![name.clone(), Cell::Number((at + 1) as f64), Cell::of(*value)]
                })
            });
        let axes = [
            Axis { name: tr!("chart-block").to_string(), unit: "count", scale: Scale::Linear },
            Axis { name: measure_in_words(measure).to_string(), unit, scale },
        ];
        let title = tr!("chart-by-block", measure = measure_in_words(measure));
        Chart::lines(format!("blocks-{measure}"), title, tr!("chart-blocks-says"), axes, rows.collect())
    };
    if result.blocks < 2 {
        return Vec::new();
    }
    MEASURES.into_iter().filter(|(measure, ..)| BY_BLOCK.contains(measure)).map(chart).collect()
}
