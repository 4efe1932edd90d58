//! Result of a run.

use super::{
    Baseline, CapacityResult, Ceiling, ClaimResult, ConclusionResult, Environment, ExpectationResult,
    Exploratory, FactorTable, Figure, Network, Plan, Point, PublishedContradiction, PublishedFigure,
    Replication, Scalability, SingleLoad, Slice, SliceLength, Slicing, Status, SteadyState, TrendResult,
    Variant,
};
use proofload_facts::Limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `result.json`, and what `--format json` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// Format version.
    pub format: u32,
    /// The study; empty for a single measurement.
    pub study: String,
    /// Its question.
    pub question: String,
    /// Path of the run; empty when nothing was kept.
    pub run: String,
    /// State at its end.
    pub status: Status,
    /// Variants.
    pub variants: Vec<Variant>,
    /// One entry for each variant and load point: the trials merged over complete blocks.
    pub points: Vec<Point>,
    /// Figures of the variants, over the blocks, with 95 % intervals.
    pub figures: Vec<Figure>,
    /// Verdicts.
    pub claims: Vec<ClaimResult>,
    /// The capacity of each variant, of a study whose load is a search for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<CapacityResult>,
    /// The table of expectations: met, not met or undecided.
    #[serde(default)]
    pub expectations: Vec<ExpectationResult>,
    /// Comparisons that no claim declares, as a source of questions for later studies.
    #[serde(default)]
    pub exploratory: Vec<Exploratory>,
    /// Published figures beside those found here.
    #[serde(default)]
    pub published: Vec<PublishedFigure>,
    /// Published figures that cannot all be true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<PublishedContradiction>,
    /// Published conclusions, and what became of them here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<ConclusionResult>,
    /// Growth over soaks.
    #[serde(default)]
    pub trends: Vec<TrendResult>,
    /// Results of ladders of connections, one entry for each variant; empty without a ladder.
    #[serde(default)]
    pub scalability: Vec<Scalability>,
    /// Settings that matter; absent unless several factors were varied.
    pub factors: Option<FactorTable>,
    /// Complete blocks.
    pub blocks: u32,
    /// Blocks that were begun and do not count.
    pub excluded_blocks: u32,
    /// Complete blocks that the machine disturbed (steal, a lower frequency): left out for all variants alike.
    #[serde(default)]
    pub disturbed_blocks: Vec<u32>,
    /// Rates of the generator against a server that does nothing.
    #[serde(default)]
    pub ceilings: Vec<Ceiling>,
    /// Network between agents and servers; absent where the servers were reached on the loopback address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Cycles of the blocks after the first look, where their number was chosen.
    pub slicing: Option<Slicing>,
    /// Comparison of the short slices with long ones; `null` where there were none, or no claim compares slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_length: Option<SliceLength>,
    /// Steady states of the starts of each variant; empty where warm-ups were fixed.
    #[serde(default)]
    pub steady_states: Vec<SteadyState>,
    /// `start` or `process`; empty for a single measurement.
    pub replication: Replication,
    /// The plan; absent for a single measurement.
    pub plan: Option<Plan>,
    /// Load of a single measurement; absent for a study, whose plan has it.
    pub load: Option<SingleLoad>,
    /// The machine.
    pub environment: Environment,
    /// Limits of this test, generated from what was really seen.
    pub limits: Vec<Limit>,
    /// The comparison with a baseline, where one was asked for.
    pub baseline: Option<Baseline>,
}

impl RunResult {
    /// True if totals count a slice: not one of warm-up, nor one of a block that the machine disturbed, unless it
    /// disturbed all of them. Figures leave out marked cycles, too.
    pub fn counts(&self, slice: &Slice) -> bool {
        let left_out = self.blocks > 0 && self.disturbed_blocks.contains(&slice.block);
        slice.is_measured() && !left_out
    }
}
