//! A search for a capacity: what was asked for, its trials, its answer.

use super::{CapacityAnswer, Estimate, TrialOutcome, TrialStage};
use proofload_facts::{Finding, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Terms of the search, as the plan holds them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCapacity {
    /// The objective: conditions that all have to hold. One about errors is always among them.
    pub slo: Vec<String>,
    /// Lowest rate that is tried.
    pub from_per_s: f64,
    /// Highest.
    pub to_per_s: f64,
    /// Measured window of a trial; one that only brackets takes half of it, and one at a low rate longer.
    pub trial_ns: u64,
    /// Most trials of the search, confirmation not counted.
    pub trials_max: u32,
}

/// Terms that make a slice a trial of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialTerms {
    /// Intended rate.
    pub rate_per_s: f64,
    /// `search`, `confirm-low` or `confirm-high`.
    pub stage: TrialStage,
    /// True if the server was started afresh for it; of a server that already runs, if the connections were new after
    /// a pause.
    pub fresh: bool,
    /// True if the server was gone when it was over.
    #[serde(default)]
    pub died: bool,
}

/// A trial of a search, as it was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityTrial {
    /// Intended rate.
    pub rate_per_s: f64,
    /// `search`, `confirm-low` or `confirm-high`.
    pub stage: TrialStage,
    /// True if the server was started afresh for it.
    pub fresh: bool,
    /// The block that it is in: one start of the server.
    pub block: u32,
    /// `pass`, `fail`, `client_limited` or `connection_limited`. The last two say nothing about the server.
    pub outcome: TrialOutcome,
    /// Measured value of each term of the objective, in its base unit; `null` where there is none.
    pub values: BTreeMap<String, Option<f64>>,
    /// Requests sent, as a share of those planned.
    pub sent_share: Option<f64>,
    /// Requests that came to an end in the window, as a share of those due in it.
    pub carried_share: Option<f64>,
    /// Reasons why it did not pass.
    pub why: Vec<Finding>,
}

/// The capacity of one variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityResult {
    /// The variant's name.
    pub variant: String,
    /// The objective.
    pub slo: Vec<String>,
    /// `found`; `below_range`: the objective does not hold at the lowest rate; `above_range`: it holds at the highest;
    /// `client_limited`, `connection_limited`: the server's limit was not reached; `not_settled`.
    pub answer: CapacityAnswer,
    /// The capacity with its interval, `per_s`; of `found` only.
    pub estimate: Option<Estimate>,
    /// Confidence of the fit that the interval begins with; 0 without an estimate.
    pub confidence: f64,
    /// The objective held at this rate, on fresh starts; `null` where it did so nowhere.
    pub at_least_per_s: Option<f64>,
    /// It did not at this one, or the client was the limit there.
    pub at_most_per_s: Option<f64>,
    /// The answer in a sentence.
    pub sentence: String,
    /// Reasons and qualifications.
    pub reasons: Vec<Reason>,
    /// Trials of the search, confirmation not counted.
    pub searched: u32,
    /// Every trial, in order.
    pub trials: Vec<CapacityTrial>,
}
