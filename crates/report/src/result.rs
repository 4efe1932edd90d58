//! From the record to a result: judge, figures, limits. Everything that a renderer shows comes from here.

use crate::cells::Cells;
use crate::claims::{claim_result, with_sentence};
use crate::error::ReportError;
use crate::figures::{figured, figures};
use crate::shown::Tone;
use crate::{both_ways, capacity, conclusions, expected, exploratory, limits, messages};
use proofload_analysis::{left_out, observations, points, published_figures, restore, steady_states};
use proofload_facts::Limit;
use proofload_stats::{Claim, Judged, Observations};
use proofload_store::Run;
use proofload_store::schema::{
    CapacityAnswer, ClaimResult, ExpectationOutcome, FORMAT_VERSION, Generator, Plan, RunResult, Verdict,
};

/// Judges a record and gathers all that a report shows.
///
/// # Errors
/// When the record cannot be read, or its plan holds a claim that cannot be.
pub fn of_run(run: &Run) -> Result<RunResult, ReportError> {
    Ok(of_run_observed(run)?.0)
}

/// The same with the observations that its figures are of.
pub(crate) fn of_run_observed(run: &Run) -> Result<(RunResult, Observations), ReportError> {
    let plan = run.plan();
    let (names, claims, design) = restore(plan)?;
    let judgement = proofload_analysis::judged(run, &claims, &design)?;
    let seconds_per_block =
        plan.estimated_seconds / f64::from(design.looks.last().copied().unwrap_or(1).max(1));
    let points = if plan.capacity.is_some() { capacity::points(run) } else { points(run)? };
    let published = published_figures(plan, &names)?;
    let observations = observations(run, &figured(&claims, &published))?;
    let cells = Cells::of(&observations);
    let sittings = sittings_of(&observations);
    let cost = proofload_analysis::sitting_cost(std::slice::from_ref(run));
    let setting = messages::Setting { plan, design: &design, cells: &cells, names: &names, sittings, cost };
    let tell = |(claim, judged): (&Claim, &Judged)| {
        with_sentence(claim_result(claim, judged, &names, seconds_per_block), claim, judged, &setting)
    };
    let results: Vec<ClaimResult> = claims.iter().zip(&judgement.claims).map(tell).collect();
    let (explored, explorable) = exploratory::exploratory(run, &names, &claims, &design)?;
    let expectations = expected::expectations(run, &names, &design, seconds_per_block)?;
    let capacities = capacity::capacities(run)?;
    let scalability = crate::scalability::scalability(run)?;
    let mut limits = if plan.capacity.is_some() { capacity::limits(run) } else { limits::limits(run) };
    limits.extend(crate::fitness::limits(&points));
    limits.extend(crate::trends::limits(run));
    let steady_states = steady_states(run)?;
    limits.extend(crate::steady::limits(&steady_states));
    limits.extend(crate::scalability::limits(&scalability));
    if explorable > explored.len() {
        limits.push(Limit::NotExplored { shown: explored.len() as u32, comparisons: explorable as u32 });
    }
    let mut figures = figures(&observations, &names);
    limits.extend(crate::figures::limits(&figures));
    if plan.capacity.is_some() {
        figures = capacity::figures(&capacities, names.points.first().map_or("", String::as_str));
    }
    let factors = crate::factors::factors(plan, &observations);
    limits.extend(crate::factors::limits(factors.as_ref()));
    let contradicting = conclusions::contradicting(plan, &names, &published);
    let result = RunResult {
        format: FORMAT_VERSION,
        study: plan.study.clone(),
        question: plan.question.clone(),
        run: run.path().display().to_string(),
        status: run.status().clone(),
        variants: plan.variants.clone(),
        points,
        figures,
        published: expected::beside_found(plan, &published, &observations, &names),
        conclusions: conclusions::conclusions(plan, &claims, &results, &contradicting),
        contradictions: conclusions::stored(&contradicting),
        claims: results,
        capacities,
        expectations,
        exploratory: explored,
        trends: crate::trends::trends(run),
        scalability,
        factors,
        blocks: observations.blocks.len() as u32,
        excluded_blocks: run.excluded().len() as u32,
        disturbed_blocks: left_out(run),
        ceilings: run.ceilings().to_vec(),
        network: run.network().cloned(),
        slicing: run.slicing().cloned(),
        slice_length: crate::steady::slice_length(&claims, &observations),
        steady_states,
        replication: plan.replication.clone(),
        plan: Some(plan.clone()),
        load: None,
        environment: run.environment().clone(),
        limits,
        baseline: proofload_store::kept_baseline(run.path()),
    };
    Ok((result, observations))
}

/// How many sittings the complete blocks are of.
pub(crate) fn sittings_of(observations: &Observations) -> u32 {
    let mut sittings = observations.sittings.clone();
    sittings.dedup();
    sittings.len() as u32
}

/// A baseline with which nothing could be compared is no pass.
fn none_compared(baseline: &proofload_store::schema::Baseline) -> bool {
    baseline.figures.is_empty()
}

/// What a result comes to as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overall {
    /// Every claim is supported; or there was none, and something was measured.
    AllSupported,
    /// At least one claim is refuted, or one expectation not met.
    Refuted,
    /// No claim is refuted; at least one figure is worse than the baseline's by more than is tolerated.
    Regressed,
    /// None is refuted, at least one undecided; or no claim of a study was left.
    Undecided,
    /// One block showed that everything works, as was asked for; it gives no verdict.
    Checked,
    /// The generator was the limit, or nothing was answered.
    Invalid,
}

impl Overall {
    /// What it means to whoever hoped; no first line is greener.
    pub(crate) fn tone(self) -> Tone {
        match self {
            Overall::AllSupported | Overall::Checked => Tone::Good,
            Overall::Undecided => Tone::Open,
            Overall::Refuted | Overall::Regressed | Overall::Invalid => Tone::Bad,
        }
    }
}

/// What a result comes to as a whole; the exit code rests on it.
pub fn overall(result: &RunResult) -> Overall {
    let answered =
        |point: &proofload_store::schema::Point| point.outcomes.get("answered").copied().unwrap_or(0);
    let nothing = result.points.iter().all(|point| answered(point) == 0);
    // That agents may be lost was asked for: figures stand, and claims that would rest on them are undecided.
    let unfit = |generator: &Generator| !(generator.fit || proofload_analysis::lacks_agents_only(generator));
    let unfit = result.points.iter().any(|point| unfit(&point.generator));
    let rows = |outcome| result.expectations.iter().any(|row| row.outcome == outcome);
    let any = |verdict| result.claims.iter().any(|claim| claim.verdict == verdict);
    let against = |verdict| {
        let figures = result.baseline.iter().flat_map(|baseline| &baseline.figures);
        figures.into_iter().any(|figure| figure.verdict == verdict)
    };
    if !result.capacities.is_empty() {
        return of_capacities(result);
    }
    let undecided = any(Verdict::Undecided) || rows(ExpectationOutcome::Undecided);
    let judged_nothing = result.claims.is_empty() && result.expectations.is_empty();
    if result.plan.as_ref().is_some_and(|plan| plan.timing.looks == [1])
        && !(nothing || unfit || any(Verdict::Refuted) || rows(ExpectationOutcome::NotMet))
        && result.points.iter().all(|point| crate::figures::errors(point) == 0)
        && !against(Verdict::Refuted)
    {
        return Overall::Checked;
    }
    let judged = if let Some(plan) = result.plan.as_ref().filter(|plan| plan.two_sided) {
        of_two_sided(plan, &result.claims, nothing || unfit)
    } else if any(Verdict::Refuted) || rows(ExpectationOutcome::NotMet) {
        // A refuted claim was judged on fit slices: the judge lets no other through.
        Overall::Refuted
    } else if nothing || (unfit && (judged_nothing || undecided)) {
        Overall::Invalid
    } else if undecided || (result.plan.is_some() && judged_nothing) {
        // A study of which no claim is left was asked for figures, and decides nothing.
        Overall::Undecided
    } else {
        Overall::AllSupported
    };
    match judged {
        Overall::Undecided | Overall::AllSupported if against(Verdict::Refuted) => Overall::Regressed,
        Overall::AllSupported
            if against(Verdict::Undecided) || result.baseline.as_ref().is_some_and(none_compared) =>
        {
            Overall::Undecided
        }
        judged => judged,
    }
}

/// What a comparison both ways comes to: whichever is the faster one, or that they are alike, is an answer. Claims behind
/// those of the plan were asked of the finished run, and must hold as they stand.
fn of_two_sided(plan: &Plan, claims: &[ClaimResult], is_invalid: bool) -> Overall {
    let (pairs, asked) = claims.split_at(plan.claims.len().min(claims.len()));
    let any = |verdict| asked.iter().any(|claim| claim.verdict == verdict);
    if any(Verdict::Refuted) {
        return Overall::Refuted;
    }
    match (both_ways::all_told(pairs) && !any(Verdict::Undecided), is_invalid) {
        (true, _) => Overall::AllSupported,
        (false, true) => Overall::Invalid,
        (false, false) => Overall::Undecided,
    }
}

/// What a search comes to: that a rate is carried over the whole range is an answer that was asked for, that it is not
/// even at the lowest is one that was not.
fn of_capacities(result: &RunResult) -> Overall {
    let any =
        |answers: &[CapacityAnswer]| result.capacities.iter().any(|found| answers.contains(&found.answer));
    if any(&[CapacityAnswer::BelowRange]) {
        Overall::Refuted
    } else if any(&[CapacityAnswer::ClientLimited, CapacityAnswer::ConnectionLimited]) {
        Overall::Invalid
    } else if any(&[CapacityAnswer::NotSettled]) {
        Overall::Undecided
    } else {
        Overall::AllSupported
    }
}
