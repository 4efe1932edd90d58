//! Ratios beside their references: published ratios, and those found under another condition of measuring.

use super::claims::{ends, intervals, row};
use super::{Cell, Chart};
use proofload_language::{condition, tr};
use proofload_store::schema::{ClaimResult, RunResult};

/// Claims whose ratio depends on a condition of measuring: the ratio at each of its levels.
pub fn conditions(result: &RunResult) -> Option<Chart> {
    let levels = |claim: &ClaimResult| {
        let name = if claim.name.is_empty() { claim.text.clone() } else { claim.name.clone() };
        let dependencies = claim.depends_on.iter().flat_map(|on| on.levels.iter().map(move |at| (on, at)));
        let ratios = dependencies.filter(|(_, at)| at.estimate.unit == "ratio");
        let rows = ratios.map(|(on, at)| {
            let name = format!("{name}: {}", condition(&on.condition, &at.level));
            row(&name, "", ends(&at.estimate), [None; 2])
        });
        rows.collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Cell>> = result.claims.iter().flat_map(levels).collect();
    let (title, says) = (tr!("chart-conditions"), tr!("chart-conditions-says"));
    (!rows.is_empty()).then(|| intervals("conditions", title, says, rows))
}

/// Ratio of each value found here to the published one.
pub fn published(result: &RunResult) -> Option<Chart> {
    let figures = result.published.iter().filter(|figure| figure.published > 0.0);
    let rows = figures.filter_map(|figure| {
        let over = |value: f64| value / figure.published;
        let found = figure.found.as_ref()?;
        let ends = [figure.ratio, found.low.map(over), found.high.map(over)];
        Some(row(&figure.quantity, "", ends, [None; 2]))
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let (title, says) = (tr!("chart-published"), tr!("chart-published-says"));
    (!rows.is_empty()).then(|| intervals("published", title, says, rows))
}
