//! What was expected, judged; and what was published elsewhere, beside what was found here.

use crate::figures::{Cells, figure, figured};
use crate::messages;
use crate::result::{ReportError, restore, stored};
use proofload_stats::{
    Claim, Expectation, Judged, Judgement, Measure, Names, Observations, Outlook, Published,
    parse_expectation, parse_published, reasons_of,
};
use proofload_store::schema::{ExpectationResult, Plan, PlannedExpectation, PublishedFigure};
use proofload_store::{Run, StoreError};

/// The rows of a plan, at definite load points, each with the declared row it comes from.
///
/// # Errors
/// When a row of the plan cannot be read.
fn rows(plan: &Plan, names: &Names) -> Result<Vec<(PlannedExpectation, Expectation)>, ReportError> {
    let mut rows = Vec::new();
    for planned in &plan.expectations {
        let read = parse_expectation(&planned.quantity, &planned.range, names)
            .map_err(|errors| ReportError::of_claim(&planned.quantity, &errors))?;
        rows.extend(read.into_iter().map(|row| (planned.clone(), row)));
    }
    Ok(rows)
}

fn claims_of(rows: &[(PlannedExpectation, Expectation)]) -> Vec<Claim> {
    rows.iter().flat_map(|(_, row)| row.claims.clone()).collect()
}

/// Judges the claims of a plan at what a run holds so far; for whoever decides when it may end. It is settled
/// when the claims are, and the expectations, which share an error rate of their own.
#[derive(Clone, Debug)]
pub struct Looking {
    claims: Vec<Claim>,
    expected: Vec<Claim>,
    design: proofload_stats::Design,
}

impl Looking {
    /// What is looked at in a run of this plan.
    ///
    /// # Errors
    /// When a claim or an expectation of the plan cannot be read.
    pub fn of(plan: &Plan) -> Result<Looking, ReportError> {
        let (names, claims, design) = restore(plan)?;
        Ok(Looking { expected: claims_of(&rows(plan, &names)?), claims, design })
    }

    /// All that is judged: the claims, then those that the expectations come to.
    pub fn claims(&self) -> Vec<Claim> {
        self.claims.iter().chain(&self.expected).cloned().collect()
    }

    /// The judgement of all [`Looking::claims`], settled only when every one is.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn look(&self, run: &Run) -> Result<Judgement, StoreError> {
        let mut judgement = proofload_store::judged_with_outlook(run, &self.claims, &self.design)?;
        if !self.expected.is_empty() {
            let expected = proofload_store::judged_with_outlook(run, &self.expected, &self.design)?;
            judgement.left = later(judgement.left, expected.left);
            judgement.settled = expected.settled && (judgement.settled || self.claims.is_empty());
            judgement.claims.extend(expected.claims);
        }
        Ok(judgement)
    }
}

/// The measures that a report on a run of this plan tells, cycle by cycle or block by block.
///
/// # Errors
/// When a claim, an expectation or a published figure of the plan cannot be read.
pub fn reported_measures(plan: &Plan) -> Result<Vec<Measure>, ReportError> {
    let (names, _, _) = restore(plan)?;
    Ok(figured(&Looking::of(plan)?.claims(), &published_figures(plan, &names)?))
}

/// When both have come to their end.
fn later(one: Option<Outlook>, other: Option<Outlook>) -> Option<Outlook> {
    let Some((one, other)) = one.zip(other) else { return one.or(other) };
    Some(Outlook {
        low: one.low.max(other.low),
        median: one.median.max(other.median),
        high: one.high.max(other.high),
        last: one.last.max(other.last),
    })
}

/// The rows of a plan, judged.
pub(crate) fn expectations(
    run: &Run,
    names: &Names,
    design: &proofload_stats::Design,
    seconds_per_block: f64,
) -> Result<Vec<ExpectationResult>, ReportError> {
    let rows = rows(run.plan(), names)?;
    let judgement = proofload_store::judged(run, &claims_of(&rows), design)?;
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
    planned: PlannedExpectation,
    row: &Expectation,
    judged: &[Judged],
    names: &Names,
    seconds_per_block: f64,
) -> ExpectationResult {
    let (outcome, decisive) = row.outcome(judged);
    let reasons = decisive.map_or_else(Vec::new, |decisive| {
        let all = Judged { reasons: reasons_of(judged), ..decisive.clone() };
        messages::reasons(&all, names, seconds_per_block)
    });
    ExpectationResult {
        quantity: row.quantity.clone(),
        range: planned.range,
        low: row.low,
        high: row.high,
        unit: row.unit.to_string(),
        source: planned.source,
        outcome: outcome.name().to_string(),
        estimate: decisive.and_then(|judged| judged.estimate).map(stored),
        confidence: decisive.map_or(0.0, |judged| judged.confidence),
        blocks: decisive.map_or(0, |judged| judged.blocks),
        reasons,
    }
}

/// The published figures of a plan.
///
/// # Errors
/// When one cannot be read.
pub(crate) fn published_figures(plan: &Plan, names: &Names) -> Result<Vec<Published>, ReportError> {
    let figures = plan.references.iter().flat_map(|reference| &reference.figures);
    figures
        .map(|figure| {
            parse_published(&figure.quantity, &figure.value, names)
                .map_err(|errors| ReportError::of_claim(&figure.quantity, &errors))
        })
        .collect()
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
                variant: names
                    .variants
                    .get(figure_of.variant)
                    .map(|known| known.name.clone())
                    .unwrap_or_default(),
                point: names.points.get(figure_of.point).cloned().unwrap_or_default(),
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
