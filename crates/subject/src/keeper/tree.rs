//! Descent of processes, read from `/proc`.
//!
//! Everything a keeper started stays below it, because it is their subreaper: a daemon that forks twice
//! becomes the keeper's own child. Such a process is attributed to a subject by its session or by the mark in its
//! environment.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proofload_host::process::{self, all_pids};
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Environment variable that names the run; found again by `clean_leftovers`.
pub const MARK_RUN: &str = "PROOFLOAD_RUN";
/// Environment variable that names the subject within the run.
pub const MARK_SUBJECT: &str = "PROOFLOAD_SUBJECT";

/// Most bytes of an environment that are searched for a mark.
const ENVIRONMENT_BYTES_MAX: u64 = 1 << 20;

/// A process that cannot be mistaken for a later one of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub pid: u32,
    /// Clock ticks from boot to its start.
    pub start_ticks: u64,
    pub parent: u32,
    pub session: u32,
}

/// All live processes; those that only wait to be reaped are left out.
pub(crate) fn snapshot() -> Vec<Process> {
    all_pids().filter_map(find).collect()
}

pub(crate) fn find(pid: u32) -> Option<Process> {
    let stat = process::Stat::read(pid).filter(|stat| !stat.zombie)?;
    Some(Process { pid, start_ticks: stat.start_ticks, parent: stat.parent, session: stat.session })
}

/// All of `all` below `ancestor`, which itself is not among them.
pub(crate) fn descendants(all: &[Process], ancestor: u32) -> Vec<Process> {
    closure(all, BTreeSet::from([ancestor])).into_iter().filter(|process| process.pid != ancestor).collect()
}

/// The processes of one subject among those below its keeper: the one that was started, its session, those
/// that carry its mark, and all below any of these.
pub(crate) fn subject_members(all: &[Process], keeper: u32, root: u32, mark: &str) -> Vec<Process> {
    let below = descendants(all, keeper);
    let roots = below
        .iter()
        .filter(|process| {
            process.pid == root
                || process.session == root
                || (process.parent == keeper && mark_of(process.pid, MARK_SUBJECT).as_deref() == Some(mark))
        })
        .map(|process| process.pid)
        .collect();
    closure(&below, roots)
}

/// Everything in `all` that is in `seeds` or below one of them. Ends, because each round adds at least one.
fn closure(all: &[Process], mut seeds: BTreeSet<u32>) -> Vec<Process> {
    loop {
        let before = seeds.len();
        let more: Vec<u32> =
            all.iter().filter(|process| seeds.contains(&process.parent)).map(|p| p.pid).collect();
        seeds.extend(more);
        if seeds.len() == before {
            return all.iter().filter(|process| seeds.contains(&process.pid)).copied().collect();
        }
    }
}

/// Value of a variable in the environment a process was started with.
pub(crate) fn mark_of(pid: u32, name: &str) -> Option<String> {
    use std::io::Read;
    let mut environment = Vec::new();
    let file = fs::File::open(format!("/proc/{pid}/environ")).ok()?;
    file.take(ENVIRONMENT_BYTES_MAX).read_to_end(&mut environment).ok()?;
    environment.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

/// Sends a signal to exactly this process: its number is pinned first, then its start time compared.
/// `false` when it has gone.
pub(crate) fn signal(process: &Process, signal: Signal) -> bool {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else { return false };
    let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    match find(process.pid) {
        Some(now) if now.start_ticks == process.start_ticks => pidfd_send_signal(&pinned, signal).is_ok(),
        _ => false,
    }
}

/// Removes the performance-data file that a JVM leaves behind when it is killed.
pub(crate) fn remove_jvm_counters(pid: u32) {
    remove_counters_below(Path::new("/tmp"), &pid.to_string());
}

/// Any user may make such a folder, and a link in its place to one where a file of that name belongs to another.
fn remove_counters_below(base: &Path, name: &str) {
    let Ok(entries) = fs::read_dir(base) else { return };
    let uid = rustix::process::getuid().as_raw();
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with("hsperfdata_") {
            continue;
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(folder) = rustix::fs::open(entry.path(), flags, Mode::empty()) else { continue };
        let is_own = |found: rustix::io::Result<Stat>| found.is_ok_and(|found| found.st_uid == uid);
        if is_own(rustix::fs::fstat(&folder))
            && is_own(rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW))
        {
            // Gone already is as good.
            let _ = rustix::fs::unlinkat(&folder, name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32, session: u32) -> Process {
        Process { pid, start_ticks: 1, parent, session }
    }

    #[test]
    fn members_are_found_by_descent_and_by_session_but_only_below_the_keeper() {
        const KEEPER: u32 = 4_000_000_001;
        let all = [
            process(KEEPER, 1, KEEPER),
            process(4_000_000_010, KEEPER, 4_000_000_010),
            process(4_000_000_011, 4_000_000_010, 4_000_000_010),
            process(4_000_000_012, KEEPER, 4_000_000_010),
            process(4_000_000_020, KEEPER, 4_000_000_020),
            process(4_000_000_099, 1, 4_000_000_010),
        ];
        let members: Vec<u32> =
            subject_members(&all, KEEPER, 4_000_000_010, "none").iter().map(|process| process.pid).collect();
        assert_eq!(members, [4_000_000_010, 4_000_000_011, 4_000_000_012]);
        assert_eq!(descendants(&all, KEEPER).len(), 4);
    }

    #[test]
    fn counters_of_a_jvm_are_removed_from_its_own_folder_and_through_no_link() {
        let (base, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (own, elsewhere) = (base.path().join("hsperfdata_me"), other.path().join("77"));
        fs::create_dir(&own).unwrap();
        fs::write(own.join("77"), "counters").unwrap();
        fs::write(own.join("78"), "another's").unwrap();
        fs::write(&elsewhere, "mine").unwrap();
        std::os::unix::fs::symlink(other.path(), base.path().join("hsperfdata_you")).unwrap();
        remove_counters_below(base.path(), "77");
        assert_eq!((own.join("77").exists(), own.join("78").exists()), (false, true));
        assert!(elsewhere.exists());
    }

    #[test]
    fn a_process_of_another_start_time_gets_no_signal() {
        let mut me = find(std::process::id()).unwrap();
        me.start_ticks += 1;
        assert!(!signal(&me, Signal::KILL));
    }
}
