//! Arguments of what is made of several runs, or of one for the machine's sake: the noise audit, the search.

use super::{DriverArg, ListFormat};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Names of the fields of [`NoiseArgs`]: arguments that have nothing to do with a load.
pub(super) const NOISE: [&str; 8] =
    ["noise", "blocks", "budget", "dir", "format", "no_wait", "quiet", "timing"];

/// `proofload doctor --noise`.
#[derive(Debug, Clone, Args)]
pub struct NoiseArgs {
    /// Measure how much two equal servers differ here, and what a study can resolve; about 6 minutes
    #[arg(long)]
    pub noise: bool,
    /// Blocks of the noise audit, 4 to 200; 20 without it
    #[arg(long, value_name = "N", requires = "noise", conflicts_with = "budget")]
    pub blocks: Option<u32>,
    /// As many blocks of the noise audit as there is time for (2m)
    #[arg(long, value_name = "TIME", requires = "noise")]
    pub budget: Option<String>,
    /// Directory in which the record of the noise audit is made, runs/noise-audit/ID/
    #[arg(long, value_name = "DIR", default_value = ".", requires = "noise")]
    pub dir: PathBuf,
    /// Format of the noise audit on standard output; schema/noise.schema.json
    #[arg(long, value_enum, default_value = "text", requires = "noise")]
    pub format: ListFormat,
    /// Leave at once when another measuring run is under way, instead of waiting for it
    #[arg(long, requires = "noise")]
    pub no_wait: bool,
    /// No progress on standard error
    #[arg(short = 'q', long, requires = "noise")]
    pub quiet: bool,
    /// Lengths instead of the audit's, for tests: warm-up=100ms,slice=50ms,discard=10ms,cycles=2
    #[arg(long, value_name = "LIST", hide = true, requires = "noise")]
    pub timing: Option<String>,
}

/// How long blocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LengthsArg {
    /// Young servers, short slices
    Quick,
    /// Longer warm-up and slices
    Default,
    /// Still longer ones
    Thorough,
}

/// `proofload tune STUDY`.
#[derive(Debug, Clone, Args)]
pub struct TuneArgs {
    /// The study file; its variants are what is chosen from
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Time allowed for the search and the blocks that confirm what it finds
    #[arg(long, value_name = "TIME", default_value = "60m")]
    pub budget: String,
    /// What is to be as large as can be, such as 'throughput @ 64c'; without it what the first claim is about
    #[arg(long, value_name = "MEASURE", conflicts_with = "minimize")]
    pub maximize: Option<String>,
    /// What is to be as small as can be, such as 'p99 @ 64c'
    #[arg(long, value_name = "MEASURE")]
    pub minimize: Option<String>,
    /// The variant with which all are compared (connector=nio,heap=256m); without it the first level of each factor
    #[arg(long, value_name = "VARIANT")]
    pub default: Option<String>,
    /// Lengths of its blocks
    #[arg(long, value_enum, default_value = "quick")]
    pub lengths: LengthsArg,
    /// Change the study before it is checked: load.closed.connections=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Choose from these only: a level (connector=nio); may be repeated
    #[arg(long, value_name = "WHAT")]
    pub only: Vec<String>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What carries the bytes: epoll, or io_uring where the kernel permits it; the study's without it
    #[arg(long, value_name = "DRIVER", value_enum)]
    pub driver: Option<DriverArg>,
    /// Do not measure the generator's ceiling against a server that does nothing; the result says so
    #[arg(long)]
    pub no_ceiling: bool,
    /// Directory in which runs/STUDY-tune/ID/ and runs/STUDY-tuned/ID/ are made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Folder of subjects instead of the one beside the study or the built-in one
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
    /// Fetch nothing; what the cache lacks is listed
    #[arg(long)]
    pub offline: bool,
    /// Leave at once when another measuring run is under way, instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// Format on standard output; schema/tune.schema.json
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
    /// No progress on standard error
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// Lengths instead of the preset's, for tests: warm-up=100ms,slice=50ms,discard=10ms,cycles=2
    #[arg(long, value_name = "LIST", hide = true)]
    pub timing: Option<String>,
}
