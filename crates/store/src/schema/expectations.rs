//! Expectations and figures published elsewhere, as the plan and the result hold them.

use super::{ConclusionOutcome, Estimate, ExpectationOutcome};
use proofload_facts::{Finding, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A row of the table of expectations, as it was declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedExpectation {
    /// The quantity: `throughput(nio) @ 64c`.
    pub quantity: String,
    /// Expected range: `8000/s..14000/s`.
    pub range: String,
    /// Author of the expectation; empty when none is named.
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
    /// Place of publication.
    pub source: String,
    /// Its address; empty without.
    pub url: String,
    /// The figures.
    pub figures: Vec<PlannedFigure>,
    /// Conclusions drawn from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<PlannedConclusion>,
}

/// A published conclusion, as it was declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedConclusion {
    /// The conclusion, a sentence.
    pub says: String,
    /// Names of the claims that test it; empty when nothing does.
    pub claims: Vec<String>,
    /// The figure that it rested on; empty without.
    pub was: String,
    /// Reason why that figure is not evidence, or less than it seems; empty without.
    pub beware: String,
    /// Reason why the study does not test it; empty when it does.
    pub not_tested: String,
}

/// A row of the table of expectations, judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationResult {
    /// The quantity at a definite load point.
    pub quantity: String,
    /// Expected range, as it was declared.
    pub range: String,
    /// Smallest value expected, in `unit`; `null` for any.
    pub low: Option<f64>,
    /// Largest value expected, in `unit`; `null` for any.
    pub high: Option<f64>,
    /// `ratio`, `ns`, `per_s`, `share`, `bytes`, `count`.
    pub unit: String,
    /// Author of the expectation; empty when none is named.
    pub source: String,
    /// `met`, `not met` or `undecided`.
    pub outcome: ExpectationOutcome,
    /// Estimate of the quantity.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Blocks it rests on.
    pub blocks: u32,
    /// Reasons of the outcome.
    pub reasons: Vec<Reason>,
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
    /// Published value, in `unit`.
    pub published: f64,
    /// `ns`, `per_s`, `share`, `bytes`, `count`.
    pub unit: String,
    /// Value found here, with a 95 % interval; absent when no block has a value.
    pub found: Option<Estimate>,
    /// Found over published.
    pub ratio: Option<f64>,
    /// Place of publication.
    pub source: String,
    /// Its address; empty without.
    pub url: String,
}

/// A published conclusion, and what became of it here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConclusionResult {
    /// The conclusion, a sentence.
    pub says: String,
    /// `reproduced`, `not reproduced`, `undecided here` or `not tested`.
    pub outcome: ConclusionOutcome,
    /// The figure that it rested on; empty without.
    pub was: String,
    /// Reason why that figure is not evidence, or less than it seems; empty without.
    pub beware: String,
    /// Claims that test it, at each load point.
    pub tests: Vec<ConclusionTest>,
    /// Untested parts of it, with reasons.
    pub not_tested: Vec<Finding>,
    /// Contradictions among the published figures of what it speaks of.
    pub contradictions: Vec<Reason>,
    /// Place of publication.
    pub source: String,
    /// Its address; empty without.
    pub url: String,
}

/// A claim at a load point that tests a published conclusion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConclusionTest {
    /// The claim's name.
    pub claim: String,
    /// Its text at a definite load point.
    pub text: String,
    /// `reproduced`, `not reproduced` or `undecided here`: what the claim's verdict is to the conclusion.
    pub outcome: ConclusionOutcome,
    /// Result here: the estimate that the verdict rests on.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Blocks it rests on.
    pub blocks: u32,
    /// Reasons of the verdict.
    pub reasons: Vec<Reason>,
}

/// Published figures of one source, variant and load point that cannot all be true, or do not add up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedContradiction {
    /// Place of publication.
    pub source: String,
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream; empty for all streams together, and without streams.
    pub stream: String,
    /// The measures, as claims name them.
    pub measures: Vec<String>,
    /// The contradiction.
    pub what: Reason,
}
