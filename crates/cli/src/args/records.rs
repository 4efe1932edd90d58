//! Arguments of the verbs that deal with runs that lie there already.

use super::OutputArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// With which earlier run figures are compared.
#[derive(Debug, Clone, Args)]
pub struct BaselineArgs {
    /// Compare every figure with those of this run, such as runs/STUDY/ID
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<PathBuf>,
    /// By how much a figure may be worse than the baseline's (5%, 0.1)
    #[arg(long, value_name = "SHARE", default_value = "5%", requires = "baseline")]
    pub tolerance: String,
    /// Compare although machine, kernel, CPU shares or load differ; the result is marked
    #[arg(long, requires = "baseline")]
    pub baseline_anyway: bool,
}

/// `proofload resume`.
#[derive(Debug, Clone, Args)]
pub struct ResumeArgs {
    /// The run; without it the latest in --dir that is not finished
    #[arg(value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Directory in which runs/STUDY/ID/ are
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Go on although machine, kernel or servers have changed; the result is marked
    #[arg(long)]
    pub anyway: bool,
    /// Say so again for a run that was begun with it; no other run can be made to keep going once it was looked at
    #[arg(long)]
    pub keep_going: bool,
    /// Leave at once when another measuring run is under way, instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `proofload rerun RUN`.
#[derive(Debug, Clone, Args)]
pub struct RerunArgs {
    /// The run to repeat, such as runs/STUDY/latest
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Directory in which runs/STUDY/ID/ is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Run although the servers are not those of the record; the result is marked
    #[arg(long)]
    pub anyway: bool,
    /// Leave at once when another measuring run is under way, instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Text for people, or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For a terminal
    Text,
    /// For programs
    Json,
}

/// `proofload history`.
#[derive(Debug, Clone, Args)]
pub struct HistoryArgs {
    /// Only runs of this study
    #[arg(value_name = "STUDY")]
    pub study: Option<String>,
    /// Directory in which runs/STUDY/ID/ are
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Change points only where the higher level is above the lower one by this (5%, 0.1)
    #[arg(long, value_name = "SHARE", default_value = "0")]
    pub least_change: String,
    /// Format on standard output; schema/history.schema.json describes an entry
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
}

/// `proofload diff RUN RUN`.
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// The first run, such as runs/STUDY/ID
    #[arg(value_name = "RUN")]
    pub left: PathBuf,
    /// The second
    #[arg(value_name = "RUN")]
    pub right: PathBuf,
    /// Format on standard output; schema/diff.schema.json
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
}

/// `proofload condense RUN DIR`.
#[derive(Debug, Clone, Args)]
pub struct CondenseArgs {
    /// The run, such as runs/STUDY/latest
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The directory to make
    #[arg(value_name = "DIR")]
    pub to: PathBuf,
}

/// `proofload reproductions RUN...`.
#[derive(Debug, Clone, Args)]
pub struct ReproductionsArgs {
    /// Run directories, or folders of them, such as docs/reproductions
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Write the page to this file instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
