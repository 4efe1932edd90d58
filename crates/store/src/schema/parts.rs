//! Parts of a point and of a slice.

use super::{Generator, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Count, mean and quantiles of durations in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Durations {
    /// Number of durations.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p999: Option<u64>,
    /// Largest.
    pub max: Option<u64>,
    /// Of response times and first bytes: exchanges without an end (`unsent`, `timeout`, `unanswered`), beside the `count`.
    /// They rank above all that ended. A quantile whose rank lies among them, the mean and the largest are lower ends, as
    /// if each had ended when it was given up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unended: u64,
}

impl Durations {
    /// True if the value at quantile `q` (0 to 1) is a lower end.
    pub fn is_at_least(&self, q: f64) -> bool {
        (q * (self.count.saturating_add(self.unended)) as f64).ceil() > self.count as f64
    }
}

/// Stretches in which no answer came although requests were in flight, of a closed loop without think time. The loop
/// hides them: while a server is silent no request is sent to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Silences {
    /// Length from which on a stretch is a silence: ten times the median response time, and 20 ms at least.
    pub threshold_ns: u64,
    /// Number of silences.
    pub count: u64,
    /// The longest; 0 without any.
    pub longest_ns: u64,
    /// The median one; 0 without any.
    pub typical_ns: u64,
    /// All together.
    pub total_ns: u64,
    /// From the beginning of one to that of the next, where four or more were regular.
    pub period_ns: Option<u64>,
    /// The rate of an open loop that shows what they do to users: about 0.9 of the throughput.
    pub shown_by_rate_per_s: Option<f64>,
}

/// Figures of one entry of a mix, or of the entries that share a name. The counts of all of them add up to those of the point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestFigures {
    /// Name: the key in the workload of a study, or the path of an address.
    pub name: String,
    /// True if it is a journey of users, from arrival to the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub journey: bool,
    /// Answered exchanges per second.
    pub throughput_per_s: Option<f64>,
    /// Answered exchanges that ended in the window: throughput times seconds, exactly.
    pub answered_in_window: u64,
    /// A count for each kind of outcome, all kinds.
    pub outcomes: BTreeMap<String, u64>,
    /// From intended to end.
    pub response_time_ns: Durations,
    /// Answer codes with their counts.
    pub codes: BTreeMap<String, u64>,
    /// Bytes of the bodies of answers, as they were transferred.
    pub body_bytes: u64,
}

/// Full histograms of one entry of a mix, encoded like the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestHistograms {
    /// Response time.
    pub response_time: String,
    /// As of the whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unended: String,
}

/// The first bad answer of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BadAnswer {
    /// The outcome.
    pub outcome: String,
    /// Name of the entry of the mix; empty where there is no mix.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// Fault of the answer.
    pub what: String,
    /// Received bytes, up to 4 KiB, lossy UTF-8, credentials redacted.
    pub received: String,
}

/// Full histograms in HdrHistogram V2 deflate encoding, base64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histograms {
    /// Response time.
    pub response_time: String,
    /// Times waited in vain, from the intended instant, for the exchanges without an end; empty without any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unended: String,
    /// Service time.
    pub service_time: String,
    /// First byte.
    pub first_byte: String,
    /// Send delay.
    pub send_delay: String,
    /// Full TLS handshakes; empty without any.
    #[serde(default)]
    pub handshakes_full: String,
    /// Resumed TLS handshakes; empty without any.
    #[serde(default)]
    pub handshakes_resumed: String,
    /// Of each entry of the mix, in the order of the figures; empty without a mix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestHistograms>,
}

/// Several processes that carried a load out together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agents {
    /// Number of agents.
    pub count: u32,
    /// Within what the clock of each was known when the load began, and so the common first instant, and until the end of
    /// one of 10 s or more; of several loads the worst.
    pub clocks_within_ns: u64,
    /// Agents lost before they had carried out their share, which no other agent took over; of several loads the
    /// most. Their reports up to then are in all figures but the generator's own; exchanges under way then are in
    /// none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lost: u32,
    /// Exchanges that those left out, none of which is an outcome: each would have had as many as each of the others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub not_offered: u64,
}

impl Generator {
    /// Agents lost before they had carried out their share.
    pub fn agents_lost(&self) -> u32 {
        self.agents.map_or(0, |agents| agents.lost)
    }
}

impl Agents {
    /// Of several loads together.
    pub fn merge(self, other: Agents) -> Agents {
        Agents {
            count: self.count.max(other.count),
            clocks_within_ns: self.clocks_within_ns.max(other.clocks_within_ns),
            lost: self.lost.max(other.lost),
            not_offered: self.not_offered.saturating_add(other.not_offered),
        }
    }
}
