//! Records in `runs/`, and checks whether one may be read.

use crate::ui::route::Named;
use proofload_store::layout;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files that make a folder a record: a plan, or the result of a single measurement.
const MARKS: [&str; 2] = [layout::PLAN, layout::RESULT];

/// Most files of a record that are looked at: a block has three, and takes seconds.
const FILES_MAX: usize = 1_000_000;

/// A record that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Name of the folder of its study.
    pub study: OsString,
    /// Name of its own folder.
    pub id: OsString,
    pub path: PathBuf,
}

/// The folder of all records.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

/// Contents of the folder of all records.
#[derive(Debug, Default)]
pub struct Found {
    pub records: Vec<Record>,
    /// Folders of studies that cannot be read, by name, and why.
    pub unread: Vec<(OsString, io::Error)>,
}

/// Reason why a record is not read.
#[derive(Debug)]
pub enum Unread {
    Io(io::Error),
    /// Something in it is neither a file nor a folder: a link may lead anywhere, a pipe never ends.
    Odd(PathBuf),
}

impl Records {
    /// Those in `runs/` of a folder.
    pub fn within(dir: &Path) -> Records {
        Records { folder: dir.join(layout::RUNS) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All records.
    ///
    /// # Errors
    /// If the folder itself cannot be read.
    pub fn all(&self) -> io::Result<Found> {
        let mut found = Found::default();
        for (study, folder) in folders(&self.folder)? {
            match folders(&folder) {
                Ok(runs) => {
                    let runs = runs.into_iter().filter(|(_, path)| is_record(path));
                    found.records.extend(runs.map(|(id, path)| Record { study: study.clone(), id, path }));
                }
                Err(error) => found.unread.push((study, error)),
            }
        }
        found.records.sort_by(|a, b| (&b.id, &b.study).cmp(&(&a.id, &a.study)));
        found.unread.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    /// The one of that name. Names are looked for among those that are there: no text of a request becomes part of a path.
    pub fn find(&self, named: &Named) -> Option<Record> {
        let among = |of: &Path, name: &[u8]| {
            folders(of).ok()?.into_iter().find(|(found, _)| found.as_bytes() == name)
        };
        let (study, folder) = among(&self.folder, &named.study)?;
        let (id, path) = among(&folder, &named.id)?;
        is_record(&path).then_some(Record { study, id, path })
    }
}

/// A record as it is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Changes when one of its files does, or when its run ends.
    pub fingerprint: u64,
    /// True if a process conducts the run.
    pub goes_on: bool,
}

/// Looks at names, sizes and times of the files that a report is made of, and reads none.
///
/// # Errors
/// If something in it could lead elsewhere, or cannot be looked at.
pub fn seen(record: &Path) -> Result<Seen, Unread> {
    let mut hasher = DefaultHasher::new();
    let mut files = 0;
    for folder in [record.to_path_buf(), record.join(layout::BLOCKS)] {
        let mut found = Vec::new();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Unread::Io(error)),
        };
        for entry in entries {
            let entry = entry.map_err(Unread::Io)?;
            files += 1;
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                // Renamed meanwhile: it is there under another name.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Unread::Io(error)),
            };
            if !(metadata.is_file() || metadata.is_dir()) || files > FILES_MAX {
                return Err(Unread::Odd(entry.path()));
            }
            found.push((entry.file_name(), version(&metadata)));
        }
        found.sort();
        found.hash(&mut hasher);
    }
    let goes_on = proofload_store::is_held(record);
    goes_on.hash(&mut hasher);
    Ok(Seen { fingerprint: hasher.finish(), goes_on })
}

/// Changes when a file does.
pub fn version(metadata: &Metadata) -> (u64, i64, i64) {
    match metadata.is_file() {
        true => (metadata.size(), metadata.mtime(), metadata.mtime_nsec()),
        false => (0, 0, 0),
    }
}

fn is_record(path: &Path) -> bool {
    MARKS.iter().any(|mark| fs::symlink_metadata(path.join(mark)).is_ok_and(|found| found.is_file()))
}

/// Folders in a folder; links are left out, for they may lead anywhere.
fn folders(of: &Path) -> io::Result<Vec<(OsString, PathBuf)>> {
    let entries = match fs::read_dir(of) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push((entry.file_name(), entry.path()));
        }
    }
    Ok(found)
}
