//! Arguments of `proofload capacity`.

use super::{LoadArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;

/// `proofload capacity URL --slo …`.
#[derive(Debug, Clone, Args)]
pub struct CapacityArgs {
    /// URL of the running server
    #[arg(value_name = "URL")]
    pub url: String,
    /// Objective: 'p99 < 50ms, errors < 0.1%'; may be repeated. Without a limit on errors, at most 0.1 % are allowed
    #[arg(long, value_name = "CONDITIONS", required = true)]
    pub slo: Vec<String>,
    /// Lowest rate to try (100/s)
    #[arg(long, value_name = "RATE", default_value = proofload_study::CAPACITY_FROM)]
    pub from: String,
    /// Highest rate to try (20k/s)
    #[arg(long, value_name = "RATE", default_value = proofload_study::CAPACITY_TO)]
    pub to: String,
    /// Measured time per trial (100ms to 1h)
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub trial: String,
    /// Time allowed for the whole search (30m)
    #[arg(long, value_name = "TIME", default_value = "30m")]
    pub budget: String,
    /// Skip measuring the maximum generator rate; recorded in the result
    #[arg(long)]
    pub no_ceiling: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long)]
    pub no_wait: bool,
    /// Directory for runs/capacity/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// The load; connections default to auto, arrivals are always Poisson.
    #[command(flatten)]
    pub load: LoadArgs,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}
