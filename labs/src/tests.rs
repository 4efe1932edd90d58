//! The tests of the workspace that the gate leaves out.

use crate::tools::run_command;
use std::path::Path;
use xtask::python::{self, GATE};

/// The ignored tests but ground truths that load real servers for minutes; one by one, since some need quiet CPUs.
pub const FULL: [&str; 6] =
    ["--workspace", "--profile=full", "--run-ignored=only", "-E", "not test(_live_)", "--no-fail-fast"];

/// Builds and runs tests of the workspace.
pub fn nextest(root: &Path, args: &[&str]) -> anyhow::Result<()> {
    python::install(root, &GATE)?;
    run_command(python::nextest(root).args(["run", "--locked"]).args(args))
}
