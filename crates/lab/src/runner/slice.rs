//! One slice of load on one variant, and what its end means for the block.

use super::bench::{Bench, BenchError, LoadWindow, Loaded};
use super::participants::{Fate, Participants};
use super::slice_key::{SliceKey, slice_seed};
use super::slicing::{SliceTerms, is_thorough};
use super::{Lost, Progress, Runner, VariantFailure, record};
use proofload_facts::Finding;
use proofload_measure::{Outcome, OutcomeCounts};
use proofload_store::BlockWriter;
use proofload_study::LoadRole;
use std::sync::atomic::Ordering;

impl<B: Bench + ?Sized> Runner<'_, B> {
    /// A measured turn of one variant, if it still takes part.
    pub(super) fn turn(
        &mut self,
        at: &SliceKey,
        terms: SliceTerms,
        participants: &mut Participants,
        writer: &mut BlockWriter,
    ) -> Result<(), Lost> {
        if !participants.takes_part_at(at.variant, at.point) {
            return Ok(());
        }
        (self.progress)(Progress::Slice {
            cycle: at.cycle,
            of: terms.cycles as u32,
            variant: &self.plan.variants[at.variant].name,
            point: &self.plan.points[at.point].label,
        });
        let ended = self.slice(at, self.load_window_of(at, terms), writer);
        self.take(ended.map(|_| ()), at, participants)
    }

    /// Converts the end of a step of one variant into that of the block. A variant that is lost is stopped at once: one
    /// that hangs may burn the others' CPU.
    pub(super) fn take(
        &mut self,
        ended: Result<(), VariantFailure>,
        at: &SliceKey,
        participants: &mut Participants,
    ) -> Result<(), Lost> {
        match ended {
            Ok(()) => self.check_lab(),
            Err(VariantFailure::Interrupted) => Err(Lost::Interrupted),
            Err(VariantFailure::Store(error)) => Err(Lost::Store(error)),
            Err(VariantFailure::Lost(why)) => self.lose(at, Fate { why, died: None }, participants),
            Err(VariantFailure::Died(exit, why)) => {
                self.lose(at, Fate { why, died: Some(exit) }, participants)
            }
        }
    }

    fn lose(&mut self, at: &SliceKey, fate: Fate, participants: &mut Participants) -> Result<(), Lost> {
        self.check_lab()?;
        let variant = &self.plan.variants[at.variant].name;
        let (block, cycle, variant_name) = (at.block, at.cycle, variant.to_string());
        let what = Box::new(fate.why);
        let why = match cycle {
            0 => Finding::InWarmUp { block, variant: variant_name, what },
            cycle => Finding::InCycle { block, cycle, variant: variant_name, what },
        };
        (self.progress)(Progress::Lost { block: at.block, variant, why: &why });
        participants.lose(at.variant, Fate { why, died: fate.died });
        self.stop_one(at.block, at.variant);
        Ok(())
    }

    /// A slice of a load, or the whole of one that has a shape.
    fn load_window_of(&self, at: &SliceKey, terms: SliceTerms) -> LoadWindow {
        let (timing, load) = (&self.plan.timing, &self.plan.points[at.point]);
        let (discard_ns, measure_ns) = match load.whole {
            true => (0, load.length_ns),
            false => (terms.discard_ns, terms.slice_ns),
        };
        let thorough = is_thorough(at.cycle, measure_ns);
        let drain_ns = timing.drain_ns;
        LoadWindow { role: LoadRole::Real, discard_ns, measure_ns, drain_ns, doubled: false, thorough }
    }

    /// One slice: wait until the others are quiet, load, record, check that the server still lives.
    pub(super) fn slice(
        &mut self,
        at: &SliceKey,
        load_window: LoadWindow,
        writer: &mut BlockWriter,
    ) -> Result<Loaded, VariantFailure> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(VariantFailure::Interrupted);
        }
        let marks = if at.cycle > 0 { self.bench.wait_quiet(at.variant) } else { Vec::new() };
        let seed = slice_seed(self.plan.seed, at);
        let loaded = match self.bench.load(at.variant, at.point, load_window, seed) {
            Ok(loaded) => loaded,
            Err(BenchError::Interrupted) => return Err(VariantFailure::Interrupted),
            Err(BenchError::Failed(why)) => {
                self.bench.alive(at.variant)?;
                return Err(VariantFailure::Lost(why));
            }
        };
        for slice in record::slices(self.plan, at, &loaded, &marks) {
            writer.append(&slice)?;
            (self.progress)(Progress::Measured { slice: &slice });
        }
        let cut = loaded.results.iter().any(|result| result.stopped_early);
        if cut && self.stop.load(Ordering::Relaxed) {
            return Err(VariantFailure::Interrupted);
        }
        self.bench.alive(at.variant)?;
        if cut {
            return Err(VariantFailure::Lost(Finding::CountNotReached));
        }
        let mut outcomes = OutcomeCounts::default();
        for result in &loaded.results {
            outcomes.merge(&result.snapshot.outcomes);
            // What hangs before the window begins leaves nothing to intend within it.
            outcomes.merge(&result.snapshot.discarded);
        }
        match hangs(at, self.plan.points[at.point].whole, &outcomes) {
            Some(why) => Err(VariantFailure::Lost(loaded.cause.unwrap_or(why))),
            None => Ok(loaded),
        }
    }
}

/// A server that takes requests and answers none of them in a whole slice. One that refuses, resets or answers with an
/// error does answer in its way, and its slices are figures.
fn hangs(at: &SliceKey, whole: bool, outcomes: &OutcomeCounts) -> Option<Finding> {
    let unanswered = outcomes.get(Outcome::Timeout) + outcomes.get(Outcome::Unanswered);
    let rest = outcomes.total() - unanswered - outcomes.get(Outcome::Unsent);
    let silent = at.cycle > 0 && unanswered > 0 && rest == 0;
    silent.then_some(Finding::Hangs { requests: unanswered, sliced: !whole })
}
