//! A result in the format that was asked for, to where it was asked for.

use crate::args::{Format, OutputArgs, UndecidedIs};
use crate::exit::{Exit, leave};
use anyhow::Context;
use proofload_report::Undecided;
use proofload_store::Run;
use proofload_store::schema::{RunResult, Slice};
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Whether standard output may be coloured: a terminal, and `NO_COLOR` unset.
fn coloured(args: &OutputArgs) -> bool {
    args.output.is_none()
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Columns of the terminal that standard output is; without one every table is drawn as a table.
fn columns(args: &OutputArgs) -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().filter(|_| args.output.is_none());
    // A terminal that does not know its size says 0.
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(usize::MAX)
}

/// What GitHub takes from one step: 1 MiB. A longer file is refused as a whole.
const SUMMARY_BYTES_MAX: u64 = 1024 * 1024;
/// Where GitHub wants the summary of a step.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// Whether the result can go where it is asked to go; asked before anything starts.
///
/// # Errors
/// A summary is asked for and nothing names its file.
pub fn check(args: &OutputArgs) -> anyhow::Result<()> {
    if args.github_summary && summary_file().is_none() {
        let why = format!(
            "--github-summary: {SUMMARY_VARIABLE} is not set; it is set in a step of a workflow on GitHub"
        );
        return Err(leave(Exit::Usage, why));
    }
    Ok(())
}

fn summary_file() -> Option<PathBuf> {
    std::env::var_os(SUMMARY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Renders and writes a result. Series and histogram logs are made of the slices.
///
/// # Errors
/// When the file or standard output cannot be written. A reader that went away is none.
pub fn write(result: &RunResult, slices: &[&Slice], args: &OutputArgs) -> anyhow::Result<()> {
    let undecided = match args.undecided {
        UndecidedIs::Skip => Undecided::Skip,
        UndecidedIs::Fail => Undecided::Fail,
    };
    let text = match args.format {
        Format::Text => proofload_report::text_within(result, coloured(args), columns(args)),
        Format::Json => proofload_report::json(result),
        Format::Markdown => proofload_report::markdown(result),
        Format::Html => proofload_report::html(result),
        Format::Junit => proofload_report::junit(result, undecided),
        Format::Csv => proofload_report::csv(result),
        Format::CsvSeries => proofload_report::csv_series(slices),
        Format::Hlog => proofload_report::hlog(slices),
    };
    match &args.output {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?
        }
        None => print(&text)?,
    }
    match summary_file().filter(|_| args.github_summary) {
        Some(path) => summarise(result, &path).with_context(|| format!("cannot write {}", path.display())),
        None => Ok(()),
    }
}

/// Appends the result to a step's summary, as much as there is room for.
fn summarise(result: &RunResult, path: &Path) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let room = SUMMARY_BYTES_MAX.saturating_sub(file.metadata()?.len() + 1);
    let text = proofload_report::markdown_within(result, usize::try_from(room).unwrap_or(usize::MAX));
    if text.is_empty() {
        eprintln!("no room is left in {}: GitHub takes 1 MiB from a step", path.display());
    }
    file.write_all(text.as_bytes())
}

/// The slices of a record that count, in their order.
pub fn slices(run: &Run) -> Vec<&Slice> {
    run.blocks().iter().flat_map(|block| &block.slices).collect()
}

/// Writes to standard output; a closed pipe is a reader that has seen enough.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
