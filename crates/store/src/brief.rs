//! What a record came to, from the few documents that say so: no block is read.

use crate::document::document;
use crate::schema::{Baseline, HistoryVerdict, Preset, RunResult, Status};
use crate::{StoreError, layout};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A record in brief.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brief {
    /// Its study, or the address that was measured.
    pub study: String,
    /// The study's question.
    pub question: String,
    /// How much time it was given; empty for a single measurement.
    pub preset: Preset,
    /// How it ended, and when it was conducted.
    pub status: Status,
    /// The digest that tells machines apart.
    pub machine: String,
    /// Whether it is a single measurement, which has no plan.
    pub single: bool,
    /// What it came to when it ended; absent while it goes on, after a kill, and of a condensed record.
    pub result: Option<BriefResult>,
}

/// What a run came to, in brief.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BriefResult {
    /// Complete blocks.
    pub blocks: u32,
    /// Its claims.
    pub verdicts: Vec<HistoryVerdict>,
}

/// What is read of `result.json`; the rest is skipped.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Came {
    blocks: u32,
    claims: Vec<Claimed>,
    points: Vec<Measured>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Claimed {
    name: String,
    verdict: crate::schema::Verdict,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Measured {
    variant: String,
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
    /// When a document is there and cannot be read, or is no JSON of its kind.
    pub fn read(path: &Path) -> Result<Brief, StoreError> {
        let planned: Option<Planned> = optional(path, layout::PLAN)?;
        let machine: Machine = optional(path, layout::ENVIRONMENT)?.unwrap_or_default();
        let came: Option<Came> = optional(path, layout::RESULT)?;
        let single = planned.is_none();
        let address = came.as_ref().and_then(|came| came.points.first()).map(|point| point.variant.clone());
        let planned = planned.unwrap_or_default();
        let verdict = |claim: Claimed| HistoryVerdict { claim: claim.name, verdict: claim.verdict };
        Ok(Brief {
            study: if single { address.unwrap_or_default() } else { planned.study },
            question: planned.question,
            preset: planned.preset,
            status: optional(path, layout::STATUS)?.unwrap_or_default(),
            machine: machine.machine,
            single,
            result: came.map(|came| BriefResult {
                blocks: came.blocks,
                verdicts: came.claims.into_iter().map(verdict).collect(),
            }),
        })
    }
}

/// The result that was kept when a run ended, as it was told then; `None` where there is none that this version can read.
pub fn kept_result(record: &Path) -> Option<RunResult> {
    optional(record, layout::RESULT).ok().flatten()
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
    if path.is_file() { document(&path).map(Some) } else { Ok(None) }
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
        write("result.json", r#"{"blocks": 6, "claims": [{"name": "a", "verdict": "refuted", "new": {}}]}"#);
        let brief = Brief::read(record.path()).unwrap();
        assert_eq!((brief.study.as_str(), brief.preset.name(), brief.single), ("shop", "quick", false));
        let result = brief.result.unwrap();
        assert_eq!((result.blocks, result.verdicts[0].verdict.name()), (6, "refuted"));
        write("status.json", "{");
        assert!(matches!(Brief::read(record.path()), Err(StoreError::Damaged { .. })));
    }
}
