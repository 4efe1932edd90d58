//! Starts that did not get through their block.

use proofload_measure::OutcomeCounts;
use proofload_stats::{LostStart, SeenErrors};
use proofload_store::schema::{Plan, Slice};
use proofload_store::{LostVariant, Run, apart, counts_of};

/// The starts that a block lost, be it one of several or all of them. A block that was cut off from outside lost
/// none.
pub(super) fn lost_starts(run: &Run, number_of: impl Fn(u32) -> u32) -> Vec<LostStart> {
    let cut: Vec<u32> = run.cut_blocks().collect();
    let whole = run.blocks().iter().map(|block| (block.number, block.lost.clone()));
    let partial = run.excluded().iter().filter(|block| !cut.contains(&block.number));
    let partial = partial.map(|block| (block.number, apart(block.slices.clone()).1));
    let mut starts = Vec::new();
    for (number, lost) in whole.chain(partial) {
        starts.extend(lost.iter().filter_map(|lost| start_of(run.plan(), number_of(number), lost)));
    }
    starts
}

fn start_of(plan: &Plan, block: u32, lost: &LostVariant) -> Option<LostStart> {
    let variant = plan.variants.iter().position(|planned| planned.name == lost.variant)?;
    let mut seen = Vec::new();
    for (point, load) in plan.points.iter().enumerate() {
        let is_here = |slice: &&Slice| slice.is_measured() && slice.measured.point == load.label;
        let slices: Vec<&Slice> = lost.slices.iter().filter(is_here).collect();
        let parts = plan.streams.iter().chain(&plan.requests).map(String::as_str).enumerate();
        for (stream, name) in std::iter::once((None, "")).chain(parts.map(|(at, name)| (Some(at), name))) {
            let mut counts = OutcomeCounts::default();
            for measured in slices.iter().map(|slice| &slice.measured) {
                if stream.is_none() || measured.stream == name {
                    counts.merge(&counts_of(&measured.outcomes));
                }
                let own = measured.requests.iter().filter(|request| stream.is_some() && request.name == name);
                own.for_each(|request| counts.merge(&counts_of(&request.outcomes)));
            }
            if counts.finished() > 0 {
                let (finished, errors) = (counts.finished(), counts.errors());
                seen.push(SeenErrors { point, stream, finished, errors, own_errors: counts.own_errors() });
            }
        }
    }
    Some(LostStart { block, variant, died: lost.died.then(|| lost.why.first().cloned()).flatten(), seen })
}
