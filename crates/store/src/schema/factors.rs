//! Effects of settings, as the result holds them.

use super::Estimate;
use proofload_facts::Reason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One level of a factor instead of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LevelChange {
    /// The factor.
    pub factor: String,
    /// Its first level.
    pub from: String,
    /// The level instead.
    pub to: String,
}

/// Effect of a change of one setting, on average over the others; or joint effect of two changes beyond that of each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactorEffect {
    /// The measure, as claims name it.
    pub measure: String,
    /// Label of the load point.
    pub point: String,
    /// One change: its main effect. Two: their interaction, how many times as much the first does with the second made
    /// as without.
    pub changes: Vec<LevelChange>,
    /// The ratio, after to before; the geometric mean over the matched combinations.
    pub estimate: Estimate,
    /// Confidence of the interval, as wide as the step of Holm's rule demands.
    pub confidence: f64,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Combinations of the other factors of which all levels of the effect were measured.
    pub matched: u32,
    /// Combinations of the other factors of which any was.
    pub combinations: u32,
    /// `matters`: the interval excludes 1. `practically equal`: it lies within 1 ± 2 %. Otherwise `not told apart`.
    pub finding: String,
}

/// Settings that matter. Explorations, not verdicts: nothing of it was claimed before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactorTable {
    /// By measure and load point, each with all main effects, then the interactions whose interval excludes 1; the
    /// largest first.
    pub effects: Vec<FactorEffect>,
    /// Probability with which any of all that was looked at is told although there is nothing.
    pub error_rate: f64,
    /// Main effects that were looked at.
    pub main_effects: u32,
    /// Interactions that were looked at.
    pub interactions: u32,
    /// Notes on the table, a sentence each: omissions, with reasons.
    pub reasons: Vec<Reason>,
}
