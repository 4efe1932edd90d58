//! Intervals beside what is claimed of them.

use super::{Axis, CLAIMS, Cell, Chart, Scale};
use crate::{bars, messages};
use proofload_analysis::COMPARED;
use proofload_language::word;
use proofload_store::schema::{FigurePair, RunDiff, RunResult};

pub(super) fn intervals(id: &str, title: &str, says: &str, rows: Vec<Vec<Cell>>) -> Chart {
    let x = Axis { name: word!("chart-ratio").to_string(), unit: "ratio", scale: Scale::Log };
    Chart::intervals(id, title.to_string(), says, x, rows)
}

/// The claims whose quantity is a ratio, on one scale.
pub fn forest(result: &RunResult) -> Option<Chart> {
    let row = |ratio: bars::Ratio| {
        let claim = &ratio.claim;
        vec![
            Cell::text(if claim.name.is_empty() { &claim.text } else { &claim.name }),
            Cell::text(claim.verdict.name()),
            Cell::Number(ratio.point),
            Cell::Number(ratio.low),
            Cell::Number(ratio.high),
            Cell::of(ratio.holds.0),
            Cell::of(ratio.holds.1),
        ]
    };
    let rows: Vec<Vec<Cell>> = bars::ratios(result).into_iter().map(row).collect();
    (rows.len() > 1).then(|| intervals(CLAIMS, word!("chart-claims"), word!("chart-claims-says"), rows))
}

/// The figures of one run over those of another: those that runs are compared by.
pub fn of_two_runs(diff: &RunDiff) -> Option<Chart> {
    let is_compared = |pair: &&FigurePair| COMPARED.iter().any(|measure| measure.name() == pair.measure);
    let rows = diff.figures.iter().filter(is_compared).filter_map(|pair| {
        let ratio = pair.ratio.as_ref()?;
        let name = Cell::text(&messages::figure_of(pair));
        let ends = [Cell::Number(ratio.low?), Cell::Number(ratio.high?), Cell::Nothing, Cell::Nothing];
        Some([vec![name, Cell::text(""), Cell::Number(ratio.point)], ends.to_vec()].concat())
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let (title, says) = (word!("chart-runs"), word!("chart-runs-says"));
    (!rows.is_empty()).then(|| intervals("runs", title, says, rows))
}

/// What each setting does, of a study that varies several.
pub fn effects(result: &RunResult) -> Option<Chart> {
    let effects = &result.factors.as_ref()?.effects;
    let rows = effects.iter().map(|effect| {
        let changes: Vec<String> =
            effect.changes.iter().map(|it| format!("{} {} → {}", it.factor, it.from, it.to)).collect();
        vec![
            Cell::text(&format!("{}: {}", effect.measure, changes.join(" × "))),
            Cell::text(&effect.finding),
            Cell::Number(effect.estimate.point),
            Cell::of(effect.estimate.low),
            Cell::of(effect.estimate.high),
            Cell::Nothing,
            Cell::Nothing,
        ]
    });
    Some(intervals("factors", word!("chart-factors"), word!("chart-factors-says"), rows.collect()))
}
