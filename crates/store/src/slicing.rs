//! How many cycles the blocks after the first look have.
//!
//! Only the number of cycles rests on what was measured, never whether a block counts: a block's value is the median
//! over more or fewer slices, and its mean is the same either way.

use crate::schema::{FORMAT_VERSION, Mode, Slice, Slicing};
use crate::{Block, Run, StoreError, measures_of};
use proofload_stats::components::{CYCLES_MAX, components, turns};
use proofload_stats::sample::median;
use proofload_stats::{Claim, Design, judge, slice_pairs};

/// What a block cost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Costs {
    start_seconds: f64,
    cycle_seconds: f64,
}

impl Run {
    /// How many cycles the next blocks should have, from the blocks so far, for the claims that are still open.
    /// `seconds_left` of the budget are to reach the last look if the plan's own cycles do. `None` when no open
    /// claim compares slices, or too little is known.
    ///
    /// # Errors
    /// When a stored histogram cannot be read.
    pub fn choose_slicing(
        &self,
        claims: &[Claim],
        design: &Design,
        seconds_left: f64,
    ) -> Result<Option<Slicing>, StoreError> {
        let observations = self.observations(&measures_of(claims))?;
        let judgement = judge(claims, &observations, design);
        let Some(costs) = self.costs() else { return Ok(None) };
        let open = claims.iter().zip(&judgement.claims).filter(|(_, judged)| !judged.settled);
        let mut found: Vec<_> = open
            .filter_map(|(claim, _)| {
                let pairs = slice_pairs(claim, &observations);
                let logs: Vec<Vec<f64>> = pairs
                    .iter()
                    .map(|slices| slices.iter().map(|(left, right)| left - right).collect())
                    .collect();
                let parts = components(&logs)?;
                Some((parts.slices_worth(costs.start_seconds, costs.cycle_seconds), claim, pairs, parts))
            })
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        if found.is_empty() {
            return Ok(None);
        }
        let (worth, claim, pairs, parts) = found.swap_remove(found.len() / 2);
        let last = design.looks.last().copied().unwrap_or(1);
        let complete = observations.blocks.len() as u32;
        let room = seconds_left / f64::from(last.saturating_sub(complete).max(1)) - costs.start_seconds;
        let room = (room / costs.cycle_seconds).clamp(0.0, f64::from(CYCLES_MAX)) as u32;
        let cycles_most = room.max(self.plan().timing.cycles).min(CYCLES_MAX);
        let worth_of_turns = turns(&pairs).filter(|_| self.plan().mode != Mode::Serial);
        Ok(Some(Slicing {
            format: FORMAT_VERSION,
            after_block: self.last_block(),
            cycles: parts.cycles(costs.start_seconds, costs.cycle_seconds, cycles_most),
            blocks: complete,
            claim: claim.text.clone(),
            slice_sd: parts.slices.sqrt(),
            start_sd: parts.starts.max(0.0).sqrt(),
            start_seconds: costs.start_seconds,
            cycle_seconds: costs.cycle_seconds,
            cycles_worth: worth.is_finite().then_some(worth),
            cycles_most,
            turns_removed: worth_of_turns.map(|turns| turns.removed),
            serial_blocks: worth_of_turns.map(|turns| turns.serial_blocks),
        }))
    }

    /// What blocks cost: the middle one of those after which another began. What lies between two sittings is in
    /// few of them.
    fn costs(&self) -> Option<Costs> {
        let blocks = self.blocks();
        let serial = self.plan().mode == Mode::Serial;
        let begun = |block: &Block| block.slices.iter().map(|slice| slice.started_unix_ns).min();
        let cost = |pair: &[Block]| {
            if pair[1].number != pair[0].number + 1 {
                return None;
            }
            let whole_s = begun(&pair[1])?.checked_sub(begun(&pair[0])?)? as f64 / 1e9;
            let cycles =
                pair[0].slices.iter().filter(|slice| slice.is_measured()).map(|slice| slice.cycle).max()?;
            let measured_s = measured_seconds(&pair[0], serial);
            Some((whole_s - measured_s, measured_s / f64::from(cycles.max(1))))
        };
        let costs: Vec<(f64, f64)> = blocks.windows(2).filter_map(cost).collect();
        let start_seconds = median(&costs.iter().map(|cost| cost.0).collect::<Vec<_>>())?;
        let cycle_seconds = median(&costs.iter().map(|cost| cost.1).collect::<Vec<_>>())?;
        (start_seconds > 0.0 && cycle_seconds > 0.0).then_some(Costs { start_seconds, cycle_seconds })
    }
}

/// From the first measured slice to the last one's end; of variants one after the other the sum of theirs.
fn measured_seconds(block: &Block, serial: bool) -> f64 {
    let span = |variant: Option<&str>| {
        let of = |slice: &&Slice| variant.is_none_or(|name| slice.measured.variant == name);
        let slices = block.slices.iter().filter(|slice| slice.is_measured()).filter(of);
        let from = slices.clone().map(|slice| slice.started_unix_ns).min().unwrap_or(0);
        let end =
            |slice: &Slice| slice.started_unix_ns.saturating_sub(from) as f64 / 1e9 + slice.measured.seconds;
        slices.map(end).fold(0.0, f64::max)
    };
    if !serial {
        return span(None);
    }
    let mut variants: Vec<&str> = block.slices.iter().map(|slice| slice.measured.variant.as_str()).collect();
    variants.sort_unstable();
    variants.dedup();
    variants.into_iter().map(|variant| span(Some(variant))).sum()
}
