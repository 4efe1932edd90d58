//! The plan of a search for a capacity.

use super::reckon::{SLICE_OVERHEAD_S, START_S, STOP_S, starts_of};
use super::{Preset, S, minutes_ns};
use crate::messages::plan as messages;
use proofload_facts::Finding;
use proofload_stats::capacity::{CONFIRM_NEEDED, RESTART_EVERY, TRIALS_MAX};
use proofload_store::schema::{Plan, PlannedCapacity};
use proofload_study::{CapacityLoad, Study};

/// Shortest and longest load before the window of a trial that is discarded.
const DISCARD_MIN_NS: u64 = S / 20;
const DISCARD_MAX_NS: u64 = 3 * S;
/// Fewest trials with which a search is worth beginning.
const TRIALS_MIN: u32 = 8;
/// Trials that a confirmation takes, usually: both ends, one of them moved once.
const CONFIRM_USUAL: u32 = 3 * CONFIRM_NEEDED;

/// The window of a trial by default.
fn trial_ns(preset: Preset) -> u64 {
    match preset {
        Preset::Smoke => S,
        Preset::Quick => 4 * S,
        Preset::Default => 20 * S,
        Preset::Thorough => 60 * S,
    }
}

/// Makes a search of a plan: its trials are decided one after the other, so it has no order and no looks, and each block
/// is one start of one variant.
pub(super) fn arrange(study: &Study, load: &CapacityLoad, preset: Preset, plan: &mut Plan) {
    let trial_ns = load.trial_ns.unwrap_or_else(|| trial_ns(preset));
    let timing = &mut plan.timing;
    timing.slice_ns = trial_ns;
    timing.discard_ns = (trial_ns / 10).clamp(DISCARD_MIN_NS, DISCARD_MAX_NS);
    (timing.cycles, timing.perturbation_ns, timing.looks) = (1, 0, vec![1]);
    let starts = starts_of(study) > 0;
    // A start is of one variant alone: it shares its warm-up with no other, and nothing shows when it is steady.
    timing.warm_up_ns = if starts { timing.warm_up_ns * 2 / plan.variants.len().max(2) as u64 } else { 0 };
    (timing.warm_up_cap_ns, timing.cycles_adapt, timing.futility) = (0, false, false);
    let seconds = |ns: u64| ns as f64 / S as f64;
    let trial_s = seconds(trial_ns + timing.discard_ns) + SLICE_OVERHEAD_S;
    let start_s = if starts { START_S + STOP_S + seconds(timing.warm_up_ns) } else { 0.0 };
    // A fresh start serves both ends of a confirmation.
    let takes_s = |trials: u32| {
        let fresh = f64::from(trials) / RESTART_EVERY as f64 + f64::from(CONFIRM_USUAL) / 2.0;
        (f64::from(trials + CONFIRM_USUAL) * trial_s + fresh.ceil() * start_s) * plan.variants.len() as f64
    };
    let (budget_ns, budget_s) = (timing.budget_ns, seconds(timing.budget_ns));
    let room = (TRIALS_MIN..=TRIALS_MAX).rev().find(|trials| takes_s(*trials) <= budget_s);
    let trials_max = room.unwrap_or(TRIALS_MIN);
    if room.is_none() {
        let needed_s = takes_s(TRIALS_MIN);
        plan.not_tested.push(Finding::NoSearch {
            trials: TRIALS_MIN,
            trial_s: seconds(trial_ns),
            needed_ns: minutes_ns(needed_s),
            budget_ns,
        });
    } else if trials_max < TRIALS_MAX {
        plan.not_tested.push(Finding::FewerTrials { trials: trials_max, most: TRIALS_MAX });
    }
    plan.estimated_seconds = takes_s(trials_max);
    plan.order = Vec::new();
    for point in &mut plan.points {
        point.rate_per_s = None;
        point.profile = messages::search_load(&load.label());
    }
    plan.capacity = Some(PlannedCapacity {
        slo: load.slo.texts(),
        from_per_s: load.from_per_s,
        to_per_s: load.to_per_s,
        trial_ns,
        trials_max,
    });
}
