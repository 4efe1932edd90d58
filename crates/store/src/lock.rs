//! One process conducts a run: a lock of the kernel's on a file in the run directory.

use crate::{StoreError, layout};
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// Tries before the lock counts as held: a reader that only checks it holds it for a moment.
const TRIES: u32 = 20;
const TRY_EVERY: Duration = Duration::from_millis(10);

/// Takes the lock for as long as the file is open. The file itself stays: its existence is not the lock.
pub(crate) fn acquire(run: &Path) -> Result<File, StoreError> {
    let path = run.join(layout::LOCK);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let file = options.open(&path).map_err(|e| StoreError::io("create", &path, e))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(e)) => return Err(StoreError::io("lock", &path, e)),
        }
        #[allow(clippy::disallowed_methods, reason = "how long others look is a matter of this machine")]
        std::thread::sleep(TRY_EVERY);
    }
    Err(StoreError::InUse { path: run.to_path_buf() })
}

/// True while a process conducts the run in that directory. Anything but a plain file is not a lock: a link may lead
/// anywhere, and opening a pipe would wait for its writer.
pub fn is_held(run: &Path) -> bool {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(run.join(layout::LOCK));
    let Ok(file) = opened else { return false };
    let is_plain = file.metadata().is_ok_and(|found| found.is_file());
    is_plain && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_looks_keeps_nobody_from_going_on() {
        let run = tempfile::tempdir().unwrap();
        drop(acquire(run.path()).unwrap());
        let looks = File::open(run.path().join(layout::LOCK)).unwrap();
        looks.try_lock_shared().unwrap();
        std::thread::scope(|scope| {
            let goes_on = scope.spawn(|| acquire(run.path()));
            while !goes_on.is_finished() {
                std::thread::yield_now();
                let _ = looks.unlock();
            }
            let held = goes_on.join().unwrap().unwrap();
            assert!(is_held(run.path()) && matches!(acquire(run.path()), Err(StoreError::InUse { .. })));
            drop(held);
        });
        assert!(!is_held(run.path()));
    }
}
