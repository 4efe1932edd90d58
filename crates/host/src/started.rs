//! Processes of other programs (ssh, srun, kubectl): each in a group of its own, and no wait for one without an end in sight.

use crate::{clock, signals};
use proofload_language::tr;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// Between two looks at a process.
const LOOK_NS: u64 = 10_000_000;
/// Most bytes of an output that are kept; further ones are read and dropped.
const OUTPUT_BYTES_MAX: u64 = 256 << 20;
/// Time to end between TERM and KILL.
const GRACE: Duration = Duration::from_millis(500);
/// Longest time that outputs stay open after the end of a process.
const BEHIND: Duration = Duration::from_millis(500);

/// A process with its group, which ends when this value goes, or at a second signal.
#[derive(Debug)]
pub struct Started {
    child: Child,
    group: signals::Group,
    status: Option<ExitStatus>,
    /// Time that it has to end by itself once its pipes are closed; none unless it is set.
    pub leaving: Duration,
}

impl Started {
    /// Starts it in a group of its own: Ctrl-C is for the leader.
    ///
    /// # Errors
    /// If the program is not there, with its name.
    pub fn start(command: &mut Command) -> io::Result<Started> {
        command.process_group(0);
        let child = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy();
            io::Error::new(error.kind(), format!("{program}: {error}"))
        })?;
        let group = signals::Group::enter(child.id() as i32);
        Ok(Started { child, group, status: None, leaving: Duration::ZERO })
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The pipes to it and from it, where it has some.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.child.stdin.take(), self.child.stdout.take())
    }

    /// Exit status, once it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for its end at most `within`, and no longer than until `stop`.
    ///
    /// # Errors
    /// `TimedOut`; `Interrupted` if `stop` is set.
    pub fn wait(&mut self, within: Duration, stop: Option<&AtomicBool>) -> io::Result<ExitStatus> {
        let begun_ns = clock::monotonic_ns();
        loop {
            if let Some(status) = self.ended() {
                return Ok(status);
            }
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, tr!("started-stopped")));
            }
            if u128::from(clock::monotonic_ns().saturating_sub(begun_ns)) > within.as_nanos() {
                let seconds = within.as_secs();
                return Err(io::Error::new(io::ErrorKind::TimedOut, tr!("started-too-long", seconds)));
            }
            clock::sleep_ns(LOOK_NS);
        }
    }

    /// Ends all of these, and what they started in their groups: their pipes are closed, they are asked to end, and soon they have no
    /// choice.
    pub fn end_all<'a>(all: impl Iterator<Item = &'a mut Started>) {
        let mut left: Vec<&mut Started> =
            all.filter_map(|one| one.ended().is_none().then_some(one)).collect();
        let leaving = left.iter().map(|one| one.leaving).max().unwrap_or_default();
        left.iter_mut().filter(|one| !one.leaving.is_zero()).for_each(|one| drop(one.pipes()));
        await_all(&mut left, leaving);
        left.iter().for_each(|one| one.group.ask_to_end());
        await_all(&mut left, GRACE);
        left.iter().for_each(|one| one.group.kill());
        left.iter_mut().for_each(|one| one.status = one.child.wait().ok());
    }
}

/// Waits at most so long, until none of these is left.
fn await_all(left: &mut Vec<&mut Started>, within: Duration) {
    let begun_ns = clock::monotonic_ns();
    while !left.is_empty() && u128::from(clock::monotonic_ns() - begun_ns) < within.as_nanos() {
        clock::sleep_ns(LOOK_NS);
        left.retain_mut(|one| one.ended().is_none());
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        Started::end_all(std::iter::once(self));
    }
}

/// Runs a program to its end, with a text on its standard input, and returns what it writes to the outputs that are
/// pipes. It ends at the latest when the time is over or `stop` is set, even if it reads and writes nothing.
///
/// # Errors
/// As [`Started::start`] and [`Started::wait`].
pub fn run(
    command: &mut Command,
    input: Option<&str>,
    within: Duration,
    stop: Option<&AtomicBool>,
) -> io::Result<Output> {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut started = Started::start(command)?;
    if let (Some(text), Some(mut pipe)) = (input.map(str::to_owned), started.child.stdin.take()) {
        // A program that ends early, or never reads, reports why or is ended.
        std::thread::spawn(move || pipe.write_all(text.as_bytes()));
    }
    let (out, err) = (started.child.stdout.take().map(drain), started.child.stderr.take().map(drain));
    let status = started.wait(within, stop)?;
    let all =
        |of: Option<Receiver<Vec<u8>>>| of.and_then(|of| of.recv_timeout(BEHIND).ok()).unwrap_or_default();
    Ok(Output { status, stdout: all(out), stderr: all(err) })
}

/// Reads a pipe to its end.
fn drain(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = (&mut pipe).take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
        // The receiver may be gone.
        let _ = tell.send(bytes);
    });
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[test]
    fn what_a_program_reads_and_says_comes_and_goes_whole() {
        let long = "x".repeat(1 << 20);
        let told = run(&mut shell("cat; echo why >&2; exit 3"), Some(&long), Duration::from_secs(20), None);
        let told = told.expect("it ends");
        assert_eq!(
            (told.status.code(), told.stdout.len(), told.stderr.as_slice()),
            (Some(3), 1 << 20, &b"why\n"[..])
        );
    }

    /// Programs that do not end by themselves, or whose pipes do not.
    const STUCK: [&str; 5] = [
        "sleep 1000",
        "trap '' TERM INT HUP; while :; do sleep 1000; done",
        "cat > /dev/null; sleep 1000",
        "exec < /dev/null; sleep 1000 & wait",
        "while :; do echo again; echo again >&2; sleep 0.01; done",
    ];

    #[test]
    fn nothing_that_is_stuck_is_waited_for_beyond_its_time_or_a_stop() {
        let long = "x".repeat(1 << 20);
        for line in STUCK {
            for input in [None, Some(long.as_str())] {
                let late = run(&mut shell(line), input, Duration::from_millis(60), None).expect_err(line);
                assert_eq!(late.kind(), io::ErrorKind::TimedOut, "{line}");
            }
            let stop = AtomicBool::new(true);
            let stopped =
                run(&mut shell(line), None, Duration::from_secs(1000), Some(&stop)).expect_err(line);
            assert_eq!(stopped.kind(), io::ErrorKind::Interrupted, "{line}");
        }
    }

    #[test]
    fn what_it_started_ends_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = folder.path().join("pid");
        let line = format!("sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; wait", told.display());
        let started = Started::start(&mut shell(&line)).expect("it starts");
        let pid = loop {
            match std::fs::read_to_string(&told) {
                Ok(pid) => break pid.trim().to_owned(),
                Err(_) => clock::sleep_ns(LOOK_NS),
            }
        };
        drop(started);
        let is_gone = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
            status.map_or(true, |status| status.contains("State:\tZ"))
        };
        while !is_gone() {
            clock::sleep_ns(LOOK_NS);
        }
    }

    #[test]
    fn many_that_do_not_want_to_end_take_no_longer_than_one() {
        let stubborn = || Started::start(&mut shell("trap '' TERM; sleep 1000")).expect("it starts");
        let mut all: Vec<Started> = (0..20).map(|_| stubborn()).collect();
        let begun_ns = clock::monotonic_ns();
        Started::end_all(all.iter_mut());
        assert!(all.iter_mut().all(|one| one.ended().is_some()));
        assert!(clock::monotonic_ns() - begun_ns < 20 * GRACE.as_nanos() as u64, "one after the other");
    }

    #[test]
    fn one_that_has_time_to_leave_ends_by_itself_when_its_pipe_is_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = folder.path().join("left");
        let mut command = shell(&format!("cat; sleep 0.1; touch {}", told.display()));
        let mut started = Started::start(command.stdin(Stdio::piped())).expect("it starts");
        started.leaving = Duration::from_secs(20);
        drop(started);
        assert!(told.exists());
    }

    #[test]
    fn an_output_that_stays_open_behind_its_program_is_not_waited_for() {
        let begun_ns = clock::monotonic_ns();
        let mut command = shell("setsid sleep 30 & echo said");
        run(&mut command, None, Duration::from_secs(20), None).expect("it ends");
        assert!(clock::monotonic_ns() - begun_ns < 20_000_000_000);
    }
}
