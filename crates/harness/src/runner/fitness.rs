//! What a block does beside its figures: a pair of slices with once and with twice the generator's threads, and,
//! when everything is stopped, the ceilings that are not on record yet.

use super::bench::{Bench, BenchError, Stretch};
use super::roll::Roll;
use super::{Lost, Place, Progress, Runner, record, slice_seed};
use crate::plan;
use crate::study::Stand;
use proofload_store::schema::Ceiling;
use proofload_store::{BlockWriter, PHASE_PERTURBATION, Run, StoreError, answer_bytes, answer_class};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// The pair of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub variant: usize,
    pub point: usize,
    /// Whether the slice with twice the threads comes first.
    pub twice_first: bool,
}

/// Whose turn it is in a block: load points and variants in turn, from block to block; every second time round the
/// other way about, so that a drift within pairs falls out.
pub(super) fn pair_of(block: u32, variants: usize, points: &[usize]) -> Option<Pair> {
    let all = variants * points.len();
    let turn = block.max(1) as usize - 1;
    let (round, turn) = (turn.checked_div(all)?, turn % all);
    Some(Pair { variant: turn % variants, point: points[turn / variants], twice_first: round % 2 == 1 })
}

impl<B: Bench> Runner<'_, B> {
    /// The pair of this block, where there is one.
    pub(super) fn pair(&self, number: u32) -> Option<Pair> {
        let points = self.plan.points.iter().enumerate();
        let points: Vec<usize> = points
            .filter(|(point, load)| !load.whole && self.bench.can_double(*point))
            .map(|(point, _)| point)
            .collect();
        pair_of(number, self.plan.variants.len(), &points).filter(|_| self.plan.timing.perturbation_ns > 0)
    }

    /// Carries a pair out and keeps it. A server that fails in it fails after all its figures are on disk: that is
    /// noticed, and costs the pair.
    pub(super) fn perturb(
        &mut self,
        number: u32,
        pair: Pair,
        roll: &Roll,
        writer: &mut BlockWriter,
    ) -> Result<(), Lost> {
        if !roll.takes_part(pair.variant) {
            return Ok(());
        }
        let name = &self.plan.variants[pair.variant].name;
        let label = &self.plan.points[pair.point].label;
        (self.progress)(Progress::Perturbing { variant: name, point: label });
        let timing = &self.plan.timing;
        let cycle = timing.cycles + 1;
        let mut lines = Vec::new();
        for (position, doubled) in [(1, pair.twice_first), (2, !pair.twice_first)] {
            self.check_stop()?;
            let at = Place { block: number, cycle, position, variant: pair.variant, point: pair.point };
            let stretch = Stretch {
                stand: Stand::Itself,
                discard_ns: plan::perturbation_discard_ns(timing),
                measure_ns: timing.perturbation_ns,
                drain_ns: timing.drain_ns,
                doubled,
            };
            let marks = self.bench.wait_quiet(pair.variant);
            let loaded =
                match self.bench.load(pair.variant, pair.point, stretch, slice_seed(self.plan.seed, &at)) {
                    Ok(loaded) => loaded,
                    Err(BenchError::Interrupted) => return Err(Lost::Interrupted),
                    Err(BenchError::Failed(why)) => {
                        let what = format!("{name} @ {label}, with other threads: {why}");
                        (self.progress)(Progress::Noticed { block: number, what: &what });
                        return Ok(());
                    }
                };
            if self.stop.load(Ordering::Relaxed) {
                return Err(Lost::Interrupted);
            }
            for mut slice in record::slices(self.plan, &at, &loaded, &marks) {
                slice.phase = PHASE_PERTURBATION.to_string();
                slice.perturbed = doubled;
                lines.push(slice);
            }
        }
        for line in lines {
            writer.append(&line)?;
        }
        Ok(())
    }

    /// Measures the ceilings that are not on record: now it is known how long the answers are, and nothing of ours
    /// runs.
    pub(super) fn find_ceilings(&mut self) -> Result<(), StoreError> {
        if self.plan.no_ceiling {
            return Ok(());
        }
        let run = Run::open(self.record.path())?;
        let mut ceilings = run.ceilings().to_vec();
        let before = ceilings.len();
        let points = run.points()?;
        for (at, load) in self.plan.points.iter().enumerate() {
            let here = points.iter().filter(|point| point.point == load.label && point.stream.is_empty());
            let classes: BTreeSet<u64> =
                here.filter_map(|point| answer_class(answer_bytes(point)?)).collect();
            for class in classes {
                let is_it = |known: &Ceiling| known.point == load.label && known.answer_bytes == class;
                if ceilings.iter().any(is_it) || self.stop.load(Ordering::Relaxed) {
                    continue;
                }
                (self.progress)(Progress::Ceiling { point: &load.label, found: None });
                let found = self.bench.ceiling(at, class);
                let found = Ceiling { point: load.label.clone(), ..found };
                (self.progress)(Progress::Ceiling { point: &load.label, found: Some(&found) });
                ceilings.push(found);
            }
        }
        if ceilings.len() > before {
            self.record.write_ceilings(&ceilings)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_take_turns_over_points_and_variants_and_turn_round() {
        let pairs: Vec<Pair> = (1..=8).filter_map(|block| pair_of(block, 2, &[0, 2])).collect();
        let places: Vec<_> = pairs.iter().map(|pair| (pair.variant, pair.point, pair.twice_first)).collect();
        let (first, second) = places.split_at(4);
        assert_eq!(first, [(0, 0, false), (1, 0, false), (0, 2, false), (1, 2, false)]);
        assert_eq!(second, [(0, 0, true), (1, 0, true), (0, 2, true), (1, 2, true)]);
        assert_eq!(pair_of(3, 2, &[]), None);
    }
}
