//! What stands in a run directory, and what machines read. Changing a type here means a format
//! version, a fixture and a changelog line.
//!
//! Times are integers in nanoseconds and their names end in `_ns`; `null` stands for "not measured".

mod capacity;
mod claims;
mod expectations;
mod factors;
mod figures;
mod fitness;
mod noise;
mod parts;
mod records;
mod scalability;
mod single;
mod slicing;
mod steady;
mod words;

pub use capacity::{CapacityResult, CapacityTrial, PlannedCapacity, TrialTerms};
pub use claims::{ClaimResult, Exploratory, PlannedClaim};

pub use expectations::{
    ConclusionResult, ConclusionTest, ExpectationResult, PlannedConclusion, PlannedExpectation,
    PlannedFigure, PlannedReference, PublishedContradiction, PublishedFigure,
};

pub use factors::{FactorEffect, FactorTable, LevelChange};

pub use figures::Figure;

pub use fitness::{Ceiling, Conditions, FitnessCheck};

pub use noise::*;
pub use parts::{BadAnswer, Durations, Histograms};

pub use records::{
    Baseline, BaselineFigure, Difference, FigurePair, HistoryChange, HistoryEntry, HistorySeries,
    HistoryVerdict, RunDiff, Sitting, SubjectFacts,
};

pub use scalability::Scalability;

pub use single::SingleLoad;

pub use slicing::Slicing;

pub use steady::{SteadyStart, SteadyState, WarmUp};

pub use words::{
    CapacityAnswer, CheckName, CheckOutcome, ConclusionOutcome, ExpectationOutcome, Looking, Mode, Model,
    Phase, Preset, Replication, RunState, Steadiness, SubjectKind, TrendVerdict, TrialOutcome, TrialStage,
    Verdict,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod telemetry;
mod transport;
mod trends;

pub use transport::{Handshakes, Negotiated, TlsTerms, Transport};

pub use trends::{Checkpoint, ClassGrowth, TrendResult};

pub use telemetry::{CollectorUse, MachineUse, ProcessUse, SubjectUse, Telemetry, ThreadsUse};

/// Version of every format in this file.
pub const FORMAT_VERSION: u32 = 1;

/// What the generator spent, and whether it was fit.
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
    /// How late the first exchange of a worker was begun, after the instant at which it was intended: the worst of
    /// the workers. `null` when none was begun.
    #[serde(default)]
    pub start_error_ns: Option<u64>,
    /// What carried the bytes: `epoll`, `io_uring`.
    pub driver: String,
    /// Whether every self-check passed. Of streams of one load all are fit, or none: this, the findings and the checks
    /// of their points are those of the load.
    pub fit: bool,
    /// The checks that failed, a sentence each.
    pub findings: Vec<String>,
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
    /// How many there might have been; 0 when not recorded.
    #[serde(default)]
    pub connections_most: u32,
    /// Answer codes with their counts.
    pub codes: BTreeMap<String, u64>,
    /// Redirects that were followed. Their codes stand among the others, beside that of the last answer of each
    /// exchange.
    #[serde(default)]
    pub redirects: u64,
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
    /// TLS handshakes; absent without TLS.
    #[serde(default)]
    pub handshakes: Option<Handshakes>,
    /// What connections passed through; of a single measurement only, for a study's stands in its plan.
    #[serde(default)]
    pub transport: Option<Transport>,
    /// The generator.
    pub generator: Generator,
    /// The subject's processes; absent for a `url:` subject.
    pub subject: Option<SubjectUse>,
    /// The first bad answer of each kind, redacted, as text.
    pub bad_answers: Vec<BadAnswer>,
}

/// One slice, a line of `blocks/NNNN.jsonl`. With several streams a slice is one line for each of them, with
/// the same block, cycle and position; what the subject used stands in the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// Format version.
    pub format: u32,
    /// Block, from 1.
    pub block: u32,
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
    /// What was measured.
    pub measured: Point,
    /// Full histograms.
    pub histograms: Histograms,
    /// Answered exchanges that ended in the window: throughput times seconds, exactly.
    pub answered_in_window: u64,
    /// What may have disturbed this slice, a sentence each (an idle variant that was not quiet).
    pub marks: Vec<String>,
    /// What was seen of the subject's processes and the machine meanwhile; absent for a `url:` subject.
    #[serde(default)]
    pub telemetry: Option<Telemetry>,
    /// What the machine did meanwhile.
    #[serde(default)]
    pub conditions: Option<Conditions>,
    /// Of a pair of the phase `perturbation`, the slice with twice the threads.
    #[serde(default)]
    pub perturbed: bool,
    /// What makes it a trial of a search for a capacity; absent for any other slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialTerms>,
    /// Of a condensed record: what this slice alone came to in measures of response time, by their names, where its
    /// histogram stands with those of the other cycles in the first slice of its variant, load point and block. Absent
    /// for a slice with histograms of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condensed: Option<BTreeMap<String, f64>>,
}

impl Slice {
    /// Whether figures and verdicts rest on it.
    pub fn is_measured(&self) -> bool {
        self.phase == Phase::Measure
    }
}

/// A level of a factor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// The factor.
    pub factor: String,
    /// The level.
    pub level: String,
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
    /// What is started, one line: `tomcat 9.0.110, connector nio`.
    pub description: String,
    /// The command that starts it, placeholders filled where they are known before the start.
    pub command: Vec<String>,
    /// Digests of what it is made of: name to SHA-256.
    pub digests: BTreeMap<String, String>,
    /// Name of the subject whose one process this variant shares with others; empty when it has its own.
    #[serde(default)]
    pub shares: String,
    /// What connections to it pass through; absent for nothing.
    #[serde(default)]
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
    /// Intended sends per second (open).
    pub rate_per_s: Option<f64>,
    /// `constant` or `poisson` (open).
    pub arrival: Option<String>,
    /// Mean pause between an answer and the next send (closed).
    pub think_ns: u64,
    /// How pauses are spread, in words: `exponential with mean 0.1 s`; empty where all are as long.
    #[serde(default)]
    pub think: String,
    /// `on`, `off`, or a number of exchanges for each connection.
    pub keep_alive: String,
    /// Connections that there may be in the end (open); 0 for no more than above.
    #[serde(default)]
    pub most_connections: u32,
    /// What becomes of a request that finds no free connection (open): `drop`; empty where it waits.
    #[serde(default)]
    pub overflow: String,
    /// How late sends may leave together (open).
    #[serde(default)]
    pub coalesce_ns: u64,
    /// The shape over time, in words: `ramp 0/s to 2k/s in 10 s, hold 2k/s for 30 s`; empty for a load that
    /// stays as it is.
    #[serde(default)]
    pub profile: String,
    /// Whether the load is carried out whole, from its first request to its last, because it has a shape that
    /// no slice of it has (stages, users, a count): one slice of its own length in each block.
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
    /// Whether the blocks after the first look may have another number of them (`slicing.json`).
    #[serde(default)]
    pub cycles_adapt: bool,
    /// Measured window of a slice.
    pub slice_ns: u64,
    /// Load before a slice's window that is discarded.
    pub discard_ns: u64,
    /// How long to wait for what is in flight when a slice ends.
    pub drain_ns: u64,
    /// Measured window of each slice of the pair that a block has for the perturbation check; 0 for none.
    #[serde(default)]
    pub perturbation_ns: u64,
    /// Blocks at which the claims are judged.
    pub looks: Vec<u32>,
    /// What makes looking more than once honest: `looks` (bounds for these looks), or `anytime` (bounds that hold
    /// after every block, `--keep-going`). Empty is `looks`.
    #[serde(default, skip_serializing_if = "Looking::is_empty")]
    pub looking: Looking,
    /// Whether a claim is closed as undecided when the last look would hardly settle it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub futility: bool,
    /// Time allowed for the whole study.
    pub budget_ns: u64,
}

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
    /// How the variants take turns: `cycles` (all run at once, slice by slice) or `serial` (one after
    /// another, each started, measured and stopped alone). Empty in records that knew only cycles.
    #[serde(default)]
    pub mode: Mode,
    /// Why this mode, a sentence.
    #[serde(default)]
    pub mode_reason: String,
    /// Error rate over all claims.
    pub alpha: f64,
    /// Variants.
    pub variants: Vec<Variant>,
    /// What is asked, one line each.
    pub workload: Vec<String>,
    /// Names of the streams that run at once, in order; empty without streams.
    #[serde(default)]
    pub streams: Vec<String>,
    /// Load points. At least one of them carried out whole makes the cycles of the plan one.
    pub points: Vec<LoadPoint>,
    /// Claims.
    pub claims: Vec<PlannedClaim>,
    /// What the preset drops from the study, a sentence each.
    pub not_tested: Vec<String>,
    /// Timing.
    pub timing: Timing,
    /// Order of variants: for each block, for each cycle, indexes into `variants`.
    pub order: Vec<Vec<Vec<usize>>>,
    /// CPUs of the generator.
    pub generator_cpus: Vec<usize>,
    /// CPUs of the subjects.
    pub subject_cpus: Vec<usize>,
    /// Estimated time to the last look, in seconds.
    pub estimated_seconds: f64,
    /// The study in effect: its file as it was read, or what came of it with what it includes and what was set.
    /// Empty when the study came from the command line.
    pub study_text: String,
    /// What the command line changed in the study, as it was given to `--set`; credentials are replaced.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Ranges that were said before the run.
    #[serde(default)]
    pub expectations: Vec<PlannedExpectation>,
    /// Figures that were published elsewhere.
    #[serde(default)]
    pub references: Vec<PlannedReference>,
    /// What `--only` kept of the study, as it was given; empty when it was run whole.
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
    /// What differed from the run that this one repeats and was accepted, a sentence each.
    #[serde(default)]
    pub repeat_differences: Vec<String>,
    /// Whether the generator's ceiling was left unmeasured on demand (`--no-ceiling`).
    #[serde(default)]
    pub no_ceiling: bool,
    /// What is to carry the bytes: `epoll`, `io_uring`. Empty where it was not recorded, which is taken for `epoll`.
    #[serde(default)]
    pub driver: String,
    /// The search for a capacity, of a study whose load is one. Its trials stand one after the other in the blocks, each
    /// block one start of one variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<PlannedCapacity>,
}

/// What machine this is.
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
    /// What is not as it should be for measuring, a sentence each.
    pub findings: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// `running`, `finished`, `interrupted` or `failed`.
    pub state: RunState,
    /// Why, when not finished.
    pub why: String,
    /// When it was conducted, from when to when, and how each sitting ended.
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

/// `result.json`, and what `--format json` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// Format version.
    pub format: u32,
    /// The study; empty for a single measurement.
    pub study: String,
    /// Its question.
    pub question: String,
    /// Where the run lies; empty when nothing was kept.
    pub run: String,
    /// How it ended.
    pub status: Status,
    /// Variants.
    pub variants: Vec<Variant>,
    /// One entry for each variant and load point: the trials merged over complete blocks.
    pub points: Vec<Point>,
    /// What the variants came to, over the blocks, with 95 % intervals.
    pub figures: Vec<Figure>,
    /// Verdicts.
    pub claims: Vec<ClaimResult>,
    /// The capacity of each variant, of a study whose load is a search for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<CapacityResult>,
    /// The table of expectations: met, not met or undecided.
    #[serde(default)]
    pub expectations: Vec<ExpectationResult>,
    /// Comparisons that no claim declares, for whoever looks for a question to ask next.
    #[serde(default)]
    pub exploratory: Vec<Exploratory>,
    /// Published figures beside those found here.
    #[serde(default)]
    pub published: Vec<PublishedFigure>,
    /// Published figures that cannot all be true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<PublishedContradiction>,
    /// Published conclusions, and what became of them here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<ConclusionResult>,
    /// Whether something grew over soaks.
    #[serde(default)]
    pub trends: Vec<TrendResult>,
    /// What ladders of connections came to, one entry for each variant; empty without a ladder.
    #[serde(default)]
    pub scalability: Vec<Scalability>,
    /// Which settings matter; absent unless several factors were varied.
    #[serde(default)]
    pub factors: Option<FactorTable>,
    /// Complete blocks.
    pub blocks: u32,
    /// Blocks that were begun and do not count.
    pub excluded_blocks: u32,
    /// Complete blocks that the machine disturbed (steal, a lower frequency): left out for all variants alike.
    #[serde(default)]
    pub disturbed_blocks: Vec<u32>,
    /// What the generator reaches against a server that does nothing.
    #[serde(default)]
    pub ceilings: Vec<Ceiling>,
    /// How many cycles the blocks after the first look have, where it was chosen.
    #[serde(default)]
    pub slicing: Option<Slicing>,
    /// Whether the starts of each variant had a steady state; empty where warm-ups were fixed.
    #[serde(default)]
    pub steady_states: Vec<SteadyState>,
    /// `start` or `process`; empty for a single measurement.
    pub replication: Replication,
    /// The plan; absent for a single measurement.
    pub plan: Option<Plan>,
    /// What a single measurement asked for; absent for a study, whose plan says it.
    #[serde(default)]
    pub load: Option<SingleLoad>,
    /// The machine.
    pub environment: Environment,
    /// Limits of this test, generated from what was really seen, a sentence each.
    pub limits: Vec<String>,
    /// The comparison with a baseline, where one was asked for.
    #[serde(default)]
    pub baseline: Option<Baseline>,
}
