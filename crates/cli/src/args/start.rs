//! What `proofload subjects start` takes.

use clap::Args;
use std::path::PathBuf;

/// `proofload subjects start`.
#[derive(Debug, Clone, Args)]
pub struct StartArgs {
    /// Its folder's name
    #[arg(value_name = "SUBJECT")]
    pub subject: String,
    /// With this parameter; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub with: Vec<String>,
    /// Fetch nothing; what the cache lacks is listed
    #[arg(long)]
    pub offline: bool,
    /// Folder of subjects instead of the one nearby or the built-in one
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
}
