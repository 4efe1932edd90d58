//! One measuring run per machine at a time.
//!
//! The lock is the kernel's (`flock`), on a file that every user may open: it is free the moment its holder dies,
//! however it dies. The file's text only names the holder, for the message to a second process. The file is never
//! removed: another process may already have it open and wait. Containers with a `/tmp` of their own do not see each
//! other.

use super::{Awake, clock};
use proofload_language::tr;
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, fchmod, flock, fstat, open};
use rustix::io::Errno;
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use thiserror::Error;

const PATH: &str = "/tmp/proofload-measuring.lock";

/// Variable with the path of a debug build's lock, so that tests that run side by side do not wait for each other. A
/// release ignores it.
const PATH_OF_TESTS: &str = "PROOFLOAD_TEST_LOCK_FILE";

fn path() -> PathBuf {
    let of_tests = if cfg!(debug_assertions) { std::env::var_os(PATH_OF_TESTS) } else { None };
    of_tests.map_or_else(|| PATH.into(), PathBuf::from)
}

/// Most bytes of a holder's text: every user may write into the file.
const TEXT_BYTES_MAX: usize = 512;

/// Interval at which a waiting process tries again.
const LOOK_AGAIN_NS: u64 = 100_000_000;

/// Time for which a process that does not wait tries: a look by `doctor` holds the lock for microseconds.
const PATIENCE_NS: u64 = 100_000_000;

/// Attempts to open while the file appears or is removed at the same moment.
const OPEN_ATTEMPTS: u32 = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// Its process; `None` when it left no name.
    pub pid: Option<u32>,
    /// Name of the measurement; empty if it left none.
    pub who: String,
    /// Start of the measurement, nanoseconds since 1970.
    pub since_unix_ns: Option<u64>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.since_unix_ns.map(clock::date_and_time);
        let since = since
            .map(|(date, (hour, minute, second))| format!("{date} {hour:02}:{minute:02}:{second:02} UTC"));
        let who = (!self.who.is_empty()).then_some(&self.who);
        f.write_str(&tr!("host-lock-holder", pid = self.pid.map(|pid| pid.to_string()), who, since))
    }
}

/// Message to a process that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting(pub Holder);

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tr!("host-lock-waiting", holder = self.0.to_string()))
    }
}

/// Wait for the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    /// Until the monotonic clock shows this.
    Until(u64),
    /// As long as it takes, or until stopped.
    Forever,
}

impl From<bool> for Wait {
    /// As long as it takes, or not at all.
    fn from(wait: bool) -> Self {
        if wait { Wait::Forever } else { Wait::No }
    }
}

/// Reason for which the lock was not acquired.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process measures on this machine.
    #[error("{}", tr!("host-lock-held", holder = .0.to_string()))]
    Held(Holder),
    /// Told to stop while waiting.
    #[error("{}", tr!("host-lock-stopped", holder = .0.to_string()))]
    Stopped(Holder),
    /// The file at the lock's path is not a plain file.
    #[error("{}", tr!("host-lock-not-a-file", path, what))]
    NotAFile { path: PathBuf, what: &'static str },
    /// The file cannot be opened or locked.
    #[error("{}", tr!("host-lock-io", path, action, source))]
    Io {
        path: PathBuf,
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
}

/// The right to measure on this machine; its CPUs are kept [`Awake`] meanwhile, unless they are let sleep. Dropping it gives
/// it back.
#[must_use = "the right ends when this is dropped"]
#[derive(Debug)]
pub struct MeasuringLock {
    file: File,
    awake: RefCell<Option<Awake>>,
}

impl MeasuringLock {
    /// Acquires the lock in the name of `who` (`study tomcat-connectors`). While another process has it, `waiting` is
    /// called with the holder, once for each.
    ///
    /// # Errors
    /// See [`LockError`]; all but `Io` name the obstacle.
    pub fn acquire(
        who: &str,
        wait: impl Into<Wait>,
        stop: &AtomicBool,
        mut waiting: impl FnMut(&Waiting),
    ) -> Result<MeasuringLock, LockError> {
        let lock = Self::acquire_at(&path(), who, wait.into(), stop, &mut waiting)?;
        lock.keep_awake(true);
        Ok(lock)
    }

    /// From now on CPUs are kept awake, as far as the kernel grants it, or sleep as it likes.
    pub fn keep_awake(&self, awake: bool) {
        let mut kept = self.awake.borrow_mut();
        match (awake, kept.is_some()) {
            (true, false) => *kept = Some(Awake::keep()),
            (false, _) => *kept = None,
            (true, true) => {}
        }
    }

    fn acquire_at(
        path: &Path,
        who: &str,
        wait: Wait,
        stop: &AtomicBool,
        waiting: &mut dyn FnMut(&Waiting),
    ) -> Result<MeasuringLock, LockError> {
        let file = open_file(path)?;
        let begun_ns = clock::monotonic_ns();
        let deadline_ns = match wait {
            Wait::No => begun_ns + PATIENCE_NS,
            Wait::Until(deadline_ns) => deadline_ns,
            Wait::Forever => u64::MAX,
        };
        let mut told = None;
        // Ends at the deadline, or when `stop` is set.
        loop {
            if try_lock(path, &file, FlockOperation::NonBlockingLockExclusive)? {
                sign(&file, who);
                return Ok(MeasuringLock { file, awake: RefCell::new(None) });
            }
            let holder = read_holder(&file);
            let now_ns = clock::monotonic_ns();
            if now_ns >= deadline_ns {
                return Err(LockError::Held(holder));
            }
            let message = Waiting(holder.clone());
            if wait != Wait::No && told.as_ref() != Some(&message) {
                waiting(&message);
                told = Some(message);
            }
            if !clock::sleep_until(deadline_ns.min(now_ns + LOOK_AGAIN_NS), stop) {
                return Err(LockError::Stopped(holder));
            }
        }
    }
}

impl Drop for MeasuringLock {
    fn drop(&mut self) {
        // A text that stays behind does not name a holder of the lock, and the next holder overwrites it.
        let _ = self.file.set_len(0);
        // Closing alone would leave the lock with a child that was forked and has not called exec yet.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Holder of the lock on this machine at the moment; `None` if it is free. Leaves no trace.
///
/// # Errors
/// If the lock's path is not a plain file, or cannot be opened.
pub fn holder() -> Result<Option<Holder>, LockError> {
    holder_at(&path())
}

fn holder_at(path: &Path) -> Result<Option<Holder>, LockError> {
    let found = std::fs::symlink_metadata(path);
    if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let file = open_file(path)?;
    if try_lock(path, &file, FlockOperation::NonBlockingLockShared)? {
        let _ = flock(&file, FlockOperation::Unlock);
        return Ok(None);
    }
    Ok(Some(read_holder(&file)))
}

fn try_lock(path: &Path, file: &File, operation: FlockOperation) -> Result<bool, LockError> {
    match flock(file, operation) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
        Err(errno) => Err(io_error(path, "lock", errno)),
    }
}

fn io_error(path: &Path, action: &'static str, errno: Errno) -> LockError {
    LockError::Io { path: path.to_path_buf(), action, source: errno.into() }
}

/// Opens the lock's file, or creates it so that every user may open it.
///
/// Never through a link, and never with `O_CREAT` alone: in a sticky folder the kernel refuses that for files of
/// other users (`fs.protected_regular`).
fn open_file(path: &Path) -> Result<File, LockError> {
    let flags = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let everybody = Mode::from_raw_mode(0o666);
    let mut last = Errno::NOENT;
    for _ in 0..OPEN_ATTEMPTS {
        let opened = match open(path, flags | OFlags::RDWR, Mode::empty()) {
            // Another user's umask: it can be locked all the same, only not signed.
            Err(Errno::ACCESS) => open(path, flags | OFlags::RDONLY, Mode::empty()),
            Err(Errno::NOENT) => {
                let created = open(path, flags | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, everybody);
                if let Ok(file) = &created {
                    // The umask may have taken bits away; when it cannot be undone, other users only read.
                    let _ = fchmod(file, everybody);
                }
                created
            }
            other => other,
        };
        match opened {
            Ok(file) => return check_plain(path, File::from(file)),
            Err(Errno::LOOP) => return Err(not_a_file(path, "link")),
            Err(Errno::ISDIR) => return Err(not_a_file(path, "directory")),
            Err(Errno::NXIO) => return Err(not_a_file(path, "socket")),
            // Created or removed by another process between the two calls.
            Err(errno @ (Errno::EXIST | Errno::NOENT)) => last = errno,
            Err(errno) => return Err(io_error(path, "open", errno)),
        }
    }
    Err(io_error(path, "open", last))
}

fn check_plain(path: &Path, file: File) -> Result<File, LockError> {
    let found = fstat(&file).map_err(|errno| io_error(path, "open", errno))?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(not_a_file(path, "other"));
    }
    // A second name would let the text of a holder be written into a file of another user's choice.
    if found.st_nlink > 1 {
        return Err(not_a_file(path, "names"));
    }
    Ok(file)
}

fn not_a_file(path: &Path, what: &'static str) -> LockError {
    LockError::NotAFile { path: path.to_path_buf(), what }
}

/// Leaves the holder's name. The lock holds without it, so failures are of no account.
fn sign(file: &File, who: &str) {
    let text = format!("{}\n{}\n{}\n", std::process::id(), clock::unix_ns(), clean(who));
    if file.set_len(0).is_ok() {
        let _ = file.write_all_at(text.as_bytes(), 0);
    }
}

fn read_holder(file: &File) -> Holder {
    let mut bytes = [0; TEXT_BYTES_MAX];
    let length = file.read_at(&mut bytes, 0).unwrap_or(0);
    parse_holder(&String::from_utf8_lossy(&bytes[..length]))
}

/// Process, time, name: a line each. Any other text was not left by a holder.
fn parse_holder(text: &str) -> Holder {
    let mut lines = text.lines();
    let pid = lines.next().and_then(|line| line.parse().ok());
    let since_unix_ns = lines.next().and_then(|line| line.parse().ok());
    let who = clean(lines.next().unwrap_or_default());
    match pid {
        Some(_) => Holder { pid, who, since_unix_ns },
        None => Holder::default(),
    }
}

/// Without control characters, which a terminal would obey, and short.
fn clean(who: &str) -> String {
    who.chars().filter(|character| !character.is_control()).take(100).collect()
}

#[cfg(test)]
mod tests;
