//! Estimates of a plan: the time of its blocks, and the part of the budget that is left for them.

use super::S;
use super::needs::Needs;
use proofload_store::schema::{self, Plan, Timing};
use proofload_study::{LoadPoint, Study, SubjectSpec};

/// Seconds until one variant is ready: a JVM server with a small application on two busy cores. Only the estimate uses
/// it.
pub(super) const START_S: f64 = 2.5;

/// Seconds until one variant has ended: TERM, and the connectors' grace.
pub(super) const STOP_S: f64 = 1.0;

/// The same two for a program that compiles nothing.
const PLAIN_START_S: f64 = 0.1;
const PLAIN_STOP_S: f64 = 0.1;

/// Seconds of a slice beside its load: waiting until the others are quiet, connecting, draining, writing.
pub(super) const SLICE_OVERHEAD_S: f64 = 0.1;

/// The same of servers that run already.
const RUNNING_OVERHEAD_S: f64 = 0.03;

/// The same where answers are slow: they are waited for, and connections for them.
const SLOWEST_OVERHEAD_S: f64 = 0.3;

/// The longest turn of a warm-up.
const SLOWEST_TURN_S: f64 = 0.5;

/// Estimated seconds of a warm-up until the variants are steady: two JVM servers with a small application, from start
/// to quiet compilers. Only estimates use it.
const WARM_UP_RECKONED_S: u64 = 36;

/// The same of a program that compiles nothing, in seconds.
const PLAIN_WARM_UP_S: f64 = 0.6;

/// The same of servers that run already, all together.
const RUNNING_WARM_UP_NS: u64 = S * 3 / 2;

/// Estimated length of a slice of such a program, its discarded beginning included.
const PLAIN_SLICE_NS: u64 = S / 4;

/// Cycles assumed for it.
const PLAIN_CYCLES: u32 = 4;

/// Seconds of a ceiling where none is in the cache: the null server's start, discard, window, stop.
pub(super) const CEILING_S: f64 = 1.7;

/// Basis of the estimated time of a plan's blocks.
#[derive(Clone, Copy)]
pub(super) struct Reckoning<'a> {
    pub study: &'a Study,
    /// True if the variants run one after the other.
    pub serial: bool,
    /// Number of combinations of the conditions: each has ceilings of its own.
    pub ways: u32,
    /// True if answers are as slow as any for which slices become longer, and no ceiling is in the cache.
    pub slowest: bool,
}

impl<'a> Reckoning<'a> {
    /// Of a plan that is made.
    pub(super) fn of(study: &'a Study, plan: &Plan) -> Reckoning<'a> {
        let levels = plan.conditions.iter().map(|condition| condition.levels.len() as u32);
        let ways = if plan.no_ceiling { 0 } else { levels.product::<u32>().max(1) };
        Reckoning { study, serial: plan.mode == schema::Mode::Serial, ways, slowest: false }
    }

    /// Seconds of the ceilings beside that many blocks: one for each load point and combination.
    pub(super) fn ceilings_s(self, blocks: u32) -> f64 {
        f64::from(self.ways.min(blocks)) * self.study.points.len() as f64 * CEILING_S
    }

    /// Seconds that one variant is measured in a block, at all points.
    fn measured_s(self, timing: &Timing) -> f64 {
        let whole_ns = timing.slice_ns + timing.discard_ns;
        // Servers that are warm at once have short blocks: their slices are as short as their answers let them be.
        let short = !self.serial && adapts(timing) && !compiles(self.study);
        let (slice_ns, cycles) = match (short, self.slowest) {
            (false, _) => (whole_ns, timing.cycles),
            (true, false) => (whole_ns.min(PLAIN_SLICE_NS), timing.cycles.min(PLAIN_CYCLES)),
            (true, true) => (whole_ns, timing.cycles.min(PLAIN_CYCLES)),
        };
        let pauses_ns = self.study.journeys.as_ref().map_or(0, |journeys| journeys.pauses_ns);
        let of_point = |point: &LoadPoint| match point.is_whole() {
            true => point.estimated_ns(pauses_ns),
            false => slice_ns,
        };
        // A slice waits for no other variant to be quiet where processes cannot be observed.
        let overhead_s = match (self.slowest, runs_already(self.study)) {
            (true, _) => SLOWEST_OVERHEAD_S,
            (_, true) => RUNNING_OVERHEAD_S,
            _ => SLICE_OVERHEAD_S,
        };
        // Users finish their journeys.
        let beside_s = overhead_s + pauses_ns as f64 / S as f64;
        let one_each = self.study.points.iter().map(|point| of_point(point) as f64 / S as f64 + beside_s);
        one_each.sum::<f64>() * f64::from(cycles)
    }

    /// Seconds of a block with its starts, without warm-up and without what only some blocks have.
    fn plain_block_s(self, timing: &Timing) -> f64 {
        let start_s = if compiles(self.study) { START_S + STOP_S } else { PLAIN_START_S + PLAIN_STOP_S };
        let measured_s = self.study.variants.len() as f64 * self.measured_s(timing);
        starts_of(self.study) as f64 * start_s + measured_s
    }

    /// Seconds of the checks in a block that has them.
    fn checks_s(self, timing: &Timing) -> f64 {
        let perturbation_s = match timing.perturbation_ns {
            0 => 0.0,
            window_ns => {
                2.0 * ((window_ns + perturbation_discard_ns(timing)) as f64 / S as f64 + SLICE_OVERHEAD_S)
            }
        };
        let long_ns = if self.serial { 0 } else { long_cycles_ns(timing, self.study.variants.len()) };
        perturbation_s + long_ns as f64 / S as f64
    }

    /// Estimated warm-up of a block: its length where that is fixed.
    pub(super) fn warm_up_s(self, timing: &Timing) -> f64 {
        let seconds = |ns: u64| ns as f64 / S as f64;
        match timing.warm_up_cap_ns {
            0 => seconds(timing.warm_up_ns),
            cap_ns if compiles(self.study) => {
                let usual_ns = WARM_UP_RECKONED_S * S * self.study.variants.len().max(2) as u64 / 2;
                seconds(cap_ns.min(usual_ns))
            }
            // The round that is under way at the cap is not cut off, and another one follows it.
            cap_ns if self.slowest => {
                // Servers that are started have a cap that leaves room for all blocks.
                let ns = if runs_already(self.study) { cap_ns } else { cap_ns.min(timing.warm_up_ns) };
                seconds(ns) + self.study.variants.len() as f64 * SLOWEST_TURN_S
            }
            cap_ns if runs_already(self.study) => seconds(cap_ns.min(RUNNING_WARM_UP_NS)),
            _ => PLAIN_WARM_UP_S,
        }
    }

    /// Of that many blocks those that begin with a warm-up: running servers stay warm without a pause.
    fn warm_ups(self, blocks: u32) -> u32 {
        if runs_already(self.study) && !self.serial { blocks.min(1) } else { blocks }
    }

    /// Seconds of that many blocks from the first start on, with everything that they need beside.
    pub(super) fn seconds(self, timing: &Timing, blocks: u32) -> f64 {
        let checked = (0..blocks).filter(|complete| timing.checks_after(*complete).is_some()).count();
        f64::from(blocks) * self.plain_block_s(timing)
            + f64::from(self.warm_ups(blocks)) * self.warm_up_s(timing)
            + checked as f64 * self.checks_s(timing)
            + self.ceilings_s(blocks)
    }

    /// Seconds of a block among many.
    pub(super) fn block_s(self, timing: &Timing) -> f64 {
        let warm_up_s = if self.warm_ups(2) == 2 { self.warm_up_s(timing) } else { 0.0 };
        let checks_s = self.checks_s(timing) / f64::from(timing.checks_every.max(1));
        self.plain_block_s(timing) + warm_up_s + checks_s
    }

    /// Number of blocks that fit into the budget, of at most as many as the last look has.
    pub(super) fn room(self, timing: &Timing, most: u32) -> u32 {
        let budget_s = timing.budget_ns as f64 / S as f64;
        (0..=most).rev().find(|blocks| self.seconds(timing, *blocks) <= budget_s).unwrap_or(0)
    }

    /// Halves the slices, down to a second, until the budget has room for the first look: the loss in length of many
    /// variants at many loads is less than no verdict at all.
    pub(super) fn shorten_slices(self, timing: &mut Timing) {
        let first = timing.looks.first().copied().unwrap_or(1);
        let is_sliced = self.study.points.iter().any(|point| !point.is_whole());
        while is_sliced && self.room(timing, first) < first && timing.slice_ns >= 2 * S {
            timing.slice_ns /= 2;
            timing.discard_ns /= 2;
            timing.perturbation_ns = timing.perturbation_ns.min(timing.slice_ns);
        }
    }

    /// Lets the longest warm-up leave room for the blocks up to the first look. Many variants are then still warming in
    /// a short study, which reports that.
    pub(super) fn limit_warm_up(self, timing: &mut Timing) {
        let first = timing.looks.first().copied().unwrap_or(1);
        let warm_ups = f64::from(self.warm_ups(first).max(1));
        // Running servers that are slow have longer blocks than their budget may have room for, with any warm-up.
        let slowest = Reckoning { slowest: !runs_already(self.study), ..self };
        let least_s = match slowest.slowest && !compiles(self.study) {
            true => timing.warm_up_ns as f64 / S as f64,
            false => self.warm_up_s(timing),
        };
        let beside_s = slowest.seconds(timing, first) - warm_ups * least_s;
        let room_s = ((timing.budget_ns as f64 / S as f64 - beside_s) / warm_ups).max(0.0);
        let room_ns = room_s as u64 * S;
        if timing.warm_up_cap_ns > 0 {
            timing.warm_up_cap_ns = timing.warm_up_cap_ns.min(room_ns.max(timing.warm_up_ns));
        }
    }
}

/// Time of the cycles of long slices; 0 where slices have the plan's own length.
fn long_cycles_ns(timing: &Timing, variants: usize) -> u64 {
    match adapts(timing) {
        true => (timing.discard_ns + timing.slice_ns)
            .saturating_mul(u64::from(timing.long_cycles).saturating_mul(variants as u64)),
        false => 0,
    }
}

/// True if the length of slices is chosen by the first warm-up.
fn adapts(timing: &Timing) -> bool {
    timing.cycles_adapt && timing.warm_up_cap_ns > 0
}

fn compiles(study: &Study) -> bool {
    Needs::of(study) == Needs::Compiling
}

fn runs_already(study: &Study) -> bool {
    Needs::of(study) == Needs::Running
}

/// Part of the budget for each block up to the last look.
pub(crate) fn block_room_ns(plan: &Plan) -> u64 {
    let blocks = u64::from(plan.timing.looks.last().copied().unwrap_or(1)).max(1);
    plan.timing.budget_ns / blocks
}

/// Longest time of ceilings after a block.
pub(crate) fn ceiling_ns(plan: &Plan) -> u64 {
    let seconds = if plan.no_ceiling { 0.0 } else { plan.points.len() as f64 * CEILING_S };
    (seconds * S as f64) as u64
}

/// Time of the end of a block: the pair of the perturbation check, the long slices, and the stops.
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
