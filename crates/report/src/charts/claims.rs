//! Intervals beside what is claimed of them.

use super::{Axis, CLAIMS, Cell, Chart, Scale};
use crate::{bars, messages};
use proofload_analysis::COMPARED;
use proofload_language::tr;
use proofload_store::schema::{Estimate, FigurePair, RunDiff, RunResult};

pub(super) fn intervals(id: &str, title: &str, says: &str, rows: Vec<Vec<Cell>>) -> Chart {
    let x = Axis { name: tr!("chart-ratio").to_string(), unit: "ratio", scale: Scale::Log };
    Chart::intervals(id, title.to_string(), says, x, rows)
}

/// A row of such a chart: its name, a word for how it came out, point and ends of the interval, and where the claim holds.
pub(super) fn row(name: &str, word: &str, ends: [Option<f64>; 3], holds: [Option<f64>; 2]) -> Vec<Cell> {
    let numbers = ends.into_iter().chain(holds).map(Cell::of);
    [Cell::text(name), Cell::text(word)].into_iter().chain(numbers).collect()
}

pub(super) fn ends(found: &Estimate) -> [Option<f64>; 3] {
    [Some(found.point), found.low, found.high]
}

/// The claims whose quantity is a ratio, on one scale.
pub fn forest(result: &RunResult) -> Option<Chart> {
    let of_claim = |ratio: bars::Ratio| {
        let claim = &ratio.claim;
        let name = if claim.name.is_empty() { &claim.text } else { &claim.name };
        let ends = [ratio.point, ratio.low, ratio.high].map(Some);
        row(name, claim.verdict.name(), ends, ratio.holds.into())
    };
    let rows: Vec<Vec<Cell>> = bars::ratios(result).into_iter().map(of_claim).collect();
    (rows.len() > 1).then(|| intervals(CLAIMS, tr!("chart-claims"), tr!("chart-claims-says"), rows))
}

/// The figures of one run over those of another: those that runs are compared by.
pub fn of_two_runs(diff: &RunDiff) -> Option<Chart> {
    let is_compared = |pair: &&FigurePair| COMPARED.iter().any(|measure| measure.name() == pair.measure);
    let rows = diff.figures.iter().filter(is_compared).filter_map(|pair| {
        let ratio = pair.ratio.as_ref()?;
        let ends = [ratio.point, ratio.low?, ratio.high?].map(Some);
        Some(row(&messages::figure_of(pair), "", ends, [None; 2]))
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let (title, says) = (tr!("chart-runs"), tr!("chart-runs-says"));
    (!rows.is_empty()).then(|| intervals("runs", title, says, rows))
}

/// Effect of each setting, in a study that varies several.
pub fn effects(result: &RunResult) -> Option<Chart> {
    let effects = &result.factors.as_ref()?.effects;
    let rows = effects.iter().map(|effect| {
        let changes: Vec<String> =
            effect.changes.iter().map(|it| format!("{} {} → {}", it.factor, it.from, it.to)).collect();
        let name = format!("{}: {}", effect.measure, changes.join(" × "));
        row(&name, &effect.finding, ends(&effect.estimate), [None; 2])
    });
    Some(intervals("factors", tr!("chart-factors"), tr!("chart-factors-says"), rows.collect()))
}
