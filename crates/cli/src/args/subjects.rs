//! Arguments of `proofload subjects`.

use super::examples;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `proofload subjects`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SubjectsArgs {
    /// Action; lists all subjects by default.
    #[command(subcommand)]
    pub action: Option<SubjectsAction>,
    /// Show this subject with its parameters
    #[arg(value_name = "SUBJECT")]
    pub subject: Option<String>,
    /// Catalogue folder and output format.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Actions of `subjects`.
#[derive(Debug, Clone, Subcommand)]
pub enum SubjectsAction {
    /// List all subjects
    #[command(after_help = examples::SUBJECTS_LIST)]
    List {
        /// Catalogue folder and output format.
        #[command(flatten)]
        shown: ShownArgs,
    },
    /// Show a subject with its parameters
    #[command(after_help = examples::SUBJECTS_SHOW)]
    Show {
        /// Name of its folder
        #[arg(value_name = "SUBJECT")]
        subject: String,
        /// Catalogue folder and output format.
        #[command(flatten)]
        shown: ShownArgs,
    },
    /// Check catalogue folders (declaration, pins, sources) and report all mistakes
    #[command(after_help = examples::SUBJECTS_CHECK)]
    Check(CheckArgs),
    /// Start a subject as a study would, and print its address; Ctrl-C stops it
    #[command(after_help = examples::SUBJECTS_START)]
    Start(StartArgs),
    /// Fetch files and pin them in a subject's lock file; creates the folder if needed
    #[command(after_help = examples::SUBJECTS_ADD)]
    Add {
        /// `group:artifact:version[:type[:classifier]]` from Maven Central, or debian:PACKAGE
        #[arg(value_name = "COORDINATE")]
        coordinates: Vec<String>,
        /// The subject's folder
        #[arg(long, value_name = "SUBJECT")]
        to: String,
        /// Catalogue folder [default: the nearest one]
        #[arg(long, value_name = "DIR")]
        catalogue: Option<PathBuf>,
    },
}

/// Catalogue folder and output format.
#[derive(Debug, Clone, Args)]
pub struct ShownArgs {
    /// Catalogue folder [default: the nearest one, or the built-in one]
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
    /// Output format: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub format: String,
}

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
