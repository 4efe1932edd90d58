//! The record of a single measurement: no plan, one slice.

use crate::document::{Room, document, versioned};
use crate::run::read_slices;
use crate::schema::{RunResult, Slice};
use crate::writer::{encoded, encoded_slice, new_directory};
use crate::{StoreError, atomic, layout};
use proofload_facts::Finding;
use proofload_language::facts::told;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The directory beside those of studies.
const URL: &str = "url";

/// A single measurement that is being recorded.
#[derive(Debug)]
pub struct SingleWriter {
    path: PathBuf,
}

impl SingleWriter {
    /// Makes `runs/url/<id>/` under `root`. `unix_ns` is the wall-clock time, for the id.
    ///
    /// # Errors
    /// Fails if the directory cannot be made.
    pub fn create(root: &Path, unix_ns: u64) -> Result<SingleWriter, StoreError> {
        let all = root.join(layout::RUNS).join(URL);
        atomic::create_dirs(&all)?;
        let (_, path) = new_directory(&all, unix_ns)?;
        atomic::create_new_dir(&path.join(layout::BLOCKS))?;
        Ok(SingleWriter { path })
    }

    /// Makes the directory for records of single measurements.
    ///
    /// # Errors
    /// Fails if nothing can be written there.
    pub fn prepare(root: &Path) -> Result<(), StoreError> {
        let all = root.join(layout::RUNS).join(URL);
        atomic::create_dirs(&all)?;
        let (_, path) = new_directory(&all, 0)?;
        std::fs::remove_dir(&path).map_err(|error| StoreError::io("remove", &path, error))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the slice, then the result, and lets `runs/url/latest` point to it: a directory without a result is not
    /// a record.
    ///
    /// # Errors
    /// Fails if something cannot be written.
    pub fn write(&self, result: &RunResult, slice: &Slice) -> Result<(), StoreError> {
        atomic::replace(&layout::whole_block(&self.path, 1), &encoded_slice(slice)?)?;
        self.write_json(layout::ENVIRONMENT, "the environment", &result.environment)?;
        self.write_json(layout::STATUS, "the status", &result.status)?;
        self.write_json(layout::RESULT, "the result", result)?;
        let (Some(all), Some(id)) = (self.path.parent(), self.path.file_name()) else { return Ok(()) };
        atomic::replace_link(&all.join(layout::LATEST), Path::new(id), &id.to_string_lossy())
    }

    /// Writes a text file of that plain name, whole or not at all.
    ///
    /// # Errors
    /// Fails if the name is not a plain file name, or the file cannot be written.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), StoreError> {
        atomic::replace(&self.path.join(layout::plain_name(name)?), text)
    }

    fn write_json<T: Serialize>(&self, name: &str, what: &'static str, value: &T) -> Result<(), StoreError> {
        atomic::replace(&self.path.join(name), &encoded(what, value)?)
    }
}

/// A single measurement that was recorded.
#[derive(Clone, Debug)]
pub struct Single {
    pub result: RunResult,
    /// All of it, with its histograms.
    pub slice: Slice,
}

impl Single {
    /// True if a single measurement is recorded there: at that path, or as the latest in it.
    pub fn is_at(path: &Path) -> bool {
        locate(path).is_some()
    }

    /// Reads a single measurement. `path` is its directory, a link to it, or the directory of all, of which the latest is
    /// read.
    ///
    /// # Errors
    /// Fails if there is none, it is damaged, or a newer version wrote it.
    pub fn open(path: &Path) -> Result<Single, StoreError> {
        let found = locate(path).ok_or_else(|| StoreError::NotARun { path: path.to_path_buf() })?;
        let path = fs::canonicalize(found).map_err(|e| StoreError::io("read", path, e))?;
        let room = &mut Room::default();
        let result: RunResult = versioned(&path.join(layout::RESULT), room)?;
        let block = layout::whole_block(&path, 1);
        let (slices, damage) = read_slices(&block, room)?;
        let damaged = |why: Finding| StoreError::Damaged { path: block.clone(), why: told(&why) };
        if let Some(damage) = damage {
            return Err(damaged(damage));
        }
        let slice = slices
            .into_iter()
            .next()
            .ok_or_else(|| damaged(Finding::TooFewSlices { found: 0, expected: 1 }))?;
        let environment = document(&path.join(layout::ENVIRONMENT), room)?;
        Ok(Single { result: RunResult { run: path.display().to_string(), environment, ..result }, slice })
    }
}

/// A record with a result and without a plan.
fn locate(path: &Path) -> Option<PathBuf> {
    let candidates = [path.to_path_buf(), path.join(layout::LATEST)];
    let is_single = |at: &PathBuf| at.join(layout::RESULT).is_file() && !at.join(layout::PLAN).is_file();
    let is_run = |at: &PathBuf| at.join(layout::PLAN).is_file();
    candidates.into_iter().find(|at| is_single(at) || is_run(at)).filter(is_single)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{FORMAT_VERSION, Point};
    use crate::{Run, runs};

    fn made(root: &Path, answered: u64) -> PathBuf {
        let point = Point { variant: "http://localhost/".into(), ..Point::default() };
        let result =
            RunResult { format: FORMAT_VERSION, points: vec![point.clone()], ..RunResult::default() };
        let slice = Slice {
            format: FORMAT_VERSION,
            measured: point,
            answered_in_window: answered,
            ..Slice::default()
        };
        let writer = SingleWriter::create(root, 1_769_860_800_000_000_000 + answered).unwrap();
        writer.write(&result, &slice).unwrap();
        writer.path().to_path_buf()
    }

    #[test]
    fn what_was_written_is_read_by_its_path_and_as_the_latest() {
        let root = tempfile::tempdir().unwrap();
        let first = made(root.path(), 7);
        made(root.path(), 8);
        assert_eq!(Single::open(&first).unwrap().slice.answered_in_window, 7);
        for path in ["runs/url", "runs/url/latest"] {
            let found = Single::open(&root.path().join(path)).unwrap();
            assert_eq!(found.slice.answered_in_window, 8);
            assert_eq!(found.result.points[0].variant, "http://localhost/");
        }
    }

    #[test]
    fn it_is_no_run_of_a_study_and_a_damaged_one_says_so() {
        let root = tempfile::tempdir().unwrap();
        let path = made(root.path(), 7);
        assert!(Run::open(&path).is_err() && runs(root.path(), None).unwrap().is_empty());
        assert!(!Single::is_at(root.path()));
        fs::write(path.join("blocks/0001.jsonl"), "{\"format\": 2").unwrap();
        assert!(matches!(Single::open(&path), Err(StoreError::Damaged { .. })));
        fs::remove_file(path.join("result.json")).unwrap();
        assert!(matches!(Single::open(&path), Err(StoreError::NotARun { .. })));
    }
}
