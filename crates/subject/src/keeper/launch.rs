//! One process started from the keeper: own session, own CPUs, signals as in a fresh login.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::protocol::Spawn;

/// Starts the process and returns its id; the caller reaps it.
///
/// # Errors
/// The log cannot be opened, the CPUs are not there, or the program cannot be executed.
pub(crate) fn launch(spawn: &Spawn, marks: &[(&str, String)]) -> io::Result<u32> {
    let (program, args) =
        spawn.args.split_first().ok_or_else(|| io::Error::other("an empty list of arguments"))?;
    let log = open_log(&spawn.log)?;
    let cpus = cpu_set(&spawn.cpus)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&spawn.directory).stdin(Stdio::null());
    command.stdout(log.try_clone()?).stderr(log);
    if spawn.clear_environment {
        command.env_clear();
    }
    command.envs(&spawn.environment).envs(marks.iter().map(|(name, value)| (*name, value)));
    // SAFETY: between fork and exec only system calls that are safe after a fork are made, and no memory is
    // allocated: the CPU set was built before.
    unsafe { command.pre_exec(move || set_up_child(cpus.as_ref())) };
    // Dropping the handle does not reap: the keeper reaps all its children, adopted ones too, in one place.
    command.spawn().map(|child| child.id())
}

/// The record may come from another user, and a link in it lead anywhere.
fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path)
}

fn cpu_set(cpus: &[usize]) -> io::Result<Option<CpuSet>> {
    if cpus.is_empty() {
        return Ok(None);
    }
    let mut set = CpuSet::new();
    for cpu in cpus {
        if *cpu >= CpuSet::MAX_CPU {
            return Err(io::Error::other(format!("CPU {cpu} is beyond what this system can name")));
        }
        set.set(*cpu);
    }
    Ok(Some(set))
}

/// Runs in the child before it becomes the subject.
fn set_up_child(cpus: Option<&CpuSet>) -> io::Result<()> {
    rustix::process::setsid()?;
    // A second line only: it does not reach grandchildren, but it works when the keeper itself is killed.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    reset_signals();
    if let Some(set) = cpus {
        sched_setaffinity(None, set)?;
    }
    Ok(())
}

/// Ignored signals stay ignored across exec, and a JVM that starts with TERM ignored never listens to it.
fn reset_signals() {
    for number in 1..=64 {
        // SAFETY: signal(2) with SIG_DFL touches no memory of ours; numbers it does not accept are refused.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
    // SAFETY: the set lives on the stack and is initialised by sigemptyset before use.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}
