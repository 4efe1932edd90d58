//! The observations that the judge reads: one cell for each block, variant, load point and measure.

use crate::checks::{concerns, concerns_tails_only};
use crate::conditions::{level_of, levels_of};
use crate::fitness::{checks, counting_blocks, left_out};
use crate::merge::{add_unended, is_most};
use crate::requests::part_of;
use crate::steady::unsteady;
use crate::streams::fused;
use fitness::{
    fails_at_most, is_of_lost_cpu, is_of_work, lengthened, lengthens, only_late, only_slowed, unfit,
};
use lost::lost_starts;
use proofload_facts::Finding;
use proofload_measure::{Censored, LatencyHistogram, Outcome, OutcomeCounts};
use proofload_stats::{Cell, Measure, Observations, Reach, Replication};
use proofload_store::schema::{self, CheckName, FitnessCheck, METHOD, Phase, Plan, Slice};
use proofload_store::{Block, Run, StoreError, counts_of, decode};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

mod fitness;
mod lost;
mod reach;
mod subject;

/// The method that bounds what lost CPU time of the generator moved, where earlier ones left the claim undecided.
const BOUNDS_SINCE: u32 = 1;

/// Cycles of a block that are told apart.
const CYCLES_MAX: u32 = 10_000;

/// The slices of one variant at one load point in one block, of one stream or of all.
struct Trial<'a> {
    block: u32,
    variant: usize,
    point: usize,
    stream: Option<usize>,
    slices: Vec<Cow<'a, Slice>>,
    long: Vec<Cow<'a, Slice>>,
    /// Without other streams beside it or in it.
    alone: bool,
    /// Findings of the generator about itself in any stream: the streams share its threads' CPUs.
    unfit: Vec<Finding>,
    /// Failed checks that forbid claims about p99 and beyond alone.
    unfit_for_tails: Vec<(CheckName, Finding)>,
    /// Checks of the whole record that failed.
    failed: Vec<CheckName>,
    /// The method by which its plan is judged.
    method: u32,
}

/// Observations of these measures in the complete blocks. Variants and points have the plan's indexes.
///
/// Values per cycle come from the measured slices, merged ones from their sums and merged histograms.
/// Nothing of a warm-up is in either.
///
/// # Errors
/// Fails if a stored histogram cannot be read.
pub fn observations(run: &Run, measures: &[Measure]) -> Result<Observations, StoreError> {
    // A block that was cut off from outside tells nothing about the servers: to the judge it is as if it had
    // never begun, so that a run that was resumed is judged like one that was not.
    let cut: Vec<u32> = run.cut_blocks().collect();
    // A block that the machine disturbed is not a loss of a variant either; their number is reported separately.
    let out = left_out(run);
    let skipped = |number: u32| cut.iter().chain(&out).filter(|&&other| other < number).count() as u32;
    let number_of = |number: u32| number - skipped(number);
    let blocks = counting_blocks(run);
    let mut cells = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        for mut trial in checked_trials(run, block, &blocks[..=at])? {
            trial.block = number_of(block.number);
            trial.cells(measures, run.path(), &mut cells)?;
        }
        spared_cells(run, block, number_of(block.number), measures, &mut cells);
    }
    let before = |number: &u32| blocks.iter().filter(|block| block.number < *number).count() as u32;
    Ok(Observations {
        cells,
        blocks: blocks.iter().map(|block| number_of(block.number)).collect(),
        sittings: blocks.iter().map(|block| run.sitting_of(block)).collect(),
        excluded_blocks: (run.excluded().len() - cut.len()) as u32,
        disturbed: out.iter().map(before).collect(),
        replication: match run.plan().replication {
            schema::Replication::Process => Replication::Process,
            _ => Replication::Start,
        },
        unsteady: unsteady(run, number_of)?,
        lost: lost_starts(run, number_of),
        conditions: conditions(run.plan(), &blocks),
        out_of_budget: run.status().why == Some(Finding::OutOfBudget),
    })
}

/// Cells without anything for the trials that a block left out on purpose.
fn spared_cells(run: &Run, block: &Block, number: u32, measures: &[Measure], cells: &mut Vec<Cell>) {
    let plan = run.plan();
    for spared in &block.spared {
        let variant = plan.variants.iter().position(|planned| planned.name == spared.variant);
        let point = plan.points.iter().position(|planned| planned.label == spared.point);
        let Some((variant, point)) = variant.zip(point) else { continue };
        let parts = plan.streams.len() + plan.requests.len();
        for stream in std::iter::once(None).chain((0..parts).map(Some)) {
            cells.extend(measures.iter().map(|&measure| Cell {
                block: number,
                variant,
                point,
                stream,
                measure,
                ..Cell::default()
            }));
        }
    }
}

/// The trials of a block; `blocks` are those up to it, which tell with it whether the generator was fit.
fn checked_trials<'a>(
    run: &'a Run,
    block: &'a Block,
    blocks: &[&Block],
) -> Result<Vec<Trial<'a>>, StoreError> {
    let mut trials = trials(block, run)?;
    for (point, load) in run.plan().points.iter().enumerate() {
        for (variant, planned) in run.plan().variants.iter().enumerate() {
            let is_it = |trial: &Trial<'_>| (trial.variant, trial.point) == (variant, point);
            let Some(all) = trials.iter().find(|trial| is_it(trial) && trial.stream.is_none()) else {
                continue;
            };
            let slices: Vec<Slice> = all.slices.iter().map(|slice| (**slice).clone()).collect();
            let checks = checks(run, blocks, (&planned.name, &load.label), &[&slices])?;
            for trial in trials.iter_mut().filter(|trial| is_it(trial)) {
                trial.enter(&checks, &planned.name, &load.label, block.number);
            }
        }
    }
    Ok(trials)
}

/// For each condition of the plan its level in each of these blocks.
fn conditions(plan: &Plan, blocks: &[&Block]) -> Vec<Vec<usize>> {
    let level = |condition: usize, block: &&Block| {
        levels_of(plan, block.place).get(condition).copied().unwrap_or_default()
    };
    let of_blocks = |condition: usize| blocks.iter().map(|block| level(condition, block)).collect();
    (0..plan.conditions.len()).map(of_blocks).collect()
}

fn trials<'a>(block: &'a Block, run: &Run) -> Result<Vec<Trial<'a>>, StoreError> {
    let (plan, path) = (run.plan(), run.path());
    let mut trials = Vec::new();
    let disturbed = disturbed_cycles(block);
    for (point, load) in plan.points.iter().enumerate() {
        for (variant, planned) in plan.variants.iter().enumerate() {
            let lines: Vec<&Slice> = block
                .slices
                .iter()
                .filter(|slice| slice.is_measured() && slice.is_of(&planned.name, &load.label))
                .filter(|slice| (1..=CYCLES_MAX).contains(&slice.cycle))
                .filter(|slice| !disturbed.contains(&(load.label.as_str(), slice.cycle)))
                .collect();
            if lines.is_empty() {
                continue;
            }
            let asleep = level_of(plan, block.place, "cpus_awake") == Some("false");
            let unfit = unfit(&lines, asleep);
            let is_long =
                |slice: &&Slice| slice.phase == Phase::Long && slice.is_of(&planned.name, &load.label);
            let long: Vec<&Slice> = block.slices.iter().filter(is_long).collect();
            let alone = plan.streams.is_empty();
            let mut trial = |stream: Option<usize>, slices, long| {
                trials.push(Trial {
                    block: block.number,
                    variant,
                    point,
                    stream,
                    slices,
                    long,
                    alone: alone && stream.is_none(),
                    unfit: unfit.clone(),
                    unfit_for_tails: Vec::new(),
                    failed: Vec::new(),
                    method: plan.method,
                });
            };
            for (stream, name) in plan.streams.iter().enumerate() {
                let own = lines.iter().filter(|line| line.measured.stream == *name);
                let long = long.iter().filter(|line| line.measured.stream == *name);
                let borrowed = |line: &&'a Slice| Cow::Borrowed(*line);
                trial(Some(stream), own.map(borrowed).collect(), long.map(borrowed).collect());
            }
            for (request, name) in plan.requests.iter().enumerate() {
                let parts = |lines: &[&Slice]| -> Vec<Cow<'a, Slice>> {
                    lines.iter().filter_map(|line| part_of(line, name)).map(Cow::Owned).collect()
                };
                let (own, long) = (parts(&lines), parts(&long));
                if !own.is_empty() {
                    trial(Some(plan.streams.len() + request), own, long);
                }
            }
            let whole = |lines: Vec<&'a Slice>| -> Result<Vec<Cow<'a, Slice>>, StoreError> {
                Ok(match alone {
                    true => lines.into_iter().map(Cow::Borrowed).collect(),
                    false => fused(&lines, path, run.fused())?.into_iter().map(Cow::Owned).collect(),
                })
            };
            trial(None, whole(lines)?, whole(long)?);
        }
    }
    Ok(trials)
}

/// Load points with the cycles in which an idle variant was not quiet while another was measured. They are left out
/// for all variants alike: whichever was measured had less of the machine.
fn disturbed_cycles(block: &Block) -> BTreeSet<(&str, u32)> {
    let marked = block.slices.iter().filter(|slice| slice.is_measured() && !slice.marks.is_empty());
    marked.map(|slice| (slice.measured.point.as_str(), slice.cycle)).collect()
}

/// Observations of one measurement, as if it were the only block of a study with one variant and one load point; of its
/// entries, too, where it is of a mix.
///
/// # Errors
/// Fails if its histogram cannot be read.
pub fn observations_of(slice: &Slice, measures: &[Measure]) -> Result<Observations, StoreError> {
    let mut cells = Vec::new();
    let mut enter = |stream: Option<usize>, of: &Slice| {
        let mut trial = Trial {
            block: 1,
            variant: 0,
            point: 0,
            stream,
            slices: vec![Cow::Borrowed(of)],
            long: Vec::new(),
            alone: of.measured.stream.is_empty(),
            unfit: unfit(&[of], false),
            unfit_for_tails: Vec::new(),
            failed: Vec::new(),
            method: METHOD,
        };
        let tails = of.measured.generator.checks.iter().filter(|check| concerns_tails_only(&check.check));
        trial.enter(&tails.cloned().collect::<Vec<_>>(), &of.measured.variant, &of.measured.point, 1);
        trial.cells(measures, Path::new(""), &mut cells)
    };
    enter(None, slice)?;
    for (at, request) in slice.measured.requests.iter().enumerate() {
        part_of(slice, &request.name).map_or(Ok(()), |part| enter(Some(at), &part))?;
    }
    Ok(Observations {
        cells,
        blocks: vec![1],
        excluded_blocks: 0,
        disturbed: Vec::new(),
        replication: Replication::Process,
        ..Observations::default()
    })
}

impl Trial<'_> {
    /// Notes the checks that failed. One that forbids everything covers the tail, too.
    fn enter(&mut self, checks: &[FitnessCheck], variant: &str, point: &str, block: u32) {
        for check in checks {
            let Some(finding) = crate::finding(check) else { continue };
            let (variant, point) = (variant.to_string(), point.to_string());
            let finding = Finding::InBlock { variant, point, block, what: Box::new(finding) };
            self.failed.push(check.check.clone());
            match concerns_tails_only(&check.check) {
                true => self.unfit_for_tails.push((check.check.clone(), finding)),
                false => self.unfit.push(finding),
            }
        }
    }

    fn unfit_for(&self, measure: Measure) -> Vec<Finding> {
        if !self.unfit.is_empty() && !self.bears(measure) {
            return self.unfit.clone();
        }
        let concerned = self.unfit_for_tails.iter().filter(|(check, _)| concerns(check, measure));
        concerned.map(|(_, finding)| finding.clone()).collect()
    }

    /// Findings of a busy generator, for a value that holds at the rate at which it asked.
    fn busy_for(&self, measure: Measure) -> Vec<Finding> {
        let is_it = self.method >= BOUNDS_SINCE && measure.is_of_cpu_cost() && self.is_busy();
        if is_it { self.unfit.clone() } else { Vec::new() }
    }

    /// Nothing but what is excused is wrong with the generator, in most slices and in the record as a whole.
    fn fails_at_most(&self, excused: fn(&CheckName) -> bool) -> bool {
        let lines: Vec<&Slice> = self.slices.iter().map(Cow::as_ref).collect();
        self.failed.iter().all(excused) && !is_most(&lines, |slice| !fails_at_most(&slice.measured, excused))
    }

    /// True if the only fault of the generator is that it always had something to do, and perhaps too little of its
    /// CPU.
    fn is_busy(&self) -> bool {
        self.fails_at_most(lengthens) && !self.fails_at_most(is_of_lost_cpu)
    }

    /// True if the generator was at its limit, and the measure is valid all the same: an error is an error even if
    /// the generator was late, and the cost of a request is that at the rate of a busy generator.
    fn bears(&self, measure: Measure) -> bool {
        let excused: fn(&CheckName) -> bool = match measure {
            Measure::Errors | Measure::ErrorShare => lengthens,
            _ if measure.is_of_cpu_cost() && self.method < BOUNDS_SINCE => is_of_work,
            _ if measure.is_of_cpu_cost() => return self.is_busy(),
            _ => return false,
        };
        self.fails_at_most(excused)
    }

    /// Reach of a generator that was fit: its own delays lengthen times by twice what they are estimated to have
    /// added, at most, and a busy one moves the CPU time of a request either way.
    fn moved(&self, measure: Measure, slices: &[&Slice], times: Option<&Responses>) -> Reach {
        let by_busy = measure.is_of_cpu_cost() && !self.unfit.is_empty() && self.bears(measure);
        let either = match by_busy {
            true if self.method >= BOUNDS_SINCE => reach::of_cost(slices),
            true => reach::BUSY_MOVES.ln_1p(),
            false => 0.0,
        };
        // Delays are shares of the whole response time: of the first byte they are more.
        let larger = times.map_or(1.0, |times| times.over_first_byte(measure));
        Reach { below: (2.0 * larger * lengthened(measure, slices)).ln_1p() + either, above: either }
    }

    /// Reach of a generator that was fit, and of one that was not. The bound of lost CPU time holds its delays, too.
    fn reaches(&self, measure: Measure, slices: &[&Slice], times: Option<&Responses>) -> (Reach, Reach) {
        let is_unfit = !self.unfit_for(measure).is_empty();
        let may_be_bounded =
            is_unfit && self.alone && self.method >= BOUNDS_SINCE && !measure.is_of_first_byte();
        let of_work = times.filter(|_| may_be_bounded && self.fails_at_most(lengthens));
        let reach = of_work.map(|times| match self.fails_at_most(is_of_lost_cpu) {
            true => reach::of_lost_cpu(measure, slices, times),
            false => reach::of_busy(measure, slices, times),
        });
        match reach {
            Some(reach) if !reach.is_any() => (Reach::NONE, reach),
            _ => (self.moved(measure, slices, times), self.unfit_reach(measure, slices)),
        }
    }

    /// Reach of a generator that was unfit, where one end at most is known.
    fn unfit_reach(&self, measure: Measure, slices: &[&Slice]) -> Reach {
        let slowed = || self.alone && slices.iter().all(|slice| only_slowed(&slice.measured));
        let is_lower_end = match measure {
            Measure::Throughput => slowed(),
            // Observed failures are real, unless they are the generator's own.
            Measure::Errors | Measure::ErrorShare => {
                slices.iter().all(|slice| counts_of(&slice.measured.outcomes).own_errors() == 0)
            }
            // What is sent late is timed from then, and may have missed what was slow before.
            _ if measure.is_of_first_byte() => false,
            _ if measure.ranks_unended() => {
                let late = self.failed.iter().all(lengthens) && slices.iter().all(|slice| only_late(slice));
                return if late { Reach::AT_MOST } else { Reach::ANY };
            }
            _ => false,
        };
        if is_lower_end { Reach::AT_LEAST } else { Reach::ANY }
    }

    fn cells(&self, measures: &[Measure], path: &Path, cells: &mut Vec<Cell>) -> Result<(), StoreError> {
        let slices: Vec<&Slice> = self.slices.iter().map(Cow::as_ref).collect();
        let wants_latency = measures.iter().any(|measure| needs_histogram(*measure));
        let wants_first = measures.iter().any(|measure| measure.is_of_first_byte());
        let read =
            slices.iter().filter(|_| wants_latency).map(|slice| Responses::of(slice, wants_first, path));
        let each: Vec<Responses> = read.collect::<Result<_, _>>()?;
        let mut merged = Responses::default();
        each.iter().for_each(|responses| merged.merge(responses));
        let cycles = slices.iter().map(|slice| slice.cycle).max().unwrap_or(0).max(1) as usize;
        let mut counts = OutcomeCounts::default();
        slices.iter().for_each(|slice| counts.merge(&counts_of(&slice.measured.outcomes)));
        for &measure in measures {
            // Resources of a process are used for all streams.
            let known = self.stream.is_none() || measure.is_of_exchanges();
            let mut by_cycle = vec![None; cycles];
            for (i, slice) in slices.iter().enumerate().filter(|_| known) {
                by_cycle[(slice.cycle as usize).max(1) - 1] = match &slice.condensed {
                    Some(own) if needs_histogram(measure) => own.get(&measure.name()).copied(),
                    _ => value(measure, &[slice], each.get(i)),
                };
            }
            let merged = known.then_some(&merged);
            // Quantiles are not compared slice by slice.
            let long = self.long.iter().filter(|_| known && measure.pairs_by_cycle());
            let (moved, unfit_reach) = self.reaches(measure, &slices, merged);
            cells.push(Cell {
                block: self.block,
                variant: self.variant,
                point: self.point,
                stream: self.stream,
                measure,
                cycles: by_cycle,
                merged: value(measure, &slices, merged).filter(|_| known),
                long: long.map(|slice| value(measure, &[slice], None)).collect(),
                finished: counts.finished(),
                errors: counts.errors(),
                own_errors: counts.own_errors(),
                unanswered: counts.unended().saturating_sub(counts.get(Outcome::Unsent)),
                unsent: counts.get(Outcome::Unsent),
                at_least: merged.and_then(|all| all.value(measure)).is_some_and(|value| value.at_least),
                moved,
                unfit: self.unfit_for(measure),
                unfit_reach,
                busy: self.busy_for(measure),
            });
        }
        Ok(())
    }
}

/// Writes a small copy of a run into a new directory. `measures` are those of which figures are wanted cycle by cycle.
///
/// # Errors
/// Fails if something has that name already, the copy cannot be written, or a histogram of the run cannot be read.
pub fn condense(run: &Run, measures: &[Measure], to: &Path) -> Result<(), StoreError> {
    proofload_store::condense(run, &|slice| of_response_time(slice, measures, run.path()), to)
}

/// Values of one slice in those of the measures that are taken from its histogram, by their names.
fn of_response_time(
    slice: &Slice,
    measures: &[Measure],
    path: &Path,
) -> Result<BTreeMap<String, f64>, StoreError> {
    let wants_first = measures.iter().any(|measure| measure.is_of_first_byte());
    let own = Responses::of(slice, wants_first, path)?;
    let known = measures.iter().filter(|measure| needs_histogram(**measure));
    Ok(known.filter_map(|measure| Some((measure.name(), value(*measure, &[slice], Some(&own))?))).collect())
}

fn needs_histogram(measure: Measure) -> bool {
    measure.ranks_unended()
}

/// Response times, and how long was waited for what had no end.
#[derive(Default)]
struct Responses {
    ended: LatencyHistogram,
    unended: LatencyHistogram,
    /// Times to the first byte of those that ended, where a measure asks for them.
    first_byte: Option<LatencyHistogram>,
}

impl Responses {
    fn of(slice: &Slice, wants_first: bool, path: &Path) -> Result<Responses, StoreError> {
        let mut unended = LatencyHistogram::new();
        add_unended(&mut unended, slice, path)?;
        let ended = decode(&slice.histograms.response_time, path)?;
        let first_byte = wants_first.then(|| decode(&slice.histograms.first_byte, path)).transpose()?;
        Ok(Responses { ended, unended, first_byte })
    }

    fn merge(&mut self, other: &Responses) {
        self.ended.merge(&other.ended);
        self.unended.merge(&other.unended);
        if let Some(first_byte) = &other.first_byte {
            self.first_byte.get_or_insert_default().merge(first_byte);
        }
    }

    /// The whole response time over the time to the first byte, for a measure of the latter; 1 for any other.
    fn over_first_byte(&self, measure: Measure) -> f64 {
        let value = |measure| self.value(measure).map(|found| found.value).filter(|value| *value > 0.0);
        let both = value(measure.of_whole()).zip(value(measure)).filter(|_| measure.is_of_first_byte());
        both.map_or(1.0, |(whole, first)| (whole / first).max(1.0))
    }

    /// Decrease of a quantile, as a logarithm, if that share of the exchanges had not been made longer.
    fn shorter(&self, q: f64, share: f64) -> f64 {
        let at = |q: f64| self.ended.quantile_beside(&self.unended, q).map(|found| found.value as f64);
        match at(q).zip(at(q - share).filter(|_| q > share)) {
            Some((seen, least)) if least > 0.0 => (seen / least).ln(),
            _ => f64::INFINITY,
        }
    }

    /// Increase of a quantile, as a logarithm, when `times_as_many` as many are beyond it.
    fn longer(&self, q: f64, times_as_many: f64) -> f64 {
        let at = |q: f64| self.ended.quantile_beside(&self.unended, q).filter(|found| !found.at_least);
        match at(q).zip(at(1.0 - (1.0 - q) / times_as_many)) {
            Some((seen, most)) if seen.value > 0 => (most.value as f64 / seen.value as f64).ln(),
            _ => f64::INFINITY,
        }
    }

    /// A measure of response times; `None` for any other.
    fn value(&self, measure: Measure) -> Option<Censored<f64>> {
        let ended = match &self.first_byte {
            // It may not have been kept.
            Some(first_byte) if measure.is_of_first_byte() && first_byte.count() == self.ended.count() => {
                first_byte
            }
            _ if measure.is_of_first_byte() => return None,
            _ => &self.ended,
        };
        let at = |q| ended.quantile_beside(&self.unended, q);
        let found = match measure.of_whole() {
            Measure::ResponseQuantile(q) => at(f64::from(q) / 10_000.0)?,
            Measure::ResponseMax => at(1.0)?,
            Measure::ResponseMean => return ended.mean_beside(&self.unended),
            _ => return None,
        };
        Some(Censored { value: found.value as f64, at_least: found.at_least })
    }
}

/// A measure over slices; `response` are their response times together.
fn value(measure: Measure, slices: &[&Slice], response: Option<&Responses>) -> Option<f64> {
    let mut counts = OutcomeCounts::default();
    slices.iter().for_each(|slice| counts.merge(&counts_of(&slice.measured.outcomes)));
    let sum = |of: fn(&Slice) -> u64| slices.iter().map(|slice| of(slice)).fold(0, u64::saturating_add);
    match measure {
        Measure::Throughput => {
            let seconds: f64 = slices.iter().map(|slice| slice.measured.seconds).sum();
            let answered = sum(|slice| slice.answered_in_window);
            (seconds > 0.0).then(|| answered as f64 / seconds)
        }
        _ if measure.ranks_unended() => Some(response?.value(measure)?.value),
        Measure::ErrorShare => counts.error_share(),
        Measure::Errors => Some(counts.errors() as f64),
        Measure::ReceivedBytesPerExchange => {
            let bytes = sum(|slice| slice.measured.bytes_received);
            let answered = sum(|slice| slice.answered_in_window);
            (answered > 0).then(|| bytes as f64 / answered as f64)
        }
        other => subject::value(other, slices),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::Point;

    #[test]
    fn received_bytes_are_those_of_all_slices_over_what_was_answered_in_them() {
        let slice = |answered, bytes_received| Slice {
            answered_in_window: answered,
            measured: Point { bytes_received, ..Point::default() },
            ..Slice::default()
        };
        let (one, other, silent) = (slice(10, 4_870), slice(30, 14_622), slice(0, 12));
        let of = |slices: &[&Slice]| value(Measure::ReceivedBytesPerExchange, slices, None);
        assert_eq!(of(&[&one, &other]), Some(487.3));
        assert_eq!(of(&[&silent]), None);
    }
}
