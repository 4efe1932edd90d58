//! Temporary files of runs, and the cleaning up after runs whose keeper was killed.
//!
//! `$XDG_RUNTIME_DIR/proofload` or `/tmp/proofload-<uid>`, 0700; below it a directory for each run, named
//! after the process that began it: number, start time, count.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::Signal;

use super::keeper::tree::{self, MARK_RUN, Process};
use proofload_host::MARK_KEEPER;

/// Rounds of killing before what still lives is named instead: 2 s.
const KILL_ROUNDS_MAX: u32 = 100;

static RUNS: AtomicU32 = AtomicU32::new(0);

/// The directory that holds all runs of this user. Only keepers make it: they remove it again, also when
/// Proofload is killed at the next instruction.
pub(crate) fn base_path() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match runtime.filter(|path| path.is_absolute() && path.is_dir()) {
        Some(path) => path.join("proofload"),
        None => PathBuf::from(format!("/tmp/proofload-{}", rustix::process::getuid().as_raw())),
    }
}

/// Makes a directory 0700, or checks that the one that is there is ours alone: `/tmp` is everybody's.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
        other => return other,
    }
    let found = match fs::symlink_metadata(path) {
        // Another keeper removed it while it was empty; making something in it will report that.
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let ours = found.uid() == rustix::process::getuid().as_raw();
    if !found.is_dir() || !ours || found.mode() & 0o077 != 0 {
        return Err(io::Error::other(
            "it exists and is not a directory of this user with mode 0700; remove it or correct its mode",
        ));
    }
    Ok(())
}

/// Makes the directory of a run. Another keeper that ends may remove the empty directory above it between any two
/// steps, so both are made again a few times.
pub(crate) fn make_run_directory(path: &Path) -> io::Result<()> {
    const TRIES_MAX: u32 = 20;
    for _ in 0..TRIES_MAX {
        path.parent().map_or(Ok(()), make_private)?;
        match fs::DirBuilder::new().mode(0o700).create(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            // Checked again: another user may have made the directory above it in between.
            other => return other.and_then(|()| path.parent().map_or(Ok(()), make_private)),
        }
    }
    Err(io::Error::other("the directory above it is removed again and again"))
}

/// Names a run: never used twice until the machine is rebooted.
pub(crate) fn run_id() -> String {
    let pid = std::process::id();
    let start = tree::find(pid).map_or(0, |process| process.start_ticks);
    format!("{pid}-{start}-{}", RUNS.fetch_add(1, Ordering::Relaxed))
}

/// Ends the processes and removes the files of runs whose Proofload and keeper have both gone; returns the actions, a
/// sentence each. Processes and files of a run that still lives are left alone.
pub fn clean_leftovers() -> Vec<String> {
    let mut done = Vec::new();
    let all = tree::snapshot();
    for process in &all {
        let keeper = tree::mark_of(process.pid, MARK_KEEPER).and_then(|mark| parse_pair(&mark, ':'));
        if keeper.is_some_and(|(pid, start_ticks)| !lives(&all, pid, start_ticks)) {
            done.extend(kill_run(&tree::mark_of(process.pid, MARK_RUN).unwrap_or_default()));
        }
    }
    let base = base_path();
    for entry in fs::read_dir(&base).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if run_lives(&all, &name, &entry.path()) {
            continue;
        }
        done.extend(clean_run(&name, &entry.path()));
    }
    // Kept when a run still uses it.
    let _ = fs::remove_dir(&base);
    done
}

fn run_lives(all: &[Process], name: &str, directory: &Path) -> bool {
    let owner = name.rsplit_once('-').and_then(|(process, _)| parse_pair(process, '-'));
    let keeper = proofload_host::files::read_text(&directory.join("keeper"), 1 << 10).ok();
    let keeper = keeper.and_then(|text| parse_pair(text.trim(), ' '));
    owner.into_iter().chain(keeper).any(|(pid, start_ticks)| lives(all, pid, start_ticks))
}

fn parse_pair(text: &str, separator: char) -> Option<(u32, u64)> {
    let (pid, start) = text.split_once(separator)?;
    Some((pid.parse().ok()?, start.parse().ok()?))
}

fn lives(all: &[Process], pid: u32, start_ticks: u64) -> bool {
    all.iter().any(|process| process.pid == pid && process.start_ticks == start_ticks)
}

/// Does the work in place of the killed keeper of the run.
pub(crate) fn clean_run(run: &str, directory: &Path) -> Vec<String> {
    let mut done = kill_run(run);
    match fs::remove_dir_all(directory) {
        Ok(()) => done.push(format!("removed {}", directory.display())),
        Err(why) if why.kind() == io::ErrorKind::NotFound => {}
        Err(why) => done.push(format!("could not remove {}: {why}", directory.display())),
    }
    let _ = directory.parent().map(fs::remove_dir);
    done
}

/// Kills all processes that carry the mark of a run.
fn kill_run(run: &str) -> Vec<String> {
    let mut done = Vec::new();
    if run.is_empty() {
        return done;
    }
    for _ in 0..KILL_ROUNDS_MAX {
        let marked = |process: &Process| tree::mark_of(process.pid, MARK_RUN).as_deref() == Some(run);
        let found: Vec<Process> = tree::snapshot().into_iter().filter(marked).collect();
        if found.is_empty() {
            return done;
        }
        for process in found.iter().filter(|process| tree::signal(process, Signal::KILL)) {
            done.push(format!("ended process {} of run {run}", process.pid));
            tree::remove_jvm_counters(process.pid);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    done.push(format!("processes of run {run} do not end, not even by KILL"));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_others_may_enter_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().join("base");
        make_run_directory(&base.join("run")).unwrap();
        assert_eq!(fs::metadata(&base).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&base, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(make_run_directory(&base.join("other")).unwrap_err().to_string().contains("0700"));
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&base, &link).unwrap();
        assert!(make_private(&link).is_err(), "a link may lead anywhere");
    }

    #[test]
    fn a_run_lives_as_long_as_its_owner_or_keeper() {
        let directory = tempfile::tempdir().unwrap();
        let all = tree::snapshot();
        let me = tree::find(std::process::id()).unwrap();
        let lives = |name: &str| run_lives(&all, name, directory.path());
        assert!(lives(&run_id()));
        // The same number, started at another time.
        let reused = format!("{}-{}-0", me.pid, me.start_ticks + 1);
        assert!(!lives(&reused));
        assert!(!lives("odd"));
        fs::write(directory.path().join("keeper"), format!("{} {}\n", me.pid, me.start_ticks)).unwrap();
        assert!(lives(&reused), "its keeper lives");
    }
}
