//! Left-overs when Proofload, its keeper or both are killed: none.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use proofload_host::clock::monotonic_ns;
use proofload_subject::{Absent, Keeper, SubjectError};
use rustix::process::{Pid, Signal, kill_process};

use crate::Bench;
use crate::actors::{CLEANER, DAEMON, HIDING, LISTENER, PROOFLOAD, cast};

const SEED: u64 = 0x70726f6f66;
/// SIGKILL most often: nothing can be done about it in the process itself.
const SIGNALS: [Signal; 4] = [Signal::KILL, Signal::KILL, Signal::TERM, Signal::INT];
const KILLS: u32 = 12;
/// Rounds of 10 ms until everything must be gone: far more than the keeper's own time limits.
const ROUNDS_MAX: u32 = 3000;

/// All live processes whose command line holds `tag`, which is a path that no other process uses.
fn alive(tag: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.bytes().all(|byte| byte.is_ascii_digit()) || name == std::process::id().to_string() {
            continue;
        }
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        if command.contains(tag) {
            found.push(format!("{name}: {command}"));
        }
    }
    found
}

fn wait_until_gone(tag: &str, runtime: &Path, what: &str) {
    let mut left = Vec::new();
    for _ in 0..ROUNDS_MAX {
        left = alive(tag);
        left.extend(fs::read_dir(runtime).unwrap().flatten().map(|entry| entry.path().display().to_string()));
        if left.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{what}: left behind: {left:#?}");
}

fn kill(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

/// A small generator of Marsaglia's xorshift kind; the moments need to be many, not good.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

pub fn nothing_outlives_a_killed_parent() {
    let mut state = SEED;
    // Once after everything was started; the time that took tells which moments are interesting.
    let whole_ns = kill_one(None, Signal::KILL, "everything had been started");
    let mut later = 0;
    for round in 0..KILLS {
        let pause_ns = next(&mut state) % (whole_ns + whole_ns / 4);
        let signal = SIGNALS[round as usize % SIGNALS.len()];
        let what = format!("seed {SEED:#x}, round {round}, {signal:?} after {pause_ns} of {whole_ns} ns");
        kill_one(Some(pause_ns), signal, &what);
        later += u32::from(pause_ns > whole_ns);
    }
    println!(
        "  {KILLS} kills, {later} of them after everything had been started in {} ms",
        whole_ns / 1_000_000
    );
}

/// Starts a Proofload with subjects of all kinds, kills it after a while (without one: once everything was started),
/// and waits until nothing is left. Returns the time it lived.
fn kill_one(pause_ns: Option<u64>, signal: Signal, what: &str) -> u64 {
    let directory = tempfile::tempdir().unwrap();
    let runtime = directory.path().join("runtime");
    fs::create_dir(&runtime).unwrap();
    let tag = directory.path().to_str().unwrap();
    let begun_ns = monotonic_ns();
    let mut parent = cast(PROOFLOAD, &[tag], &runtime).spawn().unwrap();
    match pause_ns {
        Some(pause_ns) => std::thread::sleep(Duration::from_nanos(pause_ns)),
        None => {
            started(&mut parent);
            assert!(
                alive(tag).len() >= 7,
                "parent, keeper, listener, stubborn listener, two daemons, sleeper"
            );
        }
    }
    let lived_ns = monotonic_ns() - begun_ns;
    kill(parent.id(), signal);
    parent.wait().unwrap();
    wait_until_gone(tag, &runtime, what);
    lived_ns
}

/// Waits until all has been started; the keeper's process id.
fn started(parent: &mut Child) -> u32 {
    let mut line = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("not started: {line}"))
}

pub fn what_a_killed_keeper_left_is_cleaned_later() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = directory.path().join("runtime");
    fs::create_dir(&runtime).unwrap();
    let tag = directory.path().to_str().unwrap();
    let clean = || {
        let output = cast(CLEANER, &[], &runtime).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut parent = cast(PROOFLOAD, &[tag], &runtime).spawn().unwrap();
    let keeper = started(&mut parent);
    let before = alive(tag).len();
    assert_eq!(clean(), "", "a run that lives is left alone");
    assert_eq!(alive(tag).len(), before);
    // Stopped first, so that the keeper cannot receive the other's death.
    kill(keeper, Signal::STOP);
    kill(parent.id(), Signal::KILL);
    kill(keeper, Signal::KILL);
    parent.wait().unwrap();
    // The keeper's own end is reported to the process that adopts it.
    wait_until_ended(keeper);
    let cleaned = clean();
    assert!(cleaned.contains("removed "), "{cleaned}");
    let known: Vec<String> = alive(tag).into_iter().filter(|line| !line.contains(HIDING)).collect();
    assert_eq!(known, Vec::<String>::new());
    assert_eq!(fs::read_dir(&runtime).unwrap().count(), 0);
    // A daemon that left session, parent and environment is beyond what can be known once its keeper is dead.
    for line in alive(tag) {
        kill(line.split(':').next().unwrap().parse().unwrap(), Signal::KILL);
    }
}

fn wait_until_ended(pid: u32) {
    for _ in 0..ROUNDS_MAX {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if status.is_empty() || status.contains(") Z ") {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("process {pid} does not end");
}

pub fn a_killed_keeper_is_noticed_and_its_work_done() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let go_on = Default::default();
    let listener = bench.actor(&[LISTENER, "{port}"], 60_000_000_000);
    let listener = listener.start(&keeper, &[], &bench.log(), &keeper.temp().join("a")).unwrap();
    let daemon = bench.actor(&[DAEMON, "{port}"], 60_000_000_000);
    let daemon = daemon.start(&keeper, &[], &bench.log(), &keeper.temp().join("b")).unwrap();
    listener.wait_ready(&go_on).unwrap();
    daemon.wait_ready(&go_on).unwrap();
    let pids: Vec<u32> = listener.pids().into_iter().chain(daemon.pids()).collect();
    assert_eq!(pids.len(), 2);
    assert!(!keeper.is_gone());
    kill(keeper.pid(), Signal::KILL);
    wait_until_ended(keeper.pid());
    assert!(keeper.is_gone());
    let temp = keeper.temp().to_path_buf();
    let told = keeper.end();
    assert!(told.iter().any(|line| line.contains("ended before its work was done")), "{told:?}");
    assert!(!temp.exists());
    for pid in pids {
        wait_until_ended(pid);
    }
    // Its exit status was not reported: that it died is not known.
    let Err(Absent::Unknown(why)) = listener.alive() else { panic!("its end is not known") };
    assert!(matches!(*why, SubjectError::KeeperGone));
}
