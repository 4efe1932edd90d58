//! `proofload reproductions` and `proofload condense`: records of published experiments, kept and shown.

use crate::args::{CondenseArgs, ReproductionsArgs};
use crate::exit::{Exit, leave};
use crate::output;
use anyhow::Context;
use proofload_host::clock;
use proofload_report::{Reproduction, escape};
use proofload_store::{Run, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// The verb: the page of all records that can be read; those that cannot are reported, and decide the exit
/// code.
pub fn reproductions(args: &ReproductionsArgs) -> anyhow::Result<Exit> {
    let mut records = Vec::new();
    let mut exit = Exit::Done;
    for path in &args.runs {
        for found in records_at(path) {
            match found.and_then(|path| reproduction(&path)) {
                Ok(record) => records.push(record),
                Err(error) => {
                    crate::around::error_line(format!("proofload: {error:#}"));
                    exit = Exit::Usage;
                }
            }
        }
    }
    if records.is_empty() {
        return Err(leave(Exit::Usage, "no record could be read; name run directories, or a folder of them"));
    }
    let page = proofload_report::reproductions(&records);
    match &args.output {
        Some(path) => fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?,
        None => output::print(&page)?,
    }
    Ok(exit)
}

/// A run directory, or those in a folder of them, by name.
fn records_at(path: &Path) -> Vec<anyhow::Result<PathBuf>> {
    if Run::is_at(path) {
        return vec![Ok(path.to_path_buf())];
    }
    let inside = match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()),
        Err(_) => return vec![Err(StoreError::NotARun { path: path.to_path_buf() }.into())],
    };
    let mut inside: Vec<PathBuf> = inside.filter(|path| path.is_dir()).collect();
    inside.sort();
    match inside.is_empty() {
        true => vec![Err(StoreError::NotARun { path: path.to_path_buf() }.into())],
        false => inside.into_iter().map(Ok).collect(),
    }
}

fn reproduction(path: &Path) -> anyhow::Result<Reproduction> {
    let run = Run::open(path)?;
    let result = proofload_report::of_run(&run).with_context(|| path.display().to_string())?;
    let slices = || run.blocks().iter().flat_map(|block| &block.slices);
    let began = run.status().sittings.first().map(|sitting| sitting.began_unix_ns);
    let began = began.or_else(|| slices().map(|slice| slice.started_unix_ns).min()).unwrap_or(0);
    Ok(Reproduction { record: path.display().to_string(), date: clock::date_text(began), result })
}

/// The verb: a small copy of a record, with the same result.
pub fn condense(args: &CondenseArgs) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    if run.is_running() {
        return Err(leave(Exit::Busy, StoreError::InUse { path: args.run.clone() }));
    }
    let measures = proofload_analysis::reported_measures(run.plan()).map_err(|e| leave(Exit::Usage, e))?;
    if args.to.exists() {
        let what = format!("{} is there already; name a directory that is not", args.to.display());
        return Err(leave(Exit::Usage, what));
    }
    proofload_analysis::condense(&run, &measures, &args.to)?;
    let copy = Run::open(&args.to)?;
    let (whole, small) = (proofload_report::of_run(&run)?, proofload_report::of_run(&copy)?);
    let same = (&whole.claims, &whole.expectations, &whole.figures, &whole.conclusions)
        == (&small.claims, &small.expectations, &small.figures, &small.conclusions);
    if !same {
        anyhow::bail!(
            "{} does not tell the same as {}; do not use it, and report this fault of Proofload",
            args.to.display(),
            args.run.display()
        );
    }
    let kib = |path: &Path| proofload_report::number::bytes(size(path) as f64);
    output::print(&format!(
        "{}: {} instead of {}, with the same verdicts and figures\n",
        escape::line(&args.to.display().to_string()),
        kib(copy.path()),
        kib(run.path())
    ))?;
    Ok(Exit::Done)
}

/// Bytes of all files below a directory; what cannot be read has none.
fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).map_or_else(|_| Vec::new(), |entries| entries.flatten().collect());
    let of = |entry: &fs::DirEntry| match entry.metadata() {
        Ok(known) if known.is_dir() => size(&entry.path()),
        Ok(known) => known.len(),
        Err(_) => 0,
    };
    entries.iter().map(of).sum()
}
