//! Expectations, judged; and figures published elsewhere, beside those found here.

use crate::cells::Cells;
use crate::error::AnalysisError;
use crate::estimate::stored;
use crate::figures::{figure, figured};
use crate::judged::{RunJudge, judged};
use crate::planned::{PlanError, expectations_of, published_figures, restore};
use crate::reasons::reasons;
use proofload_stats::{Claim, Expectation, Judged, Measure, Names, Observations, Published, reasons_of};
use proofload_store::Run;
use proofload_store::schema::{ExpectationResult, Plan, PlannedExpectation, PublishedFigure};

/// Measures that a report on a run of this plan shows, cycle by cycle or block by block.
///
/// # Errors
/// Fails if a claim, an expectation or a published figure of the plan cannot be read.
pub fn reported_measures(plan: &Plan) -> Result<Vec<Measure>, PlanError> {
    let (names, _, _) = restore(plan)?;
    Ok(figured(&RunJudge::of(plan)?.claims(), &published_figures(plan, &names)?))
}

/// The rows of a plan, judged.
pub(crate) fn expectations(
    run: &Run,
    names: &Names,
    design: &proofload_stats::Design,
    seconds_per_block: f64,
) -> Result<Vec<ExpectationResult>, AnalysisError> {
    let rows = expectations_of(run.plan(), names)?;
    let claims: Vec<Claim> = rows.iter().flat_map(|(_, row)| row.claims.clone()).collect();
    let judgement = judged(run, &claims, design)?;
    let mut judged = judgement.claims.as_slice();
    let mut results = Vec::new();
    for (planned, row) in rows {
        let (own, rest) = judged.split_at(row.claims.len().min(judged.len()));
        judged = rest;
        results.push(expectation(planned, &row, own, names, seconds_per_block));
    }
    Ok(results)
}

fn expectation(
    planned: &PlannedExpectation,
    row: &Expectation,
    judged: &[Judged],
    names: &Names,
    seconds_per_block: f64,
) -> ExpectationResult {
    let (outcome, decisive) = row.outcome(judged);
    let reasons = decisive.map_or_else(Vec::new, |decisive| {
        let all = Judged { reasons: reasons_of(judged), ..decisive.clone() };
        reasons(&all, names, seconds_per_block)
    });
    ExpectationResult {
        quantity: row.quantity.clone(),
        range: planned.range.clone(),
        low: row.low,
        high: row.high,
        unit: row.unit.to_string(),
        source: planned.source.clone(),
        outcome: outcome.name().into(),
        estimate: decisive.and_then(|judged| judged.estimate).map(stored),
        confidence: decisive.map_or(0.0, |judged| judged.confidence),
        blocks: decisive.map_or(0, |judged| judged.blocks),
        reasons,
    }
}

/// Each published figure beside the one found.
pub(crate) fn beside_found(
    plan: &Plan,
    published: &[Published],
    observations: &Observations,
    names: &Names,
) -> Vec<PublishedFigure> {
    let declared = plan.references.iter().flat_map(|reference| {
        reference.figures.iter().map(move |figure| (reference, figure.quantity.clone()))
    });
    let cells = Cells::of(observations);
    declared
        .zip(published)
        .map(|((reference, quantity), figure_of)| {
            let of = (figure_of.variant, figure_of.point, figure_of.stream);
            let found = figure(&cells, of, figure_of.measure);
            PublishedFigure {
                quantity,
                ratio: found.estimate.as_ref().map(|estimate| estimate.point / figure_of.value),
                variant: names.name_of(figure_of.variant),
                point: names.point_of(figure_of.point),
                measure: found.measure,
                published: figure_of.value,
                unit: figure_of.measure.unit().to_string(),
                found: found.estimate,
                source: reference.source.clone(),
                url: reference.url.clone(),
            }
        })
        .collect()
}
