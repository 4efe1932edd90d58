//! Soaks: what is looked at between, and what comes of it.

use super::{Estimate, TrendVerdict};
use proofload_facts::Reason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A look at a JVM's live objects in the midst of a soak, behind a full collection that it forces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    /// Time at which it began, from the start of the window.
    pub at_ns: u64,
    /// Duration; the program was stopped for most of it.
    pub took_ns: u64,
    /// Bytes of all live objects, all JVMs of the subject together; `null` when one of them did not report
    /// it.
    pub live_bytes: Option<u64>,
    /// Full collections that it forced; `null` where the collector does not count them apart.
    pub forced_full_gcs: Option<u64>,
}

/// Live objects of a class that grew between two checkpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClassGrowth {
    /// Its name, as the JVM writes it: `[B` is an array of bytes.
    pub class: String,
    /// Bytes at the first checkpoint that a trend counts.
    pub before_bytes: u64,
    /// Bytes at the last one.
    pub after_bytes: u64,
}

/// Growth of a variant's resource over a soak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendResult {
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream, for latencies; empty for what is the subject's, and without streams.
    pub stream: String,
    /// The block.
    pub block: u32,
    /// `live_set`, `heap_low`, `rss`, `metaspace`, `threads`, `descriptors`, `response_p50` or `response_p99`.
    pub measure: String,
    /// `leak` (of a live set) or `growth`, `no_growth`, `filling`, `undecided`.
    pub verdict: TrendVerdict,
    /// Increase per hour, by the line through the blocks; absent when there are too few values.
    pub per_hour: Option<Estimate>,
    /// The median of the slopes between any two blocks (Theil and Sen), in an hour.
    pub per_hour_median: Option<f64>,
    /// Increase per hour, in the second half of what was kept.
    pub second_half_per_hour: Option<Estimate>,
    /// Increase per answered exchange; of memory only.
    pub per_exchange: Option<Estimate>,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// Mean over what was kept.
    pub level: Option<f64>,
    /// Value that growth is compared with: the largest heap where it is known, else the level.
    pub yardstick: Option<f64>,
    /// The smallest growth in an hour that could have been told.
    pub detectable_per_hour: Option<f64>,
    /// Values that were kept.
    pub values: u32,
    /// Values that were left out at the beginning.
    pub left_out: u32,
    /// Hours from the first value kept to the last.
    pub hours: Option<f64>,
    /// Reasons and explanations.
    #[serde(default)]
    pub reasons: Vec<Reason>,
}
