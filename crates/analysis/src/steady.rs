//! Steady states of servers: the end of their warm-ups, and the slices afterwards.

use crate::fitness::left_out;
use proofload_facts::Limit;
use proofload_stats::steady::{StepChange, late_steps, rest_of_step, rest_of_warm_up};
use proofload_stats::{Claim, Observations, Perturbation, Unsteady};
use proofload_store::schema::{
    CheckOutcome, Slice, SliceLength, Steadiness, SteadyStart, SteadyState, WarmUp,
};
use proofload_store::{Block, Run, StoreError};
use std::collections::BTreeMap;

/// Starts of the variants, variant by variant, in the complete blocks; those whose warm-up was fixed, and blocks in
/// which the variant was lost, are left out. No later block changes them.
///
/// # Errors
/// Fails if a file of a block is damaged.
pub fn steady_states(run: &Run) -> Result<Vec<SteadyState>, StoreError> {
    let variants = &run.plan().variants;
    let mut all: Vec<SteadyState> = variants
        .iter()
        .map(|variant| SteadyState { variant: variant.name.clone(), starts: Vec::new() })
        .collect();
    let of_blocks: BTreeMap<u32, Vec<WarmUp>> = run.warm_ups()?.into_iter().collect();
    for block in run.blocks() {
        let warm_ups = of_blocks.get(&block.number).map_or(&[][..], Vec::as_slice);
        let cycles: Vec<Vec<Option<f64>>> =
            variants.iter().map(|variant| cycles(run, block, &variant.name)).collect();
        let steps = late_steps(&cycles);
        for (at, state) in all.iter_mut().enumerate() {
            let is_lost = block.lost.iter().any(|lost| lost.variant == state.variant);
            let warm_up = warm_ups.iter().find(|warm_up| warm_up.variant == state.variant);
            if let Some(warm_up) = warm_up.filter(|warm_up| warm_up.ended != Steadiness::Fixed && !is_lost) {
                state.starts.push(start(block.number, warm_up, &cycles[at], steps[at]));
            }
        }
    }
    all.retain(|state| !state.starts.is_empty());
    Ok(all)
}

/// The starts without a steady state in the blocks that count; `number_of` gives such a block's number as the judge
/// counts.
pub(crate) fn unsteady(run: &Run, number_of: impl Fn(u32) -> u32) -> Result<Vec<Unsteady>, StoreError> {
    let out = left_out(run);
    let mut unsteady = Vec::new();
    for state in steady_states(run)? {
        let variant = run.plan().variants.iter().position(|planned| planned.name == state.variant);
        let starts = state.starts.iter().filter(|start| start.found.is_unsteady());
        let starts = starts.filter(|start| !out.contains(&start.block));
        unsteady.extend(
            variant.into_iter().flat_map(|variant| starts.clone().map(move |start| (start.clone(), variant))),
        );
    }
    let told = |(start, variant): (SteadyStart, usize)| {
        let shared = start.found.is_shared();
        let slope = match (&start.found, shared) {
            (Steadiness::LateStep, _) => None,
            (_, true) => start.warm_up.slope_per_10s,
            (_, false) => start.warm_up.slope_between_per_10s,
        };
        Unsteady { block: number_of(start.block), variant, shared, per_10s: slope, rest: rest(&start) }
    };
    Ok(unsteady.into_iter().map(told).collect())
}

/// Logarithms of a variant's CPU per answered exchange, cycle by cycle: the mean over the load points that are
/// sliced, and that the block did not leave out. A cycle in which one of them is not known is not known.
fn cycles(run: &Run, block: &Block, variant: &str) -> Vec<Option<f64>> {
    let of_variant = |slice: &&Slice| slice.is_measured() && slice.measured.variant == variant;
    let lines: Vec<&Slice> = block.slices.iter().filter(of_variant).collect();
    let cycles = lines.iter().map(|slice| slice.cycle).max().unwrap_or(0);
    let is_spared =
        |point: &str| block.spared.iter().any(|spared| spared.variant == variant && spared.point == point);
    let points: Vec<&str> = run
        .plan()
        .points
        .iter()
        .filter(|point| !point.whole && !is_spared(&point.label))
        .map(|point| point.label.as_str())
        .collect();
    let value = |cycle: u32, point: &str| {
        let here = lines.iter().filter(|slice| slice.cycle == cycle && slice.measured.point == point);
        // With streams, the resources used by the subject are in the first line, the exchanges in all.
        let answered = here.clone().fold(0, |sum: u64, slice| sum.saturating_add(slice.answered_in_window));
        let cpu_ns = here.into_iter().find_map(|slice| slice.measured.subject.as_ref()?.cpu_ns)?;
        (answered > 0 && cpu_ns > 0).then(|| (cpu_ns as f64 / answered as f64).ln())
    };
    let of_cycle = |cycle: u32| {
        let logs: Option<Vec<f64>> = points.iter().map(|point| value(cycle, point)).collect();
        logs.filter(|logs| !logs.is_empty()).map(|logs| logs.iter().sum::<f64>() / logs.len() as f64)
    };
    (1..=cycles).map(of_cycle).collect()
}

/// Further change that the variant may make: by the larger of its own change and of that beyond the others.
fn rest(start: &SteadyStart) -> Option<f64> {
    let larger =
        |own: Option<f64>, between: Option<f64>| Some(own?.ln_1p().abs().max(between?.ln_1p().abs()));
    match start.found {
        Steadiness::LateStep => larger(start.step, start.step_between).map(rest_of_step),
        _ => larger(start.warm_up.slope_per_10s, start.warm_up.slope_between_per_10s).map(rest_of_warm_up),
    }
}

fn start(block: u32, warm_up: &WarmUp, cycles: &[Option<f64>], step: Option<StepChange>) -> SteadyStart {
    let stepped = step.is_some_and(|step| step.differs);
    let found = match &warm_up.ended {
        Steadiness::NoSteadyState => Steadiness::NoSteadyState,
        // In comparisons it is the worse of the two.
        _ if stepped => Steadiness::LateStep,
        ended => ended.clone(),
    };
    SteadyStart {
        block,
        found,
        warm_up: warm_up.clone(),
        cycles_cpu_ns_per_exchange: cycles.iter().map(|log| log.map(f64::exp)).collect(),
        step_after_cycles: step.and_then(|step| u32::try_from(step.after_cycles).ok()),
        step: step.map(|step| step.own.exp_m1()),
        step_between: step.map(|step| step.between.exp_m1()),
        step_allowed: step.map(|step| step.allowed.exp_m1()),
    }
}

/// Long slices beside short ones, of the claim on which they differ most.
pub(crate) fn slice_length(claims: &[Claim], observations: &Observations) -> Option<SliceLength> {
    let of_claim = |claim: &Claim| {
        let (found, blocks) = proofload_stats::slice_length(claim, observations)?;
        let (outcome, ratio) = match found {
            Perturbation::Unresolved { ratio, .. } => (CheckOutcome::Unresolved, ratio),
            Perturbation::Within { ratio } => (CheckOutcome::Passed, Some(ratio)),
            Perturbation::Beyond { ratio } | Perturbation::Meaningless { ratio } => {
                (CheckOutcome::Failed, Some(ratio))
            }
        };
        ratio.map(|ratio| SliceLength { claim: claim.text.clone(), blocks, ratio: Some(ratio), outcome })
    };
    let differs = |found: &SliceLength| found.ratio.map_or(0.0, |ratio| ratio.ln().abs());
    claims.iter().filter_map(of_claim).max_by(|a, b| {
        let failed = |found: &SliceLength| found.outcome == CheckOutcome::Failed;
        failed(a).cmp(&failed(b)).then(differs(a).total_cmp(&differs(b)))
    })
}

/// Note on variants of which steadiness could not be told in any start.
pub(crate) fn limits(states: &[SteadyState]) -> Vec<Limit> {
    let unknown =
        |state: &&SteadyState| state.starts.iter().all(|start| start.found == Steadiness::NotMeasured);
    let limit = |state: &SteadyState| Limit::SteadinessNotMeasured { variant: state.variant.clone() };
    states.iter().filter(unknown).map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_that_could_not_be_looked_into_is_named() {
        let state = |found: Steadiness| {
            let start = SteadyStart { found, ..SteadyStart::default() };
            SteadyState { variant: "far".into(), starts: vec![start] }
        };
        assert_eq!(limits(&[state(Steadiness::Steady)]), []);
        let unknown = [state(Steadiness::NotMeasured)];
        assert_eq!(limits(&unknown), [Limit::SteadinessNotMeasured { variant: "far".into() }]);
    }

    #[test]
    fn a_step_after_a_good_warm_up_is_told_and_one_after_a_bad_one_changes_nothing() {
        let step = StepChange { after_cycles: 3, own: -0.1, between: -0.1, allowed: 0.02, differs: true };
        let of = |ended: Steadiness, step| {
            let warm_up = WarmUp { ended, ..WarmUp::default() };
            start(1, &warm_up, &[Some(0.0)], step).found
        };
        assert_eq!(of(Steadiness::Steady, Some(step)), Steadiness::LateStep);
        assert_eq!(of(Steadiness::Cap, Some(step)), Steadiness::LateStep);
        assert_eq!(of(Steadiness::NoSteadyState, Some(step)), Steadiness::NoSteadyState);
        assert_eq!(of(Steadiness::Steady, Some(StepChange { differs: false, ..step })), Steadiness::Steady);
        assert_eq!(of(Steadiness::NotMeasured, None), Steadiness::NotMeasured);
        // Half as much is 50 % less, of which the logarithm is -0.69.
        let halved = StepChange { own: 0.5_f64.ln(), ..step };
        let warm_up = WarmUp { ended: Steadiness::Steady, ..WarmUp::default() };
        let told = start(1, &warm_up, &[Some(0.0)], Some(halved)).step.unwrap();
        assert!((told + 0.5).abs() < 1e-12, "{told}");
        assert!(Steadiness::LateStep.is_unsteady() && Steadiness::NoSteadyState.is_unsteady());
        assert!(!Steadiness::Cap.is_unsteady());
    }
}
