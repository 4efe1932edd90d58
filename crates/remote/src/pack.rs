//! Files as bytes: those of a study on their way out, which it names, and nothing else of its folder; a record on its way home.

use crate::error::RemoteError;
use crate::notices::Notices;
use proofload_language::tr;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Most bytes of the files that go along with a study: more is not a study's.
const CARRIED_BYTES_MAX: u64 = 256 << 20;
/// Most of those files.
const FILES_MAX: usize = 10_000;
/// Folders of the study and of the catalogue in the package.
pub const STUDY: &str = "study";
pub const CATALOGUE: &str = "catalogue";

/// A file, or an empty folder, that goes along with a study.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Carried {
    pub name: PathBuf,
    pub path: PathBuf,
    /// Length in bytes.
    pub bytes: u64,
}

/// The files that go along with a study, which is a file itself: the files of its folder that it names, each below
/// [`STUDY`], and files of a catalogue, each below [`CATALOGUE`]; reports each of them.
///
/// # Errors
/// A file that is hidden or a link: its content was not meant to be given away, or is not known by its name.
pub fn files_of(
    file: &Path,
    named: BTreeSet<PathBuf>,
    (catalogue, of_catalogue): (&Path, &[PathBuf]),
    notices: &Notices,
) -> Result<Vec<Carried>, RemoteError> {
    let root = folder_of(file);
    let name = file.file_name().unwrap_or_default();
    let mut found = vec![carried(file.to_owned(), Path::new(STUDY).join(name))?];
    for path in named {
        // Files elsewhere are looked for there, on the machine that it goes to.
        let Some(inside) = inside(&root, &path) else { continue };
        if inside != Path::new(name) {
            found.push(checked_at(&root, &inside, STUDY)?);
        }
    }
    for inside in of_catalogue {
        found.push(checked_at(catalogue, inside, CATALOGUE)?);
    }
    found.sort_unstable();
    found.dedup();
    for Carried { name, bytes, .. } in &found {
        notices.say(&tr!("there-carried", file = name, bytes = *bytes));
    }
    Ok(found)
}

/// Path relative to a folder, by its words alone.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let absolute = |path: &Path| std::path::absolute(path).ok();
    let below = match path.strip_prefix(root) {
        Ok(below) => below.to_path_buf(),
        Err(_) => absolute(path)?.strip_prefix(absolute(root)?).ok()?.to_path_buf(),
    };
    let mut inside = PathBuf::new();
    for part in below.components() {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::CurDir => {}
            Component::ParentDir if inside.pop() => {}
            _ => return None,
        }
    }
    (inside != Path::new("")).then_some(inside)
}

/// A file, neither hidden nor a link.
fn checked_at(root: &Path, inside: &Path, below: &str) -> Result<Carried, RemoteError> {
    let path = root.join(inside);
    let file = path.display().to_string();
    if inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b".")) {
        return Err(RemoteError::Usage(tr!("there-hidden", file)));
    }
    let real = |path: &Path| path.canonicalize().map_err(|error| unread(path, &error));
    if real(&path)? != real(root)?.join(inside) {
        return Err(RemoteError::Usage(tr!("there-link", file)));
    }
    carried(path, Path::new(below).join(inside))
}

fn carried(path: PathBuf, name: PathBuf) -> Result<Carried, RemoteError> {
    let found = path.metadata().map_err(|error| unread(&path, &error))?;
    let bytes = if found.is_file() { found.len() } else { 0 };
    Ok(Carried { name, path, bytes })
}

/// The folder of a study.
pub fn folder_of(study: &Path) -> PathBuf {
    match study.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn unread(path: &Path, source: &io::Error) -> RemoteError {
    RemoteError::Usage(tr!("pack-read", path, source = source.to_string()))
}

/// These files as a tar archive; they keep their modes.
///
/// # Errors
/// More files than a study may have, or one that cannot be read.
pub fn pack(files: &[Carried]) -> Result<Vec<u8>, RemoteError> {
    within_limits(files, FILES_MAX, CARRIED_BYTES_MAX)?;
    let mut tar = tar::Builder::new(Vec::new());
    for Carried { name, path, .. } in files {
        tar.append_path_with_name(path, name).map_err(|error| unread(path, &error))?;
    }
    tar.into_inner().map_err(|error| unread(Path::new(""), &error))
}

fn within_limits(files: &[Carried], most: usize, most_bytes: u64) -> Result<(), RemoteError> {
    let what = if files.len() > most {
        tr!("pack-files", files = most)
    } else if files.iter().map(|file| file.bytes).sum::<u64>() > most_bytes {
        format!("{} MiB", most_bytes >> 20)
    } else {
        return Ok(());
    };
    Err(RemoteError::Usage(tr!("pack-too-large", what)))
}

/// A record as a tar archive, each file below `name` in it.
///
/// # Errors
/// A record that cannot be read, or a receiver that does not take it.
pub(crate) fn pack_record(run: &Path, name: &Path, into: impl Write) -> io::Result<()> {
    let mut tar = tar::Builder::new(into);
    tar.follow_symlinks(false);
    tar.append_dir_all(name, run)?;
    tar.finish()
}

/// Length of that archive in bytes.
///
/// # Errors
/// A record that cannot be read.
pub(crate) fn record_bytes(run: &Path, name: &Path) -> io::Result<u64> {
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
