//! What is recorded about the number of cycles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `slicing.json`: how many cycles the later blocks of a run have, chosen after its first look from where the spread
/// came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slicing {
    /// Format version.
    pub format: u32,
    /// Number of the last block with the plan's own cycles.
    pub after_block: u32,
    /// Cycles of the blocks after it.
    pub cycles: u32,
    /// Complete blocks that it rests on.
    pub blocks: u32,
    /// The open claim that it rests on: of several the one in the middle.
    pub claim: String,
    /// Standard deviation of the log-ratio from one pair of slices to the next, within a start: T₁.
    pub slice_sd: f64,
    /// The same from start to start: T₂; 0 where the starts differed less than their slices alone would make them.
    pub start_sd: f64,
    /// What one more block costs beside its cycles: starts, warm-up, stops.
    pub start_seconds: f64,
    /// What one more cycle costs.
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
