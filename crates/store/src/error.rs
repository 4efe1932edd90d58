//! Errors of run directories.

use proofload_language::tr;
use std::io;
use std::path::{Path, PathBuf};

/// A record that could not be written or read: the problem, the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system, or the user's quota, is full. What was written before is whole.
    #[error("{}", tr!("store-full", what, path))]
    Full { what: &'static str, path: PathBuf, source: io::Error },
    /// The file system refused for another reason.
    #[error("{}", tr!("store-io", what, path, source, kind = kind(source)))]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    /// No run at the path.
    #[error("{}", tr!("store-not-a-run", path))]
    NotARun {
        /// Path of the supposed run.
        path: PathBuf,
    },
    /// A file is there, and is not what it should be.
    #[error("{}", tr!("store-damaged", path, why))]
    Damaged {
        path: PathBuf,
        /// Description of the damage.
        why: String,
    },
    /// A record takes more memory than it may.
    #[error("{}", tr!("store-too-large", most = most_bytes >> 20, path))]
    TooLarge {
        /// The file at which it did.
        path: PathBuf,
        /// Bytes that it may take at most.
        most_bytes: u64,
    },
    /// The record was written by a newer Proofload.
    #[error("{}", tr!("store-newer", path, found, known))]
    Newer {
        path: PathBuf,
        found: u32,
        /// The newest version that is understood.
        known: u32,
    },
    /// Another process conducts this run.
    #[error("{}", tr!("store-in-use", path))]
    InUse { path: PathBuf },
    /// A file name that would leave the run directory.
    #[error("{}", tr!("store-name", name))]
    Name { name: String },
    /// A value of ours that JSON cannot hold.
    #[error("{}", tr!("store-encode", what, source = source.to_string()))]
    Encode { what: &'static str, source: serde_json::Error },
    /// A block to which an earlier write failed cannot be finished.
    #[error("{}", tr!("store-unfinished", path))]
    Unfinished { path: PathBuf },
}

impl StoreError {
    /// An error of the file system, told apart by what can be done about it.
    pub(crate) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            // A limit of the process on the size of files (ulimit -f) is a disk that is full for it.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::Full { what, path, source }
            }
            _ => StoreError::Io { what, path, source },
        }
    }
}

/// By which the message chooses a remedy.
fn kind(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "denied",
        io::ErrorKind::ReadOnlyFilesystem => "read-only",
        io::ErrorKind::NotFound => "missing",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => "taken",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart_and_every_message_has_a_remedy() {
        let full =
            StoreError::io("append", Path::new("/x/0001.partial.jsonl"), io::Error::from_raw_os_error(28));
        assert!(matches!(full, StoreError::Full { .. }));
        assert_eq!(
            full.to_string(),
            "cannot append to /x/0001.partial.jsonl: the disk is full; \
             free some space, or choose another place with --dir"
        );
        let denied = StoreError::io("create", Path::new("/x"), io::Error::from_raw_os_error(13));
        assert!(denied.to_string().ends_with("check who owns the directory and its mode"), "{denied}");
    }
}
