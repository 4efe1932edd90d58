//! One process conducts a run: a lock of the kernel's on a file in the run directory.

use crate::{StoreError, layout};
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Takes the lock for as long as the file is open. The file itself stays: its name is no lock.
pub(crate) fn acquire(run: &Path) -> Result<File, StoreError> {
    let path = run.join(layout::LOCK);
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = opened.map_err(|e| StoreError::io("create", &path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: run.to_path_buf() }),
        Err(TryLockError::Error(e)) => Err(StoreError::io("lock", &path, e)),
    }
}

/// Whether a process conducts the run in that directory at this moment. What is no plain file is no lock: a link may lead
/// anywhere, and opening a pipe would wait for whoever writes to it.
pub fn is_held(run: &Path) -> bool {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(run.join(layout::LOCK));
    let Ok(file) = opened else { return false };
    let is_plain = file.metadata().is_ok_and(|found| found.is_file());
    is_plain && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
