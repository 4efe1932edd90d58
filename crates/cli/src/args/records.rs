//! Arguments of the verbs that work on existing runs.

use super::{ExportArgs, OutputArgs, heading};
use clap::{Args, ValueEnum};
use proofload_language::Language;
use std::path::PathBuf;

/// The earlier run to compare with.
#[derive(Debug, Clone, Args)]
pub struct BaselineArgs {
    /// Compare every figure with this run, such as runs/STUDY/ID
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<PathBuf>,
    /// Most that a figure may be worse than the baseline (5%, 0.1)
    #[arg(long, value_name = "SHARE", default_value = "5%", requires = "baseline", hide_short_help = true)]
    pub tolerance: String,
    /// Compare even if machine, kernel, CPU shares or load differ; recorded in the result
    #[arg(long, requires = "baseline", hide_short_help = true)]
    pub baseline_anyway: bool,
}

/// `proofload resume`.
#[derive(Debug, Clone, Args)]
pub struct ResumeArgs {
    /// The run [default: the latest unfinished one in --dir]
    #[arg(value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Directory that holds runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Continue even if machine, kernel or servers have changed; recorded in the result
    #[arg(long)]
    pub anyway: bool,
    /// For a run that was started with --keep-going; cannot be added to another
    #[arg(long, hide_short_help = true)]
    pub keep_going: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, hide_short_help = true)]
    pub no_wait: bool,
    /// Export of figures while it runs.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub export: ExportArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub output: OutputArgs,
}

/// `proofload rerun RUN`.
#[derive(Debug, Clone, Args)]
pub struct RerunArgs {
    /// The run to repeat, such as runs/STUDY/latest
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Directory for runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Run even if the servers differ from the record's; recorded in the result
    #[arg(long)]
    pub anyway: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, hide_short_help = true)]
    pub no_wait: bool,
    /// Export of figures while it runs.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub export: ExportArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
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

impl ListFormat {
    /// The language of its sentences: programs read English.
    pub fn language(self) -> Language {
        match self {
            ListFormat::Text => Language::spoken(),
            ListFormat::Json => Language::English,
        }
    }
}

/// `proofload history`.
#[derive(Debug, Clone, Args)]
pub struct HistoryArgs {
    /// Only runs of this study
    #[arg(value_name = "STUDY")]
    pub study: Option<String>,
    /// Directory that holds runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Show only changes of at least this size (5%, 0.1)
    #[arg(long, value_name = "SHARE", default_value = "0")]
    pub least_change: String,
    /// Output format; schema/history.schema.json describes an entry
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
}

/// `proofload diff RUN RUN`.
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// The first run, such as runs/STUDY/ID
    #[arg(value_name = "RUN")]
    pub left: PathBuf,
    /// The second run
    #[arg(value_name = "RUN")]
    pub right: PathBuf,
    /// Output format; schema/diff.schema.json
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
}

/// `proofload condense RUN DIR`.
#[derive(Debug, Clone, Args)]
pub struct CondenseArgs {
    /// The run to copy, such as runs/STUDY/latest
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Directory to create
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
