//! The subject: the reference server in null mode, on its CPU.

use crate::{SUBJECT_CPU, child};
use anyhow::{Context, ensure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// The `proofload` of the main workspace, built as this program was: `debug` or `release`.
///
/// # Errors
/// If it is not there.
pub fn proofload() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let profile = own.parent().and_then(Path::file_name).context("a program without a folder")?;
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(profile).join("proofload");
    // Beside this program where both have the same CARGO_TARGET_DIR.
    let beside = own.with_file_name("proofload");
    let path = if beside.is_file() { beside } else { default };
    ensure!(path.is_file(), "{} is not there; build it first: cargo build --release", path.display());
    Ok(path)
}

/// A reference server; ended when dropped.
#[derive(Debug)]
pub struct Subject {
    child: Child,
    /// Listening address, by the scheme of its protocol, with a slash at the end.
    pub url: String,
}

impl Subject {
    /// Starts it with those flags besides the port.
    ///
    /// # Errors
    /// If it does not start, or prints no address.
    pub fn start(flags: &[&str]) -> anyhow::Result<Subject> {
        Subject::start_program(&proofload()?, &[&["reference-server", "--port", "0"], flags].concat())
    }

    /// Starts a subject of the catalogue, with those parameters as `name=value`.
    ///
    /// # Errors
    /// As [`Subject::start`].
    pub fn of_catalogue(name: &str, with: &[&str]) -> anyhow::Result<Subject> {
        let with = with.iter().flat_map(|pair| ["--with", pair]);
        let arguments: Vec<&str> = ["subjects", "start", name].into_iter().chain(with).collect();
        Subject::start_program(&proofload()?, &arguments)
    }

    fn start_program(proofload: &Path, arguments: &[&str]) -> anyhow::Result<Subject> {
        let mut command = child::on_cpu(SUBJECT_CPU, proofload);
        command.args(arguments).stdout(Stdio::piped());
        child::ends_with_us(&mut command);
        let mut child = command.spawn().context("taskset could not be started")?;
        let stdout = child.stdout.take().context("no standard output")?;
        let mut subject = Subject { child, url: String::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let url = line.trim().rsplit(' ').next().unwrap_or_default().trim_end_matches('/');
        ensure!(url.contains("://"), "the server said {line:?}");
        subject.url = format!("{url}/");
        Ok(subject)
    }

    /// Asks it to end, and waits until it has written what it keeps.
    ///
    /// # Errors
    /// If it does not end well within ten seconds.
    pub fn stop(mut self) -> anyhow::Result<()> {
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGTERM) };
        for _ in 0..1_000 {
            if let Some(status) = self.child.try_wait()? {
                ensure!(status.success(), "the server ended with {status}");
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        anyhow::bail!("the server did not end within 10 s")
    }

    /// The process that serves: of a subject of the catalogue the last of those that keep it.
    ///
    /// # Errors
    /// If the kernel does not list children of processes.
    pub fn pid(&self) -> anyhow::Result<u32> {
        let mut pid = self.child.id();
        loop {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
            match children.split_whitespace().next_back() {
                Some(child) => pid = child.parse()?,
                None => return Ok(pid),
            }
        }
    }

    /// Its port.
    ///
    /// # Errors
    /// If the address has none.
    pub fn port(&self) -> anyhow::Result<u16> {
        let port = self.url.trim_end_matches('/').rsplit(':').next().unwrap_or_default();
        port.parse().with_context(|| format!("{} has no port", self.url))
    }
}

impl Drop for Subject {
    /// A run that fails must not leave the server behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
