//! What can go wrong with a run directory.

use std::io;
use std::path::{Path, PathBuf};

/// Why a record could not be written or read: what, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system, or the user's quota, is full. What was written before is whole.
    #[error(
        "cannot {what} {}: the disk is full; free some space, or choose another place with --dir",
        path.display()
    )]
    Full {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file system refused for another reason.
    #[error("cannot {what} {}: {source}; {}", path.display(), remedy(source))]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no run where one was looked for.
    #[error(
        "{} is no run: it has no plan.json; name a directory like runs/<study>/<id> or runs/<study>/latest",
        path.display()
    )]
    NotARun {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A file is there, and is not what it should be.
    #[error("{} is damaged: {why}; restore it from a copy, or measure again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The blocks of a record take more than is read.
    #[error(
        "the blocks of this record take more than {} MiB up to {}, more than any study leaves; \
         restore the record from a copy, or remove it",
        most_bytes >> 20,
        path.display()
    )]
    TooLarge {
        /// The block at which they did.
        path: PathBuf,
        /// Bytes that are read at most, unpacked.
        most_bytes: u64,
    },
    /// The record was written by a newer Proofload.
    #[error(
        "{} has format {found}, this Proofload reads formats 1 to {known}; \
         read it with the Proofload that wrote it, or a newer one",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that is understood.
        known: u32,
    },
    /// Another process conducts this run.
    #[error("{} is being conducted by another process; wait for it to end", path.display())]
    InUse {
        /// The run.
        path: PathBuf,
    },
    /// A file name that would leave the run directory.
    #[error("{name:?} is no plain file name; use letters, digits, dots, hyphens")]
    Name {
        /// The name.
        name: String,
    },
    /// A value of ours that JSON cannot hold.
    #[error("cannot encode {what}: {source}; this is a fault of Proofload, please report it")]
    Encode {
        /// What.
        what: &'static str,
        /// What the encoder said.
        source: serde_json::Error,
    },
    /// A block to which an earlier write failed cannot be finished.
    #[error(
        "{} cannot be finished: a slice could not be written to it before; \
         the block does not count, measure it again",
        path.display()
    )]
    Unfinished {
        /// The partial file.
        path: PathBuf,
    },
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

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "check who owns the directory and its mode",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only, choose another place with --dir",
        io::ErrorKind::NotFound => "check that the path exists",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "something else has that name, move it away"
        }
        _ => "check the disk and the path",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart_and_every_message_has_a_remedy() {
        let full =
            StoreError::io("append to", Path::new("/x/0001.partial.jsonl"), io::Error::from_raw_os_error(28));
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
