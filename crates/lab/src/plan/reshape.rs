//! Other blocks than the preset's: for studies that are parts of something larger, which decides when they end.

use super::reckon::Reckoning;
use super::{S, order};
use proofload_facts::Finding;
use proofload_store::schema::{Mode, Plan, Timing};
use proofload_study::Study;

/// Gives a plan looks of its own, of which the last ends it, and as much time as they may take. The order of its blocks
/// is drawn anew from its seed, its estimate made anew; its text about looks that its budget had no room for is
/// removed.
pub fn reshape(plan: &mut Plan, study: &Study, looks: &[u32], budget_ns: u64) {
    let blocks = looks.last().copied().unwrap_or(1);
    let (variants, cycles) = (study.variants.len(), plan.timing.cycles);
    // The parts of a larger thing are compared with each other: all their blocks are alike.
    plan.timing = Timing {
        looks: looks.to_vec(),
        budget_ns,
        cycles_adapt: false,
        checks_every: 1,
        futility: false,
        ..plan.timing.clone()
    };
    plan.order = match plan.mode {
        Mode::Serial => order::serial(plan.seed, blocks, cycles, variants),
        _ => order::blocks(plan.seed, blocks, cycles, variants),
    };
    plan.estimated_seconds = Reckoning::of(study, plan).seconds(&plan.timing, blocks);
    let of_looks = |it: &Finding| matches!(it, Finding::NoFirstLook { .. } | Finding::FewerLooks { .. });
    plan.not_tested.retain(|it| !of_looks(it));
}

/// Approximate seconds of a block of a plan with that many of its study's variants.
pub fn seconds_per_block(study: &Study, plan: &Plan, variants: usize) -> f64 {
    let mut part = study.clone();
    part.variants.truncate(variants);
    let all = study.variants.len().max(2) as f64;
    let timing = &plan.timing;
    let warm_up_ns = (timing.warm_up_ns as f64 * variants.max(2) as f64 / all) as u64;
    Reckoning::of(&part, plan).block_s(&Timing { warm_up_ns, ..timing.clone() }).max(1.0 / S as f64)
}
