//! Claims: as the plan holds them, and their results; and comparisons that no claim declares.

use super::{Estimate, Scope, Verdict};
use proofload_facts::Reason;
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
    /// Estimate that the verdict rests on.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Blocks it rests on.
    pub blocks: u32,
    /// Reasons of the verdict.
    pub reasons: Vec<Reason>,
    /// Result in a sentence: by how much, with interval, blocks and the claimed value.
    #[serde(default)]
    pub sentence: String,
    /// The first part of that sentence: what was found; not stored.
    #[serde(skip)]
    pub found: String,
    /// Index of the reason that is part of that sentence; not stored.
    #[serde(skip)]
    pub reason_in_sentence: Option<usize>,
    /// The Hodges–Lehmann estimate beside it, in the unit of the estimate.
    pub hodges_lehmann: Option<f64>,
    /// True if it was settled before the last look. Then chance helped more often than not, and the end of the
    /// interval that is nearer to the claimed value is the one to quote.
    #[serde(default)]
    pub early: bool,
    /// Conditions of measuring on which the quantity depends; empty where none was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<DependsOn>,
    /// `this_sitting`: the interval holds for this time alone; `any_sitting`: it rests on several sittings, or is
    /// wider by the differences between earlier ones.
    #[serde(default)]
    pub scope: Scope,
    /// Sittings that the blocks are of.
    #[serde(default)]
    pub sittings: u32,
    /// The spread between blocks that was lent to the claim, and its effect; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub borrowed: Option<BorrowedSpread>,
    /// τ, the spread between sittings; absent where it is not known.
    pub tau: Option<SittingSpread>,
    /// 95 % prediction interval of the next sitting's mean, if it has as many blocks; absent for a single sitting.
    pub prediction: Option<Estimate>,
}

/// Lender of a spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lender {
    /// Other comparisons, or levels, of the same study.
    #[default]
    Study,
    /// Earlier runs of the machine, which `lent` of the plan names.
    EarlierRuns,
}

/// A spread between blocks that was lent to a claim at its first look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BorrowedSpread {
    /// s₀: standard deviation of the logarithms, 0.02 is 2 %.
    pub spread: f64,
    /// d₀: the degrees of freedom that it counts for.
    pub freedom: f64,
    /// Comparisons, or levels, that it comes from.
    pub relatives: u32,
    /// The lender.
    pub from: Lender,
    /// True if the estimate's interval uses this spread; otherwise it is Student's t with the claim's own.
    pub used: bool,
    /// s: standard deviation of the logarithms in the claim's own blocks.
    pub own_spread: f64,
    /// The interval by the own spread alone, had none been lent.
    pub plain: Estimate,
}

/// A condition of measuring on which a quantity depends, with what it is at each level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DependsOn {
    /// The condition: `cpus_awake`.
    pub condition: String,
    /// The quantity at each level that occurred.
    pub levels: Vec<AtLevel>,
    /// True if the claim holds, or fails, at every level alike; otherwise it is undecided.
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

/// The spread between sittings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SittingSpread {
    /// Standard deviation between sittings: 0.06 is 6 % of a ratio; in the unit of the estimate where that is a difference, or
    /// a value that was zero.
    pub tau: f64,
    /// Sittings that it is of: these, or earlier ones.
    pub sittings: u32,
    /// True if they are earlier ones, whose runs are in `earlier_sittings` of the plan.
    #[serde(default)]
    pub earlier: bool,
    /// Standard deviation between the blocks of a sitting, in the same unit.
    pub within: Option<f64>,
    /// Cochran's Q: whether the sittings differ by more than their blocks explain.
    pub q: Option<f64>,
    /// Probability of this Q or a larger one by chance alone.
    pub p: Option<f64>,
    /// Blocks that a sitting is worth, at what a sitting and a block took here; absent where sittings do not differ.
    pub blocks_advised: Option<u32>,
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
    /// True if the interval excludes 1 and nothing forbids saying so.
    pub stands_out: bool,
    /// Reasons that forbid it.
    pub reasons: Vec<Reason>,
}
