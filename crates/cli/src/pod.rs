//! The first process of a coordinator's pod. Whoever made the pod starts the coordinator beside it by `kubectl exec`; this one stays
//! until the pod is deleted, and hands that on.

use crate::exit::Exit;
use crate::{around, place};
use anyhow::Context as _;
use proofload_host::clock::monotonic_ns;
use proofload_host::signals;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The first argument of a process that hands over the record of a coordinator that is gone.
pub const RECORD_ARGUMENT: &str = "__record";
/// The executable in the image.
pub const PROGRAM: &str = "/usr/bin/proofload";
/// How long a pod stays in which nothing goes on: whoever made it may be gone, and its record is fetched by hand.
const HELD_NS: u64 = 600_000_000_000;
const LOOK: Duration = Duration::from_millis(100);

/// Stays until the pod is to end and no coordinator is in it any more, or until nothing has gone on for ten minutes.
pub fn attend() -> anyhow::Result<Exit> {
    let (stop, places) = (signals::install()?, place::kept_below()?);
    let (mut active_ns, mut is_active, mut is_told) = (monotonic_ns(), false, false);
    loop {
        // Parents of these are gone, and nobody else is there to take them in.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        let coordinators: Vec<Pid> = folders(&places).into_iter().filter_map(|(_, pid)| alive(pid)).collect();
        let is_over = monotonic_ns().saturating_sub(active_ns) > HELD_NS || stop.load(Ordering::Relaxed);
        match coordinators.as_slice() {
            [] if is_over => return Ok(Exit::Done),
            [] => {
                if std::mem::take(&mut is_active) {
                    say_what_is_kept(&places);
                }
            }
            all => {
                is_active = true;
                active_ns = monotonic_ns();
                if stop.load(Ordering::Relaxed) && !is_told {
                    is_told = true;
                    // One that has just ended is not there to be told.
                    for pid in all {
                        let _ = kill_process(*pid, Signal::TERM);
                    }
                }
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// A record is taken away as soon as it is kept elsewhere; one that is still here was not fetched.
fn say_what_is_kept(places: &Path) {
    let (minutes, pod) = (HELD_NS / 60_000_000_000, rustix::system::uname());
    for (folder, _) in folders(places) {
        for study in fs::read_dir(folder.join("runs")).into_iter().flatten().flatten() {
            let (pod, run) = (pod.nodename().to_string_lossy(), study.path().join("latest"));
            let read = format!("kubectl exec {pod} -- {PROGRAM} report {}", run.display());
            around::error_line(format!(
                "a record that nobody fetched is kept here for {minutes} minutes; read it by: {read}"
            ));
        }
    }
}

/// Hands over the newest record of which no coordinator is there any more.
pub fn record() -> anyhow::Result<Exit> {
    let mut all = folders(&place::kept_below()?);
    all.retain(|(folder, pid)| alive(*pid).is_none() && folder.join("runs").is_dir());
    let (folder, _) = all.pop().context("no record is kept here")?;
    let out = fs::File::from(rustix::io::dup(rustix::stdio::stdout())?);
    let handed = place::hand_over(Arc::new(Mutex::new(out)), Exit::Failure, String::new(), &folder).join();
    handed.map_err(|_| anyhow::anyhow!("the record was not handed over"))??;
    Ok(Exit::Done)
}

/// The folders of orders, the newest last, with the processes that they were carried out by.
fn folders(places: &Path) -> Vec<(PathBuf, i32)> {
    let entries = fs::read_dir(places).into_iter().flatten().flatten();
    let mut all: Vec<(PathBuf, i32)> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.rsplit_once('-')?.1.parse().ok()?;
            Some((entry.path(), pid))
        })
        .collect();
    all.sort();
    all
}

/// A coordinator that is there; its number may be somebody else's by now.
fn alive(pid: i32) -> Option<Pid> {
    let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let is_one = arguments.split(|byte| *byte == 0).any(|word| word == place::ARGUMENT.as_bytes());
    Pid::from_raw(pid).filter(|_| is_one)
}
