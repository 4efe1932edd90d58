//! Runs in a line each, kept until their documents change.

use crate::ui::messages;
use crate::ui::records::{Record, Unread, seen, version};
use proofload_report::{Lead, brief as brief_of, of_run};
use proofload_store::schema::RunState;
use proofload_store::{Brief, Run, StoreError, layout};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Most bytes of the blocks of a record that is judged for its line, unpacked: judging takes seconds, and the user has
/// not asked for it.
const JUDGED_MAX: u64 = 32 << 20;

/// A run in a line.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub brief: Brief,
    /// State in which it ended; `killed` when the record does not have it.
    pub state: RunState,
    pub blocks: u32,
    /// Its result in a line; absent while it goes on, and of a large record without a result.
    pub answer: Option<Lead>,
    /// True if a process conducts the run.
    pub goes_on: bool,
    /// Reason why it cannot be read; empty when it can.
    pub damage: String,
}

/// Versions of the documents that a row was made of; `None` for those that are missing.
type Versions = [Option<(u64, i64, i64)>; Brief::DOCUMENTS.len()];

/// The rows that were made.
#[derive(Debug, Default)]
pub struct Rows {
    known: HashMap<PathBuf, (Versions, Row)>,
}

impl Rows {
    /// The rows of these records. Those whose documents are the same as before are not read again.
    pub fn of(&mut self, records: &[Record]) -> Vec<Row> {
        let mut before = std::mem::take(&mut self.known);
        let mut rows = Vec::with_capacity(records.len());
        for record in records {
            let versions = Brief::DOCUMENTS.map(|name| version_of(&record.path.join(name)));
            let is_same = |(then, row): &(Versions, Row)| {
                *then == versions && (!row.goes_on || proofload_store::is_held(&record.path))
            };
            let known = before.remove(&record.path).filter(is_same);
            let mut row = known.map_or_else(|| read(&record.path), |(_, row)| row);
            if row.goes_on {
                row.blocks = complete_blocks(&record.path);
            }
            rows.push(row.clone());
            self.known.insert(record.path.clone(), (versions, row));
        }
        rows
    }
}

fn version_of(path: &Path) -> Option<(u64, i64, i64)> {
    fs::symlink_metadata(path).ok().map(|metadata| version(&metadata))
}

fn complete_blocks(path: &Path) -> u32 {
    let names = fs::read_dir(path.join(layout::BLOCKS)).into_iter().flatten().flatten();
    let is_whole = |name: &str| layout::block_of(name).is_some_and(|(_, whole)| whole);
    names.filter(|entry| entry.file_name().to_str().is_some_and(is_whole)).count() as u32
}

fn read(path: &Path) -> Row {
    read_all(path).unwrap_or_else(|damage| Row { damage, ..Row::default() })
}

fn read_all(path: &Path) -> Result<Row, String> {
    for document in Brief::DOCUMENTS.map(|name| path.join(name)) {
        if fs::symlink_metadata(&document).is_ok_and(|found| !found.is_file()) {
            return Err(messages::odd(&document.display().to_string()));
        }
    }
    // Asked before the status is read: a run that ends in between is not one that was killed.
    let is_held = proofload_store::is_held(path);
    let mut brief = Brief::read(path).map_err(|error| error.to_string())?;
    let goes_on = brief.status.state == RunState::Running && is_held;
    let state = match &brief.status.state {
        RunState::Running if !goes_on => RunState::Killed,
        state => state.clone(),
    };
    let kept = brief.result.take().map(|result| (result.blocks, Some(brief_of(&result))));
    let (blocks, answer) = match kept {
        Some(kept) => kept,
        None if goes_on => (0, None),
        None => judged(path)?,
    };
    Ok(Row { brief, state, blocks, answer, goes_on, damage: String::new() })
}

/// Result of a record without a stored result: one that was killed, or condensed. Of a large one only the number of
/// blocks.
fn judged(path: &Path) -> Result<(u32, Option<Lead>), String> {
    if let Err(Unread::Odd(odd)) = seen(path) {
        return Err(messages::odd(&odd.display().to_string()));
    }
    let run = match Run::open_small(path, JUDGED_MAX) {
        Err(StoreError::TooLarge { .. }) => return Ok((complete_blocks(path), None)),
        opened => opened.map_err(|error| error.to_string())?,
    };
    let result = of_run(&run).map_err(|error| error.to_string())?;
    Ok((result.blocks, Some(brief_of(&result))))
}
