//! Folders as bytes: a study's files on their way out, a record on its way home.

use proofload_language::say;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes of a study's folder: more is not a study's.
pub const FOLDER_BYTES_MAX: u64 = 256 << 20;
/// Most files of it.
const FILES_MAX: usize = 10_000;
/// Folders that are never a part of a study.
const LEFT_OUT: [&str; 4] = ["runs", ".git", "target", "node_modules"];

/// What every record has.
const PLAN: &str = "plan.json";

/// Why a folder cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It is too large.
    #[error("{}", say!("pack-too-large", path, what))]
    TooLarge {
        /// The folder.
        path: PathBuf,
        /// Of what it has too much.
        what: String,
    },
    /// A file cannot be read.
    #[error("{}", say!("pack-read", path, source))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

/// Folders as a tar archive, each below its name in it. Without `runs`, `.git`, `target` and `node_modules`; files keep their
/// mode, links are followed.
///
/// # Errors
/// When one holds more than a study does, or cannot be read.
pub fn pack(folders: &[(PathBuf, &str)], into: &mut Vec<u8>) -> Result<(), PackError> {
    let mut tar = tar::Builder::new(into);
    for (folder, name) in folders {
        for path in files(folder)? {
            let inside = path.strip_prefix(folder).unwrap_or(&path);
            let added = tar.append_path_with_name(&path, Path::new(name).join(inside));
            added.map_err(|source| PackError::Read { path: path.clone(), source })?;
        }
    }
    tar.finish().map_err(|source| PackError::Read { path: PathBuf::new(), source })
}

/// All that is below a folder of records, links as links.
///
/// # Errors
/// When it cannot be read.
pub fn pack_record(runs: &Path, into: &mut Vec<u8>) -> io::Result<()> {
    let mut tar = tar::Builder::new(into);
    tar.follow_symlinks(false);
    tar.append_dir_all("", runs)?;
    tar.finish()
}

/// The study and the number of the one record in an archive: `quickstart/20261126T013145.130Z-00632f`.
///
/// # Errors
/// When it holds none.
pub fn names_in(record: &[u8]) -> io::Result<PathBuf> {
    for entry in tar::Archive::new(record).entries()? {
        let path = entry?.path()?.into_owned();
        if path.ends_with(PLAN) {
            return Ok(path.parent().unwrap_or(Path::new("")).to_path_buf());
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the record has no plan"))
}

/// The files of a study's folder, as [`pack`] takes them.
///
/// # Errors
/// As [`pack`].
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, PackError> {
    at_most(FILES_MAX, folder)
}

fn at_most(files_max: usize, folder: &Path) -> Result<Vec<PathBuf>, PackError> {
    let (mut files, mut bytes, mut open) = (Vec::new(), 0, vec![folder.to_path_buf()]);
    let too_large = |what: String| PackError::TooLarge { path: folder.to_path_buf(), what };
    while let Some(next) = open.pop() {
        let unread = |source| PackError::Read { path: next.clone(), source };
        for entry in fs::read_dir(&next).map_err(unread)? {
            let path = entry.map_err(unread)?.path();
            // A link to nowhere, and what is no file, is nobody's data.
            let Ok(found) = fs::metadata(&path) else { continue };
            let left_out = path.file_name().is_some_and(|name| LEFT_OUT.iter().any(|out| name == *out));
            if found.is_dir() && !left_out && !path.is_symlink() {
                open.push(path);
            } else if found.is_file() {
                bytes += found.len();
                files.push(path);
            }
            if bytes > FOLDER_BYTES_MAX {
                return Err(too_large(format!("{} MiB", FOLDER_BYTES_MAX >> 20)));
            }
            if files.len() > files_max {
                return Err(too_large(say!("pack-files", files = files_max)));
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Takes what was packed apart below `folder`; nothing of it lands outside.
///
/// # Errors
/// When it is no archive, ends too early, or cannot be written.
pub fn unpack(from: impl Read, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut tar = tar::Archive::new(from);
    tar.set_preserve_permissions(true);
    tar.unpack(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_was_packed_is_unpacked_with_its_modes_and_without_runs() {
        let from = tempfile::tempdir().unwrap();
        fs::create_dir_all(from.path().join("data/deep")).unwrap();
        fs::create_dir_all(from.path().join("runs/old")).unwrap();
        fs::write(from.path().join("study.yaml"), "study: s").unwrap();
        fs::write(from.path().join("data/deep/rows.csv"), "a,b\n1,2\n").unwrap();
        fs::write(from.path().join("runs/old/plan.json"), "{}").unwrap();
        fs::write(from.path().join("server"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.path().join("server"), fs::Permissions::from_mode(0o755)).unwrap();
        let mut bytes = Vec::new();
        pack(&[(from.path().to_path_buf(), "study")], &mut bytes).unwrap();
        let to = tempfile::tempdir().unwrap();
        unpack(&bytes[..], to.path()).unwrap();
        let study = to.path().join("study");
        assert_eq!(fs::read_to_string(study.join("data/deep/rows.csv")).unwrap(), "a,b\n1,2\n");
        assert!(!study.join("runs").exists());
        let mode = fs::metadata(study.join("server")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }

    #[test]
    fn an_archive_that_ends_too_early_is_an_error() {
        let from = tempfile::tempdir().unwrap();
        fs::write(from.path().join("a"), vec![b'a'; 4096]).unwrap();
        let mut bytes = Vec::new();
        pack(&[(from.path().to_path_buf(), "study")], &mut bytes).unwrap();
        let to = tempfile::tempdir().unwrap();
        assert!(unpack(&bytes[..1024], to.path()).is_err());
    }

    #[test]
    fn a_folder_with_too_many_files_is_refused_with_what_to_do() {
        let from = tempfile::tempdir().unwrap();
        for number in 0..=10 {
            fs::write(from.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(at_most(11, from.path()).unwrap().len(), 11);
        let refused = at_most(10, from.path()).unwrap_err().to_string();
        assert!(refused.contains("10 files") && refused.contains("folder"), "{refused}");
    }
}
