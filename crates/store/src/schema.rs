//! Contents of a run directory, and formats for machines. Changing a type here means a format
//! version, a fixture and a changelog line.
//!
//! Times are integers in nanoseconds, and their names end in `_ns`; `null` stands for "not measured".

mod capacity;
mod claims;
mod expectations;
mod factors;
mod figures;
mod fitness;
mod noise;
mod parts;
mod plan;
mod records;
mod result;
mod scalability;
mod single;
mod slice;
mod slicing;
mod spreads;
mod steady;
mod telemetry;
mod transport;
mod trends;
mod words;

pub use capacity::*;
pub use claims::*;
pub use expectations::*;
pub use factors::*;
pub use figures::*;
pub use fitness::*;
pub use noise::*;
pub use parts::*;
pub use plan::*;
pub use records::*;
pub use result::*;
pub use scalability::*;
pub use single::*;
pub use slicing::*;
pub use spreads::*;
pub use steady::*;
pub use telemetry::*;
pub use transport::*;
pub use trends::*;
pub use words::*;

use proofload_facts::{Finding, or_nothing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of every format in this file.
pub const FORMAT_VERSION: u32 = 3;

/// Resources that the generator spent, and its fitness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generator {
    /// CPU time of all workers within the window.
    pub cpu_ns: u64,
    /// CPU time per finished exchange.
    pub cpu_ns_per_exchange: Option<f64>,
    /// Peak resident memory of the process.
    pub peak_rss_bytes: u64,
    /// Worker threads.
    pub threads: u32,
    /// Delay of a worker's first exchange after its intended instant: the worst of the workers. `null` when none was
    /// begun.
    pub start_error_ns: Option<u64>,
    /// Driver that carried the bytes: `epoll`, `io_uring`.
    pub driver: String,
    /// The processes that carried the load out together; left out for one alone. The figures above are of all of them
    /// that were not lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Agents>,
    /// True if every self-check passed and no agent was lost. Of streams of one load all are fit, or none: this, the
    /// findings and the checks of their points are those of the load.
    pub fit: bool,
    /// The agents that were lost, and the checks that failed.
    pub findings: Vec<Finding>,
    /// Every check with its figure, passed or not.
    #[serde(default)]
    pub checks: Vec<FitnessCheck>,
}

/// One variant at one load point: a slice, a trial, or a whole single measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The variant's name, or the address for a single measurement.
    pub variant: String,
    /// Label of the load point: `64c`, `5k/s`.
    pub point: String,
    /// Name of the stream; empty for all streams together, and without streams.
    #[serde(default)]
    pub stream: String,
    /// `closed` or `open`; `mixed` for streams of both kinds together.
    pub model: Model,
    /// Connections; 0 when not recorded.
    #[serde(default)]
    pub connections: u32,
    /// Length of the measured window in seconds.
    pub seconds: f64,
    /// Answered exchanges per second.
    pub throughput_per_s: Option<f64>,
    /// A count for each kind of outcome, all kinds.
    pub outcomes: BTreeMap<String, u64>,
    /// From intended to end.
    pub response_time_ns: Durations,
    /// From sent to end.
    pub service_time_ns: Durations,
    /// From sent to first byte.
    pub first_byte_ns: Durations,
    /// From intended to sent.
    pub send_delay_ns: Durations,
    /// Bytes handed to the kernel.
    pub bytes_sent: u64,
    /// Bytes received.
    pub bytes_received: u64,
    /// Exchanges intended.
    pub intended: u64,
    /// Exchanges of which the kernel took a byte.
    pub sent: u64,
    /// Exchanges never sent.
    pub unsent: u64,
    /// Of those, the ones that an open loop gave up because no connection was free.
    #[serde(default)]
    pub dropped: u64,
    /// Most connections that there were at once: those above, and what was opened while none was free. 0 when not
    /// recorded. Of streams together the sum of theirs.
    #[serde(default)]
    pub connections_peak: u32,
    /// Most connections that there could have been; 0 when not recorded.
    #[serde(default)]
    pub connections_most: u32,
    /// Answer codes with their counts.
    pub codes: BTreeMap<String, u64>,
    /// Redirects that were followed. Their codes are among the others, beside that of the last answer of each
    /// exchange.
    #[serde(default)]
    pub redirects: u64,
    /// Those of them that led to other origins, by the URL of each.
    #[serde(default, skip_serializing_if = "is_default")]
    pub redirects_elsewhere: BTreeMap<String, u64>,
    /// Challenges of Digest authentication that were answered, each by the same request once more. Their codes are among the
    /// others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub challenges: u64,
    /// Answers that belong to no exchange: more than requests, or later than the exchange was given up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surplus: u64,
    /// Answered per second of the window.
    pub per_second: Vec<u64>,
    /// Median response time of what was answered in each second; `null` where nothing was. Kept for the first day of a
    /// window, and for single streams only. Older records have it to an eighth, and
    /// for an hour.
    #[serde(default)]
    pub response_p50_per_second_ns: Vec<Option<u64>>,
    /// Their 99th percentile.
    #[serde(default)]
    pub response_p99_per_second_ns: Vec<Option<u64>>,
    /// Of a single measurement: stretches without an answer. Absent for a study, for loads other than a closed loop without
    /// think time, and where nothing was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silences: Option<Silences>,
    /// TLS handshakes; absent without TLS.
    pub handshakes: Option<Handshakes>,
    /// Addresses of servers that were dialed at more than one, and those that failed a dial; else left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<AddressUse>,
    /// Proxy and TLS of the connections; of a single measurement only, since a study's plan has that of each variant.
    pub transport: Option<Transport>,
    /// The generator.
    pub generator: Generator,
    /// The subject's processes; absent for a `url:` subject.
    pub subject: Option<SubjectUse>,
    /// The first bad answer of each kind, and of each entry of a mix, redacted, as text.
    pub bad_answers: Vec<BadAnswer>,
    /// Figures of each entry of a mix; left out for a load of one request, and with streams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestFigures>,
    /// Reason why nothing was answered, or nothing but redirects, where one was found after the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Finding>,
    /// Connections that the server ended without announcing it; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by_server: Option<EndedByServer>,
}

/// Connections that the server ended without announcing it, after whole exchanges on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndedByServer {
    /// Number of them.
    pub connections: u64,
    /// Fewest exchanges that one of them had carried.
    pub fewest: u32,
    /// Most.
    pub most: u32,
}

/// One slice, a line of `blocks/NNNN.jsonl`. With several streams a slice is one line for each of them, with
/// the same block, cycle and position; the resources used by the subject are in the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// Format version.
    pub format: u32,
    /// Block, from 1.
    pub block: u32,
    /// Place in the plan, from 1, of the block that this one makes up for, and whose conditions it has; absent where it is the
    /// block's own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// `warm-up`, `measure`, or `lost`: the variant did not get through this block, and `marks` say why. A
    /// lost variant has nothing measured in its line, and its other slices of the block are in no figure.
    /// `perturbation`: one of a pair of slices with once and with twice the generator's threads, in no figure.
    /// `spared`: the block left this variant out at this load point, because no open claim needed it any more.
    pub phase: Phase,
    /// Cycle within the block, from 1; 0 in the warm-up.
    pub cycle: u32,
    /// Position within the cycle, from 1.
    pub position: u32,
    /// Wall-clock time of the window's start, nanoseconds since 1970.
    pub started_unix_ns: u64,
    /// Seconds since the variant's start when the window began.
    pub age_seconds: f64,
    /// Measured values.
    pub measured: Point,
    /// Full histograms.
    pub histograms: Histograms,
    /// Answered exchanges that ended in the window: throughput times seconds, exactly.
    pub answered_in_window: u64,
    /// Possible disturbances of this slice, such as an idle variant that was not quiet.
    pub marks: Vec<Finding>,
    /// In the line of a lost variant: its processes ended while they were under load.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub died: bool,
    /// Observations of the subject's processes and the machine meanwhile; absent for a `url:` subject.
    pub telemetry: Option<Telemetry>,
    /// State of the machine meanwhile.
    pub conditions: Option<Conditions>,
    /// Of a pair of the phase `perturbation`, the slice with twice the threads.
    #[serde(default)]
    pub perturbed: bool,
    /// Terms of a trial of a search for a capacity; absent for any other slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialTerms>,
    /// Of a condensed record: results of this slice alone in measures of response time, by their names, where its
    /// histogram is merged with those of the other cycles in the first slice of its variant, load point and block.
    /// Absent for a slice with histograms of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condensed: Option<BTreeMap<String, f64>>,
}

/// The fact of an environment that tells builds of the generator apart.
pub const BUILD: &str = "proofload_build";

/// Description of the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// Proofload's version.
    pub proofload: String,
    /// Host name is not recorded; this is a digest that tells machines apart.
    pub machine: String,
    /// Kernel release.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: String,
    /// CPUs that this process may use.
    pub cpus: Vec<usize>,
    /// Memory of the machine.
    pub memory_bytes: u64,
    /// Soft limit of file descriptors.
    pub descriptors: u64,
    /// First and last ephemeral port.
    pub ephemeral_ports: (u16, u16),
    /// Further facts: name to value (clock source, cgroup limits, somaxconn, JDKs).
    pub facts: BTreeMap<String, String>,
    /// Conditions of the machine that are unfavourable to measuring.
    pub findings: Vec<Finding>,
}

/// State of a run, and its sittings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// `running`, `finished`, `interrupted` or `failed`.
    pub state: RunState,
    /// Reason, when not finished.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub why: Option<Finding>,
    /// Periods in which it was conducted, and how each sitting ended.
    #[serde(default)]
    pub sittings: Vec<Sitting>,
}

/// An interval with its point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Point estimate.
    pub point: f64,
    /// Lower end; `null` when unbounded.
    pub low: Option<f64>,
    /// Upper end; `null` when unbounded.
    pub high: Option<f64>,
    /// `ratio`, `ns`, `per_s`, `share`, `bytes`, `count`.
    pub unit: String,
}

impl Estimate {
    pub fn new(point: f64, ends: Option<(f64, f64)>, unit: &str) -> Estimate {
        let (low, high) = ends.unzip();
        Estimate { point, low, high, unit: unit.to_string() }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
