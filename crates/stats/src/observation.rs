//! What the store yields and the judge reads.

use crate::Measure;
use proofload_facts::Finding;

/// What was replicated: the worth of a verdict depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replication {
    /// Every block started every variant afresh.
    #[default]
    Start,
    /// The same running processes in every block (`url:` subjects).
    Process,
}

/// On which side of a value the server's own lies, where the value is not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The server's own is this or more.
    AtLeast,
    /// The server's own is this or less.
    AtMost,
}

/// One measure of one variant at one load point in one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Block, from 1.
    pub block: u32,
    /// Index into `Names::variants`.
    pub variant: usize,
    /// Index into `Names::points`.
    pub point: usize,
    /// Index into `Names::streams`; `None` is all streams together.
    pub stream: Option<usize>,
    pub measure: Measure,
    /// The value of each cycle's slice, by cycle; `None` where it has none. Pairs are formed cycle by cycle. No cycle
    /// at all is a trial that the block left out on purpose, because no open claim needed it: it is not lost.
    pub cycles: Vec<Option<f64>>,
    /// The value over all slices merged (quantiles are taken from merged histograms).
    pub merged: Option<f64>,
    /// The same of the block's long slices, which the short ones are held against; nothing where it has none.
    pub long: Vec<Option<f64>>,
    /// Exchanges that were begun, all slices.
    pub finished: u64,
    /// Errors among them.
    pub errors: u64,
    /// Of the errors, those that had no end: unanswered when the load ended, or timed out. They rank above all that ended.
    pub unanswered: u64,
    /// Of the errors, those of the generator's own making: nothing left of this machine to connect with, or a fault of
    /// Proofload.
    pub own_errors: u64,
    /// Exchanges that were intended and never sent. They rank there, too.
    pub unsent: u64,
    /// Whether that makes the value a lower end: the rank that is asked for lies among exchanges without an end.
    pub at_least: bool,
    /// By how much the generator's own delays lengthen the value, as a share of it: the server's own lies between the value
    /// and so much less.
    pub lengthened: f64,
    /// By how much the generator, busy or late, may have moved the value either way, as a share of it.
    pub moved: f64,
    /// Failed fitness checks of the generator in any of the slices; empty is fit.
    pub unfit: Vec<Finding>,
    /// What the value says of the server although the generator was unfit; `None` is nothing.
    ///
    /// Throughput is a lower end where it carried out one closed loop, whose counts agree with each other (Little's law).
    /// In an open loop it may catch up on what it left undone; beside other streams, what it does not ask in one leaves
    /// the server more time for this one.
    pub unfit_bound: Option<Bound>,
}

impl Default for Cell {
    /// Throughput of the first variant at the first point in the first block, not measured.
    fn default() -> Self {
        Cell {
            block: 1,
            variant: 0,
            point: 0,
            stream: None,
            measure: Measure::Throughput,
            cycles: Vec::new(),
            merged: None,
            long: Vec::new(),
            finished: 0,
            errors: 0,
            unanswered: 0,
            own_errors: 0,
            unsent: 0,
            at_least: false,
            lengthened: 0.0,
            moved: 0.0,
            unfit: Vec::new(),
            unfit_bound: None,
        }
    }
}

impl Cell {
    /// Whether the block left this trial out on purpose.
    pub fn is_spared(&self) -> bool {
        self.cycles.is_empty() && self.merged.is_none()
    }

    /// Errors that speak against the value: of a response time those that ended, for the others are in it.
    pub(crate) fn errors_outside(&self) -> u64 {
        match self.measure.ranks_unended() {
            true => self.errors.saturating_sub(self.unanswered),
            false => self.errors,
        }
    }
}

/// A variant that did not get through a block. It is in no figure; its errors are errors all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct LostStart {
    /// Block, from 1, numbered as in [`Observations::blocks`].
    pub block: u32,
    /// Index into `Names::variants`.
    pub variant: usize,
    /// How it died under load, if it did.
    pub died: Option<Finding>,
    /// What had been measured of it, by load point and stream; all streams together have an entry of their own.
    pub seen: Vec<SeenErrors>,
}

/// Exchanges at a load point, and their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenErrors {
    /// Index into `Names::points`.
    pub point: usize,
    /// Index into `Names::streams`; `None` is all streams together.
    pub stream: Option<usize>,
    /// Exchanges that were begun.
    pub finished: u64,
    /// Errors among them.
    pub errors: u64,
    /// Of the errors, those of the generator's own making.
    pub own_errors: u64,
}

/// All that is known when a judgement is asked for. Excluded blocks are left out and counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// Cells of complete blocks.
    pub cells: Vec<Cell>,
    /// Complete blocks, in order. Numbers count every block that was begun, so that a gap shows when one
    /// was lost.
    pub blocks: Vec<u32>,
    /// For each of `blocks` the sitting in which it was measured, from 1 and never falling; empty where all are of one.
    pub sittings: Vec<u32>,
    /// Blocks that were begun and do not count.
    pub excluded_blocks: u32,
    /// Complete blocks that the machine disturbed, and that are therefore not among `blocks`: for each, how many
    /// of `blocks` came before it. They are left out for all variants alike, on no figure of theirs.
    pub disturbed: Vec<u32>,
    /// What was replicated.
    pub replication: Replication,
    /// Starts without a steady state. Only those of runs whose warm-up looked for one.
    pub unsteady: Vec<Unsteady>,
    /// Starts that did not get through their block.
    pub lost: Vec<LostStart>,
    /// The conditions under which the blocks were measured, in the order of `Names::conditions`: for each the level in each
    /// of `blocks`.
    pub conditions: Vec<Vec<usize>>,
}

impl Observations {
    /// In which sitting a block was measured.
    pub fn sitting_of(&self, block: u32) -> u32 {
        let at = self.blocks.iter().position(|known| *known == block);
        at.and_then(|at| self.sittings.get(at)).copied().unwrap_or(1)
    }
}

/// A variant that had no steady state in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unsteady {
    /// Block, from 1, numbered as in [`Observations::blocks`].
    pub block: u32,
    /// Index into `Names::variants`.
    pub variant: usize,
    /// Whether all variants changed alike, so that only its own figures are not those of a warm server.
    pub shared: bool,
    /// How much faster it still became within ten seconds when its warm-up had to end; `None` when it is not known, or
    /// it took a step later.
    pub per_10s: Option<f64>,
    /// By how much more it may change, as a logarithm: [`rest_of_warm_up`](crate::steady::rest_of_warm_up) or
    /// [`rest_of_step`](crate::steady::rest_of_step); `None` when nothing is known of it.
    pub rest: Option<f64>,
}
