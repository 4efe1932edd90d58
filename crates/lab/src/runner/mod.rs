//! Blocks of cycles: start every variant, warm them, let them take turns, stop; look; go on or end.
//!
//! The order of everything is decided by the plan, which is on disk before the first start. All contact with the world
//! is behind [`Bench`], so that the sequence is tested without servers and without waiting.

mod bench;
mod capacity;
mod fitness;
mod hosts;
mod live;
mod neighbours;
mod observed;
mod once;
mod participants;
mod progress;
pub mod record;
mod slice;
mod slice_key;
mod slicing;
mod start;
mod warm;

pub use bench::{Absent, Bench, BenchError, BenchTerms, Benches, CeilingOf, LoadWindow, Loaded};
pub use capacity::CapacityRunner;
pub use hosts::{Host, Hosts, Preparing, Unprepared, hosts};
pub use live::LiveBenches;
pub use observed::Listener;
pub use progress::Progress;

use crate::generator_settings::GeneratorSettings;
use crate::plan;
use fitness::Tries;
use neighbours::Neighbours;
use participants::Participants;
use proofload_analysis::{counting_blocks, disturbances, left_out};
use proofload_facts::Finding;
use proofload_stats::{Claim, Design, Judgement};
use proofload_store::schema::{Mode, Plan, RunState, Status, SubjectFacts};
use proofload_store::{BlockWriter, Run, RunWriter, StoreError};
use proofload_subject::Exit;
use slice_key::SliceKey;
use start::Unstarted;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Every claim settled, or the last look taken.
    Finished,
    /// Stopped from outside; the block in progress does not count.
    Interrupted,
    /// Subjects could not be started, or were lost in block after block, and no claim is left that the others
    /// could settle.
    Failed(Finding),
    /// The lab itself failed; the block in progress does not count, and no fact about the servers is recorded.
    Broken(Finding),
    /// The budget was used up before the last look.
    OutOfBudget,
    /// No verdict is in reach any more.
    Hopeless(Finding),
}

impl Ending {
    /// As in `status.json`.
    pub fn status(&self) -> Status {
        let (state, why) = match self {
            Ending::Finished => (RunState::Finished, None),
            Ending::Interrupted => (RunState::Interrupted, Some(Finding::StoppedBySignal)),
            Ending::Broken(why) => (RunState::Interrupted, Some(why.clone())),
            Ending::Failed(why) => (RunState::Failed, Some(why.clone())),
            Ending::OutOfBudget => (RunState::Finished, Some(Finding::OutOfBudget)),
            Ending::Hopeless(why) => (RunState::Finished, Some(why.clone())),
        };
        Status { state, why, ..Status::default() }
    }
}

/// Progress of a run when its runner begins; zero for a new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Highest number of a block that was begun.
    pub last_block: u32,
    pub complete: u32,
    /// Complete blocks that the machine disturbed.
    pub disturbed: u32,
    /// Time that the complete blocks took, of the budget.
    pub spent_ns: u64,
}

/// Judges the claims after a block. Handed in, so that the judge is called in one place only.
pub type Look<'a> = dyn FnMut(&std::path::Path) -> Result<Judgement, StoreError> + 'a;

/// A study on its way through its blocks.
pub struct Runner<'a, B: Bench + ?Sized> {
    /// The plan that is carried out.
    pub plan: &'a Plan,
    /// Statements that are judged, in the order of the judgement: its claims, and its expectations. The study goes on
    /// as long as one of them can be settled.
    pub claims: &'a [Claim],
    /// The looks that it has.
    pub design: &'a Design,
    pub bench: &'a mut B,
    pub record: &'a mut RunWriter,
    /// Judges the record so far.
    pub look: &'a mut Look<'a>,
    pub progress: &'a mut dyn FnMut(Progress<'_>),
    /// Set from outside to end early.
    pub stop: &'a AtomicBool,
    /// Progress of earlier sittings of the same run.
    pub behind: Behind,
    /// Place in the plan, from 1, of the block in progress.
    pub place: u32,
    /// Longest wait in all for a machine that other programs leave alone; `None` for no wait.
    pub wait_for_quiet_ns: Option<u64>,
}

/// Longest blocks: those with the checks beside their figures, and those without.
struct Longest {
    with_checks_ns: u64,
    without_ns: u64,
    /// The shortest of this sitting, without checks.
    shortest_ns: u64,
}

impl Longest {
    fn of(ns: u64) -> Longest {
        Longest { with_checks_ns: ns, without_ns: ns, shortest_ns: u64::MAX }
    }

    fn at(&self, checked: bool) -> u64 {
        if checked { self.with_checks_ns.max(self.without_ns) } else { self.without_ns }
    }

    fn enter(&mut self, checked: bool, ns: u64, checks_ns: u64) {
        let known = if checked { &mut self.with_checks_ns } else { &mut self.without_ns };
        *known = ns.max(*known);
        self.shortest_ns = self.shortest_ns.min(ns.saturating_sub(if checked { checks_ns } else { 0 }));
    }

    fn grow(&mut self, ns: i64) {
        self.with_checks_ns = self.with_checks_ns.saturating_add_signed(ns);
        self.without_ns = self.without_ns.saturating_add_signed(ns);
    }
}

/// End of a block that did not go well.
enum Lost {
    Interrupted,
    Everyone,
    /// Nothing can come of the study any more: its servers do not come up.
    Failed(Finding),
    /// No verdict is in reach: its machine is too busy.
    Hopeless(Finding),
    Broken(Finding),
    Store(StoreError),
}

impl Lost {
    /// End of the run with it.
    fn ending(self) -> Result<Ending, StoreError> {
        Ok(match self {
            Lost::Interrupted => Ending::Interrupted,
            Lost::Everyone => Ending::Failed(Finding::EveryVariantLost),
            Lost::Failed(why) => Ending::Failed(why),
            Lost::Hopeless(why) => Ending::Hopeless(why),
            Lost::Broken(why) => Ending::Broken(why),
            Lost::Store(error) => return Err(error),
        })
    }
}

impl From<StoreError> for Lost {
    fn from(error: StoreError) -> Self {
        Lost::Store(error)
    }
}

/// End of a variant's step that did not go well.
enum VariantFailure {
    Interrupted,
    /// The variant does not get through this block.
    Lost(Finding),
    /// The same, for its process ended under load, with that status.
    Died(Exit, Finding),
    Store(StoreError),
}

impl From<Absent> for VariantFailure {
    fn from(absent: Absent) -> Self {
        match absent {
            Absent::Ended(exit, why) => VariantFailure::Died(exit, why),
            Absent::Unknown(why) => VariantFailure::Lost(why),
        }
    }
}

impl From<StoreError> for VariantFailure {
    fn from(error: StoreError) -> Self {
        VariantFailure::Store(error)
    }
}

/// The number of these blocks that are made up for: as many again as there were to be at most, so that a machine that never keeps still
/// ends the study, too; none of a plan of one block.
fn made_up_for(last: u32, lost: &[u32]) -> u32 {
    if last > 1 { last.min(lost.len() as u32) } else { 0 }
}

impl<B: Bench + ?Sized> Runner<'_, B> {
    /// Carries the plan out, block by block, until every claim is settled, the looks are used up, the budget is, or the
    /// stop flag is set. Every finished slice is on disk when this returns, with any result.
    ///
    /// A variant that fails is lost for the block, or given up; the others go on as long as a claim can be
    /// settled without it.
    ///
    /// # Errors
    /// Only when the record cannot be written; dead servers are an [`Ending`].
    pub fn run(&mut self) -> Result<Ending, StoreError> {
        let begun_ns = self.bench.now_ns();
        let last = self.design.looks.last().copied().unwrap_or(1);
        let mut participants = Participants::new(self.plan.variants.len());
        let Behind { last_block: mut number, mut complete, mut disturbed, spent_ns: spent_before_ns } =
            self.behind;
        let mut longest = Longest::of(spent_before_ns / u64::from((complete + disturbed).max(1)));
        let mut tries = Tries::new();
        let mut to_replace = Vec::new();
        let mut neighbours = Neighbours::after(complete);
        // The last sitting may have ended between a block and the steps after it: no look without the ceilings.
        if complete + disturbed > 0 {
            self.find_ceilings(&mut tries)?;
        }
        if complete > 0 && self.is_settled(complete, &mut participants, &mut to_replace)?.0 {
            return Ok(Ending::Finished);
        }
        while complete < last.saturating_add(made_up_for(last, &to_replace)) && disturbed <= last {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Ending::Interrupted);
            }
            let block_begun_ns = self.bench.now_ns();
            let spent_ns = spent_before_ns + (block_begun_ns - begun_ns - neighbours.waited_ns);
            let checked = self.plan.timing.checks_after(complete).is_some();
            if complete + disturbed > 0 && spent_ns + longest.at(checked) > self.plan.timing.budget_ns {
                let why = self.out_of_reach(complete, spent_ns, &longest, true);
                return Ok(why.map_or(Ending::OutOfBudget, Ending::Hopeless));
            }
            if let Some(why) = self.out_of_reach(complete, spent_ns, &longest, false) {
                return Ok(Ending::Hopeless(why));
            }
            let grown_ns = self.choose_cycles(complete, spent_ns)?;
            longest.grow(grown_ns);
            // What does not count is made up for, under its conditions.
            let of = last.max(complete + 1).saturating_add(number.saturating_sub(complete));
            number += 1;
            self.place = self.place_after(complete, &to_replace)?;
            (self.progress)(Progress::Block { block: number, place: self.place, of });
            participants.begin_block();
            let waited = self.wait_for_quiet(number, &mut neighbours);
            let waited_ns = self.bench.now_ns() - block_begun_ns;
            let ended = waited.and_then(|()| self.block(number, &mut participants));
            let whole = ended.is_ok();
            match ended {
                Ok(()) => match self.disturbance(number)? {
                    None => {
                        complete += 1;
                        self.behind.complete = complete;
                    }
                    Some(why) => {
                        disturbed += 1;
                        (self.progress)(Progress::Disturbed { block: number, causes: &why });
                        if let Some(why) = neighbours::disturbed_from_the_first(complete, disturbed, &why) {
                            return Ok(Ending::Hopeless(why));
                        }
                    }
                },
                Err(Lost::Everyone) => self.record.note_lost(number)?,
                Err(lost) => return lost.ending(),
            }
            // Without the ceilings, which few blocks are followed by, and the warm-up that no other block has.
            if !self.only_running() || self.behind.last_block + 1 != number {
                let took_ns = self.bench.now_ns() - block_begun_ns - waited_ns;
                longest.enter(checked, took_ns, plan::block_end_ns(self.plan));
            }
            if whole {
                self.find_ceilings(&mut tries)?;
            }
            for (variant, why) in participants.end_block() {
                self.tell_given_up(number, variant, &why);
            }
            if whole {
                let (is_settled, judgement) =
                    self.is_settled(complete, &mut participants, &mut to_replace)?;
                let hopeless = self.look_beside(number, complete, &judgement, &mut neighbours)?;
                if is_settled || hopeless.is_some() {
                    return Ok(hopeless.filter(|_| !is_settled).map_or(Ending::Finished, Ending::Hopeless));
                }
            }
            if let Some(why) = participants.hopeless(self.claims) {
                return Ok(Ending::Failed(why));
            }
        }
        Ok(Ending::Finished)
    }

    /// The place in the plan of the block after that many that count: the next one, and beyond the last that of a block
    /// to be made up for.
    fn place_after(&self, complete: u32, to_replace: &[u32]) -> Result<u32, StoreError> {
        let last = self.design.looks.last().copied().unwrap_or(1);
        let beyond = complete.checked_sub(last).and_then(|beyond| to_replace.get(beyond as usize));
        let Some(&replaced) = beyond else { return Ok(complete + 1) };
        let run = Run::open(self.record.path())?;
        let counting = counting_blocks(&run);
        Ok(counting.get(replaced as usize - 1).map_or(complete + 1, |block| block.place))
    }

    /// Causes for which the block that has just been finished was left out, if it was.
    fn disturbance(&self, number: u32) -> Result<Option<Vec<Finding>>, StoreError> {
        let run = Run::open(self.record.path())?;
        let mut found = disturbances(&run).into_iter().filter(|found| found.block == number);
        Ok(found.next().filter(|_| left_out(&run).contains(&number)).map(|found| found.causes))
    }

    /// Looks at the claims, and returns the blocks that are to be made up for. Claims that rest on a variant that was
    /// given up are not waited for, and variants that none of the others needs are left out of the blocks to come.
    fn is_settled(
        &mut self,
        complete: u32,
        participants: &mut Participants,
        to_replace: &mut Vec<u32>,
    ) -> Result<(bool, Judgement), StoreError> {
        let judgement = (self.look)(self.record.path())?;
        to_replace.clone_from(&judgement.to_replace);
        (self.progress)(Progress::Look { blocks: complete, judgement: &judgement });
        if judgement.settled {
            return Ok((true, judgement));
        }
        let (unreachable, waited_for): (Vec<usize>, Vec<usize>) =
            (0..self.claims.len()).partition(|claim| participants.cannot_settle(&self.claims[*claim]));
        if participants.skip_settled(self.claims, &judgement, self.plan.points.len()) {
            let skipped = participants.skipped().into_iter().map(|(variant, point)| {
                format!("{} @ {}", self.plan.variants[variant].name, self.plan.points[point].label)
            });
            (self.progress)(Progress::Skipped { skipped: &skipped.collect::<Vec<_>>() });
        }
        let is_settled = |claim: usize| judgement.claims.get(claim).is_some_and(|judged| judged.settled);
        let rest =
            !unreachable.is_empty() && !waited_for.is_empty() && waited_for.into_iter().all(is_settled);
        Ok((rest, judgement))
    }

    /// The reason why the budget ends before the first look, which is reported as soon as the length of blocks is
    /// known: at the latest where it has ended.
    fn out_of_reach(
        &self,
        complete: u32,
        spent_ns: u64,
        longest: &Longest,
        has_ended: bool,
    ) -> Option<Finding> {
        let timing = &self.plan.timing;
        let first = self.design.looks.first().copied().unwrap_or(1);
        let missing = first.saturating_sub(complete);
        // A soak is run for its trends, which one block shows.
        let is_soak = self.plan.points.iter().any(|point| point.checkpoint_ns > 0);
        if missing == 0 || longest.shortest_ns == u64::MAX || self.claims.is_empty() || is_soak {
            return None;
        }
        let reached_ns = |block_ns: u64| spent_ns.saturating_add(block_ns.saturating_mul(missing.into()));
        (has_ended || reached_ns(longest.shortest_ns) > timing.budget_ns).then(|| {
            let budget = plan::enough(reached_ns(longest.at(true) + plan::ceiling_ns(self.plan)));
            Finding::NoLookInBudget { blocks: complete, first, budget }
        })
    }

    /// One block: the variants are stopped in any case.
    fn block(&mut self, number: u32, participants: &mut Participants) -> Result<(), Lost> {
        let order = self.order_of(number)?;
        self.bench.adopt(&GeneratorSettings::of(self.plan, self.place));
        let measured = match self.plan.mode {
            Mode::Serial => self.serially(number, &order, participants),
            _ => self.in_cycles(number, &order, participants),
        };
        // What was measured before it stays valid; a server that does not end shows at the next start.
        for what in self.bench.stop_all() {
            (self.progress)(Progress::Noticed { block: number, what: &what });
        }
        let mut writer = measured?;
        self.check_lab()?;
        for (variant, lost) in participants.lost() {
            writer.append(&record::lost(self.plan, number, variant, lost))?;
        }
        for (variant, point) in participants.skipped() {
            writer.append(&record::spared(self.plan, number, variant, point))?;
        }
        if !participants.anyone() {
            return Err(Lost::Everyone);
        }
        Ok(writer.finish()?)
    }

    /// All variants run, and take turns slice by slice.
    fn in_cycles(
        &mut self,
        number: u32,
        order: &[Vec<usize>],
        participants: &mut Participants,
    ) -> Result<BlockWriter, Lost> {
        let begun_ns = self.bench.now_ns();
        for &variant in order.first().map_or(&[][..], Vec::as_slice) {
            if participants.takes_part(variant) {
                self.start(number, variant, participants)?;
            }
        }
        if let Some(why) = participants.hopeless(self.claims) {
            return Err(Lost::Failed(why));
        }
        let mut writer = self.record.begin_block(number)?.in_place(self.place, number);
        let everyone: Vec<usize> = (0..self.plan.variants.len()).collect();
        // What runs already was under load a moment ago.
        if !self.only_running() || self.behind.last_block + 1 == number {
            let length = self.warm_up_of(participants.needed());
            let warmed = self.warm_up(number, &everyone, length, participants, &mut writer)?;
            self.record.write_warm_ups(number, &warmed.warm_ups)?;
            self.choose_slices(&warmed, begun_ns)?;
        }
        let order = self.order_of(number)?;
        let terms = self.slice_terms(order.len())?;
        let mut said = Vec::new();
        everyone.iter().for_each(|&variant| self.ask(variant, &mut said));
        self.record.write_subjects(number, &said)?;
        for (cycle, turns) in order.iter().enumerate() {
            for point in 0..self.plan.points.len() {
                for (position, &variant) in turns.iter().enumerate() {
                    let at = SliceKey::of_turn(number, cycle, position, variant, point);
                    self.turn(&at, terms, participants, &mut writer)?;
                }
            }
        }
        if let Some(pair) = self.pair() {
            self.perturb(number, pair, order.len(), participants, &mut writer)?;
        }
        self.long_cycles(number, order.len(), terms, participants, &mut writer)?;
        Ok(writer)
    }

    /// One variant after the other: started, warmed, measured in all its turns, stopped, alone on the machine.
    fn serially(
        &mut self,
        number: u32,
        order: &[Vec<usize>],
        participants: &mut Participants,
    ) -> Result<BlockWriter, Lost> {
        let mut writer = self.record.begin_block(number)?.in_place(self.place, number);
        let mut said = Vec::new();
        let sequence = order.first().map_or(&[][..], Vec::as_slice);
        let mut warm_ups = Vec::new();
        let terms = self.slice_terms(order.len())?;
        for (position, &variant) in sequence.iter().enumerate() {
            if !participants.takes_part(variant) {
                continue;
            }
            self.start(number, variant, participants)?;
            if let Some(why) = participants.hopeless(self.claims) {
                return Err(Lost::Failed(why));
            }
            let length = self.warm_up_of(1);
            let warmed = self.warm_up(number, &[variant], length, participants, &mut writer)?;
            warm_ups.extend(warmed.warm_ups);
            self.record.write_warm_ups(number, &warm_ups)?;
            self.ask(variant, &mut said);
            self.record.write_subjects(number, &said)?;
            for cycle in 0..order.len() {
                for point in 0..self.plan.points.len() {
                    let at = SliceKey::of_turn(number, cycle, position, variant, point);
                    self.turn(&at, terms, participants, &mut writer)?;
                }
            }
            if let Some(pair) = self.pair().filter(|pair| pair.variant == variant) {
                self.perturb(number, pair, order.len(), participants, &mut writer)?;
            }
            self.stop_one(number, variant);
        }
        warm::settle_among(&mut warm_ups);
        self.record.write_warm_ups(number, &warm_ups)?;
        Ok(writer)
    }

    fn stop_one(&mut self, number: u32, variant: usize) {
        for what in self.bench.stop(variant) {
            (self.progress)(Progress::Noticed { block: number, what: &what });
        }
    }

    /// Records the facts that a subject reports about itself, warmed and idle: a JVM has filled in its report, and
    /// nothing is being measured. `url:` subjects cannot be queried.
    fn ask(&mut self, variant: usize, said: &mut Vec<SubjectFacts>) {
        let facts = self.bench.facts(variant);
        if !facts.is_empty() {
            said.push(SubjectFacts { variant: self.plan.variants[variant].name.clone(), facts });
        }
    }

    /// Starts a variant; one that does not come up is given up.
    fn start(&mut self, number: u32, variant: usize, participants: &mut Participants) -> Result<(), Lost> {
        let name = &self.plan.variants[variant].name;
        let wanted = start::Start { block: number, variant, name, record: self.record };
        match start::start(&wanted, self.bench, self.progress, self.stop) {
            Ok(()) => Ok(()),
            Err(Unstarted::Interrupted) => Err(Lost::Interrupted),
            Err(Unstarted::Failed(why)) => {
                self.check_lab()?;
                participants.give_up(variant, why.clone());
                self.tell_given_up(number, variant, &why);
                Ok(())
            }
        }
    }

    fn tell_given_up(&mut self, number: u32, variant: usize, why: &Finding) {
        let variant = &self.plan.variants[variant].name;
        (self.progress)(Progress::GivenUp { block: number, variant, why });
    }

    /// A fault of the lab is not the loss of a variant.
    fn check_lab(&mut self) -> Result<(), Lost> {
        self.bench.fault().map_or(Ok(()), |why| Err(Lost::Broken(why)))
    }

    fn check_stop(&self) -> Result<(), Lost> {
        if self.stop.load(Ordering::Relaxed) { Err(Lost::Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
