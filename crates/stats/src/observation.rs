//! What the store yields and the judge reads.

use crate::Measure;

/// What was replicated: the worth of a verdict depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replication {
    /// Every block started every variant afresh.
    Start,
    /// The same running processes in every block (`url:` subjects).
    Process,
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
    /// Exchanges that finished, all slices.
    pub finished: u64,
    /// Errors among them.
    pub errors: u64,
    /// Messages of failed fitness checks of the generator in any of the slices; empty is fit.
    pub unfit: Vec<String>,
    /// Whether an unfit generator can only have lowered throughput: it carried out one closed loop, whose counts agree
    /// with each other (Little's law). In an open loop it may catch up on what it left undone; beside other streams, what
    /// it does not ask in one leaves the server more time for this one.
    pub only_slowed: bool,
}

impl Cell {
    /// Whether the block left this trial out on purpose.
    pub fn is_spared(&self) -> bool {
        self.cycles.is_empty() && self.merged.is_none()
    }
}

/// All that is known when a judgement is asked for. Excluded blocks are left out and counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Observations {
    /// Cells of complete blocks.
    pub cells: Vec<Cell>,
    /// Complete blocks, in order. Numbers count every block that was begun, so that a gap shows when one
    /// was lost.
    pub blocks: Vec<u32>,
    /// Blocks that were begun and do not count.
    pub excluded_blocks: u32,
    /// Complete blocks that the machine disturbed, and that are therefore not among `blocks`: for each, how many
    /// of `blocks` came before it. They are left out for all variants alike, on no figure of theirs.
    pub disturbed: Vec<u32>,
    /// What was replicated.
    pub replication: Replication,
    /// Starts without a steady state. Only those of runs whose warm-up looked for one.
    pub unsteady: Vec<Unsteady>,
}

/// A variant that had no steady state in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsteady {
    /// Block, from 1, numbered as in [`Observations::blocks`].
    pub block: u32,
    /// Index into `Names::variants`.
    pub variant: usize,
}
