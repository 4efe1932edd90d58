//! Claims that are asked of what was measured already: thresholds with a constant on one side.

use crate::claims::{Judgements, claim_result};
use crate::error::AnalysisError;
use crate::judged::measures_of;
use crate::observe::{observations, observations_of};
use crate::planned::{PlanError, restore};
use crate::pooled::sitting_cost;
use crate::result::{Analysed, of_run};
use proofload_facts::Mistake;
use proofload_language::facts::told;
use proofload_stats::{Claim, Design, Names, Selector, Side, judge, judge_seen, parse_claim};
use proofload_store::schema::{ClaimResult, Slice};
use proofload_store::{Run, StoreError};

/// Names that claims use for one measurement; `requests` are those of the entries of its mix.
pub fn names_of_one(variant: &str, point: &str, requests: &[String]) -> Names {
    Names {
        variants: vec![Selector { name: variant.to_string(), levels: Vec::new() }],
        points: vec![point.to_string()],
        requests: requests.to_vec(),
        ..Names::default()
    }
}

/// Reads thresholds: claims that compare a measure with a constant. They are named by their text.
///
/// # Errors
/// Every mistake.
pub fn thresholds(texts: &[String], names: &Names) -> Result<Vec<Claim>, Vec<Mistake>> {
    let (mut claims, mut mistakes) = (Vec::new(), Vec::new());
    for text in texts {
        match parse_claim(text.trim(), text, names) {
            Ok(found) if found.iter().all(|claim| matches!(claim.right, Side::Constant(_))) => {
                claims.extend(found);
            }
            Ok(_) => mistakes.push(Mistake::ThresholdConstant.at(format!("--fail {text}"))),
            Err(errors) => {
                mistakes.extend(errors.into_iter().map(|error| error.mistake.at(format!("--fail {text}"))))
            }
        }
    }
    if mistakes.is_empty() { Ok(claims) } else { Err(mistakes) }
}

/// The thresholds judged on one measurement. `slice` is its record, `None` when it did not end.
///
/// # Errors
/// Fails if its histogram cannot be read.
pub fn judged_on_one(
    claims: &[Claim],
    names: &Names,
    slice: Option<&Slice>,
) -> Result<Vec<ClaimResult>, StoreError> {
    let measures = measures_of(claims);
    let mut seen = observations_of(slice.unwrap_or(&Slice::default()), &measures)?;
    if slice.is_none() {
        seen.cells.clear();
        seen.blocks.clear();
    }
    let judgement = judge_seen(claims, &seen);
    Ok(claims
        .iter()
        .zip(&judgement.claims)
        .map(|(claim, judged)| claim_result(claim, judged, names, 0.0))
        .collect())
}

/// The result of a record with thresholds that its plan does not have, behind the claims that it has. They share an
/// error rate among themselves: a further question does not change the earlier answers of a record.
///
/// # Errors
/// As [`of_run`]; a threshold that cannot be read is a [`AnalysisError::Plan`].
pub fn of_run_with(run: &Run, texts: &[String]) -> Result<Analysed, AnalysisError> {
    let mut analysed = of_run(run)?;
    if texts.is_empty() {
        return Ok(analysed);
    }
    let plan = run.plan();
    let (names, _, design) = restore(plan)?;
    let claims = thresholds(texts, &names)
        .map_err(|mistakes| PlanError { claim: "--fail".to_string(), why: told(&mistakes) })?;
    // Asked afterwards, a threshold has all the looks that there were.
    let design = Design { futility: false, ..design };
    let observations = observations(run, &measures_of(&claims))?;
    let judged = judge(&claims, &observations, &design).claims;
    let seconds_per_block = plan.estimated_seconds / f64::from(design.last().max(1));
    let cost = sitting_cost(std::slice::from_ref(run));
    let judgements = Judgements { claims, judged, names, design, observations, cost };
    analysed.result.claims.extend(judgements.results(seconds_per_block));
    analysed.judgements.push(judgements);
    Ok(analysed)
}
