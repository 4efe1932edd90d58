//! List of runs.

use crate::{StoreError, layout};
use std::fs;
use std::path::{Path, PathBuf};

/// Directories of the runs below `root`, of one study or of all, oldest first.
///
/// # Errors
/// Fails if a directory exists and cannot be read. Having no runs is not an error.
pub fn runs(root: &Path, study: Option<&str>) -> Result<Vec<PathBuf>, StoreError> {
    let all = root.join(layout::RUNS);
    let studies = match study {
        Some(study) => vec![all.join(layout::component(study))],
        None => directories(&all)?,
    };
    let mut found = Vec::new();
    for study in studies {
        found.extend(runs_in(&study)?);
    }
    found.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(found)
}

/// Directories of the runs in the directory of a study, oldest first.
///
/// # Errors
/// As above.
pub fn runs_in(study: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = directories(study)?;
    found.retain(|run| run.join(layout::PLAN).is_file());
    found.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(found)
}

/// Folders in a folder; links are left out, so that `latest` is not a run of its own.
fn directories(of: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(of) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(StoreError::io("read", of, e)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| StoreError::io("read", of, e))?;
        if entry.file_type().map_err(|e| StoreError::io("read", &entry.path(), e))?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}
