//! Fitness of the generator, and of the machine around it.

use super::{CheckName, CheckOutcome};
use proofload_facts::{Finding, or_nothing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One check of the generator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitnessCheck {
    /// `send_delay_p90`, `send_delay_p99` (in early records `send_delay`), `unsent`, `at_work`, `hiccups`, `littles_law`,
    /// `ports`, `descriptors`, `ceiling`, `ceiling_tail`, `perturbation_throughput` or `perturbation_p99`.
    pub check: CheckName,
    /// `passed`; `failed`: client-limited (`send_delay_p99`, `hiccups` and `ceiling_tail` for p99 and beyond only); `unresolved`: too few or too
    /// scattered values to tell; `not_measured`.
    pub outcome: CheckOutcome,
    /// Value found; `null` when there is none.
    pub found: Option<f64>,
    /// Allowed value; `null` where there is no single one.
    pub limit: Option<f64>,
    /// Unit of both: `ns`, `share`, `count`, `connections`; `ratio` for a factor that is 1 when nothing changed.
    pub unit: String,
    /// Note on the figure, or the reason why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub note: Option<Finding>,
}

/// Disturbance of a slice by the machine, from the machine's own counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Share of the time of the generator's CPUs that the hypervisor took.
    pub generator_steal_share: Option<f64>,
    /// The same of the subjects' CPUs.
    pub subject_steal_share: Option<f64>,
    /// Mean clock frequency of all these CPUs while they were loaded, where the kernel tells it.
    pub frequency_hz: Option<f64>,
    /// Time that a fixed piece of work took just before the load: the quickest of several.
    pub canary_ns: Option<u64>,
}

/// Rate of the generator against a server that does nothing, on this machine, in this setting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// Format version.
    pub format: u32,
    /// The setting, one line for each part of it; a ceiling holds for exactly this.
    pub setting: Vec<String>,
    /// Label of the load point; empty in the cache, where one ceiling serves every point of its setting.
    pub point: String,
    /// Names of the variants for which it holds; empty for all. Variants that are reached by different ways, as with
    /// and without TLS, have ceilings of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<String>,
    /// Largest answer, in bytes, of the class of answers for which it holds.
    pub answer_bytes: u64,
    /// Exchanges per second; `null` when it could not be measured.
    pub exchanges_per_s: Option<f64>,
    /// Reason why it was not measured; empty when it was.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub why: Option<Finding>,
    /// Wall-clock time of the measurement, nanoseconds since 1970.
    pub measured_unix_ns: u64,
    /// Time that a fixed piece of work took then: another time, another machine.
    pub canary_ns: u64,
    /// True if it came from the cache.
    pub cached: bool,
    /// The level of each condition under which it was measured; empty for all, as in a plan without conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<usize>,
}

/// Measurements of the network between agents and servers, before the first block: exchanges with a server that does
/// nothing, in the place of the servers. Generator and server have their part in every figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Network {
    /// Format version.
    pub format: u32,
    /// Address on which the servers listen.
    pub address: String,
    /// Small exchanges, one after the other on one connection of each agent.
    pub exchanges: u64,
    /// Median of their times, nanoseconds; `null` when they could not be measured.
    pub p50_ns: Option<u64>,
    /// Their 99th percentile, nanoseconds.
    pub p99_ns: Option<u64>,
    /// The longest, nanoseconds.
    pub max_ns: Option<u64>,
    /// Bytes per second that came with answers of 64 KiB, over four connections of each agent.
    pub bytes_per_s: Option<f64>,
    /// Reason why something was not measured; empty when all was.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub why: Option<Finding>,
}
