//! Spreads between blocks that a run leaves to later ones.

use super::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of a spread: of two variants' ratio, or of one variant's level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpreadKind {
    /// Of the ratio of two variants.
    #[default]
    Ratio,
    /// Of the level of one.
    Level,
}

/// Runtime of the servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Runtime {
    /// Nothing that compiles while they serve.
    #[default]
    Native,
    /// A JVM, as far as is known beforehand.
    Jvm,
    /// One of them this, the other that.
    Both,
}

/// Spread of one comparison, or one level, from block to block: of the blocks up to the first look alone, whatever
/// came later. Of logarithms: 0.02 is 2 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptSpread {
    /// Digest of what was compared: the same in each run of the same study with the same servers.
    pub of: String,
    /// The measure, as claims name it; with its stream in brackets.
    pub measure: String,
    /// `ratio` or `level`.
    pub kind: SpreadKind,
    /// `jvm`, `native` or `both`.
    pub runtime: Runtime,
    /// `closed` or `open`.
    pub model: Model,
    /// Time for which each block was to measure a variant.
    pub seconds: f64,
    /// Mean of the blocks.
    pub mean: f64,
    /// Standard deviation of the blocks.
    pub sd: f64,
    /// Number of blocks.
    pub blocks: u32,
}

/// Entry of the cache for a run, `spreads/RUN.json`, from which later runs of this machine borrow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptSpreads {
    /// Format version.
    pub format: u32,
    /// Id of the run.
    pub run: String,
    /// Facts that tell machines apart, a line each.
    pub machine: Vec<String>,
    /// Time at which the run began, nanoseconds since 1970.
    pub began_unix_ns: u64,
    /// Time at which it ended.
    pub ended_unix_ns: u64,
    /// One for each comparison and level, of each measure.
    pub spreads: Vec<KeptSpread>,
}
