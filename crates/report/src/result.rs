//! Results with the sentences about their claims and capacities.

use crate::lead::brief;
use crate::{headline, messages};
use proofload_analysis::{Analysed, AnalysisError, Cells, Judgements};
use proofload_store::Run;
use proofload_store::schema::{
    CapacityResult, ClaimResult, HistoryEntry, Plan, Replication, RunResult, SittingsResult,
};
use std::path::PathBuf;

/// Result of a record, and all that a report shows of it.
///
/// # Errors
/// If the record cannot be read, or its plan holds a claim that cannot be parsed.
pub fn of_run(run: &Run) -> Result<RunResult, AnalysisError> {
    Ok(told(run.plan(), proofload_analysis::of_run(run)?))
}

/// The same with thresholds that its plan does not have.
///
/// # Errors
/// As [`of_run`]; a threshold that cannot be read is an [`AnalysisError::Plan`].
pub fn of_run_with(run: &Run, texts: &[String]) -> Result<RunResult, AnalysisError> {
    Ok(told(run.plan(), proofload_analysis::of_run_with(run, texts)?))
}

/// Result of several runs of one study; `None` where they are not several sittings.
///
/// # Errors
/// If a record cannot be read, or a plan holds a claim that cannot be parsed.
pub fn sittings(runs: &[Run]) -> Result<Option<SittingsResult>, AnalysisError> {
    let Some((mut result, judgements)) = proofload_analysis::sittings(runs)? else { return Ok(None) };
    if let Some(last) = runs.last() {
        enter_claims(&mut result.claims, last.plan(), &judgements);
        result.headline = headline::of_claims(last.plan(), &result.claims);
    }
    Ok(Some(result))
}

/// Runs, oldest first, each in a line with what it came to. `least_change` is a share: of two levels the higher must be above the
/// lower by that.
pub fn history(paths: &[PathBuf], least_change: f64) -> Vec<HistoryEntry> {
    proofload_analysis::history(paths, least_change, &|run, analysed| match run.is_running() {
        true => messages::OPEN.to_string(),
        false => brief(&told(run.plan(), analysed)).line(),
    })
}

fn told(plan: &Plan, analysed: Analysed) -> RunResult {
    let Analysed { mut result, judgements, answers } = analysed;
    let mut claims = result.claims.as_mut_slice();
    for judgements in &judgements {
        let (own, others) = claims.split_at_mut(judgements.claims.len());
        enter_claims(own, plan, judgements);
        claims = others;
    }
    let running = plan.replication == Replication::Process;
    for (CapacityResult { variant, slo, sentence, .. }, answer) in result.capacities.iter_mut().zip(&answers)
    {
        *sentence = crate::view::capacity::capacity(variant, &slo.join(", "), answer, running);
    }
    result
}

fn enter_claims(results: &mut [ClaimResult], plan: &Plan, judgements: &Judgements) {
    let cells = Cells::of(&judgements.observations);
    let setting = messages::Setting { plan, judgements, cells: &cells };
    let both = judgements.claims.iter().zip(&judgements.judged);
    for (result, (claim, judged)) in results.iter_mut().zip(both) {
        result.sentence = messages::sentence(claim, judged, &setting);
        result.found = messages::found(claim, judged, &setting);
    }
}
