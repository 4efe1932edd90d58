//! Records that were made on another machine.

use crate::{StoreError, atomic, layout};
use std::fs;
use std::path::{Path, PathBuf};

/// A place beside the runs of a study in which a record is put together; no reader takes it for a run. What is there is removed with
/// this value, unless it was kept.
#[derive(Debug)]
pub struct Arrival {
    study: PathBuf,
    folder: PathBuf,
}

impl Arrival {
    /// Makes room for a record of that study under `root`.
    ///
    /// # Errors
    /// Fails if the directory cannot be made.
    pub fn begin(root: &Path, study: &str) -> Result<Arrival, StoreError> {
        let study = root.join(layout::RUNS).join(layout::plain_name(study)?);
        let folder = study.join(format!(".coming-{}", std::process::id()));
        let arrival = Arrival { study, folder };
        // What an earlier process of this number left.
        let _ = fs::remove_dir_all(&arrival.folder);
        atomic::create_dirs(&arrival.path())?;
        Ok(arrival)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join("record")
    }

    /// Makes it the latest run of the study, with that id, and returns its path.
    ///
    /// # Errors
    /// Fails if it is not a record, if a run has that id already, or on an I/O error.
    pub fn keep(self, id: &str) -> Result<PathBuf, StoreError> {
        let run = self.study.join(layout::plain_name(id)?);
        if !self.path().join(layout::PLAN).is_file() {
            return Err(StoreError::NotARun { path: self.path() });
        }
        // The rename takes the place of an empty directory and of nothing else.
        if id == layout::LATEST || !atomic::create_new_dir(&run)? {
            return Err(StoreError::Name { name: id.to_string() });
        }
        fs::rename(self.path(), &run).map_err(|e| StoreError::io("rename", &run, e))?;
        atomic::replace_link(&self.study.join(layout::LATEST), Path::new(id), id)?;
        Ok(run)
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(root: &Path) -> Arrival {
        let arrival = Arrival::begin(root, "lab").expect("room");
        fs::write(arrival.path().join(layout::PLAN), "new").expect("written");
        arrival
    }

    #[test]
    fn a_record_becomes_a_run_of_its_own_and_takes_the_place_of_none() {
        let root = tempfile::tempdir().expect("a folder");
        let lab = root.path().join("runs/lab");
        let run = arrival(root.path()).keep("20260101T000000.000Z-000001").expect("kept");
        assert_eq!(fs::read_to_string(lab.join("latest/plan.json")).expect("there"), "new");
        fs::write(run.join(layout::PLAN), "old").expect("written");
        for id in ["20260101T000000.000Z-000001", "latest", "..", "", "a/b", "/tmp/x", ".hidden"] {
            arrival(root.path()).keep(id).expect_err(id);
        }
        assert_eq!(fs::read_to_string(lab.join("latest/plan.json")).expect("there"), "old");
        let empty = Arrival::begin(root.path(), "lab").expect("room");
        empty.keep("20260101T000000.000Z-000002").expect_err("it is no run");
        let left: Vec<_> =
            fs::read_dir(&lab).expect("listed").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
        for study in ["..", "a/b", ""] {
            Arrival::begin(root.path(), study).expect_err(study);
        }
    }
}
