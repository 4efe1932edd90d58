//! Length of slices and number of cycles of a block, as the run goes on.

use super::bench::Bench;
use super::warm::Warmed;
use super::{Lost, Progress, Runner};
use crate::plan;
use proofload_analysis::{FirstBlock, choose_slicing, first_slicing, measures_of};
use proofload_stats::{Measure, TAIL_EXCHANGES_MIN};
use proofload_store::schema::Mode;
use proofload_store::{Run, StoreError};

/// A start has that many times the answers that a quantile takes: some starts are slower than the first.
const ANSWERS_MARGIN: f64 = 1.5;

/// Interval, in time of load, between two samples of the subject's threads, descriptors and pages.
const THOROUGH_EVERY_NS: u64 = 1_000_000_000;

/// True if they are sampled in slices of this cycle: in all that are long enough, and of short ones in the same cycles
/// of all variants, so that no variant pays more for it than another.
pub(super) fn is_thorough(cycle: u32, slice_ns: u64) -> bool {
    let every = THOROUGH_EVERY_NS.div_ceil(slice_ns.max(1));
    u64::from(cycle.saturating_sub(1)).is_multiple_of(every)
}

/// The slices of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct SliceTerms {
    pub cycles: usize,
    pub slice_ns: u64,
    /// Load before it that is discarded.
    pub discard_ns: u64,
}

impl<B: Bench + ?Sized> Runner<'_, B> {
    /// The slices of the blocks from now on; `cycles` are those of this block.
    pub(super) fn slice_terms(&self, cycles: usize) -> Result<SliceTerms, StoreError> {
        let slicing = self.record.slicing()?.unwrap_or_default();
        let (slice_ns, discard_ns) = slicing.lengths(&self.plan.timing);
        Ok(SliceTerms { cycles, slice_ns, discard_ns })
    }

    /// The order of this block: the plan's, or beyond its last block one of its own, which replaces one that was lost;
    /// with as many cycles as blocks have by now.
    pub(super) fn order_of(&self, number: u32) -> Result<Vec<Vec<usize>>, StoreError> {
        let order = proofload_store::order_of(self.plan, self.record.slicing()?.as_ref(), number);
        let planned = &self.plan.order;
        if number as usize <= planned.len() {
            return Ok(order);
        }
        let beyond = plan::order_beyond(self.plan.seed, planned, self.plan.mode == Mode::Serial, number);
        Ok(beyond.iter().cycle().take(order.len()).cloned().collect())
    }

    /// After the first warm-up of a run: chooses the length of its slices and the number of cycles of its first blocks.
    /// It is written once. Variants that run one after the other gain nothing by short slices.
    pub(super) fn choose_slices(&mut self, warmed: &Warmed, begun_ns: u64) -> Result<(), Lost> {
        let timing = &self.plan.timing;
        let open = timing.cycles_adapt && timing.warm_up_cap_ns > 0 && self.plan.mode != Mode::Serial;
        let Some(answers) = warmed.answers.filter(|_| open) else { return Ok(()) };
        if self.record.slicing()?.is_some() {
            return Ok(());
        }
        let first = FirstBlock {
            answers,
            answers_needed: answers_needed(&measures_of(self.claims)),
            beside_ns: self.bench.now_ns() - begun_ns + plan::block_end_ns(self.plan),
            room_ns: plan::block_room_ns(self.plan),
            is_plain: warmed.is_plain,
        };
        let slicing = first_slicing(self.plan, first);
        self.record.write_slicing(&slicing)?;
        (self.progress)(Progress::Slices { slicing: &slicing });
        Ok(())
    }

    /// After the first look: chooses the number of cycles of the blocks from now on. It is written once, and the
    /// measurements decide nothing else. Returns the time by which a block becomes longer.
    pub(super) fn choose_cycles(&mut self, complete: u32, spent_ns: u64) -> Result<i64, StoreError> {
        let timing = &self.plan.timing;
        let at_first_look = self.design.looks.first() == Some(&complete);
        let first = self.record.slicing()?;
        if !timing.cycles_adapt || !at_first_look || first.as_ref().is_some_and(|it| it.blocks > 0) {
            return Ok(0);
        }
        let so_far = first.and_then(|first| first.cycles_of(complete)).unwrap_or(timing.cycles);
        let seconds_left = timing.budget_ns.saturating_sub(spent_ns) as f64 / 1e9;
        let run = Run::open(self.record.path())?;
        let Some(slicing) = choose_slicing(&run, self.claims, self.design, seconds_left)? else {
            return Ok(0);
        };
        self.record.write_slicing(&slicing)?;
        (self.progress)(Progress::Cycles { planned: so_far, slicing: &slicing });
        let more = f64::from(slicing.cycles) - f64::from(so_far);
        Ok((more * slicing.cycle_seconds * 1e9) as i64)
    }
}

/// Answers that a start must have, so that enough lie beyond each of the quantiles.
fn answers_needed(measures: &[Measure]) -> f64 {
    let of = |measure: &Measure| match measure.quantile() {
        Some(q) if q < 10_000 => 1.0 / (1.0 - f64::from(q) / 10_000.0),
        _ => 0.0,
    };
    ANSWERS_MARGIN * TAIL_EXCHANGES_MIN as f64 * measures.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_slices_are_looked_at_thoroughly_once_in_a_second_and_long_ones_always() {
        let cycles = |slice_ms: u64| {
            (1..=12).filter(|cycle| is_thorough(*cycle, slice_ms * 1_000_000)).collect::<Vec<u32>>()
        };
        assert_eq!((cycles(200), cycles(400)), (vec![1, 6, 11], vec![1, 4, 7, 10]));
        assert_eq!((cycles(1_000).len(), cycles(8_000).len()), (12, 12));
    }

    #[test]
    fn a_p99_takes_fifteen_thousand_answers_of_a_start() {
        let needed = answers_needed(&[Measure::ResponseQuantile(5000), Measure::ResponseQuantile(9900)]);
        assert!((needed - 15_000.0).abs() < 1.0, "{needed}");
        assert_eq!(answers_needed(&[Measure::Throughput, Measure::ResponseQuantile(10_000)]), 0.0);
    }
}
