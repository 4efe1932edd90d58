//! Explanation or study file instead of a run.

use clap::Args;
use std::path::PathBuf;

/// Explanation or study file instead of a run.
#[derive(Debug, Clone, Default, Args)]
pub struct AskedArgs {
    /// Print the checked plan and the estimated time; start nothing
    #[arg(long, hide_short_help = true)]
    pub explain: bool,
    /// Write what is asked as a study for `proofload run`, and start nothing; credentials become ${env.NAME}
    #[arg(long, value_name = "FILE", conflicts_with = "explain", hide_short_help = true)]
    pub save: Option<PathBuf>,
}
