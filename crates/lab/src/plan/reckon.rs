//! What a plan is reckoned with: how long its blocks take, and what the budget leaves them.

use super::S;
use super::needs::Needs;
use proofload_store::schema::{Plan, Timing};
use proofload_study::{LoadPoint, Study, SubjectSpec};

/// What one variant takes to get ready, in seconds: a JVM server with a small application on two busy
/// cores. Only the estimate uses it.
pub(super) const START_S: f64 = 2.5;

/// What one variant takes to end, in seconds: TERM, and the connectors' grace.
pub(super) const STOP_S: f64 = 1.0;

/// What both take of a program that compiles nothing.
const PLAIN_START_S: f64 = 0.1;
const PLAIN_STOP_S: f64 = 0.1;

/// What a slice takes beside its load, in seconds: waiting until the others are quiet, connecting,
/// draining, writing.
pub(super) const SLICE_OVERHEAD_S: f64 = 0.1;

/// The same of servers that run already.
const RUNNING_OVERHEAD_S: f64 = 0.03;

/// What a warm-up until the variants are steady is reckoned with, in seconds: two JVM servers with a small application,
/// from start to quiet compilers. Only estimates use it.
const WARM_UP_RECKONED_S: u64 = 36;

/// The same of a program that compiles nothing, in seconds.
const PLAIN_WARM_UP_S: f64 = 0.6;

/// What a slice of such a program is reckoned with, its discarded beginning included.
const PLAIN_SLICE_NS: u64 = S / 4;

/// Cycles that it is reckoned with.
const PLAIN_CYCLES: u32 = 4;

/// What a ceiling takes where none is in the cache, in seconds: the null server's start, discard, window, stop.
pub(super) const CEILING_S: f64 = 1.7;

/// What the ceilings of a study take: one for each load point, and of servers that compile nothing one for all ways in which
/// three conditions come together.
pub(super) fn ceilings_seconds(study: &Study) -> f64 {
    let ways = match Needs::of(study) {
        Needs::Compiling => 1,
        _ if study.conditions.fixed => 1,
        // Those that are not in the cache yet take rounds from the first comparison.
        Needs::Running => 0,
        Needs::Native => 8,
    };
    study.points.len() as f64 * f64::from(ways) * CEILING_S
}

/// Seconds that one variant is measured in a block, at all points.
fn measured_seconds(study: &Study, timing: &Timing) -> f64 {
    // What is warm at once has short blocks: its slices are as short as they may be.
    let short = timing.cycles_adapt && timing.warm_up_cap_ns > 0 && !compiles(study);
    let (slice_ns, cycles) = match short {
        true => ((timing.slice_ns + timing.discard_ns).min(PLAIN_SLICE_NS), timing.cycles.min(PLAIN_CYCLES)),
        false => (timing.slice_ns + timing.discard_ns, timing.cycles),
    };
    let of_point = |point: &LoadPoint| match point.is_whole() {
        true => point.estimated_ns(),
        false => slice_ns,
    };
    // Nobody waits for another to be quiet where no process can be looked at.
    let overhead_s = if Needs::of(study) == Needs::Running { RUNNING_OVERHEAD_S } else { SLICE_OVERHEAD_S };
    let one_each = study.points.iter().map(|point| of_point(point) as f64 / S as f64 + overhead_s);
    one_each.sum::<f64>() * f64::from(cycles)
}

/// Seconds that a block takes.
pub(super) fn block_seconds(study: &Study, timing: &Timing) -> f64 {
    let variants = study.variants.len() as f64;
    let measured_s = variants * measured_seconds(study, timing);
    let perturbation_s = match timing.perturbation_ns {
        0 => 0.0,
        window_ns => {
            2.0 * ((window_ns + perturbation_discard_ns(timing)) as f64 / S as f64 + SLICE_OVERHEAD_S)
        }
    };
    let start_s = if compiles(study) { START_S + STOP_S } else { PLAIN_START_S + PLAIN_STOP_S };
    let starts_s = starts_of(study) as f64 * start_s;
    let long_s = long_cycles_ns(timing, study.variants.len()) as f64 / S as f64;
    let checks_s = (perturbation_s + long_s) / f64::from(timing.checks_every.max(1));
    checks_s + starts_s + reckoned_warm_up_s(study, timing) + measured_s
}

/// What the cycles of long slices take; nothing where slices have the plan's own length.
fn long_cycles_ns(timing: &Timing, variants: usize) -> u64 {
    match timing.cycles_adapt && timing.warm_up_cap_ns > 0 {
        true => (timing.discard_ns + timing.slice_ns)
            .saturating_mul(u64::from(timing.long_cycles).saturating_mul(variants as u64)),
        false => 0,
    }
}

/// What the warm-up of a block is taken for: its length where that is fixed.
pub(super) fn reckoned_warm_up_s(study: &Study, timing: &Timing) -> f64 {
    let seconds = |ns: u64| ns as f64 / S as f64;
    match timing.warm_up_cap_ns {
        0 => seconds(timing.warm_up_ns),
        cap_ns if compiles(study) => {
            seconds(cap_ns.min(WARM_UP_RECKONED_S * S * study.variants.len().max(2) as u64 / 2))
        }
        _ if Needs::of(study) == Needs::Running => 0.0,
        _ => PLAIN_WARM_UP_S,
    }
}

/// Halves the slices, down to a second, until the budget has room for the first look: what many variants at many loads lose in
/// length is less than no verdict at all.
pub(super) fn shorten_slices(study: &Study, timing: &mut Timing) {
    let room_s = timing.budget_ns as f64 / S as f64 - ceilings_seconds(study);
    let blocks = f64::from(timing.looks.first().copied().unwrap_or(1));
    let is_sliced = study.points.iter().any(|point| !point.is_whole());
    while is_sliced && blocks * block_seconds(study, timing) > room_s && timing.slice_ns >= 2 * S {
        timing.slice_ns /= 2;
        timing.discard_ns /= 2;
        timing.perturbation_ns = timing.perturbation_ns.min(timing.slice_ns);
    }
}

/// Lets the longest warm-up leave room for the blocks up to the first look. Many variants are then still warming in a short
/// study, which says so.
pub(super) fn limit_warm_up(study: &Study, timing: &mut Timing) {
    let blocks = f64::from(timing.looks.first().copied().unwrap_or(1));
    let beside_s = block_seconds(study, timing) - reckoned_warm_up_s(study, timing);
    let ceilings_s = ceilings_seconds(study);
    let room_s = ((timing.budget_ns as f64 / S as f64 - ceilings_s) / blocks - beside_s).max(0.0);
    let room_ns = room_s as u64 * S;
    if timing.warm_up_cap_ns > 0 {
        timing.warm_up_cap_ns = timing.warm_up_cap_ns.min(room_ns.max(timing.warm_up_ns));
    }
}

fn compiles(study: &Study) -> bool {
    Needs::of(study) == Needs::Compiling
}

/// What the budget has for each block up to the last look.
pub(crate) fn block_room_ns(plan: &Plan) -> u64 {
    let blocks = u64::from(plan.timing.looks.last().copied().unwrap_or(1)).max(1);
    plan.timing.budget_ns / blocks
}

/// What a block ends with: the pair of the perturbation check, the long slices, and the stops.
pub(crate) fn block_end_ns(plan: &Plan) -> u64 {
    let pair_ns = match plan.timing.perturbation_ns {
        0 => 0,
        window_ns => 2 * (window_ns + perturbation_discard_ns(&plan.timing)),
    };
    let stops_ns = (plan.variants.len() as f64 * STOP_S * S as f64) as u64;
    pair_ns + long_cycles_ns(&plan.timing, plan.variants.len()) + stops_ns
}

/// Load before the window of a slice of the perturbation check that is discarded.
pub(crate) fn perturbation_discard_ns(timing: &Timing) -> u64 {
    timing.discard_ns.min(S / 2)
}

/// Processes that a block starts: none for what already runs, one for all that share it.
pub(super) fn starts_of(study: &Study) -> usize {
    let started = study.variants.iter().filter(|v| !matches!(v.subject, SubjectSpec::Url { .. }));
    let (sharing, alone): (Vec<_>, Vec<_>) = started.partition(|variant| variant.shares.is_some());
    let shared: std::collections::BTreeSet<_> = sharing.iter().map(|variant| &variant.shares).collect();
    alone.len() + shared.len()
}
