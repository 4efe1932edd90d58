//! Checks of a block beside its figures: a pair of slices with once and with twice the generator's threads, a cycle of
//! long slices, and, when everything is stopped, the ceilings that are not on record yet.

use super::bench::{Bench, BenchError, CeilingOf, LoadWindow};
use super::participants::Participants;
use super::slice_key::{SliceKey, slice_seed};
use super::slicing::SliceTerms;
use super::{Lost, Progress, Runner, record};
use crate::generator_settings::GeneratorSettings;
use crate::plan;
use proofload_analysis::{answer_bytes, answer_class, conditions_vary, levels_of, points};
use proofload_facts::Finding;
use proofload_store::schema::{Ceiling, Phase, Plan, Point};
use proofload_store::{BlockWriter, Run, StoreError};
use proofload_study::LoadRole;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Attempts to measure a ceiling in one sitting.
const TRIES_MAX: u32 = 3;

/// Attempts to measure each ceiling in this sitting: by load point, class of answers and setting.
pub(super) type Tries = BTreeMap<(String, u64, Vec<String>), u32>;

/// The pair of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub variant: usize,
    pub point: usize,
    /// True if the slice with twice the threads comes first.
    pub twice_first: bool,
}

/// A slice that is in no figure.
struct Beside {
    at: SliceKey,
    phase: Phase,
    discard_ns: u64,
    measure_ns: u64,
    doubled: bool,
}

/// Pair of slices after that many complete blocks: load points in turn, and at each the variants. The pairs of a load
/// point count together: the slice that comes first changes from one to the next, of all and of each variant, so that a
/// drift within pairs cancels out.
pub(super) fn pair_of(turn: u32, variants: usize, points: &[usize]) -> Option<Pair> {
    let visit = (turn as usize).checked_div(points.len())?;
    let round = visit.checked_div(variants)?;
    let flips = if variants.is_multiple_of(2) { visit + round } else { visit };
    Some(Pair {
        variant: visit % variants,
        point: points[turn as usize % points.len()],
        twice_first: flips % 2 == 1,
    })
}

impl<B: Bench + ?Sized> Runner<'_, B> {
    /// The pair of this block, where there is one.
    pub(super) fn pair(&self) -> Option<Pair> {
        let points = self.plan.points.iter().enumerate();
        let points: Vec<usize> = points
            .filter(|(point, load)| !load.whole && self.bench.can_double(*point))
            .map(|(point, _)| point)
            .collect();
        let turn = self.plan.timing.checks_after(self.behind.complete)?;
        pair_of(turn, self.plan.variants.len(), &points).filter(|_| self.plan.timing.perturbation_ns > 0)
    }

    /// Carries a pair out and keeps it. A server that fails in it fails after all its figures are on disk: that is
    /// noticed, and costs the pair.
    pub(super) fn perturb(
        &mut self,
        number: u32,
        pair: Pair,
        cycles: usize,
        participants: &Participants,
        writer: &mut BlockWriter,
    ) -> Result<(), Lost> {
        if !participants.takes_part_at(pair.variant, pair.point) {
            return Ok(());
        }
        let name = &self.plan.variants[pair.variant].name;
        let label = &self.plan.points[pair.point].label;
        (self.progress)(Progress::Perturbing { variant: name, point: label });
        let timing = &self.plan.timing;
        let cycle = cycles as u32 + 1;
        let slices = [(1, pair.twice_first), (2, !pair.twice_first)].map(|(position, doubled)| Beside {
            at: SliceKey { block: number, cycle, position, variant: pair.variant, point: pair.point },
            phase: Phase::Perturbation,
            discard_ns: plan::perturbation_discard_ns(timing),
            measure_ns: timing.perturbation_ns,
            doubled,
        });
        self.beside(&slices, writer)
    }

    /// Cycles of slices as long as the plan has them, where the block's own are shorter: at one load point, which takes
    /// turns over the blocks. Where the ratio is another one in them, it is felt in the short ones that the load went from
    /// one server to the other.
    pub(super) fn long_cycles(
        &mut self,
        number: u32,
        cycles: usize,
        terms: SliceTerms,
        participants: &Participants,
        writer: &mut BlockWriter,
    ) -> Result<(), Lost> {
        let timing = &self.plan.timing;
        let points: Vec<usize> =
            (0..self.plan.points.len()).filter(|at| !self.plan.points[*at].whole).collect();
        if terms.slice_ns >= timing.slice_ns || points.is_empty() {
            return Ok(());
        }
        let Some(turn) = timing.checks_after(self.behind.complete).map(|turn| turn as usize) else {
            return Ok(());
        };
        let point = points[turn % points.len()];
        let variants = 0..self.plan.variants.len();
        let mut turns: Vec<usize> = variants.filter(|at| participants.takes_part_at(*at, point)).collect();
        if turns.len() < 2 {
            return Ok(());
        }
        // The first variant in one visit of a point is the last in the next, so that a drift within a cycle cancels
        // out.
        if (turn / points.len()) % 2 == 1 {
            turns.reverse();
        }
        (self.progress)(Progress::LongSlices { point: &self.plan.points[point].label });
        let mut slices = Vec::new();
        for round in 0..timing.long_cycles {
            slices.extend(turns.iter().enumerate().map(|(position, &variant)| Beside {
                at: SliceKey {
                    block: number,
                    cycle: cycles as u32 + 2 + round,
                    position: position as u32 + 1,
                    variant,
                    point,
                },
                phase: Phase::Long,
                discard_ns: timing.discard_ns,
                measure_ns: timing.slice_ns,
                doubled: false,
            }));
            turns.reverse();
        }
        self.beside(&slices, writer)
    }

    /// Slices beside the figures of a block: all of them are kept, or none.
    fn beside(&mut self, slices: &[Beside], writer: &mut BlockWriter) -> Result<(), Lost> {
        let mut lines = Vec::new();
        for slice in slices {
            self.check_stop()?;
            let at = &slice.at;
            let load_window = LoadWindow {
                role: LoadRole::Real,
                discard_ns: slice.discard_ns,
                measure_ns: slice.measure_ns,
                drain_ns: self.plan.timing.drain_ns,
                doubled: slice.doubled,
                thorough: false,
            };
            let marks = self.bench.wait_quiet(at.variant);
            let loaded = self.bench.load(at.variant, at.point, load_window, slice_seed(self.plan.seed, at));
            let loaded = match loaded {
                Ok(loaded) => loaded,
                Err(BenchError::Interrupted) => return Err(Lost::Interrupted),
                Err(BenchError::Failed(why)) => {
                    let name = &self.plan.variants[at.variant].name;
                    let what = Finding::InOtherSlice {
                        variant: name.clone(),
                        point: self.plan.points[at.point].label.clone(),
                        long: slice.phase == Phase::Long,
                        what: Box::new(why),
                    };
                    (self.progress)(Progress::Noticed { block: at.block, what: &what });
                    return Ok(());
                }
            };
            if self.stop.load(Ordering::Relaxed) {
                return Err(Lost::Interrupted);
            }
            for mut line in record::slices(self.plan, at, &loaded, &marks) {
                line.phase = slice.phase.clone();
                line.perturbed = slice.doubled;
                lines.push(line);
            }
        }
        for line in lines {
            writer.append(&line)?;
            (self.progress)(Progress::Measured { slice: &line });
        }
        Ok(())
    }

    /// Measures the ceilings that are not on record: now the size of answers is known, and nothing of ours runs. A
    /// ceiling that could not be measured is tried again, in this sitting at most [`TRIES_MAX`] times. A ceiling is
    /// that of the conditions of the block behind.
    pub(super) fn find_ceilings(&mut self, tries: &mut Tries) -> Result<(), StoreError> {
        if self.plan.no_ceiling {
            return Ok(());
        }
        self.bench.adopt(&GeneratorSettings::of(self.plan, self.place));
        let levels = match conditions_vary(self.plan) {
            true => levels_of(self.plan, self.place).to_vec(),
            false => Vec::new(),
        };
        let run = Run::open(self.record.path())?;
        let (mut ceilings, points) = (run.ceilings().to_vec(), points(&run)?);
        for (of, variant, label) in wanted(self.plan, &points) {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let setting = self.bench.ceiling_setting(&of);
            let known = ceilings.iter().position(|known| {
                (&known.point, known.answer_bytes, &known.levels) == (label, of.answer_bytes, &levels)
                    && known.setting == setting
            });
            let tried = tries.entry((label.clone(), of.answer_bytes, setting)).or_default();
            let again = known.is_none_or(|at| ceilings[at].exchanges_per_s.is_none()) && *tried < TRIES_MAX;
            let variants = known.map(|at| ceilings[at].variants.clone());
            let mut at = known;
            if again {
                if *tried == 0 {
                    (self.progress)(Progress::Ceiling { point: label, found: None });
                }
                let found = self.bench.ceiling(&of);
                // A ceiling that a stop cut short is not a fact about the machine.
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
                let (point, variants) = (label.clone(), variants.unwrap_or_default());
                let found = Ceiling { point, variants, levels: levels.clone(), ..found };
                // The reason is reported once, not for every load and server that it holds for.
                let told = ceilings.iter().any(|known| known.why == found.why);
                if found.exchanges_per_s.is_some() || (*tried == 0 && !told) {
                    (self.progress)(Progress::Ceiling { point: label, found: Some(&found) });
                }
                *tried += 1;
                match at {
                    Some(at) => ceilings[at] = found,
                    None => {
                        at = Some(ceilings.len());
                        ceilings.push(found);
                    }
                }
            }
            if let Some(ceiling) = at.map(|at| &mut ceilings[at])
                && !ceiling.variants.contains(variant)
                // One that was written without names is of all variants.
                && (known.is_none() || !ceiling.variants.is_empty())
            {
                ceiling.variants.push(variant.clone());
            }
        }
        if ceilings != run.ceilings() {
            self.record.write_ceilings(&ceilings)?;
        }
        Ok(())
    }
}

/// The ceilings with which these points, the measured ones so far, are to be compared.
fn wanted<'a>(plan: &'a Plan, points: &[Point]) -> Vec<(CeilingOf, &'a String, &'a String)> {
    let mut wanted = Vec::new();
    for (point, load) in plan.points.iter().enumerate() {
        for (variant, planned) in plan.variants.iter().enumerate() {
            let is_it = |found: &&Point| found.point == load.label && found.variant == planned.name;
            let here: Vec<&Point> = points.iter().filter(is_it).collect();
            let whole = here.iter().find(|found| found.stream.is_empty());
            let class = whole.and_then(|found| answer_class(answer_bytes(found)?));
            let peak = |stream: &str| {
                here.iter().find(|found| found.stream == stream).map_or(0, |found| found.connections_peak)
            };
            let peaks = match plan.streams.is_empty() {
                true => vec![peak("")],
                false => plan.streams.iter().map(|stream| peak(stream)).collect(),
            };
            let of = |answer_bytes| CeilingOf { variant, point, answer_bytes, peaks };
            wanted.extend(class.map(|class| (of(class), &planned.name, &load.label)));
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variant, load point and true if twice the threads come first, for that many turns.
    fn places(turns: u32, variants: usize, points: &[usize]) -> Vec<(usize, usize, bool)> {
        let pairs = (0..turns).filter_map(|turn| pair_of(turn, variants, points));
        pairs.map(|pair| (pair.variant, pair.point, pair.twice_first)).collect()
    }

    #[test]
    fn pairs_take_turns_over_points_and_variants_and_turn_round() {
        let places_of_two = places(8, 2, &[0, 2]);
        let (first, second) = places_of_two.split_at(4);
        assert_eq!(first, [(0, 0, false), (0, 2, false), (1, 0, true), (1, 2, true)]);
        assert_eq!(second, [(0, 0, true), (0, 2, true), (1, 0, false), (1, 2, false)]);
        let of_three =
            [(0, 0, false), (1, 0, true), (2, 0, false), (0, 0, true), (1, 0, false), (2, 0, true)];
        assert_eq!(places(6, 3, &[0]), of_three);
        assert_eq!((pair_of(3, 2, &[]), pair_of(3, 0, &[1])), (None, None));
    }
}
