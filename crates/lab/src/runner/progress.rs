//! Messages of the runner to its observers.

use proofload_analysis::SeenTrial;
use proofload_facts::Finding;
use proofload_stats::Judgement;
use proofload_stats::capacity::Stage;
use proofload_store::schema::{Ceiling, Network, Slice, Slicing};

/// State of a study; for the live view.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    Block {
        /// Its number, from 1.
        block: u32,
        /// Its place in the plan, from 1.
        place: u32,
        /// The number of the last one, if none but those so far have to be made up for.
        of: u32,
    },
    /// A variant is being started.
    Starting { variant: &'a str },
    /// The variants are warmed in turns.
    WarmUp {
        /// Share that is done, 0 to 1.
        done: f64,
    },
    /// A slice is about to be measured.
    Slice {
        /// Cycle, from 1.
        cycle: u32,
        of: u32,
        variant: &'a str,
        point: &'a str,
    },
    /// A slice of any phase ended, and is on record.
    Measured { slice: &'a Slice },
    /// A pair of slices with once and with twice the generator's threads.
    Perturbing { variant: &'a str, point: &'a str },
    /// A cycle of long slices, which the short ones are held against.
    LongSlices { point: &'a str },
    /// The network between agents and servers was measured.
    Network { found: &'a Network },
    /// The generator's ceiling at a load point is about to be measured, or was.
    Ceiling {
        point: &'a str,
        /// The ceiling; `None` before.
        found: Option<&'a Ceiling>,
    },
    /// The machine disturbed a block, which is left out.
    Disturbed { block: u32, causes: &'a [Finding] },
    /// A trial of a search for a capacity is about to be made.
    Trying {
        variant: &'a str,
        rate_per_s: f64,
        /// Purpose of the trial.
        stage: Stage,
    },
    /// A trial of a search was made.
    Tried {
        variant: &'a str,
        /// Number of trials of the variant so far.
        number: usize,
        trial: &'a SeenTrial,
    },
    /// A block is over; the current judgement of the claims.
    Look { blocks: u32, judgement: &'a Judgement },
    /// Variants that the blocks to come leave out: every claim about them is settled.
    Skipped {
        /// Variants at load points: `nio @ 64c`.
        skipped: &'a [String],
    },
    /// The slices of the run have this length, and its first blocks that many cycles.
    Slices {
        /// The choice, and its basis.
        slicing: &'a Slicing,
    },
    /// The blocks from now on have another number of cycles, or the same.
    Cycles {
        planned: u32,
        /// The choice, and its basis.
        slicing: &'a Slicing,
    },
    /// Something did not end as it should.
    Noticed { block: u32, what: &'a Finding },
    /// A variant did not get through a block, and why.
    Lost { block: u32, variant: &'a str, why: &'a Finding },
    /// A variant is not started any more.
    GivenUp { block: u32, variant: &'a str, why: &'a Finding },
}
