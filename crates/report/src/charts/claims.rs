//! Intervals beside what is claimed of them.

use super::{Axis, CLAIMS, Cell, Chart, Drawn, Scale};
use crate::{bars, messages};
use proofload_store::schema::RunResult;

const RATIO: &str = "ratio";

fn intervals(id: &str, title: &str, says: &str, rows: Vec<Vec<Cell>>) -> Chart {
    Chart {
        id: id.to_string(),
        drawn: Drawn::Intervals,
        title: title.to_string(),
        says: says.to_string(),
        x: Axis { name: messages::CHART_RATIO.to_string(), unit: RATIO, scale: Scale::Log },
        y: Axis { name: String::new(), unit: "", scale: Scale::Names },
        group: "",
        columns: messages::CHART_INTERVALS.map(str::to_string).to_vec(),
        units: vec!["", "", RATIO, RATIO, RATIO, RATIO, RATIO],
        rows,
    }
}

/// The claims whose quantity is a ratio, on one scale.
pub fn forest(result: &RunResult) -> Option<Chart> {
    let row = |ratio: bars::Ratio<'_>| {
        let claim = ratio.claim;
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
    (rows.len() > 1).then(|| intervals(CLAIMS, messages::CHART_CLAIMS, messages::CHART_CLAIMS_SAYS, rows))
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
    Some(intervals("factors", messages::CHART_FACTORS, messages::CHART_FACTORS_SAYS, rows.collect()))
}
