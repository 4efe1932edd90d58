//! Files as bytes: those of a study on their way out, a record on its way home.

use proofload_language::say;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Most bytes of the files that go along with a study: more is not a study's.
pub const CARRIED_BYTES_MAX: u64 = 256 << 20;
/// Most of those files.
const FILES_MAX: usize = 10_000;

/// A file, or an empty folder, that goes along with a study.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Carried {
    pub name: PathBuf,
    pub path: PathBuf,
    /// Length in bytes.
    pub bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("{}", say!("pack-too-large", what))]
    TooLarge {
        /// Of what there is too much.
        what: String,
    },
    #[error("{}", say!("pack-read", path, source))]
    Read {
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

/// These files as a tar archive; they keep their modes.
///
/// # Errors
/// When they are more than a study has, or one cannot be read.
pub fn pack(files: &[Carried], into: &mut Vec<u8>) -> Result<(), PackError> {
    within_limits(files, FILES_MAX, CARRIED_BYTES_MAX)?;
    let mut tar = tar::Builder::new(into);
    for Carried { name, path, .. } in files {
        let added = tar.append_path_with_name(path, name);
        added.map_err(|source| PackError::Read { path: path.clone(), source })?;
    }
    tar.finish().map_err(|source| PackError::Read { path: PathBuf::new(), source })
}

fn within_limits(files: &[Carried], most: usize, most_bytes: u64) -> Result<(), PackError> {
    if files.len() > most {
        return Err(PackError::TooLarge { what: say!("pack-files", files = most) });
    }
    match files.iter().map(|file| file.bytes).sum::<u64>() > most_bytes {
        true => Err(PackError::TooLarge { what: format!("{} MiB", most_bytes >> 20) }),
        false => Ok(()),
    }
}

/// A record as a tar archive, each file below `name` in it.
///
/// # Errors
/// When it cannot be read, or nobody takes it.
pub fn pack_record(run: &Path, name: &Path, into: impl Write) -> io::Result<()> {
    let mut tar = tar::Builder::new(into);
    tar.follow_symlinks(false);
    tar.append_dir_all(name, run)?;
    tar.finish()
}

/// Length of that archive in bytes.
///
/// # Errors
/// When the record cannot be read.
pub fn record_bytes(run: &Path, name: &Path) -> io::Result<u64> {
    let mut counted = Counted(0);
    pack_record(run, name, &mut counted)?;
    Ok(counted.0)
}

struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_record_is_as_long_as_was_said() {
        let run = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(run.path().join("blocks")).expect("made");
        fs::write(run.path().join("plan.json"), "{}").expect("written");
        fs::write(run.path().join("blocks/0001.jsonl"), vec![b'x'; 5000]).expect("written");
        let name = Path::new("lab").join("x".repeat(120));
        let mut packed = Vec::new();
        pack_record(run.path(), &name, &mut packed).expect("packed");
        assert_eq!(record_bytes(run.path(), &name).expect("counted"), packed.len() as u64);
    }

    #[test]
    fn what_is_too_much_is_refused_with_what_to_do() {
        let file = |bytes| Carried { name: "a".into(), path: "a".into(), bytes };
        let refused = |files: &[Carried], most, most_bytes| within_limits(files, most, most_bytes);
        assert!(refused(&[file(1), file(1)], 2, 2).is_ok());
        let many = refused(&[file(0), file(0), file(0)], 2, 2).unwrap_err().to_string();
        let long = refused(&[file(3 << 20)], 2, 2 << 20).unwrap_err().to_string();
        assert!(many.contains("2 files") && long.contains("2 MiB"), "{many}; {long}");
    }
}
