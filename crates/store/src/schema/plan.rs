//! The plan, on disk before the first start: variants, load points, timing.

use super::{
    Looking, Mode, Model, PlannedCapacity, PlannedClaim, PlannedExpectation, PlannedReference, Preset,
    Replication, SubjectKind, Transport,
};
use proofload_facts::{Finding, or_nothing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A level of a factor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// The factor.
    pub factor: String,
    /// The level.
    pub level: String,
}

/// A process that carries out a share of every load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedAgent {
    /// Name of its machine.
    pub host: String,
    /// True if that machine is the one that the servers run on.
    pub is_here: bool,
    /// CPUs that it may use.
    pub cpus: u32,
}

/// A variant as the plan holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variant {
    /// Canonical name: `nio`, or `nio,256m` with several factors.
    pub name: String,
    /// Its levels.
    pub levels: Vec<Level>,
    /// `catalogue`, `command` or `url`.
    pub kind: SubjectKind,
    /// Program that is started, one line: `tomcat 9.0.110, connector nio`.
    pub description: String,
    /// The command that starts it, placeholders filled where they are known before the start.
    pub command: Vec<String>,
    /// Digests of what it is made of: name to SHA-256.
    pub digests: BTreeMap<String, String>,
    /// Name of the subject whose one process this variant shares with others; empty when it has its own.
    #[serde(default)]
    pub shares: String,
    /// Proxy and TLS of the connections to it; absent for plain, direct ones.
    pub transport: Option<Transport>,
}

/// A load point as the plan holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadPoint {
    /// `64c`, `5k/s`.
    pub label: String,
    /// `closed` or `open`.
    pub model: Model,
    /// Connections.
    pub connections: u32,
    /// Calls that each carries at once; 0 and 1 mean one.
    #[serde(default, skip_serializing_if = "is_one")]
    pub in_flight: u32,
    /// Intended sends per second (open).
    pub rate_per_s: Option<f64>,
    /// `constant` or `poisson` (open).
    pub arrival: Option<String>,
    /// Mean pause between an answer and the next send (closed).
    pub think_ns: u64,
    /// Distribution of pauses, in words: `exponential with mean 0.1 s`; empty where all are equally long.
    #[serde(default)]
    pub think: String,
    /// `on`, `off`, or a number of exchanges for each connection.
    pub keep_alive: String,
    /// Connections that there may be in the end (open); 0 for no more than above.
    #[serde(default)]
    pub most_connections: u32,
    /// Handling of a request that finds no free connection (open): `drop`; empty where it waits.
    #[serde(default)]
    pub overflow: String,
    /// Most by which sends may be late so as to leave together (open).
    #[serde(default)]
    pub coalesce_ns: u64,
    /// The shape over time, in words: `ramp 0/s to 2k/s in 10 s, hold 2k/s for 30 s`; empty for a load that
    /// stays as it is.
    #[serde(default)]
    pub profile: String,
    /// True if the load is carried out whole, from its first request to its last, because it has a shape that no
    /// slice of it has (stages, users, a count): one slice of its own length in each block.
    #[serde(default)]
    pub whole: bool,
    /// Length of a load that is carried out whole; where it ends by a count, the time it may take at most. 0 for
    /// loads that are sliced.
    #[serde(default)]
    pub length_ns: u64,
    /// Time between two checkpoints of a soak; 0 for every other load.
    #[serde(default)]
    pub checkpoint_ns: u64,
    /// The loads of the streams that run at once; empty without streams.
    #[serde(default)]
    pub streams: Vec<StreamLoad>,
    /// Name of the only request that is asked; empty where all of the workload is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asks: String,
}

/// The load of one stream at a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamLoad {
    /// Name of the stream.
    pub stream: String,
    /// `closed` or `open`.
    pub model: Model,
    /// Connections.
    pub connections: u32,
    /// All of it in words: `500/s, constant arrivals, 64 connections, keep-alive on`.
    pub profile: String,
    /// Connections that there may be in the end (open); 0 for no more than above, and where it was not recorded.
    #[serde(default)]
    pub most_connections: u32,
    /// Mean pause between an answer and the next send (closed).
    #[serde(default)]
    pub think_ns: u64,
}

/// Lengths and counts that the preset decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Warm-up of a block; all variants share it in turns. The shortest, where it lasts until the variants are steady.
    pub warm_up_ns: u64,
    /// The longest, where it lasts until the variants are steady; 0 where its length is fixed.
    #[serde(default)]
    pub warm_up_cap_ns: u64,
    /// Cycles in a block, per load point.
    pub cycles: u32,
    /// True if the blocks after the first look may have another number of them (`slicing.json`).
    #[serde(default)]
    pub cycles_adapt: bool,
    /// Measured window of a slice.
    pub slice_ns: u64,
    /// Load before a slice's window that is discarded.
    pub discard_ns: u64,
    /// Longest wait for exchanges in flight when a slice ends.
    pub drain_ns: u64,
    /// Cycles of slices of this length in each block whose own slices are shorter (`slicing.json`): what these are held
    /// against.
    #[serde(default)]
    pub long_cycles: u32,
    /// Measured window of each slice of the pair that a block has for the perturbation check; 0 for none.
    #[serde(default)]
    pub perturbation_ns: u64,
    /// One block in this many has the checks beside the figures, the pair and the long cycles; 0 and 1: every block.
    #[serde(default, skip_serializing_if = "is_every")]
    pub checks_every: u32,
    /// Blocks at which the claims are judged.
    pub looks: Vec<u32>,
    /// Rule that keeps repeated looks valid: `looks` (bounds for these looks), or `anytime` (bounds that hold after
    /// every block, `--keep-going`). Empty is `looks`.
    #[serde(default, skip_serializing_if = "Looking::is_empty")]
    pub looking: Looking,
    /// True if a claim is closed as undecided when the last look would hardly settle it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub futility: bool,
    /// Time allowed for the whole study.
    pub budget_ns: u64,
}

/// Every block has the checks, as in records without the field.
fn is_every(every: &u32) -> bool {
    *every < 2
}

impl Timing {
    /// Tells if the block after `complete` complete ones has the checks beside the figures, and how many had them
    /// before. The first block, which warms up and starts everything, is spared where not every block has them.
    pub fn checks_after(&self, complete: u32) -> Option<u32> {
        let every = self.checks_every.max(1);
        (complete % every == 1.min(every - 1)).then_some(complete / every)
    }
}

/// Something that Proofload decides and that no server is to answer for: how CPUs sleep, what carries the bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCondition {
    /// As a study names it: `cpus_awake`, `driver`, `generator_cpus`.
    pub name: String,
    /// Its levels. With several it varies over the blocks (`condition_order`).
    pub levels: Vec<String>,
    /// Reason why it does not vary, where the machine does not let it; else empty.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub why: Option<Finding>,
}

/// The newest rules of judging.
pub const METHOD: u32 = 2;

/// The plan, on disk before the first start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Format version.
    pub format: u32,
    /// Name of the study.
    pub study: String,
    /// Its question.
    pub question: String,
    /// `smoke`, `quick`, `default` or `thorough`.
    pub preset: Preset,
    /// Seed of everything random.
    pub seed: u64,
    /// `start` or `process`.
    pub replication: Replication,
    /// Order of the variants: `cycles` (all run at once, slice by slice) or `serial` (one after another, each
    /// started, measured and stopped alone). Empty in records that knew only cycles.
    #[serde(default)]
    pub mode: Mode,
    /// Reason for this mode.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub mode_reason: Option<Finding>,
    /// By which rules it is judged, [`METHOD`] at most; absent for the first. A record keeps the verdicts of its own.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub method: u32,
    /// Error rate over all claims.
    pub alpha: f64,
    /// Variants.
    pub variants: Vec<Variant>,
    /// Requests, one line each.
    pub workload: Vec<String>,
    /// Names of the streams that run at once, in order; empty without streams.
    #[serde(default)]
    pub streams: Vec<String>,
    /// Names of the entries of the mix of which figures are kept, in order; empty for a load of one request, and with
    /// streams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
    /// Those of them that are journeys of users, from arrival to the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journeys: Vec<String>,
    /// Load points. At least one of them carried out whole makes the cycles of the plan one.
    pub points: Vec<LoadPoint>,
    /// Claims.
    pub claims: Vec<PlannedClaim>,
    /// Parts of the study that the preset drops.
    pub not_tested: Vec<Finding>,
    /// Timing.
    pub timing: Timing,
    /// Order of variants: for each block, for each cycle, indexes into `variants`.
    pub order: Vec<Vec<Vec<usize>>>,
    /// Addresses of the agents that carry the loads out; empty where the process that runs the study does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<PlannedAgent>,
    /// Address on which started servers listen, if not on the loopback address.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subjects_address: String,
    /// CPUs of the generator; empty where it is on other machines.
    pub generator_cpus: Vec<usize>,
    /// CPUs of the subjects.
    pub subject_cpus: Vec<usize>,
    /// Estimated time to the last look, in seconds.
    pub estimated_seconds: f64,
    /// The study in effect: its file as it was read, or what came of it with what it includes and what was set.
    /// Empty when the study came from the command line.
    pub study_text: String,
    /// Changes of the study by the command line, as they were given to `--set`; credentials are replaced.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Ranges that were declared before the run.
    #[serde(default)]
    pub expectations: Vec<PlannedExpectation>,
    /// Figures that were published elsewhere.
    #[serde(default)]
    pub references: Vec<PlannedReference>,
    /// Parts of the study that `--only` kept, as they were given; empty when it was run whole.
    #[serde(default)]
    pub only: Vec<String>,
    /// The command line that began the run, program name left out, credentials redacted.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The working directory in which it was given; empty in a small copy, whose reader has another.
    #[serde(default)]
    pub working_directory: String,
    /// The run that this one repeats (`proofload rerun`); empty for any other.
    #[serde(default)]
    pub repeats: String,
    /// Accepted differences from the run that this one repeats.
    #[serde(default)]
    pub repeat_differences: Vec<Finding>,
    /// True if the generator's ceiling was left unmeasured on demand (`--no-ceiling`).
    #[serde(default)]
    pub no_ceiling: bool,
    /// Driver that is to carry the bytes: `epoll`, `io_uring`; both where it varies. Empty where it was not recorded,
    /// which is taken for `epoll`.
    #[serde(default)]
    pub driver: String,
    /// The conditions of measuring; empty where they were not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PlannedCondition>,
    /// For each block the level of each condition, as indexes; blocks beyond begin with the first again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub condition_order: Vec<Vec<usize>>,
    /// The search for a capacity, of a study whose load is one. Its trials follow each other in the blocks, each
    /// block one start of one variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<PlannedCapacity>,
    /// True if the claims only ask which of two servers is the faster one, or if they are alike: in pairs, each of
    /// one that says the first serves more, and one that they are alike. Either, once shown, is an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub two_sided: bool,
    /// Spread between sittings in earlier runs; absent where they were too few, or were not looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_sittings: Option<EarlierSittings>,
    /// Spreads between blocks borrowed from earlier runs of this machine, for the claims that had similar ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lent: Vec<LentSpread>,
    /// Sitting of `proofload replicate` that the run is; absent for any other run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitting: Option<PlannedSitting>,
}

/// The spread between sittings, taken of earlier runs before the first block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierSittings {
    /// Ids of the runs, oldest first.
    pub runs: Vec<String>,
    /// One entry for each claim of which it could be taken.
    pub claims: Vec<EarlierSpread>,
}

/// The spread between earlier sittings in what one claim is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierSpread {
    /// Text of the claim, at a definite load point.
    pub claim: String,
    /// Standard deviation between sittings, of the logarithms: 0.06 is 6 %.
    pub tau: f64,
    /// Degrees of freedom of its square.
    pub freedom: f64,
    /// Sittings that it is of.
    pub sittings: u32,
    /// Standard deviation of the sittings' means, of the logarithms; 0 in records that know only its part `tau`.
    #[serde(default)]
    pub of_means: f64,
}

/// The spread between blocks in what one claim is about, as the like of it had in earlier runs, taken before the first block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LentSpread {
    /// Text of the claim, at a definite load point.
    pub claim: String,
    /// Standard deviation between blocks, of the logarithms: 0.02 is 2 %.
    pub spread: f64,
    /// Comparisons, or levels, of earlier runs that it comes from.
    pub relatives: u32,
    /// Ids of these runs, oldest first.
    pub runs: Vec<String>,
}

/// Place of a run among the sittings of a replication.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSitting {
    /// Number of the sitting, from 1.
    pub number: u32,
    /// Numbers of sittings after which the claims are judged; the last is the last sitting.
    pub looks: Vec<u32>,
}

fn is_one(in_flight: &u32) -> bool {
    *in_flight <= 1
}
