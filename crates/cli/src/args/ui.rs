//! Arguments of `proofload ui`.

use clap::Args;
use std::path::PathBuf;

/// `proofload ui`.
#[derive(Debug, Clone, Args)]
pub struct UiArgs {
    /// Directory that holds runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Port on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}
