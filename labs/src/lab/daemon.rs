//! A process of an engine, which ends with it.

use super::net::Net;
use anyhow::{Context, ensure};
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Each process that `ip netns exec` starts sees mounts of its own.
const MOUNT: &str = r#"mount -t tmpfs -o size=64m lab "$1" && shift && exec "$@""#;

/// Lines of its output that go into an error.
const LINES: usize = 15;

pub struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts a program that stays in the foreground, at a place. Its output goes to a file in the folder of the net.
    pub fn start(net: &Net, name: &str, words: &[&str]) -> anyhow::Result<Self> {
        Daemon::start_with(net, name, &[], words)
    }

    /// Starts one that has a small disk of its own at a folder, and so has all that it starts. The disk goes with them.
    pub fn start_on_disk(net: &Net, name: &str, disk: &Path, words: &[&str]) -> anyhow::Result<Self> {
        // Proofload keeps nothing in a cache that others may look into.
        let mut folders = DirBuilder::new();
        folders.recursive(true).mode(0o700).create(disk).with_context(|| format!("{}", disk.display()))?;
        let disk = disk.display().to_string();
        Daemon::start_with(net, name, &["sh", "-c", MOUNT, "sh", &disk], words)
    }

    fn start_with(net: &Net, name: &str, before: &[&str], words: &[&str]) -> anyhow::Result<Self> {
        let (program, _) = words.split_first().context("a daemon is a program")?;
        let called = program.rsplit('/').next().unwrap_or(program);
        let all = [before, words].concat();
        Daemon::start_by(net, &format!("{called}-{name}"), net.command(name, all[0]), &all[1..])
    }

    /// Starts what a command starts, with these words added. Its output goes to a file of that name in the folder of
    /// the net.
    pub fn start_by(net: &Net, called: &str, mut command: Command, words: &[&str]) -> anyhow::Result<Self> {
        let log = net.folder().join(format!("{called}.log"));
        let file = File::create(&log).with_context(|| format!("{}", log.display()))?;
        command.args(words).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| format!("{command:?}"))?;
        Ok(Daemon { child, log })
    }

    /// Its number, which is that of the program.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Fails if it ended.
    pub fn is_up(&mut self) -> anyhow::Result<()> {
        let ended = self.child.try_wait()?;
        ensure!(ended.is_none(), "it ended, and {} says why", self.log.display());
        Ok(())
    }

    /// Last lines of its output.
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
