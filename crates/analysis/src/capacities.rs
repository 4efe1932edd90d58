//! Searches for a capacity: recomputed from the trials on record, never read from an earlier answer.

use crate::capacity::{SeenTrial, searches, trial_slices};
use crate::error::AnalysisError;
use crate::limits::{circumstances, disturbed, place};
use proofload_facts::{Finding, Limit as FactLimit, Reason};
use proofload_stats::beyond;
use proofload_stats::capacity::{Answer, Confirmed, Limit, Search, SloTerm, Unsettled, parse_slo};
use proofload_store::Run;
use proofload_store::schema::{
    CapacityAnswer, CapacityResult, Estimate, Figure, PlannedCapacity, Point, Replication,
};

/// The measure of its figures.
const CAPACITY: &str = "capacity";
/// Confidence of the fit that an interval begins with.
const CONFIDENCE: f64 = 0.95;
/// Requests beyond a quantile, in the trial that has fewest, from which on no note is needed. Trials are made longer
/// for ten of them.
const BEYOND_MIN: u64 = 5;

/// The capacity of each variant, and its answer.
pub(crate) fn capacities(run: &Run) -> Result<(Vec<CapacityResult>, Vec<Answer>), AnalysisError> {
    let plan = run.plan();
    let Some(planned) = &plan.capacity else { return Ok(Default::default()) };
    let process = plan.replication == Replication::Process;
    let pairs = plan.variants.iter().zip(searches(run)?);
    Ok(pairs
        .map(|(variant, (search, trials))| result(&variant.name, planned, process, search, &trials))
        .unzip())
}

fn result(
    variant: &str,
    planned: &PlannedCapacity,
    process: bool,
    mut search: Search,
    trials: &[SeenTrial],
) -> (CapacityResult, Answer) {
    let answer = search.cut_off();
    let (at_least, at_most) = ends(&answer);
    let estimate = match answer {
        Answer::Found { low, point, high, .. } => Some(Estimate::new(point, Some((low, high)), "per_s")),
        _ => None,
    };
    let limited = trials.iter().find(|trial| trial.shown.outcome.name() == name(&answer).name());
    let why = limited.and_then(|trial| trial.shown.why.first());
    let result = CapacityResult {
        variant: variant.to_string(),
        slo: planned.slo.clone(),
        answer: name(&answer),
        confidence: if estimate.is_some() { CONFIDENCE } else { 0.0 },
        estimate,
        at_least_per_s: at_least,
        at_most_per_s: at_most,
        sentence: String::new(),
        reasons: reasons(&answer, planned, process, why),
        searched: search.searched() as u32,
        trials: trials.iter().map(|trial| trial.shown.clone()).collect(),
    };
    (result, answer)
}

/// The reasons of an answer; `limited` is the finding of the first trial with the same limit.
fn reasons(
    answer: &Answer,
    planned: &PlannedCapacity,
    running: bool,
    limited: Option<&Finding>,
) -> Vec<Reason> {
    let confirmed = |(rate_per_s, ends, passed): (f64, Confirmed, bool)| Reason::CapacityConfirmed {
        agreed: ends.agreed,
        trials: ends.of,
        running,
        passed,
        rate_per_s,
    };
    let mut reasons: Vec<Reason> = confirmations(answer).into_iter().map(confirmed).collect();
    match answer {
        Answer::Found { .. } => reasons.push(Reason::CapacityInterval),
        Answer::BelowRange { .. } => reasons.push(Reason::LookBelow { rate_per_s: planned.from_per_s }),
        Answer::AboveRange { .. } => reasons.push(Reason::LookAbove { rate_per_s: planned.to_per_s }),
        Answer::ClientLimited { limit, .. } => {
            reasons.extend(limited.map(|what| Reason::TrialLimited { what: what.clone() }));
            reasons.push(match limit {
                Limit::Generator => Reason::MoreGenerator,
                Limit::Connections => Reason::MoreConnections,
            });
        }
        Answer::NotSettled { why, .. } => reasons.push(match why {
            Unsettled::CutOff => Reason::SearchCutOff,
            Unsettled::LowNotConfirmed => Reason::NoLowerEnd { running },
            Unsettled::HighNotConfirmed => Reason::NoUpperEnd { running },
        }),
    }
    reasons.extend(running.then_some(Reason::CapacityOfProcess));
    reasons
}

fn confirmations(answer: &Answer) -> Vec<(f64, Confirmed, bool)> {
    match *answer {
        Answer::Found { low, high, passed, failed, .. } => vec![(low, passed, true), (high, failed, false)],
        Answer::BelowRange { lowest, failed } => vec![(lowest, failed, false)],
        Answer::AboveRange { highest, passed } => vec![(highest, passed, true)],
        Answer::ClientLimited { at_least: Some(rate), passed, .. } => vec![(rate, passed, true)],
        Answer::ClientLimited { .. } | Answer::NotSettled { .. } => Vec::new(),
    }
}

fn name(answer: &Answer) -> CapacityAnswer {
    match answer {
        Answer::Found { .. } => CapacityAnswer::Found,
        Answer::BelowRange { .. } => CapacityAnswer::BelowRange,
        Answer::AboveRange { .. } => CapacityAnswer::AboveRange,
        Answer::ClientLimited { limit: Limit::Generator, .. } => CapacityAnswer::ClientLimited,
        Answer::ClientLimited { limit: Limit::Connections, .. } => CapacityAnswer::ConnectionLimited,
        Answer::NotSettled { .. } => CapacityAnswer::NotSettled,
    }
}

/// Rates at which it held, and at which it did not.
fn ends(answer: &Answer) -> (Option<f64>, Option<f64>) {
    match *answer {
        Answer::Found { low, high, .. } => (Some(low), Some(high)),
        Answer::BelowRange { lowest, .. } => (None, Some(lowest)),
        Answer::AboveRange { highest, .. } => (Some(highest), None),
        Answer::ClientLimited { at, at_least, .. } => (at_least, Some(at)),
        // The verdict of most trials is not confirmed.
        Answer::NotSettled { .. } => (None, None),
    }
}

/// The figures for tables and comparisons.
pub(crate) fn figures(capacities: &[CapacityResult], point: &str) -> Vec<Figure> {
    let figure = |capacity: &CapacityResult| Figure {
        variant: capacity.variant.clone(),
        point: point.to_string(),
        measure: CAPACITY.to_string(),
        estimate: capacity.estimate.clone(),
        confidence: capacity.confidence,
        ..Figure::default()
    };
    capacities.iter().map(figure).collect()
}

/// Every trial as a point of its own.
pub(crate) fn points(run: &Run) -> Vec<Point> {
    trial_slices(run).into_iter().map(|slice| slice.measured.clone()).collect()
}

/// Limits of the answer, from the trials that were made.
pub(crate) fn limits(run: &Run) -> Vec<FactLimit> {
    let mut said = place(run);
    if run.ceilings().iter().all(|ceiling| ceiling.exchanges_per_s.is_none()) {
        said.push(FactLimit::CapacityNoCeiling);
    }
    said.extend(rough(run));
    said.extend(disturbed(run));
    said.extend(circumstances(run));
    said
}

/// Quantiles of the objective of which some trial saw next to nothing.
fn rough(run: &Run) -> Vec<FactLimit> {
    let planned = run.plan().capacity.iter();
    let terms = planned.filter_map(|planned| parse_slo(&planned.slo).ok()).flat_map(|slo| slo.terms);
    let fewest = trial_slices(run).into_iter().map(|slice| slice.measured.intended).min();
    let said = |term: SloTerm| match (term.measure.quantile(), fewest) {
        (Some(q), Some(fewest)) if beyond(q, fewest) < BEYOND_MIN => Some(FactLimit::RoughObjective {
            measure: term.measure.name(),
            requests: fewest,
            beyond: beyond(q, fewest),
        }),
        _ => None,
    };
    terms.filter_map(said).collect()
}
