//! Files that are whole or absent: write beside, sync, rename, sync the directory.

use crate::StoreError;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Creates a directory and its parents, 0700 where they are new.
pub(crate) fn create_dirs(path: &Path) -> Result<(), StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|e| StoreError::io("create", path, e))
}

/// Creates one directory, 0700; `false` when something has that name already.
pub(crate) fn create_new_dir(path: &Path) -> Result<bool, StoreError> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(StoreError::io("create", path, e)),
    }
}

/// A new file that only its owner reads.
pub(crate) fn create_new_file(path: &Path) -> Result<File, StoreError> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    opened.map_err(|e| StoreError::io("create", path, e))
}

/// A file that only its owner reads, to be added to.
pub(crate) fn append_to(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    let opened = options.append(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path);
    opened.map_err(|e| StoreError::io("open", path, e))
}

/// Replaces a file whole: after this returns the new text is on disk; before, the old one is. A file already under
/// the temporary name was left by a killed process, or planted: it is removed, and never written through.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), StoreError> {
    let beside = path.with_added_extension("new");
    let written = (|| {
        match fs::remove_file(&beside) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    })();
    if let Err(e) = written {
        // Half a file is of no use; a failure to remove it changes nothing.
        let _ = fs::remove_file(&beside);
        return Err(StoreError::io("write", path, e));
    }
    sync_parent(path)
}

/// Makes a rename or a creation within the parent directory last.
pub(crate) fn sync_parent(path: &Path) -> Result<(), StoreError> {
    let Some(parent) = path.parent() else { return Ok(()) };
    let synced = File::open(parent).and_then(|directory| directory.sync_all());
    synced.map_err(|e| StoreError::io("sync", parent, e))
}

/// Points a symbolic link at `target`, replacing the one that was there in one step.
pub(crate) fn replace_link(link: &Path, target: &Path, suffix: &str) -> Result<(), StoreError> {
    let beside = link.with_added_extension(suffix);
    let linked = std::os::unix::fs::symlink(target, &beside).and_then(|()| fs::rename(&beside, link));
    if let Err(e) = linked {
        let _ = fs::remove_file(&beside);
        return Err(StoreError::io("link", link, e));
    }
    sync_parent(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_through_a_link_that_stands_where_a_file_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("victim"), "mine").unwrap();
        for name in ["status.json.new", "noticed.txt", "lock"] {
            std::os::unix::fs::symlink(at("victim"), at(name)).unwrap();
        }
        replace(&at("status.json"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("status.json")).unwrap(), "new");
        assert!(fs::symlink_metadata(at("status.json")).unwrap().is_file());
        assert!(append_to(&at("noticed.txt")).is_err());
        assert!(crate::lock::acquire(folder.path()).is_err());
        assert_eq!(fs::read_to_string(at("victim")).unwrap(), "mine");
        // Half a file left by a killed process does not get in the way.
        fs::write(at("status.json.new"), "ha").unwrap();
        replace(&at("status.json"), "newer").unwrap();
        assert_eq!(fs::read_to_string(at("status.json")).unwrap(), "newer");
    }
}
