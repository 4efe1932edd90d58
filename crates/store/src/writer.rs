//! Writing a run: everything that was finished is on disk, whatever happens next.

use crate::schema::{
    Ceiling, Environment, Network, Plan, RunResult, RunState, Slice, Slicing, Status, SubjectFacts, WarmUp,
};
use crate::{Run, StoreError, atomic, layout, lock, redact, sittings};
use proofload_facts::Finding;
use serde::Serialize;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs that may begin in the same millisecond with the same suffix, before giving up.
const ID_TRIES: u32 = 256;

/// A run that is being recorded.
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
    status: Status,
    /// The kernel gives it back when this process ends, however it ends.
    _lock: File,
}

/// A block that is being recorded. Dropped without [`BlockWriter::finish`] it stays on record and does not
/// count.
#[derive(Debug)]
pub struct BlockWriter {
    file: File,
    partial: PathBuf,
    whole: PathBuf,
    /// Place in the plan, where it is not the block's number.
    place: Option<u32>,
    broken: bool,
}

impl RunWriter {
    /// Makes `runs/<study>/<id>/` under `root` and writes environment, a status of `running`, and the plan,
    /// synced; then lets `runs/<study>/latest` point to it. `unix_ns` is the wall-clock time, for the id.
    ///
    /// Credentials are redacted from the texts of the plan.
    ///
    /// # Errors
    /// Fails if the directory cannot be made or written.
    pub fn create(
        root: &Path,
        plan: &Plan,
        environment: &Environment,
        unix_ns: u64,
    ) -> Result<RunWriter, StoreError> {
        let study = root.join(layout::RUNS).join(layout::component(&plan.study));
        atomic::create_dirs(&study)?;
        let (id, path) = new_directory(&study, unix_ns)?;
        for part in [layout::BLOCKS, layout::LOGS] {
            atomic::create_new_dir(&path.join(part))?;
        }
        let lock = lock::acquire(&path)?;
        let status = sittings::begin(Status::default(), unix_ns, Vec::new());
        let writer = RunWriter { path, status, _lock: lock };
        writer.write_json(layout::ENVIRONMENT, "the environment", environment)?;
        writer.write_status()?;
        // The plan last: a directory without one never was a run.
        writer.write_json(layout::PLAN, "the plan", &without_credentials(plan))?;
        atomic::sync_parent(&writer.path)?;
        atomic::replace_link(&study.join(layout::LATEST), Path::new(&id), &id)?;
        Ok(writer)
    }

    /// Goes on with a run that was begun earlier: a new sitting. Its blocks stay as they are; new ones have
    /// higher numbers. `differences` are those that were accepted.
    ///
    /// # Errors
    /// Fails if another process conducts the run, or it cannot be read or written.
    pub fn reopen(
        path: &Path,
        unix_ns: u64,
        differences: Vec<Finding>,
    ) -> Result<(RunWriter, Run), StoreError> {
        let path = Run::open(path)?.path().to_path_buf();
        // A condensed record has none.
        atomic::create_new_dir(&path.join(layout::LOGS))?;
        let lock = lock::acquire(&path)?;
        // Read again: what was on disk before the lock may have been another process's last breath.
        let run = Run::open(&path)?;
        let status = sittings::begin(sittings::close_unfinished(&run), unix_ns, differences);
        let writer = RunWriter { path: path.clone(), status, _lock: lock };
        writer.write_status()?;
        Ok((writer, Run::open(&path)?))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path for the output of a variant's processes in a block.
    pub fn log_path(&self, block: u32, variant: &str) -> PathBuf {
        let name = format!("{block:04}-{}.log", layout::distinct_component(variant));
        self.path.join(layout::LOGS).join(name)
    }

    /// Begins a block. Blocks are numbered from 1, and no number is used twice in a run.
    ///
    /// # Errors
    /// Fails if the file exists already, or cannot be made.
    pub fn begin_block(&mut self, number: u32) -> Result<BlockWriter, StoreError> {
        let partial = layout::partial_block(&self.path, number);
        let file = atomic::create_new_file(&partial)?;
        atomic::sync_parent(&partial)?;
        let whole = layout::whole_block(&self.path, number);
        Ok(BlockWriter { file, partial, whole, place: None, broken: false })
    }

    /// Replaces `status.json`: the state of the run and of this sitting at `unix_ns`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn set_status(
        &mut self,
        state: RunState,
        why: Option<&Finding>,
        unix_ns: u64,
    ) -> Result<(), StoreError> {
        sittings::end(&mut self.status, state, why, unix_ns);
        self.write_status()
    }

    /// Notes that a block was lost because of its own measurements, not cut off from outside.
    ///
    /// # Errors
    /// Fails if the status cannot be written.
    pub fn note_lost(&mut self, block: u32) -> Result<(), StoreError> {
        if let Some(sitting) = self.status.sittings.last_mut() {
            sitting.lost_blocks.push(block);
        }
        self.write_status()
    }

    /// Notes an observation of the machine in this sitting.
    ///
    /// # Errors
    /// Fails if the status cannot be written.
    pub fn note_machine(&mut self, what: &Finding) -> Result<(), StoreError> {
        if let Some(sitting) = self.status.sittings.last_mut() {
            sitting.machine.push(what.clone());
        }
        self.write_status()
    }

    /// Replaces `ceilings.json`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_ceilings(&self, ceilings: &[Ceiling]) -> Result<(), StoreError> {
        self.write_json(layout::CEILINGS, "the ceilings", &ceilings)
    }

    /// Replaces `network.json`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_network(&self, network: &Network) -> Result<(), StoreError> {
        self.write_json(layout::NETWORK, "the network", network)
    }

    /// Writes `slicing.json`; it holds from the next block on.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_slicing(&self, slicing: &Slicing) -> Result<(), StoreError> {
        self.write_json(layout::SLICING, "the number of cycles", slicing)
    }

    /// The number of cycles that was chosen, if any was.
    ///
    /// # Errors
    /// Fails if its file is damaged, or a newer version wrote it.
    pub fn slicing(&self) -> Result<Option<Slicing>, StoreError> {
        crate::run::slicing_of(&self.path, &mut crate::document::Room::default())
    }

    fn write_status(&self) -> Result<(), StoreError> {
        self.write_json(layout::STATUS, "the status", &self.status)
    }

    /// Writes the facts that the subjects reported about themselves in a block; nothing when there are none.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_subjects(&self, block: u32, facts: &[SubjectFacts]) -> Result<(), StoreError> {
        if facts.is_empty() {
            return Ok(());
        }
        atomic::replace(&layout::subjects_of(&self.path, block), &encoded("facts of subjects", &facts)?)
    }

    /// Writes the results of the variants' warm-ups in a block.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_warm_ups(&self, block: u32, warm_ups: &[WarmUp]) -> Result<(), StoreError> {
        atomic::replace(&layout::warm_up_of(&self.path, block), &encoded("warm-ups", &warm_ups)?)
    }

    /// Writes a text file of that plain name into the run directory, whole or not at all.
    ///
    /// # Errors
    /// Fails if the name is not a plain file name, or the file cannot be written.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), StoreError> {
        atomic::replace(&self.path.join(layout::plain_name(name)?), text)
    }

    /// Writes `result.json`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_result(&self, result: &RunResult) -> Result<(), StoreError> {
        self.write_json(layout::RESULT, "the result", result)
    }

    fn write_json<T: Serialize>(&self, name: &str, what: &'static str, value: &T) -> Result<(), StoreError> {
        atomic::replace(&self.path.join(name), &encoded(what, value)?)
    }
}

/// A value as it is kept: in lines, and without credentials in text from outside.
pub(crate) fn encoded<T: Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    let text = serde_json::to_string_pretty(value).map_err(|source| StoreError::Encode { what, source })?;
    Ok(redact::json(text + "\n"))
}

/// A slice as it is kept: one line.
pub(crate) fn encoded_slice(slice: &Slice) -> Result<String, StoreError> {
    let encode = |source| StoreError::Encode { what: "a slice", source };
    Ok(redact::json(serde_json::to_string(slice).map_err(encode)? + "\n"))
}

/// Adds a line to the notes of a run, at once, so that it outlives a killed process.
///
/// # Errors
/// Fails if it cannot be written.
pub fn note(run: &Path, line: &str) -> Result<(), StoreError> {
    let path = run.join(layout::NOTICED);
    let mut line = redact::text(line);
    line.push('\n');
    let mut file = atomic::append_to(&path)?;
    file.write_all(line.as_bytes()).map_err(|e| StoreError::io("append", &path, e))
}

impl BlockWriter {
    /// In that place of the plan, from 1, if it is another than the block's number.
    pub fn in_place(self, place: u32, number: u32) -> BlockWriter {
        BlockWriter { place: Some(place).filter(|place| *place != number), ..self }
    }

    /// Appends a slice and hands it to the kernel, so that it outlives this process.
    ///
    /// # Errors
    /// Fails if it cannot be written; the block cannot be finished after that.
    pub fn append(&mut self, slice: &Slice) -> Result<(), StoreError> {
        let line = match self.place {
            None => encoded_slice(slice)?,
            place => encoded_slice(&Slice { place, ..slice.clone() })?,
        };
        let written = self.file.write_all(line.as_bytes());
        self.broken |= written.is_err();
        written.map_err(|e| StoreError::io("append", &self.partial, e))
    }

    /// Syncs the block and gives it its whole name: from now on it counts.
    ///
    /// # Errors
    /// Fails if a slice was lost before, or the file cannot be synced or renamed.
    pub fn finish(self) -> Result<(), StoreError> {
        if self.broken {
            return Err(StoreError::Unfinished { path: self.partial });
        }
        self.file.sync_all().map_err(|e| StoreError::io("sync", &self.partial, e))?;
        fs::rename(&self.partial, &self.whole).map_err(|e| StoreError::io("rename", &self.partial, e))?;
        atomic::sync_parent(&self.whole)
    }
}

/// Makes a directory of a new id. The suffix begins with the process id, so that two Proofloads differ.
pub(crate) fn new_directory(study: &Path, unix_ns: u64) -> Result<(String, PathBuf), StoreError> {
    let mut path = study.to_path_buf();
    for n in 0..ID_TRIES {
        let id = layout::run_id(unix_ns, std::process::id().wrapping_add(n << 16));
        path = study.join(&id);
        if atomic::create_new_dir(&path)? {
            return Ok((id, path));
        }
    }
    Err(StoreError::io("create", &path, std::io::ErrorKind::AlreadyExists.into()))
}

/// The plan as it is kept.
pub fn without_credentials(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.arguments.iter_mut().for_each(|word| *word = redact::word(word));
    plan.workload.iter_mut().for_each(|line| *line = redact::text(line));
    for variant in &mut plan.variants {
        variant.description = redact::text(&variant.description);
        variant.command.iter_mut().for_each(|word| *word = redact::word(word));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_on_a_full_disk_says_so_and_is_never_finished() {
        let full = PathBuf::from("/dev/full");
        let file = File::options().write(true).open(&full).unwrap();
        let mut block = BlockWriter {
            file,
            partial: full,
            whole: "/dev/null/0001.jsonl".into(),
            place: None,
            broken: false,
        };
        assert!(matches!(block.append(&Slice::default()), Err(StoreError::Full { .. })));
        assert!(matches!(block.finish(), Err(StoreError::Unfinished { .. })));
    }

    /// `/dev/null` cannot be synced. Were the block renamed first, it would have its whole name by then.
    #[test]
    fn a_block_that_cannot_be_synced_never_gets_its_whole_name() {
        let folder = tempfile::tempdir().unwrap();
        let (partial, whole) = (folder.path().join("0001.partial.jsonl"), folder.path().join("0001.jsonl"));
        fs::write(&partial, "").unwrap();
        let file = File::options().write(true).open("/dev/null").unwrap();
        let block =
            BlockWriter { file, partial: partial.clone(), whole: whole.clone(), place: None, broken: false };
        let refused = block.finish().unwrap_err();
        assert!(matches!(refused, StoreError::Io { what: "sync", .. }), "{refused}");
        assert!(partial.exists() && !whole.exists());
    }
}
