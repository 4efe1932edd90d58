//! Arguments of `proofload capacity`.

use super::{AskedArgs, ExportArgs, FleetArgs, LoadArgs, OutputArgs, heading};
use clap::Args;
use std::path::PathBuf;

/// `proofload capacity URL --slo …`.
#[derive(Debug, Clone, Args)]
pub struct CapacityArgs {
    /// Address of the running server
    #[arg(value_name = "URL")]
    pub url: String,
    /// Objective: 'p99 < 50ms, errors < 0.1%'; may be repeated. Without a condition on errors, at most 0.1 % may fail
    #[arg(long, value_name = "CONDITIONS", required = true, help_heading = heading::SEARCH)]
    pub slo: Vec<String>,
    /// Lowest rate to try (100/s)
    #[arg(long, value_name = "RATE", default_value = proofload_study::CAPACITY_FROM, help_heading = heading::SEARCH)]
    pub from: String,
    /// Highest rate to try (20k/s)
    #[arg(long, value_name = "RATE", default_value = proofload_study::CAPACITY_TO, help_heading = heading::SEARCH)]
    pub to: String,
    /// Length of the measurement at each rate (100ms to 1h)
    #[arg(long, value_name = "TIME", default_value = "20s", help_heading = heading::SEARCH)]
    pub trial: String,
    /// Time allowed for the whole search (30m)
    #[arg(long, value_name = "TIME", default_value = "30m", help_heading = heading::SEARCH)]
    pub budget: String,
    #[command(flatten, next_help_heading = heading::MEASUREMENT)]
    pub asked: AskedArgs,
    /// Do not measure the generator's own maximum rate; recorded in the result
    #[arg(long, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub no_ceiling: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub no_wait: bool,
    /// Directory for runs/capacity/ID/
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = heading::OUTPUT, hide_short_help = true)]
    pub dir: PathBuf,
    /// Agents that carry it out.
    #[command(flatten)]
    pub fleet: FleetArgs,
    /// The load; connections default to auto, arrivals are always Poisson.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Export of figures while it runs.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub export: ExportArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub output: OutputArgs,
}
