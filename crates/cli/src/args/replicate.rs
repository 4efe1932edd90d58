//! Arguments of `proofload replicate`.

use super::agents::without_heading;
use super::{CpuArgs, FleetArgs, ListFormat};
use clap::Args;
use std::path::PathBuf;

/// `proofload replicate STUDY`.
#[derive(Debug, Clone, Args)]
#[command(mut_args(of_a_measurement))]
pub struct ReplicateArgs {
    /// The study file
    #[arg(value_name = "STUDY", required_unless_present = "from", conflicts_with = "from")]
    pub study: Option<PathBuf>,
    /// Judge these runs of one study together and measure nothing: runs/STUDY/*
    #[arg(long, value_name = "RUN", num_args = 1..)]
    pub from: Vec<PathBuf>,
    /// Print the checked plan of a sitting and the estimated time; start nothing
    #[arg(long, conflicts_with = "from")]
    pub explain: bool,
    /// Number of sittings: measurements hours apart; judged after four of them, and after the last
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub sittings: u32,
    /// Time from the start of one sitting to the start of the next (4h, 1d is 24h)
    #[arg(long, value_name = "TIME", default_value = "4h")]
    pub every: String,
    /// Fresh starts of every server in a sitting
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub blocks: u32,
    /// Shorter warm-ups and slices than the default
    #[arg(long, conflicts_with_all = ["thorough", "from"])]
    pub quick: bool,
    /// Longer warm-ups and slices than the default
    #[arg(long, conflicts_with = "from")]
    pub thorough: bool,
    /// Agents that carry the loads out; each sitting has agents of its own.
    #[command(flatten)]
    pub fleet: FleetArgs,
    /// Do not measure the generator's own maximum rate; recorded in the result
    #[arg(long, conflicts_with = "from", hide_short_help = true)]
    pub no_ceiling: bool,
    /// Override the preset's lengths, for tests: warm-up=100ms,slice=50ms,discard=10ms,cycles=2
    #[arg(long, value_name = "LIST", hide = true)]
    pub timing: Option<String>,
    /// Change the study before it is checked: subjects.tomcat.with.heap=512m; may be repeated
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "from")]
    pub set: Vec<String>,
    /// Run only this level (connector=nio), load point (64c) or claim (claim:NAME); may be repeated
    #[arg(long, value_name = "WHAT", conflicts_with = "from")]
    pub only: Vec<String>,
    #[command(flatten)]
    pub cpus: CpuArgs,
    /// Random seed of the first sitting; the others are derived from it
    #[arg(long, value_name = "N", conflicts_with = "from", hide_short_help = true)]
    pub seed: Option<u64>,
    /// Directory for runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Catalogue folder [default: the one near the study, or the built-in one]
    #[arg(long, value_name = "DIR", conflicts_with = "from", hide_short_help = true)]
    pub catalogue: Option<PathBuf>,
    /// Fetch nothing; list what the cache lacks
    #[arg(long, conflicts_with = "from", hide_short_help = true)]
    pub offline: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, conflicts_with = "from", hide_short_help = true)]
    pub no_wait: bool,
    /// Output format; schema/sittings.schema.json
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
    /// No progress on standard error
    #[arg(short = 'q', long)]
    pub quiet: bool,
}

/// Agents are of no use to runs that were measured before.
fn of_a_measurement(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "agents" | "tolerate_lost" => without_heading(arg).conflicts_with("from"),
        _ => arg,
    }
}
