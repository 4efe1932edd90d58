//! Summary of a record, from the few documents that hold it: no block is read.

use crate::document::{Room, document};
use crate::schema::{Baseline, Preset, RunResult, Status};
use crate::{StoreError, layout};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Most memory that one document takes: lists have many records.
const BRIEF_MAX: u64 = 64 << 20;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brief {
    /// Its study, or the address that was measured.
    pub study: String,
    pub question: String,
    /// Time it was given; empty for a single measurement.
    pub preset: Preset,
    /// State at its end, and the times of its sittings.
    pub status: Status,
    /// The digest that tells machines apart.
    pub machine: String,
    /// True of a single measurement, which has no plan.
    pub single: bool,
    /// Result as told when it ended; absent while it goes on, after a kill, for a condensed record, and where this
    /// version cannot read it.
    pub result: Option<RunResult>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Planned {
    study: String,
    question: String,
    preset: Preset,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Machine {
    machine: String,
}

impl Brief {
    /// The documents that are read.
    pub const DOCUMENTS: [&str; 4] = [layout::PLAN, layout::ENVIRONMENT, layout::STATUS, layout::RESULT];

    /// Reads a record in brief; `path` is its directory. What is missing is left empty.
    ///
    /// # Errors
    /// Fails if a document is present and cannot be read, or is not JSON of its kind.
    pub fn read(path: &Path) -> Result<Brief, StoreError> {
        let planned: Option<Planned> = optional(path, layout::PLAN)?;
        let machine: Machine = optional(path, layout::ENVIRONMENT)?.unwrap_or_default();
        let result = kept_result(path)?;
        let single = planned.is_none();
        let address =
            result.iter().flat_map(|result| &result.points).next().map(|point| point.variant.clone());
        let planned = planned.unwrap_or_default();
        Ok(Brief {
            study: if single { address.unwrap_or_default() } else { planned.study },
            question: planned.question,
            preset: planned.preset,
            status: optional(path, layout::STATUS)?.unwrap_or_default(),
            machine: machine.machine,
            single,
            result,
        })
    }
}

fn kept_result(record: &Path) -> Result<Option<RunResult>, StoreError> {
    let kept: Option<serde_json::Value> = optional(record, layout::RESULT)?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()))
}

/// The comparison with a baseline that was asked for when a run was made: its exit code rested on that, too.
pub fn kept_baseline(record: &Path) -> Option<Baseline> {
    #[derive(Deserialize)]
    struct Kept {
        baseline: Option<Baseline>,
    }
    optional::<Kept>(record, layout::RESULT).ok().flatten()?.baseline
}

fn optional<T: DeserializeOwned>(record: &Path, name: &str) -> Result<Option<T>, StoreError> {
    let path = record.join(name);
    if path.is_file() { document(&path, &mut Room::of(BRIEF_MAX)).map(Some) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn documents_of_other_versions_are_read_as_far_as_they_go() {
        let record = tempfile::tempdir().unwrap();
        assert_eq!(Brief::read(record.path()).unwrap(), Brief { single: true, ..Brief::default() });
        let write = |name: &str, text: &str| fs::write(record.path().join(name), text).unwrap();
        write("plan.json", r#"{"format": 99, "study": "shop", "preset": "quick", "new": [1]}"#);
        let result = RunResult { blocks: 6, ..RunResult::default() };
        let mut kept = serde_json::to_value(&result).unwrap();
        kept["new"] = 1.into();
        write("result.json", &kept.to_string());
        let brief = Brief::read(record.path()).unwrap();
        assert_eq!((brief.study.as_str(), brief.preset.name(), brief.single), ("shop", "quick", false));
        assert_eq!(brief.result, Some(result));
        write("result.json", r#"{"blocks": "of another version"}"#);
        assert_eq!(Brief::read(record.path()).unwrap().result, None);
        write("status.json", "{");
        assert!(matches!(Brief::read(record.path()), Err(StoreError::Damaged { .. })));
    }
}
