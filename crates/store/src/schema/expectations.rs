//! What was expected and what was published elsewhere, as the plan and the result hold it.

use super::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A row of the table of expectations, as it was declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedExpectation {
    /// The quantity: `throughput(nio) @ 64c`.
    pub quantity: String,
    /// Where it is expected: `8000/s..14000/s`.
    pub range: String,
    /// Who expected it; empty when nobody is named.
    pub source: String,
}

/// A published figure, as it was declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedFigure {
    /// The quantity: `p99(ajp) @ 100c`.
    pub quantity: String,
    /// Its value: `101ms`.
    pub value: String,
}

/// Figures that were published elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedReference {
    /// Where.
    pub source: String,
    /// Its address; empty without.
    pub url: String,
    /// The figures.
    pub figures: Vec<PlannedFigure>,
}

/// A row of the table of expectations, judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationResult {
    /// The quantity at a definite load point.
    pub quantity: String,
    /// Where it was expected, as it was declared.
    pub range: String,
    /// Smallest value expected, in `unit`; `null` for any.
    pub low: Option<f64>,
    /// Largest value expected, in `unit`; `null` for any.
    pub high: Option<f64>,
    /// `ratio`, `ns`, `per_s`, `share`, `bytes`, `count`.
    pub unit: String,
    /// Who expected it; empty when nobody is named.
    pub source: String,
    /// `met`, `not met` or `undecided`.
    pub outcome: String,
    /// What was found.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Blocks it rests on.
    pub blocks: u32,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
}

/// A published figure beside the one found here. It is from another machine, and never judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigure {
    /// The quantity: `p99(ajp) @ 100c`.
    pub quantity: String,
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// The measure, as claims name it.
    pub measure: String,
    /// What was published, in `unit`.
    pub published: f64,
    /// `ns`, `per_s`, `share`, `bytes`, `count`.
    pub unit: String,
    /// What was found here, with a 95 % interval; absent when no block has a value.
    pub found: Option<Estimate>,
    /// Found over published.
    pub ratio: Option<f64>,
    /// Where it was published.
    pub source: String,
    /// Its address; empty without.
    pub url: String,
}
