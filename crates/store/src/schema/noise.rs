//! Results of a noise audit of a machine, and of a search for the best variant.

use super::{Preset, RunResult};
use proofload_facts::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number with both ends of its 95 % interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Between {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The noise of one measure on this machine, from blocks of two equal variants. Spreads are standard deviations of
/// logarithms: 0.02 is 2 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasureNoise {
    /// The measure, as claims name it.
    pub measure: String,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Spread of a single run, from one fresh start to the next.
    pub run_sd: f64,
    /// Spread of the log-ratio of two equal variants from block to block.
    pub block_sd: Between,
    /// Mean log-ratio of the two equal variants.
    pub difference: Between,
    /// Spread of the starts' own effects.
    pub start_sd: f64,
    /// Spread of single slices.
    pub slice_sd: f64,
    /// Spread of the machine's drift.
    pub drift_sd: f64,
    /// Correlation of the drift from one slice to the next; `null` when no drift was found.
    pub drift_memory: Option<f64>,
    /// Share of the drift in the variance of a slice.
    pub drift_share: f64,
    /// Share of slices that were spoilt.
    pub spike_share: f64,
    /// Size of the spikes: median log-ratio of the spoilt slices to their pairs; `null` without any.
    pub spike_size: Option<f64>,
}

/// Short slices beside long ones, of one measure. Spreads are standard deviations of
/// logarithms: 0.02 is 2 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SliceLengthNoise {
    /// The measure, as claims name it.
    pub measure: String,
    /// Blocks that have both.
    pub blocks: u32,
    /// Spread of the log-ratio of two equal variants from block to block, in as many short slices as take as long as the long
    /// ones.
    pub short_sd: Between,
    /// The same in long ones.
    pub long_sd: Between,
    /// Log-ratio, of the equal variant to one that works 6 % more on a request, in long slices less that in short ones: 0
    /// unless it is felt in these that the load went from one server to the other.
    pub apart: Between,
}

/// The smallest difference of one measure that is found in four studies of five.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resolved {
    /// The measure, as claims name it.
    pub measure: String,
    /// The difference as a share; its ends are those of the spread it rests on.
    pub difference: Between,
    /// The narrowest band in which two equal variants are shown to be (`~ within`), as a share; its ends likewise.
    pub band: Between,
}

/// Differences that this machine can resolve in some minutes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// Minutes of the whole study: two variants, one load point, one claim.
    pub minutes: u32,
    /// The preset whose lengths it has.
    pub preset: Preset,
    /// Blocks that there is room for, at the last look.
    pub blocks: u32,
    /// Resolvable differences, measure by measure.
    pub measures: Vec<Resolved>,
}

/// A noise audit: blocks of two equal variants of the reference server. `--format json` prints it; the cache keeps the
/// last one of each machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseAudit {
    /// Format version.
    pub format: u32,
    /// Time at which it ended, nanoseconds since 1970.
    pub measured_unix_ns: u64,
    /// A digest that tells machines apart.
    pub machine: String,
    /// Kernel release.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: String,
    /// Proofload's version and the digest of its executable's size and time.
    pub build: String,
    /// The run directory of its blocks.
    pub run: String,
    /// Blocks that count.
    pub blocks: u32,
    /// Blocks that the machine disturbed; they are in no figure.
    pub disturbed_blocks: u32,
    /// Cycles in a block.
    pub cycles: u32,
    /// Measured window of a slice.
    pub slice_ns: u64,
    /// Duration, in seconds.
    pub seconds: f64,
    /// Cycles of long slices in a block.
    #[serde(default)]
    pub long_cycles: u32,
    /// Measured window of a long slice.
    #[serde(default)]
    pub long_slice_ns: u64,
    /// Short slices beside long ones, of measures that are compared slice by slice.
    #[serde(default)]
    pub slice_lengths: Vec<SliceLengthNoise>,
    /// The noise of each measure.
    pub measures: Vec<MeasureNoise>,
    /// Resolvable differences, by minutes.
    pub resolution: Vec<Resolution>,
    /// Findings that a reader should know.
    pub findings: Vec<Finding>,
}

/// A heat of a search: some variants, for some blocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneHeat {
    /// Variants that ran, the default first.
    pub variants: Vec<String>,
    /// Complete blocks that count.
    pub blocks: u32,
    /// The run directory.
    pub run: String,
}

/// Standing of a variant in the search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneStanding {
    /// The variant.
    pub variant: String,
    /// Ratio of its measure to the default's over its blocks of the search. Search data: it flatters the first, and
    /// is not a gain. `null` where nothing was measured.
    pub search_ratio: Option<f64>,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// The heat after which it was out; `null` for the default, and for those that ran to the end.
    pub out_after: Option<u32>,
}

/// Output of `proofload tune --format json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneResult {
    /// Format version.
    pub format: u32,
    /// The study whose variants were searched.
    pub study: String,
    /// `maximize` or `minimize`.
    pub goal: String,
    /// The measure, as claims name it.
    pub measure: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream; empty for all streams together, and without streams.
    #[serde(default)]
    pub stream: String,
    /// The default, with which everything was compared.
    pub default: String,
    /// The heats, in order.
    pub heats: Vec<TuneHeat>,
    /// All variants, those that ran longest first, among them the best. Search data: no gain.
    pub standings: Vec<TuneStanding>,
    /// Best configuration of the search; the default's name when nothing was better.
    pub winner: String,
    /// Fresh blocks of the winner against the default, judged; `null` when the default won.
    pub confirmation: Option<RunResult>,
}
