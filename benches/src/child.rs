//! Runs a client to its end and asks the kernel what it used.

use anyhow::{Context, bail};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Use of a process, and its output.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Standard output.
    pub output: String,
    /// User and system time, in nanoseconds.
    pub cpu_ns: f64,
    /// User time alone, in nanoseconds.
    pub user_ns: f64,
    /// Peak resident memory, in bytes.
    pub peak_rss_bytes: u64,
    /// From start to end.
    pub wall: Duration,
}

/// A command that runs on one CPU.
pub fn on_cpu(cpu: usize, program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.arg("-c").arg(cpu.to_string()).arg(program);
    command
}

/// Has the kernel ask it to end when the thread that starts it does, as in a program that was killed: no destructor runs there,
/// and a server would keep its CPU and its port.
pub fn ends_with_us(command: &mut Command) {
    // SAFETY: between fork and exec only prctl(2) is called, which touches no memory of ours.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        })
    };
}

/// Has it begin a session of its own. The kernel shares a busy CPU between sessions, by the CPUs on which each has threads that run:
/// beside a thousand of them on another CPU, one of the same session would hardly get any.
pub fn in_own_session(command: &mut Command) {
    // SAFETY: between fork and exec only setsid(2) is called, which touches no memory of ours.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        })
    };
}

/// Runs a command in a process group of its own, and ends the group when it takes longer than `most`.
///
/// # Errors
/// If it cannot be started, fails, or takes too long.
pub fn run(command: Command, most: Duration) -> anyhow::Result<Ended> {
    run_to(command, most, &[0])
}

/// The same, with exit codes that are not failures.
///
/// # Errors
/// As [`run`].
pub fn run_to(mut command: Command, most: Duration, good: &[i32]) -> anyhow::Result<Ended> {
    let shown = format!("{command:?}");
    let begun = Instant::now();
    ends_with_us(&mut command);
    let child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).process_group(0).spawn();
    let mut child = child.with_context(|| format!("{shown} could not be started"))?;
    let group = child.id() as libc::pid_t;
    let said = reading(child.stdout.take());
    let complained = reading(child.stderr.take());
    let ended = loop {
        if let Some(ended) = reap(group, false)? {
            break Some(ended);
        }
        if begun.elapsed() > most {
            // SAFETY: the group is that of a child which has not been waited for, so the number is still its own.
            unsafe { libc::kill(-group, libc::SIGKILL) };
            reap(group, true)?;
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let wall = begun.elapsed();
    let text =
        |bytes: thread::Result<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    let (output, complaint) = (text(said.join()), text(complained.join()));
    let Some((status, usage)) = ended else {
        bail!("{shown} did not end within {} s\n{output}{complaint}", most.as_secs());
    };
    if !status.code().is_some_and(|code| good.contains(&code)) {
        bail!("{shown}: {status}\n{output}{complaint}");
    }
    let ns = |time: libc::timeval| time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3;
    Ok(Ended {
        output,
        cpu_ns: ns(usage.ru_utime) + ns(usage.ru_stime),
        user_ns: ns(usage.ru_utime),
        peak_rss_bytes: usage.ru_maxrss as u64 * 1024,
        wall,
    })
}

fn reading(mut pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || read(&mut pipe))
}

fn read(pipe: &mut Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What could be read is what there is to show.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// Exit status and use of a child; `None` while it runs.
fn reap(pid: libc::pid_t, wait: bool) -> anyhow::Result<Option<(ExitStatus, libc::rusage)>> {
    let mut status = 0;
    // SAFETY: all zeros are a valid rusage, and both places outlive the call that writes them.
    let (got, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let got = libc::wait4(pid, &raw mut status, if wait { 0 } else { libc::WNOHANG }, &raw mut usage);
        (got, usage)
    };
    match got {
        0 => Ok(None),
        -1 => Err(std::io::Error::last_os_error()).context("wait4"),
        _ => Ok(Some((ExitStatus::from_raw(status), usage))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_ends_with_whoever_started_it() {
        let started = thread::spawn(|| {
            let mut command = Command::new("sleep");
            command.arg("60");
            ends_with_us(&mut command);
            command.spawn().unwrap()
        });
        let status = started.join().unwrap().wait().unwrap();
        assert_eq!(status.signal(), Some(libc::SIGTERM));
    }
}
