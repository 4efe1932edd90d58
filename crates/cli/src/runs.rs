//! `proofload history` and `proofload diff`: records side by side, nothing run.

use crate::args::{DiffArgs, HistoryArgs, ListFormat};
use crate::baseline::share;
use crate::exit::{Exit, leave};
use crate::output;
use anyhow::Context;
use proofload_host::clock;
use proofload_store::Run;
use serde::Serialize;

pub fn history(args: &HistoryArgs) -> anyhow::Result<Exit> {
    let least_change = share(&args.least_change).ok_or_else(|| {
        let what = format!("--least-change {}: write a share below 100 %, as 5% or 0.05", args.least_change);
        leave(Exit::Usage, what)
    })?;
    let paths = proofload_store::runs(&args.dir, args.study.as_deref())?;
    let entries = args.format.language().within(|| proofload_report::history(&paths, least_change));
    match args.format {
        ListFormat::Text => output::print(&proofload_report::history_text(&entries, &clock::date_text))?,
        ListFormat::Json => print_json(&entries)?,
    }
    Ok(Exit::Done)
}

pub fn diff(args: &DiffArgs) -> anyhow::Result<Exit> {
    let open = |path| Run::open(path).map_err(|error| leave(Exit::Usage, error));
    let (left, right) = (open(&args.left)?, open(&args.right)?);
    let diff = args.format.language().within(|| proofload_analysis::diff(&left, &right))?;
    match args.format {
        ListFormat::Text => output::print(&proofload_report::diff_text(&diff))?,
        ListFormat::Json => print_json(&diff)?,
    }
    Ok(Exit::Done)
}

/// Prints a document on standard output.
pub fn print_json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    let value = proofload_report::for_programs(value).context("cannot be written as JSON")?;
    let text = format!("{value:#}");
    output::print(&format!("{text}\n"))
}
