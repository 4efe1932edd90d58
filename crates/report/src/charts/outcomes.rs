//! Outcomes of exchanges that were not answered as expected.

use super::{Axis, Cell, Chart, Drawn, Scale, series};
use proofload_analysis::figures::outcome;
use proofload_language::{Columns, tr};
use proofload_store::schema::{Point, RunResult};

/// The outcomes that are not answers, as shares of all exchanges of a variant and load point. Streams are within these.
pub fn chart(result: &RunResult) -> Chart {
    let places = result.plan.as_ref().map_or(1, |plan| plan.points.len());
    // Of a search each trial is a point.
    let is_search = result.plan.as_ref().is_some_and(|plan| plan.capacity.is_some());
    let points = result.points.iter().filter(|point| point.stream.is_empty() && !is_search);
    let x = Axis { name: tr!("chart-share").to_string(), unit: "share", scale: Scale::Linear };
    Chart {
        id: "outcomes".to_string(),
        drawn: Drawn::Parts,
        title: tr!("chart-outcomes").to_string(),
        says: tr!("chart-outcomes-says").to_string(),
        x,
        y: Axis { name: String::new(), unit: "", scale: Scale::Names },
        group: "",
        columns: Columns::<4>("chart-outcome-columns").map(str::to_string).to_vec(),
        units: vec!["", "", "count", "share"],
        rows: points.flat_map(|point| rows(point, places)).collect(),
    }
}

fn rows(point: &Point, places: usize) -> Vec<Vec<Cell>> {
    let all: u64 = point.outcomes.values().fold(0, |sum: u64, n| sum.saturating_add(*n));
    let failed = point.outcomes.keys().filter(|kind| kind.as_str() != "answered");
    let row = |kind: &String| {
        let n = outcome(point, kind);
        vec![
            series(&point.variant, &point.point, places),
            Cell::text(kind),
            Cell::Number(n as f64),
            Cell::Number(n as f64 / all.max(1) as f64),
        ]
    };
    failed.filter(|kind| outcome(point, kind) > 0).map(row).collect()
}
