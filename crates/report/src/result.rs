//! From the record to a result: judge, figures, limits. Everything that a renderer shows comes from here.

use crate::figures::{Cells, figured, figures};
use crate::{capacity, conclusions, expected, exploratory, messages};
use proofload_stats::{Claim, Judged, Names, Observations};
use proofload_store::schema::{
    self, CapacityAnswer, ClaimResult, Estimate, ExpectationOutcome, FORMAT_VERSION, Mode, Model, Plan,
    Preset, Replication, RunResult, Slice, SubjectKind, Verdict,
};
use proofload_store::{PlanError, Run, StoreError, ended_in_window, published_figures, restore};
use std::collections::BTreeMap;

/// Most sentences about what could not be measured.
const MISSING_TOLD_MAX: usize = 6;

/// Most disturbed blocks that are told one by one; JSON lists all.
const DISTURBED_TOLD_MAX: usize = 6;

/// An open loop of which less than this comes to an end in time is more than the server serves.
const CARRIED_SHARE_MIN: f64 = 0.95;

/// The intervals of the table miss with this probability; they are no verdicts.
pub(crate) const TABLE_TAIL: f64 = 0.05;

/// A record that cannot be turned into a result.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its plan holds a claim that cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

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
    let judgement = proofload_store::judged(run, &claims, &design)?;
    let seconds_per_block =
        plan.estimated_seconds / f64::from(design.looks.last().copied().unwrap_or(1).max(1));
    let points = if plan.capacity.is_some() { capacity::points(run) } else { run.points()? };
    let published = published_figures(plan, &names)?;
    let observations = run.observations(&figured(&claims, &published))?;
    let cells = Cells::of(&observations);
    let setting = messages::Setting { plan, design: &design, cells: &cells, names: &names };
    let tell = |(claim, judged): (&Claim, &Judged)| {
        told(claim_result(claim, judged, &names, seconds_per_block), claim, judged, &setting)
    };
    let results: Vec<ClaimResult> = claims.iter().zip(&judgement.claims).map(tell).collect();
    let (explored, explorable) = exploratory::exploratory(run, &names, &claims, &design)?;
    let expectations = expected::expectations(run, &names, &design, seconds_per_block)?;
    let capacities = capacity::capacities(run)?;
    let scalability = crate::scalability::scalability(run)?;
    let mut limits = limits(run, plan);
    limits.extend(crate::fitness::limits(&points));
    limits.extend(crate::trends::limits(run));
    let steady_states = run.steady_states()?;
    limits.extend(crate::steady::limits(&steady_states));
    limits.extend(crate::scalability::limits(&scalability));
    if explorable > explored.len() {
        limits.push(messages::not_explored(explored.len(), explorable));
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
        disturbed_blocks: run.left_out(),
        ceilings: run.ceilings().to_vec(),
        slicing: run.slicing().cloned(),
        steady_states,
        replication: plan.replication.clone(),
        plan: Some(plan.clone()),
        load: None,
        environment: run.environment().clone(),
        limits,
        baseline: None,
    };
    Ok((result, observations))
}

pub(crate) fn claim_result(
    claim: &Claim,
    judged: &Judged,
    names: &Names,
    seconds_per_block: f64,
) -> ClaimResult {
    ClaimResult {
        name: claim.name.clone(),
        text: claim.text.clone(),
        verdict: judged.verdict.into(),
        estimate: judged.estimate.map(stored),
        confidence: judged.confidence,
        blocks: judged.blocks,
        reasons: messages::reasons(judged, names, seconds_per_block),
        ..ClaimResult::default()
    }
}

/// The same, with what was found in a sentence; only of what rests on blocks.
pub(crate) fn told(
    result: ClaimResult,
    claim: &Claim,
    judged: &Judged,
    setting: &messages::Setting<'_>,
) -> ClaimResult {
    ClaimResult {
        sentence: messages::sentence(claim, judged, setting),
        reason_in_sentence: messages::reason_in_sentence(judged),
        hodges_lehmann: judged.estimate.map(|estimate| estimate.hodges_lehmann),
        early: messages::is_early(claim, judged, setting.design),
        ..result
    }
}

/// An estimate as it is stored: ends that bound nothing are absent.
pub(crate) fn stored(estimate: proofload_stats::Estimate) -> Estimate {
    let finite = |value: f64| value.is_finite().then_some(value);
    Estimate {
        point: estimate.point,
        low: finite(estimate.low),
        high: finite(estimate.high),
        unit: estimate.unit.to_string(),
    }
}

/// What limits the test, from what was really seen.
fn limits(run: &Run, plan: &Plan) -> Vec<String> {
    if plan.capacity.is_some() {
        return capacity::limits(run);
    }
    let measured: Vec<&Slice> =
        run.blocks().iter().flat_map(|block| &block.slices).filter(|slice| slice.is_measured()).collect();
    let mut limits = Vec::new();
    if plan.timing.looks == [1] {
        limits.push(messages::SMOKE.to_string());
    }
    if plan.replication == Replication::Process {
        limits.push(messages::PROCESSES.to_string());
    } else if let Some((from, to)) = ages(&measured) {
        match plan.preset {
            Preset::Smoke | Preset::Quick => {
                limits.push(messages::young_servers(from, to, has_jvm(&measured)))
            }
            _ if plan.timing.warm_up_cap_ns == 0 => limits.push(messages::FIXED_WARM_UP.to_string()),
            _ => {}
        }
    }
    if plan.points.iter().any(saturates) {
        limits.push(messages::SATURATED.to_string());
    }
    limits.extend(overloaded(&measured));
    limits.push(messages::LOOPBACK.to_string());
    limits.extend(telemetry(&measured, plan));
    let unfit: Vec<&String> =
        measured.iter().filter_map(|slice| slice.measured.generator.findings.first()).collect();
    if let Some(first) = unfit.first() {
        limits.push(messages::unfit(unfit.len(), measured.len(), first));
    }
    let marked: Vec<&String> = measured.iter().filter_map(|slice| slice.marks.first()).collect();
    if let Some(first) = marked.first() {
        limits.push(messages::marked(marked.len(), measured.len(), first));
    }
    limits.extend(disturbed(run));
    if plan.mode == Mode::Serial {
        limits.push(messages::SERIAL.to_string());
    }
    if plan.variants.iter().any(|variant| !variant.shares.is_empty()) {
        limits.push(messages::SHARED.to_string());
    }
    limits.extend(lost(run, plan));
    limits.extend(spared(run));
    if !run.excluded().is_empty() {
        limits.push(messages::excluded(run.excluded().len() as u32));
    }
    limits.extend(circumstances(run));
    limits
}

/// How a run of any kind came about, and on what machine.
pub(crate) fn circumstances(run: &Run) -> Vec<String> {
    let plan = run.plan();
    let mut limits = sittings(run);
    if !plan.repeats.is_empty() {
        limits.push(messages::repeats(&plan.repeats, &plan.repeat_differences));
    }
    limits.extend(plan.not_tested.iter().map(|what| messages::not_tested(what)));
    limits.extend(run.environment().findings.iter().map(|what| messages::machine(what)));
    limits
}

/// A closed loop without think time, alone or among streams.
fn saturates(point: &schema::LoadPoint) -> bool {
    let is = |model: &Model, think_ns: u64| *model == Model::Closed && think_ns == 0;
    match point.streams.as_slice() {
        [] => is(&point.model, point.think_ns),
        streams => streams.iter().any(|load| is(&load.model, load.think_ns)),
    }
}

/// A sentence for each variant and load point of an open loop of which a fit generator asked more than it serves.
fn overloaded(measured: &[&Slice]) -> Vec<String> {
    let mut seen: BTreeMap<(&str, &str, &str), (u64, u64)> = BTreeMap::new();
    for slice in measured {
        let point = &slice.measured;
        if point.model != Model::Open || !point.generator.fit {
            continue;
        }
        let (due, ended) = seen.entry((&point.variant, &point.point, &point.stream)).or_default();
        *due = due.saturating_add(point.intended);
        *ended = ended.saturating_add(ended_in_window(slice));
    }
    let share = |(due, ended): (u64, u64)| if due > 0 { ended as f64 / due as f64 } else { 1.0 };
    seen.into_iter()
        .filter(|(_, counts)| share(*counts) < CARRIED_SHARE_MIN)
        .map(|((variant, point, stream), counts)| messages::overloaded(variant, point, stream, share(counts)))
        .collect()
}

/// A sentence for each variant that was lost in a block, with what happened first.
fn lost(run: &Run, plan: &Plan) -> Vec<String> {
    let sentence = |variant: &proofload_store::schema::Variant| {
        let all = run.blocks().iter().flat_map(|block| &block.lost);
        let lost: Vec<_> = all.filter(|l| l.variant == variant.name).collect();
        let given_up = lost.iter().any(|lost| lost.given_up);
        lost.first().map(|first| messages::lost(&variant.name, lost.len(), given_up, &first.why))
    };
    plan.variants.iter().filter_map(sentence).collect()
}

/// A sentence for each variant and load point that blocks left out.
fn spared(run: &Run) -> Vec<String> {
    let mut left_out: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for spared in run.blocks().iter().flat_map(|block| &block.spared) {
        *left_out.entry((&spared.variant, &spared.point)).or_default() += 1;
    }
    left_out.into_iter().map(|((variant, point), n)| messages::spared(variant, point, n)).collect()
}

/// What a reader must know of a run that was resumed.
fn sittings(run: &Run) -> Vec<String> {
    let sittings = &run.status().sittings;
    let mut said = Vec::new();
    if sittings.len() > 1 {
        // Of a search every trial that is whole counts, whatever its block came to.
        let cut = run.plan().capacity.is_none().then(|| run.cut_blocks().count() as u32);
        said.push(messages::resumed(sittings.len() - 1, cut));
    }
    said.extend(sittings.iter().flat_map(|s| &s.differences).map(|what| messages::resumed_elsewhere(what)));
    said
}

/// A sentence for each of the first blocks that the machine disturbed.
pub(crate) fn disturbed(run: &Run) -> Vec<String> {
    let out = run.left_out();
    let disturbances = run.disturbances().into_iter().take(DISTURBED_TOLD_MAX);
    disturbances.map(|it| messages::disturbed(it.block, &it.why, out.contains(&it.block))).collect()
}

/// What looking at the subjects cost, and what could not be seen.
fn telemetry(measured: &[&Slice], plan: &Plan) -> Vec<String> {
    let mut said = Vec::new();
    let costs = measured
        .iter()
        .filter_map(|slice| Some((slice.measured.subject.as_ref()?.sampler_cpu_ns?, slice.measured.seconds)));
    let (cost_ns, seconds) =
        costs.fold((0, 0.0), |(ns, s): (u64, f64), (cost, seconds)| (ns.saturating_add(cost), s + seconds));
    if seconds > 0.0 {
        said.push(messages::telemetry_cost(cost_ns as f64 / 1e9 / seconds));
    }
    if plan.variants.iter().any(|variant| variant.kind == SubjectKind::Url) {
        said.push(messages::NO_PROCESSES.to_string());
    }
    let mut missing: Vec<&str> = Vec::new();
    for what in measured.iter().filter_map(|slice| slice.telemetry.as_ref()).flat_map(|seen| &seen.missing) {
        if missing.len() < MISSING_TOLD_MAX && !missing.contains(&what.as_str()) {
            missing.push(what);
        }
    }
    said.extend(missing.into_iter().map(messages::not_measured));
    said
}

/// Whether any subject told the clocks of a JVM.
fn has_jvm(measured: &[&Slice]) -> bool {
    let uses = measured.iter().filter_map(|slice| slice.measured.subject.as_ref());
    uses.into_iter().any(|used| used.jit_ns.is_some() || used.gc_ns.is_some())
}

fn ages(measured: &[&Slice]) -> Option<(f64, f64)> {
    let ages = measured.iter().map(|slice| slice.age_seconds).filter(|age| *age > 0.0);
    let youngest = ages.clone().fold(f64::INFINITY, f64::min);
    let ends = measured.iter().map(|slice| slice.age_seconds + slice.measured.seconds);
    youngest.is_finite().then(|| (youngest, ends.fold(0.0, f64::max)))
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
    /// The generator was the limit, or nothing was answered.
    Invalid,
}

/// What a result comes to as a whole; the exit code rests on it.
pub fn overall(result: &RunResult) -> Overall {
    let answered =
        |point: &proofload_store::schema::Point| point.outcomes.get("answered").copied().unwrap_or(0);
    let nothing = result.points.iter().all(|point| answered(point) == 0);
    let unfit = result.points.iter().any(|point| !point.generator.fit);
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
    // A refuted claim was judged on fit slices: the judge lets no other through.
    if any(Verdict::Refuted) || rows(ExpectationOutcome::NotMet) {
        Overall::Refuted
    } else if nothing || (unfit && (judged_nothing || undecided)) {
        Overall::Invalid
    } else if against(Verdict::Refuted) {
        Overall::Regressed
    } else if undecided
        || against(Verdict::Undecided)
        || result.baseline.as_ref().is_some_and(none_compared)
        || (result.plan.is_some() && judged_nothing)
    {
        // A study of which no claim is left was asked for figures, and decides nothing.
        Overall::Undecided
    } else {
        Overall::AllSupported
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_loop_among_streams_saturates_like_one_alone() {
        let load = |model, think_ns| schema::StreamLoad { model, think_ns, ..schema::StreamLoad::default() };
        let point = |streams| schema::LoadPoint { model: Model::Mixed, streams, ..Default::default() };
        assert!(saturates(&point(vec![load(Model::Open, 0), load(Model::Closed, 0)])));
        assert!(!saturates(&point(vec![load(Model::Open, 0), load(Model::Closed, 5)])));
        let thinking = schema::LoadPoint { model: Model::Closed, ..point(vec![load(Model::Closed, 5)]) };
        assert!(!saturates(&thinking), "the point itself says nothing of its streams");
    }
}
