//! Commands to their end, and waiting for what comes by itself.

use anyhow::{Context, bail, ensure};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Output of a command, if it ended well; else the error has its standard error.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let shown = format!("{command:?}");
    let output = command.output().with_context(|| format!("{shown} could not be started"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{shown}: {}: {}", output.status, told.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The program `ip` with these words.
pub fn ip(words: &str) -> anyhow::Result<String> {
    output(Command::new("ip").args(words.split_whitespace()))
}

/// Asks again and again until something is there.
pub fn until(
    what: &str,
    within: Duration,
    mut is_there: impl FnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let deadline = Instant::now() + within;
    while !is_there()? {
        if Instant::now() > deadline {
            bail!("{what}: not within {within:?}");
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
