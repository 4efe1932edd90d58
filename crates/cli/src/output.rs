//! A result in the format that was asked for, to where it was asked for.

use crate::args::{Format, OutputArgs};
use anyhow::Context;
use proofload_store::schema::RunResult;
use std::io::{IsTerminal, Write};

/// Whether standard output may be coloured: a terminal, and `NO_COLOR` unset.
fn coloured(args: &OutputArgs) -> bool {
    args.output.is_none()
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Renders and writes a result.
///
/// # Errors
/// When the file or standard output cannot be written. A reader that went away is none.
pub fn write(result: &RunResult, args: &OutputArgs) -> anyhow::Result<()> {
    let text = match args.format {
        Format::Text => proofload_report::text(result, coloured(args)),
        Format::Json => proofload_report::json(result),
        Format::Markdown => proofload_report::markdown(result),
        Format::Html => proofload_report::html(result),
    };
    match &args.output {
        Some(path) => std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display())),
        None => print(&text),
    }
}

/// Writes to standard output; a closed pipe is a reader that has seen enough.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
