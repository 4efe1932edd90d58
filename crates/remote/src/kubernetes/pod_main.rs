//! The first process of a coordinator's pod. The maker of the pod starts the coordinator beside it by `kubectl exec`;
//! this one stays until the pod is deleted, and hands that on.

use crate::deadline::Deadline;
use crate::error::RemoteError;
use crate::server::{ARGUMENT, hand_over};
use proofload_host::signals;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, io};

/// First argument of a process that hands over the record of a coordinator that is gone.
pub const RECORD_ARGUMENT: &str = "__record";
/// The executable in the image.
pub(crate) const PROGRAM: &str = "/usr/bin/proofload";
/// Time that an idle pod stays: its maker may be gone, and its record is fetched by hand.
const HELD: Duration = Duration::from_secs(600);
const LOOK: Duration = Duration::from_millis(100);

/// Stays until the pod is to end and no coordinator is in it any more, or until nothing has gone on for ten minutes. `orders` is
/// the folder of orders; `line` writes a line of the pod's log.
///
/// # Errors
/// Signals that cannot be handled.
pub fn attend(orders: &Path, line: fn(&str)) -> io::Result<()> {
    let stop = signals::install()?;
    let (mut idle, mut is_active, mut is_told) = (Deadline::after(HELD), false, false);
    loop {
        // Parents of these are gone, and no other process is there to reap them.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        let coordinators: Vec<Pid> = folders(orders).into_iter().filter_map(|(_, pid)| alive(pid)).collect();
        match coordinators.as_slice() {
            [] if idle.is_over() || stop.load(Ordering::Relaxed) => return Ok(()),
            [] => {
                if std::mem::take(&mut is_active) {
                    say_what_is_kept(orders, line);
                }
            }
            all => {
                is_active = true;
                idle = Deadline::after(HELD);
                if stop.load(Ordering::Relaxed) && !is_told {
                    is_told = true;
                    // One that has just ended cannot receive it.
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
fn say_what_is_kept(orders: &Path, line: fn(&str)) {
    let (minutes, pod) = (HELD.as_secs() / 60, rustix::system::uname());
    for (folder, _) in folders(orders) {
        for study in fs::read_dir(folder.join("runs")).into_iter().flatten().flatten() {
            let (pod, run) = (pod.nodename().to_string_lossy(), study.path().join("latest"));
            let read = format!("kubectl exec {pod} -- {PROGRAM} report {}", run.display());
            line(&format!(
                "a record that nobody fetched is kept here for {minutes} minutes; read it by: {read}"
            ));
        }
    }
}

/// Hands over the newest record without a live coordinator.
///
/// # Errors
/// No record, or one that is not taken.
pub fn record(orders: &Path) -> Result<(), RemoteError> {
    let mut all = folders(orders);
    all.retain(|(folder, pid)| alive(*pid).is_none() && folder.join("runs").is_dir());
    let (folder, _) = all.pop().ok_or_else(|| RemoteError::Lost("no record is kept here".to_owned()))?;
    let out = fs::File::from(rustix::io::dup(rustix::stdio::stdout()).map_err(io::Error::from)?);
    let exit = RemoteError::Lost(String::new()).exit_code();
    let handed = hand_over(Arc::new(Mutex::new(out)), exit, String::new(), &folder).join();
    Ok(handed.map_err(|_| RemoteError::Lost("the record was not handed over".to_owned()))??)
}

/// The folders of orders, the newest last, with the processes that they were carried out by.
fn folders(orders: &Path) -> Vec<(PathBuf, i32)> {
    let entries = fs::read_dir(orders).into_iter().flatten().flatten();
    let mut all: Vec<(PathBuf, i32)> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.rsplit_once('-')?.1.parse().ok()?;
            Some((entry.path(), pid))
        })
        .collect();
    all.sort();
    all
}

/// A coordinator that is alive; its number may be another process's by now.
fn alive(pid: i32) -> Option<Pid> {
    let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let is_one = arguments.split(|byte| *byte == 0).any(|word| word == ARGUMENT.as_bytes());
    Pid::from_raw(pid).filter(|_| is_one)
}
