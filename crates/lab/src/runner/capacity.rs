//! A search for a capacity: trials decided one after the other, on starts that are kept warm and given up in time.
//!
//! The next trial is decided from the record ([`proofload_analysis::searches`]), so the answer at the end is the one
//! that the record yields again, and a search that was cut off goes on. The variants take turns start by start.

use super::start::Unstarted;
use super::{Absent, Bench, BenchError, CeilingOf, Ending, LoadWindow, Loaded, Progress, record};
use proofload_analysis::{SeenTrial, answer_bytes, answer_class, searches, trial_slices};
use proofload_facts::Finding;
use proofload_stats::capacity::{NextTrial, Request, Search, parse_slo};
use proofload_store::schema::{Phase, Plan, PlannedCapacity, Slice, SubjectFacts, TrialOutcome, TrialTerms};
use proofload_store::{BlockWriter, Run, RunWriter, StoreError};
use proofload_study::LoadRole;
use proofload_study::quantity::rate_label;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exchanges beyond the quantile of an objective in a trial, where four times its length is enough for that.
const TAIL_MIN: f64 = 10.0;
/// Factor by which a trial may be longer for lack of exchanges.
const LONGER_MAX: u64 = 4;
/// Factor by which more is discarded where the trial before may have left a backlog.
const SETTLE: u64 = 3;
/// Longest part of the warm-up.
const WARM_UP_TURN_NS: u64 = 1_000_000_000;

/// A search on its way.
pub struct CapacityRunner<'a, B: Bench + ?Sized> {
    /// The plan that is carried out.
    pub plan: &'a Plan,
    pub capacity: &'a PlannedCapacity,
    pub bench: &'a mut B,
    pub record: &'a mut RunWriter,
    pub progress: &'a mut dyn FnMut(Progress<'_>),
    /// Set from outside to end early.
    pub stop: &'a AtomicBool,
    /// Highest number of a block that was begun, by earlier sittings too.
    pub last_block: u32,
    /// Time that earlier sittings took, of the budget.
    pub spent_ns: u64,
}

/// Reasons why a start of a variant is over.
enum Over {
    /// The search needs another, or has its answer.
    Next,
    Run(Ending),
}

struct Start {
    number: u32,
    variant: usize,
    trials: u32,
    /// True if the last trial did not pass: it may have left a backlog.
    loaded: bool,
}

impl<B: Bench + ?Sized> CapacityRunner<'_, B> {
    /// Makes trials until every variant has an answer, the budget is used up, or the stop flag is set. Every finished
    /// trial is on disk when this returns, with any result.
    ///
    /// # Errors
    /// Only when the record cannot be written or read; dead servers are an [`Ending`].
    pub fn run(&mut self) -> Result<Ending, StoreError> {
        let begun_ns = self.bench.now_ns();
        loop {
            let mut searches = self.searches()?;
            let open: Vec<usize> = (0..searches.len())
                .filter(|variant| matches!(searches[*variant].0.step(), NextTrial::Trial(_)))
                .collect();
            if open.is_empty() {
                return Ok(Ending::Finished);
            }
            for variant in open {
                self.last_block += 1;
                let (number, trials, loaded) = (self.last_block, 0, false);
                let over = self.start(&mut Start { number, variant, trials, loaded }, begun_ns);
                for what in self.bench.stop_all() {
                    (self.progress)(Progress::Noticed { block: number, what: &what });
                }
                if let (Ok(_), Some(why)) = (&over, self.bench.fault()) {
                    return Ok(Ending::Broken(why));
                }
                match over? {
                    Over::Run(ending) => return Ok(ending),
                    Over::Next => self.find_ceiling(variant)?,
                }
            }
        }
    }

    fn searches(&self) -> Result<Vec<(Search, Vec<SeenTrial>)>, StoreError> {
        searches(&Run::open(self.record.path())?)
    }

    fn next_of(&self, variant: usize) -> Result<Option<Request>, StoreError> {
        let mut searches = self.searches()?;
        Ok(searches.get_mut(variant).and_then(|(search, _)| match search.step() {
            NextTrial::Trial(request) => Some(request),
            NextTrial::Done(_) => None,
        }))
    }

    /// One start of a variant with its trials.
    fn start(&mut self, start: &mut Start, begun_ns: u64) -> Result<Over, StoreError> {
        let mut writer = self.record.begin_block(start.number)?;
        if let Some(ending) = self.bring_up(start) {
            return Ok(Over::Run(ending));
        }
        if let Some(ending) = self.warm_up(start, &mut writer)? {
            return Ok(Over::Run(ending));
        }
        // It was never loaded at the rate of a trial: none is to bear its death.
        if let Err(why) = self.bench.alive(start.variant) {
            let name = &self.plan.variants[start.variant].name;
            let what = Box::new(why.why().clone());
            let why = Finding::InWarmUp { block: start.number, variant: name.to_string(), what };
            return Ok(Over::Run(self.failed(why)));
        }
        while let Some(request) = self.next_of(start.variant)? {
            if request.fresh && start.trials > 0 {
                break;
            }
            let window_ns = self.window_ns(&request);
            let spent_ns = self.spent_ns + (self.bench.now_ns() - begun_ns);
            if spent_ns + window_ns + self.plan.timing.discard_ns > self.plan.timing.budget_ns {
                return self.ended(writer, Ending::OutOfBudget);
            }
            let lives = match self.trial(start, &request, window_ns, &mut writer)? {
                Ok(lives) => lives,
                Err(ending) => return self.ended(writer, ending),
            };
            if !lives || self.wants_ceiling(start.variant)? {
                break;
            }
        }
        writer.finish()?;
        Ok(Over::Next)
    }

    /// Trials are whole one by one: those that a block has stay.
    fn ended(&self, writer: BlockWriter, ending: Ending) -> Result<Over, StoreError> {
        writer.finish()?;
        Ok(Over::Run(ending))
    }

    fn bring_up(&mut self, start: &Start) -> Option<Ending> {
        let (block, variant) = (start.number, start.variant);
        let name = &self.plan.variants[variant].name;
        let wanted = super::start::Start { block, variant, name, record: self.record };
        match super::start::start(&wanted, self.bench, self.progress, self.stop) {
            Ok(()) => None,
            Err(Unstarted::Interrupted) => Some(Ending::Interrupted),
            Err(Unstarted::Failed(why)) => Some(self.failed(why)),
        }
    }

    /// Loads a fresh server at a rate that it is known to carry, or the lowest.
    fn warm_up(&mut self, start: &Start, writer: &mut BlockWriter) -> Result<Option<Ending>, StoreError> {
        let begun_ns = self.bench.now_ns();
        let searches = self.searches()?;
        let passed =
            searches[start.variant].1.iter().filter(|trial| trial.shown.outcome == TrialOutcome::Pass);
        let carried = passed.map(|trial| trial.trial.rate_per_s).fold(0.0, f64::max) / 2.0;
        let rate_per_s = carried.max(self.capacity.from_per_s);
        let total_ns = self.plan.timing.warm_up_ns;
        for turn in 1_u64.. {
            let spent_ns = self.bench.now_ns() - begun_ns;
            if spent_ns >= total_ns {
                break;
            }
            (self.progress)(Progress::WarmUp { done: spent_ns as f64 / total_ns as f64 });
            let load_window = self.load_window(0, WARM_UP_TURN_NS.min(total_ns - spent_ns).max(1));
            let seed = self.seed(start) ^ (turn << 32);
            let loaded = match self.load(start, rate_per_s, load_window, seed) {
                Ok(loaded) => loaded,
                Err(ending) => return Ok(Some(ending)),
            };
            for slice in self.slices(start, rate_per_s, &loaded) {
                let slice = Slice { phase: Phase::WarmUp, cycle: 0, ..slice };
                writer.append(&slice)?;
                (self.progress)(Progress::Measured { slice: &slice });
            }
        }
        let facts = self.bench.facts(start.variant);
        if !facts.is_empty() {
            let variant = self.plan.variants[start.variant].name.clone();
            self.record.write_subjects(start.number, &[SubjectFacts { variant, facts }])?;
        }
        Ok(None)
    }

    /// Makes and records one trial. Returns true if the server still lives after it.
    fn trial(
        &mut self,
        start: &mut Start,
        request: &Request,
        window_ns: u64,
        writer: &mut BlockWriter,
    ) -> Result<Result<bool, Ending>, StoreError> {
        let variant = &self.plan.variants[start.variant].name;
        (self.progress)(Progress::Trying { variant, rate_per_s: request.rate_per_s, stage: request.stage });
        let settle = if start.loaded || (start.trials == 0 && request.fresh) { SETTLE } else { 1 };
        let load_window = self.load_window(self.plan.timing.discard_ns * settle, window_ns);
        let loaded = match self.load(start, request.rate_per_s, load_window, self.seed(start)) {
            Ok(loaded) => loaded,
            Err(ending) => return Ok(Err(ending)),
        };
        let cut = self.stop.load(Ordering::Relaxed);
        let absent = self.bench.alive(start.variant).err();
        let broken = self.bench.fault();
        let is_first = self.searches()?[start.variant].1.is_empty();
        let silent = nothing_answered(&loaded, request.rate_per_s).filter(|_| is_first);
        for mut slice in self.slices(start, request.rate_per_s, &loaded) {
            // A trial that was cut off, or that found no server, does not count as one; it is on record all the same.
            slice.trial = (!cut && silent.is_none() && broken.is_none()).then(|| TrialTerms {
                rate_per_s: request.rate_per_s,
                stage: request.stage.name().into(),
                fresh: start.trials == 0,
                died: matches!(absent, Some(Absent::Ended(..))),
            });
            slice.marks.extend(broken.clone().or_else(|| absent.as_ref().map(|absent| absent.why().clone())));
            writer.append(&slice)?;
            (self.progress)(Progress::Measured { slice: &slice });
        }
        start.trials += 1;
        if cut {
            return Ok(Err(Ending::Interrupted));
        }
        if let Some(why) = broken {
            return Ok(Err(Ending::Broken(why)));
        }
        if let Some(why) = silent {
            return Ok(Err(Ending::Failed(at(variant, request.rate_per_s, why))));
        }
        let searches = self.searches()?;
        let (search, seen) = &searches[start.variant];
        if let Some(trial) = seen.last() {
            (self.progress)(Progress::Tried { variant, number: search.trials().len(), trial });
            start.loaded = trial.shown.outcome != TrialOutcome::Pass;
        }
        Ok(Ok(absent.is_none()))
    }

    fn load(
        &mut self,
        start: &Start,
        rate_per_s: f64,
        load_window: LoadWindow,
        seed: u64,
    ) -> Result<Loaded, Ending> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Ending::Interrupted);
        }
        let loaded = self.bench.load_at(start.variant, rate_per_s, load_window, seed);
        loaded.map_err(|error| match error {
            BenchError::Interrupted => Ending::Interrupted,
            BenchError::Failed(why) => {
                let name = &self.plan.variants[start.variant].name;
                self.failed(at(name, rate_per_s, why))
            }
        })
    }

    /// The end for lack of a server, unless the lab is to blame.
    fn failed(&mut self, why: Finding) -> Ending {
        self.bench.fault().map_or(Ending::Failed(why), Ending::Broken)
    }

    fn slices(&self, start: &Start, rate_per_s: f64, loaded: &Loaded) -> Vec<Slice> {
        let at = super::SliceKey {
            block: start.number,
            cycle: start.trials + 1,
            position: 1,
            variant: start.variant,
            point: 0,
        };
        let mut slices = record::slices(self.plan, &at, loaded, &[]);
        slices.iter_mut().for_each(|slice| slice.measured.point = rate_label(rate_per_s));
        slices
    }

    fn load_window(&self, discard_ns: u64, measure_ns: u64) -> LoadWindow {
        let drain_ns = self.plan.timing.drain_ns;
        LoadWindow { role: LoadRole::Real, discard_ns, measure_ns, drain_ns, doubled: false, thorough: true }
    }

    /// Half of a trial brackets; at a low rate it takes longer until the quantile of the objective means something.
    fn window_ns(&self, request: &Request) -> u64 {
        let trial_ns = self.capacity.trial_ns;
        let usual_ns = if request.coarse { trial_ns / 2 } else { trial_ns };
        let enough_ns = (exchanges_needed(&self.capacity.slo) / request.rate_per_s * 1e9) as u64;
        enough_ns.clamp(usual_ns, usual_ns.max(trial_ns * LONGER_MAX))
    }

    fn seed(&self, start: &Start) -> u64 {
        let place = (u64::from(start.number) << 20) | u64::from(start.trials);
        self.plan.seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// True if a ceiling is still to be found: as soon as the size of answers is known, and before anything else.
    fn wants_ceiling(&self, variant: usize) -> Result<bool, StoreError> {
        let run = Run::open(self.record.path())?;
        let name = &self.plan.variants[variant].name;
        Ok(!self.plan.no_ceiling && !run.ceilings().iter().any(|known| known.variants.contains(name)))
    }

    /// Measures the generator against a server that does nothing, while the subjects are stopped.
    fn find_ceiling(&mut self, variant: usize) -> Result<(), StoreError> {
        if !self.wants_ceiling(variant)? || self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let run = Run::open(self.record.path())?;
        let name = self.plan.variants[variant].name.clone();
        let trials = trial_slices(&run);
        let Some(seen) = trials.iter().map(|slice| &slice.measured).find(|point| point.variant == name)
        else {
            return Ok(());
        };
        let label = &self.plan.points[0].label;
        let mut found = match answer_bytes(seen).and_then(answer_class) {
            Some(answer_bytes) => {
                (self.progress)(Progress::Ceiling { point: label, found: None });
                self.bench.ceiling(&CeilingOf {
                    variant,
                    point: 0,
                    answer_bytes,
                    peaks: vec![seen.connections_peak],
                })
            }
            None => {
                proofload_store::schema::Ceiling { why: Some(Finding::AnswersTooLong), ..Default::default() }
            }
        };
        // A ceiling that a stop cut short is not a fact about the machine.
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        found.point.clone_from(label);
        found.variants = vec![name];
        (self.progress)(Progress::Ceiling { point: label, found: Some(&found) });
        let ceilings: Vec<_> = run.ceilings().iter().cloned().chain([found]).collect();
        self.record.write_ceilings(&ceilings)
    }
}

/// A finding about a variant at a rate.
fn at(variant: &str, rate_per_s: f64, what: Finding) -> Finding {
    let (variant, point) = (variant.to_string(), rate_label(rate_per_s));
    Finding::At { variant, point, stream: String::new(), what: Box::new(what) }
}

/// Number of exchanges that the objective's furthest quantile needs.
fn exchanges_needed(slo: &[String]) -> f64 {
    let terms = parse_slo(slo).map(|slo| slo.terms).unwrap_or_default();
    let quantiles = terms.iter().filter_map(|term| term.measure.quantile());
    let beyond = quantiles.map(|q| 1.0 - f64::from(q) / 10_000.0);
    TAIL_MIN / beyond.fold(0.1, f64::min).max(1e-4)
}

/// A server that is not there fails at every rate; that is not a capacity.
fn nothing_answered(loaded: &Loaded, rate_per_s: f64) -> Option<Finding> {
    let mut outcomes = proofload_measure::OutcomeCounts::default();
    loaded.results.iter().for_each(|result| outcomes.merge(&result.snapshot.outcomes));
    if outcomes.get(proofload_measure::Outcome::Answered) > 0 {
        return None;
    }
    let most = proofload_measure::Outcome::ALL.into_iter().max_by_key(|outcome| outcomes.get(*outcome));
    let most = most.map(proofload_measure::Outcome::name);
    let mostly = most.unwrap_or_default().to_string();
    Some(Finding::FirstTrialUnanswered { rate: rate_label(rate_per_s), mostly })
}

#[cfg(test)]
mod tests;
