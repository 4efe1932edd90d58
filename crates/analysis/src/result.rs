//! From the record to a result: judge, figures, limits.

use crate::checks::lacks_agents_only;
use crate::claims::Judgements;
use crate::error::AnalysisError;
use crate::figures::figured;
use crate::fitness::left_out;
use crate::judged::{all_told, judged};
use crate::observe::observations;
use crate::planned::{published_figures, restore};
use crate::points::points;
use crate::pooled::sitting_cost;
use crate::steady::steady_states;
use crate::{
    capacities, conclusions, expected, exploratory, factors, figures, hints, limits, own, scalability,
    steady, trends, unfit,
};
use proofload_facts::Finding;
use proofload_stats::capacity::Answer;
use proofload_store::schema::{
    CapacityAnswer, ClaimResult, ExpectationOutcome, FORMAT_VERSION, Generator, Plan, Point, RunResult,
    Slice, Verdict,
};
use proofload_store::{Run, kept_baseline};

/// A record, judged, and what sentences about it need beside its result.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// The result, without the sentences of its claims and capacities.
    pub result: RunResult,
    /// Its claims, those of the plan first.
    pub judgements: Vec<Judgements>,
    /// The answers of its capacities.
    pub answers: Vec<Answer>,
}

/// Judges a record and gathers all that a report shows.
///
/// # Errors
/// Fails if the record cannot be read, or its plan holds a claim that cannot be.
pub fn of_run(run: &Run) -> Result<Analysed, AnalysisError> {
    let plan = run.plan();
    let (names, claims, design) = restore(plan)?;
    let judged = judged(run, &claims, &design)?.claims;
    let seconds_per_block = plan.estimated_seconds / f64::from(design.last().max(1));
    let points = if plan.capacity.is_some() { capacities::points(run) } else { points(run)? };
    let published = published_figures(plan, &names)?;
    let observations = observations(run, &figured(&claims, &published))?;
    let cost = sitting_cost(std::slice::from_ref(run));
    let judgements = Judgements { claims, judged, names, design, observations, cost };
    let Judgements { names, design, observations, .. } = &judgements;
    let claims = judgements.results(seconds_per_block);
    let (exploratory, not_explored) = exploratory::exploratory(run, names, &judgements.claims, design)?;
    let expectations = expected::expectations(run, names, design, seconds_per_block)?;
    let (capacities, answers) = capacities::capacities(run)?;
    let scalability = scalability::scalability(run)?;
    let mut limits = if plan.capacity.is_some() { capacities::limits(run) } else { limits::limits(run) };
    limits.extend(unfit::limits(&points));
    limits.extend(trends::limits(run));
    let slices: Vec<&Slice> = run.blocks().iter().flat_map(|block| &block.slices).collect();
    limits.extend(hints::of_study(&slices));
    let steady_states = steady_states(run)?;
    limits.extend(steady::limits(&steady_states));
    limits.extend(scalability::limits(&scalability));
    limits.extend(not_explored);
    let mut figures = figures::figures(observations, names);
    limits.extend(figures::limits(&figures));
    let judged = (judgements.claims.as_slice(), judgements.judged.as_slice());
    limits.extend(own::limits(plan, names, judged, &exploratory, &figures));
    if plan.capacity.is_some() {
        figures = capacities::figures(&capacities, names.points.first().map_or("", String::as_str));
    }
    let factors = factors::factors(plan, observations);
    limits.extend(factors::limits(factors.as_ref()));
    let contradicting = conclusions::contradicting(plan, names, &published);
    let result = RunResult {
        format: FORMAT_VERSION,
        study: plan.study.clone(),
        question: plan.question.clone(),
        run: run.path().display().to_string(),
        status: run.status().clone(),
        variants: plan.variants.clone(),
        points,
        figures,
        published: expected::beside_found(plan, &published, observations, names),
        conclusions: conclusions::conclusions(plan, &judgements.claims, &claims, &contradicting),
        contradictions: conclusions::stored(&contradicting),
        claims,
        capacities,
        expectations,
        exploratory,
        trends: trends::trends(run),
        scalability,
        factors,
        blocks: observations.blocks.len() as u32,
        excluded_blocks: run.excluded().len() as u32,
        disturbed_blocks: left_out(run),
        ceilings: run.ceilings().to_vec(),
        network: run.network().cloned(),
        slicing: run.slicing().cloned(),
        slice_length: steady::slice_length(&judgements.claims, observations),
        steady_states,
        replication: plan.replication.clone(),
        plan: Some(plan.clone()),
        load: None,
        environment: run.environment().clone(),
        limits,
        baseline: kept_baseline(run.path()),
    };
    Ok(Analysed { result, judgements: vec![judgements], answers })
}

/// Overall answer of a result.
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

/// Overall answer of a result; the exit code rests on it.
pub fn overall(result: &RunResult) -> Overall {
    let answered = |point: &Point| point.outcomes.get("answered").copied().unwrap_or(0);
    // No request was sent where the machine was never quiet.
    let is_begun = !matches!(result.status.why, Some(Finding::NeverQuiet { .. }));
    let nothing = is_begun && result.points.iter().all(|point| answered(point) == 0);
    // The user accepted that agents may be lost: figures count, and claims that would rest on them are undecided.
    let unfit = |generator: &Generator| !(generator.fit || lacks_agents_only(generator));
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
        && result.points.iter().all(|point| figures::errors(point) == 0)
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
            if against(Verdict::Undecided)
                || result.baseline.as_ref().is_some_and(|of| of.figures.is_empty()) =>
        {
            Overall::Undecided
        }
        judged => judged,
    }
}

/// Answer of a comparison both ways: that either one is faster, or that they are alike, is an answer. Claims after
/// those of the plan were added to the finished run, and must hold as they are.
fn of_two_sided(plan: &Plan, claims: &[ClaimResult], is_invalid: bool) -> Overall {
    let (pairs, asked) = claims.split_at(plan.claims.len().min(claims.len()));
    let any = |verdict| asked.iter().any(|claim| claim.verdict == verdict);
    if any(Verdict::Refuted) {
        return Overall::Refuted;
    }
    match (all_told(pairs) && !any(Verdict::Undecided), is_invalid) {
        (true, _) => Overall::AllSupported,
        (false, true) => Overall::Invalid,
        (false, false) => Overall::Undecided,
    }
}

/// Answer of a search: a rate carried over the whole range is an answer; one that is not carried even at the lowest
/// is not.
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
