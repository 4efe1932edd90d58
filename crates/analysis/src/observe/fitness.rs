//! Findings of the generator about itself, and their consequences for the values of a trial.

use crate::checks::{concerns_tails_only, lengthening};
use crate::merge::is_most;
use proofload_facts::Finding;
use proofload_stats::{Measure, sample};
use proofload_store::schema::{CheckName, CheckOutcome, FitnessCheck, Model, Point, Slice};

/// True if a generator at its limit can only have lowered this throughput. One that lost an agent had fewer
/// connections, with which a server may do better.
pub(super) fn only_slowed(measured: &Point) -> bool {
    let contradicted =
        |check: &FitnessCheck| check.check == CheckName::LittlesLaw && check.outcome == CheckOutcome::Failed;
    let is_whole = measured.generator.agents_lost() == 0;
    measured.model == Model::Closed && is_whole && !measured.generator.checks.iter().any(contradicted)
}

/// True if a generator at its limit can only have lengthened these times: an open loop counts from the intended
/// instant, and everything was sent, if late.
pub(super) fn only_late(slice: &Slice) -> bool {
    let Point { model, unsent, .. } = &slice.measured;
    *model == Model::Open && *unsent == 0 && fails_at_most(&slice.measured, lengthens)
}

/// True if nothing is wrong but that a worker woke late, by no more than sleeping CPUs cause.
fn only_slept(measured: &Point) -> bool {
    let mut checks = measured.generator.checks.iter();
    let slept = |check: &FitnessCheck| check.found.is_some_and(|found| found <= AWAY_ASLEEP);
    fails_at_most(measured, |check| *check == CheckName::Away)
        && checks.all(|check| check.check != CheckName::Away || slept(check))
}

/// True if only excused checks failed, the failed checks are known, and all of the load was offered.
pub(super) fn fails_at_most(measured: &Point, excused: impl Fn(&CheckName) -> bool) -> bool {
    let generator = &measured.generator;
    let mut failed = generator.checks.iter().filter(|check| check.outcome == CheckOutcome::Failed).peekable();
    let is_told = generator.fit || failed.peek().is_some();
    is_told && generator.agents_lost() == 0 && failed.all(|check| excused(&check.check))
}

/// True if a failure of the check shows that the generator had much to do, or concerns tails alone.
pub(super) fn is_of_work(check: &CheckName) -> bool {
    matches!(check, CheckName::AtWork | CheckName::Ceiling) || concerns_tails_only(check)
}

/// Share by which the generator's own delays lengthen a measure of response times: the median over the slices; 0
/// where it is not known.
pub(super) fn lengthened(measure: Measure, slices: &[&Slice]) -> f64 {
    let Some(name) = lengthening(measure) else { return 0.0 };
    let checks = slices.iter().flat_map(|slice| &slice.measured.generator.checks);
    let found: Vec<f64> =
        checks.filter(|check| check.check == name).filter_map(|check| check.found).collect();
    sample::median(&found).unwrap_or(0.0).max(0.0)
}

/// True if a failure of the check shows that the generator was late, and nothing else.
pub(super) fn lengthens(check: &CheckName) -> bool {
    const LATENESS: [CheckName; 11] = [
        CheckName::SendDelayEarly,
        CheckName::SendDelay,
        CheckName::SendDelayTail,
        CheckName::AtWork,
        CheckName::Away,
        CheckName::Hiccups,
        CheckName::Ceiling,
        CheckName::CeilingTail,
        CheckName::LengthenedMean,
        CheckName::LengthenedP99,
        CheckName::LengthenedP999,
    ];
    LATENESS.contains(check)
}

/// Checks that fail where the generator had too little of its CPU: it was kept from waking, and late.
pub(super) fn is_of_lost_cpu(check: &CheckName) -> bool {
    let busy = matches!(check, CheckName::AtWork | CheckName::Ceiling | CheckName::CeilingTail);
    lengthens(check) && !busy
}

/// Share of the time for which a worker may be kept from waking where CPUs may sleep: one that is woken waits for the
/// hypervisor, which belongs to the condition.
const AWAY_ASLEEP: f64 = 0.10;

/// Findings of the generator about itself, with the place, where it was unfit in most slices. `asleep` tells that
/// CPUs might sleep.
pub(super) fn unfit(lines: &[&Slice], asleep: bool) -> Vec<Finding> {
    let mut unfit = Vec::new();
    let slept = |slice: &Slice| asleep && only_slept(&slice.measured);
    let is_unfit = |slice: &Slice| !(slice.measured.generator.fit || slept(slice));
    if !is_most(lines, is_unfit) {
        return unfit;
    }
    for slice in lines.iter().filter(|slice| is_unfit(slice)) {
        let point = &slice.measured;
        let here = |what: &Finding| Finding::InSlice {
            variant: point.variant.clone(),
            point: point.point.clone(),
            stream: point.stream.clone(),
            block: slice.block,
            cycle: slice.cycle,
            what: Box::new(what.clone()),
        };
        match point.generator.findings.as_slice() {
            [] => unfit.push(here(&Finding::Unfit)),
            findings => unfit.extend(findings.iter().map(here)),
        }
    }
    unfit
}
