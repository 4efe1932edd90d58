//! Other programs beside a run: reported once, waited for where requested, and the end of a run that they make
//! hopeless.

use super::bench::Bench;
use super::{Lost, Progress, Runner};
use proofload_analysis::{measures_of, observations};
use proofload_facts::Finding;
use proofload_host::others::Others;
use proofload_stats::{Judgement, Reason, reach_in};
use proofload_store::{Run, StoreError};
use std::sync::atomic::Ordering;

/// Share of all CPUs that others may use on a machine that is quiet.
const QUIET_SHARE: f64 = 0.05;
/// Time for which it has to be quiet.
const QUIET_WINDOW_NS: u64 = 1_000_000_000;
/// Number of blocks from the first on, none of which can be used, that end a run.
const HOPELESS_BLOCKS: u32 = 3;
/// Blocks without use, as a share of those up to the last look: the judge leaves out a fifth of these and of their
/// replacements.
const UNUSED_SHARE_MAX: f64 = 0.25;

/// Observations of other programs in a run.
#[derive(Default)]
pub(super) struct Neighbours {
    /// Blocks in which nothing bounds the generator's effect on any open claim.
    unbounded: u32,
    /// Blocks that counted at the last look.
    complete: u32,
    is_told: bool,
    /// Time spent waiting for the machine, and the part of it in which the machine was busy.
    pub(super) waited_ns: u64,
    busy_ns: u64,
}

impl Neighbours {
    /// Of a run that has that many blocks that count behind it.
    pub(super) fn after(complete: u32) -> Neighbours {
        Neighbours { complete, ..Neighbours::default() }
    }
}

impl<B: Bench + ?Sized> Runner<'_, B> {
    /// Waits until other programs leave the CPUs alone, where requested; from here on they are watched.
    pub(super) fn wait_for_quiet(&mut self, block: u32, seen: &mut Neighbours) -> Result<(), Lost> {
        let begun_ns = self.bench.now_ns();
        self.bench.others();
        let mut is_told = false;
        while let Some(most_ns) = self.wait_for_quiet_ns {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Lost::Interrupted);
            }
            self.bench.pause(QUIET_WINDOW_NS);
            let Some(others) = self.bench.others().filter(|others| others.share() > QUIET_SHARE) else {
                break;
            };
            let Others { used_cpus, cpus, programs } = others;
            if seen.busy_ns >= most_ns {
                let waited_ns = seen.busy_ns;
                return Err(Lost::Hopeless(Finding::NeverQuiet { waited_ns, used_cpus, cpus, programs }));
            }
            seen.busy_ns += QUIET_WINDOW_NS;
            if !std::mem::replace(&mut is_told, true) {
                let what = Finding::WaitsForQuiet { used_cpus, cpus, programs };
                (self.progress)(Progress::Noticed { block, what: &what });
            }
        }
        seen.waited_ns += self.bench.now_ns() - begun_ns;
        Ok(())
    }

    /// After a block and its look: reports once that the generator was kept from its CPU and by which programs, and the
    /// reason why no verdict is in reach any more, if none is.
    pub(super) fn look_beside(
        &mut self,
        block: u32,
        complete: u32,
        judgement: &Judgement,
        seen: &mut Neighbours,
    ) -> Result<Option<Finding>, StoreError> {
        let others = self.bench.others().filter(|others| others.share() > QUIET_SHARE);
        let observations = observations(&Run::open(self.record.path())?, &measures_of(self.claims))?;
        // Blocks that count have numbers of their own there; one that does not shows nothing.
        let Some(&counted) = observations.blocks.last().filter(|_| complete > seen.complete) else {
            return Ok(None);
        };
        seen.complete = complete;
        let mut cells = observations.cells.iter().filter(|cell| cell.block == counted);
        let unfit = cells.find_map(|cell| cell.unfit.first()).cloned();
        let kept_open = |reason: &Reason| matches!(reason, Reason::MayAccountFor { .. });
        let is_kept_open = judgement.claims.iter().any(|claim| claim.reasons.iter().any(kept_open));
        let busy = others.as_ref().map(finding);
        if let Some(what) = busy.as_ref().filter(|_| (unfit.is_some() || is_kept_open) && !seen.is_told) {
            seen.is_told = true;
            self.record.note_machine(what)?;
            (self.progress)(Progress::Noticed { block, what });
        }
        let open = self.claims.iter().zip(&judgement.claims);
        let mut open = open.filter(|(claim, judged)| !judged.settled && !claim.is_of_a_count()).peekable();
        let is_unbounded =
            open.peek().is_some() && open.all(|(claim, _)| reach_in(claim, &observations, counted).is_any());
        seen.unbounded += u32::from(is_unbounded);
        let last = self.design.looks.last().copied().unwrap_or(1);
        let too_many =
            seen.unbounded == complete || f64::from(seen.unbounded) > UNUSED_SHARE_MAX * f64::from(last);
        let is_hopeless = is_unbounded && too_many && (HOPELESS_BLOCKS..last).contains(&complete);
        let what = unfit.map(|unfit| busy.unwrap_or(unfit)).filter(|_| is_hopeless);
        Ok(what.map(|what| Finding::NoVerdictInReach { blocks: seen.unbounded, what: Box::new(what) }))
    }
}

/// Reason why a machine that disturbed that many blocks before one could be used leaves no verdict in reach.
pub(super) fn disturbed_from_the_first(complete: u32, disturbed: u32, causes: &[Finding]) -> Option<Finding> {
    let what = causes.first().filter(|_| complete == 0 && disturbed == HOPELESS_BLOCKS)?;
    Some(Finding::NoVerdictInReach { blocks: disturbed, what: Box::new(what.clone()) })
}

fn finding(others: &Others) -> Finding {
    let Others { used_cpus, cpus, programs } = others.clone();
    Finding::OtherPrograms { used_cpus, cpus, programs }
}
