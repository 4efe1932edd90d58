//! Results of a ladder of connections, as the result holds them.

use super::Estimate;
use proofload_facts::Reason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Knee, plateau and peak of one variant on a ladder of connections in a closed loop. Values that could not be told
/// are absent, with the reasons in `reasons`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scalability {
    /// The variant's name.
    pub variant: String,
    /// Name of the only request that is asked; empty where all of the workload is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asks: String,
    /// The numbers of connections that it rests on, the fewest first.
    pub connections: Vec<u32>,
    /// The blocks that it rests on: those in which each of these load points has a value.
    pub blocks: u32,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// Mean think time.
    pub think_ns: u64,
    /// The most that was answered per second. Each block's figure is taken at the load point that the other blocks show
    /// to be the highest, and at those within a standard error of it.
    pub most: Option<Estimate>,
    /// Mean response time at the fewest connections.
    pub low_load_response: Option<Estimate>,
    /// The knee, in connections: the most that was answered per second, times response time at low load plus think
    /// time.
    pub knee: Option<Estimate>,
    /// The fewest connections at which 95 % of the most are answered. `low` may be, `high` surely is such a load point;
    /// `null` when none is.
    pub plateau_from: Option<Estimate>,
    /// The peak, in connections; only where throughput was seen to fall behind it.
    pub peak: Option<Estimate>,
    /// Coefficient σ of the Universal Scalability Law: the share of work that has to queue. Absent with think time, of
    /// which the law knows nothing.
    pub contention: Option<Estimate>,
    /// Its coefficient κ: what each pair of connections costs.
    pub coherency: Option<Estimate>,
    /// Notes on these figures, and reasons why others are absent.
    pub reasons: Vec<Reason>,
}
