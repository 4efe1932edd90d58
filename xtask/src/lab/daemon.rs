//! A process of an engine, which ends with it.

use super::net::Net;
use anyhow::{Context, ensure};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// Lines of what it said that go into an error.
const LINES: usize = 15;

pub struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts a program that stays in the foreground, at a place. What it says goes to a file in the folder of the net.
    pub fn start(net: &Net, name: &str, words: &[&str]) -> anyhow::Result<Self> {
        let (program, args) = words.split_first().context("a daemon is a program")?;
        let called = program.rsplit('/').next().unwrap_or(program);
        let log = net.folder().join(format!("{called}-{name}.log"));
        let file = File::create(&log).with_context(|| format!("{}", log.display()))?;
        let mut command = net.command(name, program);
        command.args(args).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| format!("{command:?}"))?;
        Ok(Daemon { child, log })
    }

    /// Fails if it ended.
    pub fn is_up(&mut self) -> anyhow::Result<()> {
        let ended = self.child.try_wait()?;
        ensure!(ended.is_none(), "it ended, and {} says why", self.log.display());
        Ok(())
    }

    /// What it said last.
    pub fn last_words(&self) -> String {
        let said = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
        format!("{}:\n{last}", self.log.display())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
