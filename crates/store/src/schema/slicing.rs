//! Length of slices and number of cycles, as recorded.

use super::{CheckOutcome, Timing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `slicing.json`: how long the slices of a run are, chosen after the warm-up of its first block from how slow the answers
/// were, and how many cycles its blocks have, chosen then, and again after its first look from where the spread came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slicing {
    /// Format version.
    pub format: u32,
    /// Window of each slice; 0 where it is the plan's.
    #[serde(default)]
    pub slice_ns: u64,
    /// Load before it that is discarded; that of the plan where the window is.
    #[serde(default)]
    pub discard_ns: u64,
    /// p99 of response times at the end of the first warm-up, of the slowest variant at the slowest load point: what the
    /// length of the slices rests on.
    #[serde(default)]
    pub slices_p99_ns: u64,
    /// Cycles of the blocks up to `after_block`; 0 where they are the plan's.
    #[serde(default)]
    pub first_cycles: u32,
    /// Number of the last block before the choice after the first look; 0 where that is still to come.
    pub after_block: u32,
    /// Cycles of the blocks after it.
    pub cycles: u32,
    /// Complete blocks that the number of cycles rests on; 0 before the first look, and the fields below say nothing.
    pub blocks: u32,
    /// The open claim that it rests on: of several the one in the middle.
    pub claim: String,
    /// Standard deviation of the log-ratio from one pair of slices to the next, within a start: T₁.
    pub slice_sd: f64,
    /// The same from start to start: T₂; 0 where the starts differed less than their slices alone would make them.
    pub start_sd: f64,
    /// Cost of one more block beside its cycles: starts, warm-up, stops.
    pub start_seconds: f64,
    /// Cost of one more cycle.
    pub cycle_seconds: f64,
    /// Cycles that a start is worth, before they were limited; `null` where starts do not differ.
    pub cycles_worth: Option<f64>,
    /// Most cycles that the budget had room for up to the last look.
    pub cycles_most: u32,
    /// Share of the variance within starts that taking turns removed; `null` in serial mode.
    pub turns_removed: Option<f64>,
    /// Blocks that a serial run would need at least, as a multiple; `null` in serial mode.
    pub serial_blocks: Option<f64>,
}

/// Long slices beside short ones, of the claim on which they differ most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SliceLength {
    /// The claim.
    pub claim: String,
    /// Blocks that have both.
    pub blocks: u32,
    /// Its ratio in long slices over that in short ones.
    pub ratio: Option<f64>,
    /// `failed` where its interval lies beyond 1 %: then the claim has no verdict.
    pub outcome: CheckOutcome,
}

impl Slicing {
    /// Cycles of a block; `None` where they are the plan's.
    pub fn cycles_of(&self, block: u32) -> Option<u32> {
        let chosen = if block > self.after_block { self.cycles } else { self.first_cycles };
        Some(chosen).filter(|cycles| *cycles > 0)
    }

    /// Window of a slice and the load before it that is discarded, of a plan with these.
    pub fn lengths(&self, timing: &Timing) -> (u64, u64) {
        match self.slice_ns {
            0 => (timing.slice_ns, timing.discard_ns),
            slice_ns => (slice_ns, self.discard_ns),
        }
    }
}
