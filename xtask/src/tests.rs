//! Builds and runs the tests of the workspace. Each test has a process of its own (`.config/nextest.toml`).

use crate::python;
use crate::tools::run_command;
use std::path::Path;
use std::process::Command;

/// Has clippy compile what is ours: what is linted is not compiled a second time. What others wrote is compiled by rustc as
/// ever, and shared with builds without lints.
pub fn lint(command: &mut Command) -> &mut Command {
    // Clippy parts its arguments by this word.
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings")
}

/// Builds every test and lints it.
pub fn build(root: &Path) -> anyhow::Result<()> {
    let mut nextest = python::nextest(root);
    run_command(lint(nextest.args(["run", "--workspace", "--locked", "--no-run", "--cargo-quiet"])))
}

/// Runs the tests that are not ignored, or of these those whose name holds one of the words.
pub fn run(root: &Path, words: &[String]) -> anyhow::Result<()> {
    let mut nextest = python::nextest(root);
    run_command(lint(nextest.args(["run", "--workspace", "--locked", "--cargo-quiet"]).args(words)))
}
