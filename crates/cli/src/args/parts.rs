//! Arguments of the noise audit and of the search for the best variant.

use super::agents::without_heading;
use super::{CpuArgs, DriverArg, FleetArgs, ListFormat, heading};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Names of the fields of [`NoiseArgs`]: arguments that do not describe a load.
pub(super) const NOISE: [&str; 8] =
    ["noise", "blocks", "budget", "dir", "format", "no_wait", "quiet", "timing"];

/// `proofload doctor --noise`.
#[derive(Debug, Clone, Args)]
pub struct NoiseArgs {
    /// Measure how much two equal servers differ here, and what differences a study can detect; about 6 minutes
    #[arg(long, help_heading = heading::NOISE)]
    pub noise: bool,
    /// Blocks of the noise audit, 4 to 200 [default: 20]
    #[arg(long, value_name = "N", requires = "noise", conflicts_with = "budget", help_heading = heading::NOISE)]
    pub blocks: Option<u32>,
    /// Time allowed for the noise audit, instead of --blocks (2m)
    #[arg(long, value_name = "TIME", requires = "noise", help_heading = heading::NOISE)]
    pub budget: Option<String>,
    /// Directory for the record of the noise audit, runs/noise-audit/ID/
    #[arg(long, value_name = "DIR", default_value = ".", requires = "noise", help_heading = heading::NOISE, hide_short_help = true)]
    pub dir: PathBuf,
    /// Output format of the noise audit; schema/noise.schema.json
    #[arg(long, value_enum, default_value = "text", requires = "noise", help_heading = heading::NOISE, hide_short_help = true)]
    pub format: ListFormat,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, help_heading = heading::NOISE, hide_short_help = true)]
    pub no_wait: bool,
    /// No progress on standard error
    #[arg(short = 'q', long, requires = "noise", help_heading = heading::NOISE, hide_short_help = true)]
    pub quiet: bool,
    /// Override the audit's lengths, for tests: warm-up=100ms,slice=50ms,discard=10ms,cycles=2
    #[arg(long, value_name = "LIST", hide = true, requires = "noise")]
    pub timing: Option<String>,
}

/// Length of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LengthsArg {
    /// Freshly started servers, short slices
    Quick,
    /// Longer warm-up and slices
    Default,
    /// Longest warm-up and slices
    Thorough,
}

/// `proofload tune STUDY`.
#[derive(Debug, Clone, Args)]
#[command(mut_args(without_heading))]
pub struct TuneArgs {
    /// The study file; its variants are the candidates
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Print the checked plan of the first heat and the estimated time; start nothing
    #[arg(long)]
    pub explain: bool,
    /// Time allowed for search and confirmation
    #[arg(long, value_name = "TIME", default_value = "60m")]
    pub budget: String,
    /// Measure to maximize, such as 'throughput @ 64c' [default: the measure of the first claim]
    #[arg(long, value_name = "MEASURE", conflicts_with = "minimize")]
    pub maximize: Option<String>,
    /// Measure to minimize, such as 'p99 @ 64c'
    #[arg(long, value_name = "MEASURE")]
    pub minimize: Option<String>,
    /// Variant to compare all others with (connector=nio,heap=256m) [default: the first level of each factor]
    #[arg(long, value_name = "VARIANT")]
    pub default: Option<String>,
    /// Lengths of warm-up and slices
    #[arg(long, value_enum, default_value = "quick")]
    pub lengths: LengthsArg,
    /// Change the study before it is checked: load.closed.connections=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Restrict the candidates to a level (connector=nio); may be repeated
    #[arg(long, value_name = "WHAT")]
    pub only: Vec<String>,
    #[command(flatten)]
    pub cpus: CpuArgs,
    /// Random seed
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub seed: Option<u64>,
    /// Kernel interface: epoll, or io_uring where the kernel permits it [default: the study's]
    #[arg(long, value_name = "DRIVER", value_enum, hide_short_help = true)]
    pub driver: Option<DriverArg>,
    /// Agents that carry the loads out.
    #[command(flatten)]
    pub fleet: FleetArgs,
    /// Do not measure the generator's own maximum rate; recorded in the result
    #[arg(long, hide_short_help = true)]
    pub no_ceiling: bool,
    /// Directory for runs/STUDY-tune/ID/ and runs/STUDY-tuned/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Catalogue folder [default: the one near the study, or the built-in one]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub catalogue: Option<PathBuf>,
    /// Fetch nothing; list what the cache lacks
    #[arg(long, hide_short_help = true)]
    pub offline: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, hide_short_help = true)]
    pub no_wait: bool,
    /// Output format; schema/tune.schema.json
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
    /// No progress on standard error
    #[arg(short = 'q', long)]
    pub quiet: bool,
    /// Show everything: all heats, all standings, all checks of the confirmation
    #[arg(short = 'v', long)]
    pub verbose: bool,
    /// Override the preset's lengths, for tests: warm-up=100ms,slice=50ms,discard=10ms,cycles=2
    #[arg(long, value_name = "LIST", hide = true)]
    pub timing: Option<String>,
}
