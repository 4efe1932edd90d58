//! Observations that the store yields and the judge reads.

use crate::Measure;
use proofload_facts::Finding;

/// Unit of replication: the worth of a verdict depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replication {
    /// Every block started every variant afresh.
    #[default]
    Start,
    /// The same running processes in every block (`url:` subjects).
    Process,
}

/// Distance between the server's own value and the measured one, as logarithms: 0 is none, infinite is any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reach {
    /// Largest distance of the server's own value below this one.
    pub below: f64,
    /// Largest distance of the server's own value above this one.
    pub above: f64,
}

impl Reach {
    /// The value is the server's own.
    pub const NONE: Reach = Reach { below: 0.0, above: 0.0 };
    /// The server's own is this or more.
    pub const AT_LEAST: Reach = Reach { below: 0.0, above: f64::INFINITY };
    /// The server's own is this or less.
    pub const AT_MOST: Reach = Reach { below: f64::INFINITY, above: 0.0 };
    /// The value tells nothing about the server.
    pub const ANY: Reach = Reach { below: f64::INFINITY, above: f64::INFINITY };

    /// Two causes, which may both have moved the value the same way.
    pub fn and(self, other: Reach) -> Reach {
        Reach { below: self.below + other.below, above: self.above + other.above }
    }

    /// Reach of one over the value.
    pub fn inverse(self) -> Reach {
        Reach { below: self.above, above: self.below }
    }

    /// True if nothing is known on either side.
    pub fn is_any(self) -> bool {
        self.below.is_infinite() && self.above.is_infinite()
    }

    /// The mean over the blocks.
    pub fn mean(each: impl Iterator<Item = Reach>) -> Reach {
        let each: Vec<Reach> = each.collect();
        let sum = each.iter().fold(Reach::NONE, |sum, reach| sum.and(*reach));
        let count = each.len().max(1) as f64;
        Reach { below: sum.below / count, above: sum.above / count }
    }

    /// One that is half as far.
    pub fn half(self) -> Reach {
        Reach { below: self.below / 2.0, above: self.above / 2.0 }
    }

    /// The sides that are bounded; 0 in place of the others.
    pub fn bounded(self) -> Reach {
        let bounded = |side: f64| if side.is_finite() { side } else { 0.0 };
        Reach { below: bounded(self.below), above: bounded(self.above) }
    }
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
    /// Value of each cycle's slice, by cycle; `None` where it has none. Pairs are formed cycle by cycle. No cycle
    /// at all is a trial that the block left out on purpose, because no open claim needed it: it is not lost.
    pub cycles: Vec<Option<f64>>,
    /// The value over all slices merged (quantiles are taken from merged histograms).
    pub merged: Option<f64>,
    /// The same of the block's long slices, with which the short ones are compared; nothing where it has none.
    pub long: Vec<Option<f64>>,
    /// Exchanges that were begun, all slices.
    pub finished: u64,
    pub errors: u64,
    /// Of the errors, those that had no end: unanswered when the load ended, or timed out. They rank above all that ended.
    pub unanswered: u64,
    /// Of the errors, those of the generator's own making: nothing left of this machine to connect with, or a fault of
    /// Proofload.
    pub own_errors: u64,
    /// Exchanges that were intended and never sent. They rank there, too.
    pub unsent: u64,
    /// True if that makes the value a lower end: its rank lies among exchanges without an end.
    pub at_least: bool,
    /// Reach of the generator, busy or late, though it was fit.
    pub moved: Reach,
    /// Failed fitness checks of the generator in any of the slices; empty is fit.
    pub unfit: Vec<Finding>,
    /// Distance of the server's own value from this one where the generator was unfit.
    ///
    /// Throughput is a lower end where the generator carried out one closed loop, whose counts agree with each other
    /// (Little's law). In an open loop it may catch up on what it left undone; beside other streams, what it does not
    /// ask in one leaves the server more time for this one.
    pub unfit_reach: Reach,
    /// Failed checks of a busy generator, for the cost of a request: they leave a comparison of two costs valid, and
    /// one end of a cost that is compared with a number.
    pub busy: Vec<Finding>,
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
            moved: Reach::NONE,
            unfit: Vec::new(),
            unfit_reach: Reach::ANY,
            busy: Vec::new(),
        }
    }
}

impl Cell {
    /// True if the block left this trial out on purpose.
    pub fn is_spared(&self) -> bool {
        self.cycles.is_empty() && self.merged.is_none()
    }

    /// True if the generator was unfit and its effect on the value has no bound, on one side at least.
    pub(crate) fn is_unbounded(&self) -> bool {
        !self.unfit.is_empty() && self.unfit_reach != self.unfit_reach.bounded()
    }

    /// True if the generator was unfit and the value tells nothing.
    pub(crate) fn is_spoiled(&self) -> bool {
        !self.unfit.is_empty() && self.unfit_reach.is_any()
    }

    /// Reach of a value that is compared with a number, beyond [`Cell::reach`]: at a higher rate, a server takes less
    /// for each request.
    pub(crate) fn reach_alone(&self) -> Reach {
        match self.measure {
            _ if self.busy.is_empty() => Reach::NONE,
            Measure::ThroughputPerCpu => Reach::AT_LEAST,
            _ => Reach::AT_MOST,
        }
    }

    /// Distance of the server's own value from this one, all causes together.
    pub fn reach(&self) -> Reach {
        let unfit = if self.unfit.is_empty() { Reach::NONE } else { self.unfit_reach };
        let unended = if self.at_least { Reach::AT_LEAST } else { Reach::NONE };
        self.moved.and(unfit).and(unended)
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
    /// Death under load, if it died.
    pub died: Option<Finding>,
    /// Errors of it that had been measured, by load point and stream; all streams together have an entry of their
    /// own.
    pub seen: Vec<SeenErrors>,
}

/// Exchanges at a load point, and their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenErrors {
    /// Index into `Names::points`.
    pub point: usize,
    /// Index into `Names::streams`; `None` is all streams together.
    pub stream: Option<usize>,
    pub finished: u64,
    pub errors: u64,
    /// Of the errors, those of the generator's own making.
    pub own_errors: u64,
}

/// All that is known when a judgement is asked for. Excluded blocks are left out and counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
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
    pub replication: Replication,
    /// Starts without a steady state. Only those of runs whose warm-up looked for one.
    pub unsteady: Vec<Unsteady>,
    /// Starts that did not get through their block.
    pub lost: Vec<LostStart>,
    /// The conditions under which the blocks were measured, in the order of `Names::conditions`: for each the level in each
    /// of `blocks`.
    pub conditions: Vec<Vec<usize>>,
    /// No block is to come, because a budget that was fixed before the first one is used up.
    pub out_of_budget: bool,
}

impl Observations {
    /// Sitting in which a block was measured.
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
    /// True if all variants changed alike, so that only its own figures are not those of a warm server.
    pub shared: bool,
    /// Speed-up per ten seconds that was still going on when its warm-up had to end; `None` when it is not known, or
    /// it took a step later.
    pub per_10s: Option<f64>,
    /// Further change that it may make, as a logarithm: [`rest_of_warm_up`](crate::steady::rest_of_warm_up) or
    /// [`rest_of_step`](crate::steady::rest_of_step); `None` when nothing is known of it.
    pub rest: Option<f64>,
}
