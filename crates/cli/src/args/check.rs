//! Arguments of `proofload subjects check`.

use clap::Args;
use std::path::PathBuf;

/// `proofload subjects check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Check only this subject
    #[arg(value_name = "SUBJECT")]
    pub subject: Option<String>,
    /// Also prepare, start, query and stop each choice of its parameters
    #[arg(long)]
    pub start: bool,
    /// Also each version with each installed JDK, and each value of every other choice once
    #[arg(long, requires = "start", conflicts_with_all = ["with", "times"])]
    pub all: bool,
    /// Only with this parameter value; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires_all = ["start", "subject"])]
    pub with: Vec<String>,
    /// Start it N times in a row, with the defaults or --with; check all answers at the first and last start
    #[arg(long, value_name = "N", requires = "start", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub times: Option<u32>,
    /// Fetch nothing; list what the cache lacks
    #[arg(long)]
    pub offline: bool,
    /// Catalogue folder [default: the nearest one, or the built-in one]
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub format: String,
}
