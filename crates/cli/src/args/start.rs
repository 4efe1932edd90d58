//! Arguments of `proofload subjects start`.

use clap::Args;
use std::path::PathBuf;

/// `proofload subjects start`.
#[derive(Debug, Clone, Args)]
pub struct StartArgs {
    /// Its folder's name
    #[arg(value_name = "SUBJECT")]
    pub subject: String,
    /// Parameter value; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub with: Vec<String>,
    /// Fetch nothing; list what the cache lacks
    #[arg(long)]
    pub offline: bool,
    /// Catalogue folder [default: the nearest one, or the built-in one]
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
}
