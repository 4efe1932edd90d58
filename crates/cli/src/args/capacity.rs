//! Arguments of `proofload capacity`.

use super::{LoadArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;

/// `proofload capacity URL --slo …`.
#[derive(Debug, Clone, Args)]
pub struct CapacityArgs {
    /// Address of the server, which runs already
    #[arg(value_name = "URL")]
    pub url: String,
    /// What has to hold: 'p99 < 50ms, errors < 0.1%'; may be repeated. At most 0.1 % errors where nothing is said of them
    #[arg(long, value_name = "CONDITIONS", required = true)]
    pub slo: Vec<String>,
    /// Lowest rate that is tried (100/s)
    #[arg(long, value_name = "RATE", default_value = proofload_study::CAPACITY_FROM)]
    pub from: String,
    /// Highest rate that is tried (20k/s)
    #[arg(long, value_name = "RATE", default_value = proofload_study::CAPACITY_TO)]
    pub to: String,
    /// Measured time of a trial (100ms to 1h)
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub trial: String,
    /// Time allowed for the whole search (30m)
    #[arg(long, value_name = "TIME", default_value = "30m")]
    pub budget: String,
    /// Do not measure the generator's ceiling against a server that does nothing; the result says so
    #[arg(long)]
    pub no_ceiling: bool,
    /// Leave at once when another measuring run is under way, instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// Directory in which runs/capacity/ID/ is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// The load; connections are auto without -c, arrivals always those of --poisson.
    #[command(flatten)]
    pub load: LoadArgs,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}
