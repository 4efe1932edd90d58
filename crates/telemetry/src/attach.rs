//! Sends a command to a HotSpot JVM, as `jcmd` does, without starting a second JVM.
//!
//! The protocol (`attachListener_posix.cpp` of OpenJDK, version 1): a file `.attach_pidN` and SIGQUIT make the JVM
//! listen on `/tmp/.java_pidN`, for its own user alone. A request is its version, a
//! command and three arguments, each ended by a zero byte; the answer is a line with a status, then text to the end.
//! The first request starts a thread in the JVM ("Attach Listener"), which stays; nothing is loaded.

use proofload_host::clock;
use proofload_host::process;
use proofload_language::tr;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Folder in which JVMs on Linux have these files, whatever `java.io.tmpdir` is.
const TEMPORARY: &str = "/tmp";
/// Longest time that a JVM may take to listen.
const LISTEN_NS: u64 = 5_000_000_000;
const POLL_NS: u64 = 10_000_000;
/// Longest time for the whole answer: a full collection of a large heap.
const ANSWER_NS: u64 = 60_000_000_000;
/// Interval at which the stop flag is checked while more of the answer is awaited.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// Most bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Most bytes that are read at once.
const PART_BYTES: usize = 64 << 10;
/// SIGQUIT in the masks of `/proc/PID/status`: bit 0 is signal 1.
const QUIT_BIT: u64 = 1 << 2;

/// Reason for which a JVM did not answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AttachError {
    /// It has no handler for SIGQUIT (`-Xrs`, or it is only starting): the signal would end it.
    #[error("{}", tr!("attach-no-handler"))]
    NoHandler,
    /// It did not listen in time (`-XX:+DisableAttachMechanism`).
    #[error("{}", tr!("attach-silent", path = .0))]
    Silent(PathBuf),
    /// It was asked and took too long.
    #[error("{}", tr!("attach-slow"))]
    Slow,
    #[error("{}", tr!("attach-stopped"))]
    Stopped,
    /// The socket belongs to another user.
    #[error("{}", tr!("attach-foreign", path = .0))]
    Foreign(PathBuf),
    #[error("{}", tr!("labelled", label = what, what = source))]
    Io { what: &'static str, source: io::Error },
    #[error("{}", tr!("attach-refused", answer = .0))]
    Refused(String),
}

fn io_error(what: &'static str) -> impl Fn(io::Error) -> AttachError {
    move |source| AttachError::Io { what, source }
}

/// Returns the output of `jcmd PID COMMAND`. Waits for the whole answer, at most a minute, or until `stop` is set.
///
/// # Errors
/// If the JVM does not listen, does not answer in time, or refuses.
pub(super) fn ask(pid: u32, command: &str, stop: &AtomicBool) -> Result<String, AttachError> {
    let socket = Path::new(TEMPORARY).join(format!(".java_pid{pid}"));
    let user = process::user(pid)
        .ok_or_else(|| io_error(tr!("attach-the-process"))(io::ErrorKind::NotFound.into()))?;
    if !socket.exists() {
        request_attach(pid, &socket, stop)?;
    }
    let found = fs::symlink_metadata(&socket).map_err(io_error(tr!("attach-its-socket")))?;
    if !found.file_type().is_socket() || found.uid() != user {
        return Err(AttachError::Foreign(socket));
    }
    let stream = UnixStream::connect(&socket).map_err(io_error(tr!("attach-connecting")))?;
    exchange(stream, command, clock::monotonic_ns() + ANSWER_NS, stop)
}

/// Sends the command and reads the whole answer.
fn exchange(
    mut stream: UnixStream,
    command: &str,
    until_ns: u64,
    stop: &AtomicBool,
) -> Result<String, AttachError> {
    stream.set_read_timeout(Some(STOP_CHECK)).map_err(io_error(tr!("attach-its-socket")))?;
    stream.set_write_timeout(Some(STOP_CHECK)).map_err(io_error(tr!("attach-its-socket")))?;
    stream.write_all(&request(command)).map_err(io_error(tr!("attach-asking")))?;
    let (mut answer, mut part) = (Vec::new(), vec![0; PART_BYTES]);
    while answer.len() < ANSWER_BYTES_MAX {
        if stop.load(Ordering::Relaxed) {
            return Err(AttachError::Stopped);
        }
        if clock::monotonic_ns() >= until_ns {
            return Err(AttachError::Slow);
        }
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(bytes) => answer.extend_from_slice(&part[..bytes]),
            Err(error) if is_again(&error) => {}
            Err(error) => return Err(io_error(tr!("attach-its-answer"))(error)),
        }
    }
    parse_answer(&String::from_utf8_lossy(&answer))
}

fn is_again(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

fn request(command: &str) -> Vec<u8> {
    format!("1\0jcmd\0{command}\0\0\0").into_bytes()
}

/// `0` and the output, or another number and the reason.
fn parse_answer(text: &str) -> Result<String, AttachError> {
    match text.split_once('\n') {
        Some(("0", said)) => Ok(said.to_string()),
        Some((_, said)) => Err(AttachError::Refused(said.trim().to_string())),
        None => Err(AttachError::Refused(format!("{:?}, and hung up", text.trim()))),
    }
}

fn request_attach(pid: u32, socket: &Path, stop: &AtomicBool) -> Result<(), AttachError> {
    let status = process::read_text(&format!("/proc/{pid}/status")).unwrap_or_default();
    if !handles_quit(&status) {
        return Err(AttachError::NoHandler);
    }
    let request = Path::new(TEMPORARY).join(format!(".attach_pid{pid}"));
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&request);
    match created {
        Ok(_) => {}
        // An abandoned one serves as well.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(io_error(tr!("attach-a-file"))(error)),
    }
    let listens = signal(pid).and_then(|()| wait_for(socket, stop));
    // A file that stays does no harm.
    let _ = fs::remove_file(&request);
    listens
}

fn signal(pid: u32) -> Result<(), AttachError> {
    let id = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let id = id.ok_or_else(|| io_error(tr!("attach-the-process"))(io::ErrorKind::NotFound.into()))?;
    kill_process(id, Signal::QUIT).map_err(|error| io_error(tr!("attach-signalling"))(error.into()))
}

fn wait_for(socket: &Path, stop: &AtomicBool) -> Result<(), AttachError> {
    let end_ns = clock::monotonic_ns() + LISTEN_NS;
    while clock::monotonic_ns() < end_ns {
        if socket.exists() {
            return Ok(());
        }
        if !clock::sleep_for(POLL_NS, stop) {
            return Err(AttachError::Stopped);
        }
    }
    Err(AttachError::Silent(socket.to_path_buf()))
}

/// True if SIGQUIT is caught, by `/proc/PID/status`: it ends a process that does not catch it.
fn handles_quit(status: &str) -> bool {
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & QUIT_BIT != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_five_words_and_an_answer_a_status_and_text() {
        assert_eq!(request("GC.class_histogram"), b"1\0jcmd\0GC.class_histogram\0\0\0");
        assert_eq!(parse_answer("0\n12345:\nTotal 1 2\n").expect("fine"), "12345:\nTotal 1 2\n");
        for wrong in ["1\njava.lang.IllegalArgumentException: Unknown\n", "", "0"] {
            assert!(matches!(parse_answer(wrong), Err(AttachError::Refused(_))), "{wrong:?}");
        }
    }

    #[test]
    fn a_process_that_a_signal_would_end_is_not_signalled() {
        assert!(handles_quit("Name:\tjava\nSigCgt:\t2000000181005ccf\n"));
        assert!(!handles_quit("SigCgt:\t0000000000000000\n"));
        assert!(!handles_quit("SigCgt:\t0000000000000002\n"), "only SIGINT");
        assert!(!handles_quit("") && !handles_quit("SigCgt:\tx\n"));
        let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().expect("a process");
        let goes_on = AtomicBool::new(false);
        let answer = ask(sleeper.id(), "VM.flags", &goes_on);
        assert!(matches!(answer, Err(AttachError::NoHandler)), "{answer:?}");
        assert!(sleeper.try_wait().expect("a child").is_none(), "it still runs");
        sleeper.kill().expect("ended");
        sleeper.wait().expect("ended");
        assert!(ask(u32::MAX, "VM.flags", &goes_on).is_err());
    }

    /// The other side keeps writing and never ends.
    #[test]
    fn an_endless_answer_is_given_up_in_time() {
        let (near, mut far) = UnixStream::pair().expect("a pair");
        let talks = std::thread::spawn(move || {
            while far.write_all(b"0\n").is_ok() {
                clock::sleep_ns(POLL_NS);
            }
        });
        let begun_ns = clock::monotonic_ns();
        let answer = exchange(near, "VM.flags", begun_ns + 300_000_000, &AtomicBool::new(false));
        assert!(matches!(answer, Err(AttachError::Slow)), "{answer:?}");
        assert!(
            clock::monotonic_ns() - begun_ns < LISTEN_NS,
            "the limit is for the whole answer, not for each part"
        );
        talks.join().expect("it ended");
    }

    #[test]
    fn a_stopped_caller_waits_for_no_answer() {
        let (near, far) = UnixStream::pair().expect("a pair");
        let stop = AtomicBool::new(false);
        let answer = std::thread::scope(|scope| {
            scope.spawn(|| {
                clock::sleep_ns(POLL_NS);
                stop.store(true, Ordering::Relaxed);
            });
            exchange(near, "VM.flags", u64::MAX, &stop)
        });
        assert!(matches!(answer, Err(AttachError::Stopped)), "{answer:?}");
        let nowhere = wait_for(Path::new("/proc/self/no-socket"), &stop);
        assert!(matches!(nowhere, Err(AttachError::Stopped)), "{nowhere:?}");
        drop(far);
    }
}
