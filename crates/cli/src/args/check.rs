//! What `proofload subjects check` takes.

use clap::Args;
use std::path::PathBuf;

/// `proofload subjects check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Only this one
    #[arg(value_name = "SUBJECT")]
    pub subject: Option<String>,
    /// Prepare, start, ask and stop each choice of its parameters too
    #[arg(long)]
    pub start: bool,
    /// Each version with each installed JDK too, and of every other choice each value that applies with some of them
    #[arg(long, requires = "start", conflicts_with_all = ["with", "times"])]
    pub all: bool,
    /// Only with this parameter; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires_all = ["start", "subject"])]
    pub with: Vec<String>,
    /// Start so many times in a row, only the defaults or what --with says; the first and the last are asked for all
    #[arg(long, value_name = "N", requires = "start", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub times: Option<u32>,
    /// Fetch nothing; what the cache lacks is listed
    #[arg(long)]
    pub offline: bool,
    /// Folder of subjects instead of the one nearby or the built-in one
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub format: String,
}
