//! The programs that tasks run.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs cargo in the repository to its end.
pub fn cargo(root: &Path, args: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run_command(Command::new(cargo).args(args).envs(environment.iter().copied()).current_dir(root))
}

/// Runs a command to its end, which must be a good one.
pub fn run_command(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("{shown} could not be started"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Where cargo builds.
pub fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}
