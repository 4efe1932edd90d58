//! Figures of the variants, as the result holds them.

use super::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A measure of one variant at one load point: the geometric mean over blocks, and its t interval. Quantiles are those
/// of each block; the histograms of several blocks are never put together for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream; empty for all streams together, and without streams.
    #[serde(default)]
    pub stream: String,
    /// The measure, as claims name it: `throughput`, `p99`, `cpu_per_request`.
    pub measure: String,
    /// Estimate; absent when no block has a value.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// The value of each complete block, in order; `null` where a block has none.
    pub per_block: Vec<Option<f64>>,
    /// Blocks with a value, each a fresh start of the variant; with `replication: process` a stretch of time of the same
    /// processes. The interval is one between these; with fewer than two there is none.
    #[serde(default)]
    pub starts: u32,
    /// Exchanges that were answered in these blocks.
    #[serde(default)]
    pub exchanges: u64,
    /// Of a quantile, the fewest exchanges of a start that lie beyond it.
    pub beyond: Option<u64>,
    /// True if these are fewer than 100: then the quantile is not resolvable, and has no interval.
    #[serde(default)]
    pub rough: bool,
    /// True if it is a lower end: in some block its rank is among exchanges without an end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Spread of values from start to start: the standard deviation of their logarithms. Of quantiles only.
    pub between_starts: Option<f64>,
    /// Uncertainty of a single start: the standard error of its logarithm, from how its cycles differ. Where it is
    /// more than half of that between starts, longer starts would tell more than further ones.
    pub within_start: Option<f64>,
}
