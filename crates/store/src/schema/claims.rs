//! Claims: as the plan holds them, and as they came out; and comparisons that nobody claimed.

use super::{Estimate, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A claim as the plan holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedClaim {
    /// Its name.
    pub name: String,
    /// Its text, as declared.
    pub text: String,
}

/// A claim with its verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimResult {
    /// Its name.
    pub name: String,
    /// Its text at a definite load point.
    pub text: String,
    /// `supported`, `refuted` or `undecided`.
    pub verdict: Verdict,
    /// What it rests on.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Blocks it rests on.
    pub blocks: u32,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What was found, in a sentence: by how much, with interval, blocks and what is claimed.
    #[serde(default)]
    pub sentence: String,
    /// Which of the reasons stands in that sentence; not stored.
    #[serde(skip)]
    pub reason_in_sentence: Option<usize>,
    /// The Hodges–Lehmann estimate beside it, in the unit of the estimate.
    #[serde(default)]
    pub hodges_lehmann: Option<f64>,
    /// Whether it was settled before the last look. Then chance helped more often than not, and the end of the interval
    /// that is nearer to what is claimed is the one to quote.
    #[serde(default)]
    pub early: bool,
    /// Conditions of measuring on which the quantity depends; empty where none was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<DependsOn>,
}

/// A condition of measuring on which a quantity depends, with what it is at each level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DependsOn {
    /// The condition: `cpus_awake`.
    pub condition: String,
    /// The quantity at each level that occurred.
    pub levels: Vec<AtLevel>,
    /// Whether the claim holds, or fails, at every level alike; else it is undecided.
    pub alike: bool,
}

/// A quantity at one level of a condition of measuring.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtLevel {
    /// The level: `true`.
    pub level: String,
    /// The quantity there, with its interval.
    pub estimate: Estimate,
}

/// Two variants that no claim compares; of no verdict, and apart from the claims' error rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exploratory {
    /// The measure, as claims name it.
    pub measure: String,
    /// The variant above the line.
    pub over: String,
    /// The one below it.
    pub under: String,
    /// Label of the load point.
    pub point: String,
    /// The ratio with its interval; absent when nothing was measured.
    pub ratio: Option<Estimate>,
    /// Confidence of the interval: all exploratory comparisons share an error rate (Holm).
    pub confidence: f64,
    /// Blocks it rests on.
    pub blocks: u32,
    /// Exchanges answered in these blocks by the variant above the line.
    #[serde(default)]
    pub over_exchanges: u64,
    /// By the one below it.
    #[serde(default)]
    pub under_exchanges: u64,
    /// Whether the interval excludes 1, and nothing forbids to say so.
    pub stands_out: bool,
    /// What forbids it, a sentence each.
    pub reasons: Vec<String>,
}
