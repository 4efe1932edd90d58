//! Reading a run, whole or cut off.

use crate::document::{RECORD_MAX, Room, Versioned, document, known, versioned};
use crate::fused::Fused;
use crate::order::order_of;
use crate::schema::{
    Ceiling, Environment, Network, Phase, Plan, Sitting, Slice, Slicing, Status, SubjectFacts, WarmUp,
};
use crate::{StoreError, document, layout, lock};
use proofload_facts::Finding;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Longest line of a block file.
const LINE_MAX: u64 = 16 << 20;

/// Most lines of a block file that are read.
const LINES_MAX: usize = 1_000_000;

/// Most bytes of a packed block file, unpacked: some megabytes hold a block of any study.
const UNPACKED_MAX: u64 = 256 << 20;

/// Most memory that all files of a kind beside the blocks take.
const BESIDE_MAX: u64 = 128 << 20;

/// Most trials of a block, streams counted each: far above what a study may ask for, and what a reader can hold.
const TRIALS_MAX: usize = 100_000;

/// A run that was recorded, or still is.
#[derive(Clone, Debug)]
pub struct Run {
    path: PathBuf,
    plan: Plan,
    environment: Environment,
    status: Status,
    blocks: Vec<Block>,
    partial: Vec<PartialBlock>,
    ceilings: Vec<Ceiling>,
    network: Option<Network>,
    slicing: Option<Slicing>,
    fused: Fused,
}

#[derive(Clone, Debug)]
pub struct Block {
    /// Its number, from 1.
    pub number: u32,
    /// Its place in the plan, from 1: what it makes up for, or its number.
    pub place: u32,
    /// Its slices in the order in which they were measured, the warm-up first. Those of variants that were
    /// lost in it are left out.
    pub slices: Vec<Slice>,
    /// Variants that did not get through it.
    pub lost: Vec<LostVariant>,
    /// Trials left out because no open claim needed them.
    pub spared: Vec<Spared>,
}

/// A variant at a load point that a block left out on purpose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spared {
    pub variant: String,
    /// Label of the load point.
    pub point: String,
}

/// A variant that did not get through a block, while others did.
#[derive(Clone, Debug, PartialEq)]
pub struct LostVariant {
    pub variant: String,
    pub why: Vec<Finding>,
    /// True if it was not started at all, because it was lost too often before.
    pub given_up: bool,
    /// True if its processes ended while they were under load.
    pub died: bool,
    /// Slices measured of it in this block, in no figure, and the line that says that it was lost.
    pub slices: Vec<Slice>,
}

/// A block that was begun and does not count.
#[derive(Clone, Debug)]
pub struct PartialBlock {
    /// Its number, from 1.
    pub number: u32,
    /// Its slices up to the last whole line.
    pub slices: Vec<Slice>,
    /// Reason why a block under its final name does not count; `None` for one that was never finished.
    pub damage: Option<Finding>,
}

impl Run {
    /// Reads a run. `path` is a run directory, a link to one, or the directory of a study, of which the
    /// latest run is read.
    ///
    /// Block files are read up to their last whole line. A block with fewer slices than the plan says is
    /// excluded, whatever its name.
    ///
    /// # Errors
    /// Fails if there is no run, a document in it is damaged or cannot be read, or a newer version wrote it.
    pub fn open(path: &Path) -> Result<Run, StoreError> {
        Run::open_small(path, RECORD_MAX)
    }

    /// As [`Run::open`], if all that is kept takes at most `most_bytes`.
    ///
    /// # Errors
    /// As above, and [`StoreError::TooLarge`] where they take more.
    pub fn open_small(path: &Path, most_bytes: u64) -> Result<Run, StoreError> {
        let path = locate(path)?;
        let room = &mut Room::of(most_bytes);
        let plan: Plan = versioned(&path.join(layout::PLAN), room)?;
        check_size(&plan, &path)?;
        let environment = document(&path.join(layout::ENVIRONMENT), room)?;
        let status = document(&path.join(layout::STATUS), room)?;
        let there = |name: &str| Some(path.join(name)).filter(|path| path.is_file());
        let ceilings = there(layout::CEILINGS).map(|path| document(&path, room)).transpose()?;
        let ceilings = ceilings.unwrap_or_default();
        let network = there(layout::NETWORK).map(|path| versioned(&path, room)).transpose()?;
        let (blocks, partial) = (Vec::new(), Vec::new());
        let slicing = slicing_of(&path, room)?;
        let mut run = Run {
            path,
            plan,
            environment,
            status,
            blocks,
            partial,
            ceilings,
            network,
            slicing,
            fused: Fused::default(),
        };
        run.read_blocks(room)?;
        Ok(run)
    }

    /// True if there is a run to open: at that path, or as the latest of the study whose directory it is.
    pub fn is_at(path: &Path) -> bool {
        locate(path).is_ok()
    }

    /// Slices of several streams that were fused already.
    pub fn fused(&self) -> &Fused {
        &self.fused
    }

    /// The run directory, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of its directory.
    pub fn id(&self) -> String {
        self.path.file_name().map(|id| id.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The machine it ran on.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// State at its end; `running` while it runs, and for ever after a `kill -9`.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Rates of the generator against a server that does nothing, as far as they were measured.
    pub fn ceilings(&self) -> &[Ceiling] {
        &self.ceilings
    }

    /// Measurements of the network between agents and servers, where they are apart.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    /// Cycles of the blocks after the first look, where their number was chosen.
    pub fn slicing(&self) -> Option<&Slicing> {
        self.slicing.as_ref()
    }

    /// The blocks that are whole, by number. Those that the machine disturbed are among them.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks that do not, by number.
    pub fn excluded(&self) -> &[PartialBlock] {
        &self.partial
    }

    /// Highest number of a block that was begun; 0 when none was.
    pub fn last_block(&self) -> u32 {
        let whole = self.blocks.last().map_or(0, |block| block.number);
        whole.max(self.partial.last().map_or(0, |block| block.number))
    }

    /// True while a process conducts this run.
    pub fn is_running(&self) -> bool {
        lock::is_held(&self.path)
    }

    /// Takes out the block that a process is measuring at this moment, which is neither complete nor lost; `None` where none is.
    pub fn take_current(&mut self) -> Option<PartialBlock> {
        let last = self.partial.last()?;
        let ended = |sitting: &Sitting| {
            sitting.cut_block == Some(last.number) || sitting.lost_blocks.contains(&last.number)
        };
        let is_current = last.damage.is_none()
            && last.number == self.last_block()
            && !self.status.sittings.iter().any(ended)
            && self.is_running();
        if is_current { self.partial.pop() } else { None }
    }

    /// Blocks that were cut off when a sitting was interrupted or killed, other than those that a run lost by
    /// itself.
    pub fn cut_blocks(&self) -> impl Iterator<Item = u32> + '_ {
        let is_cut = |number: u32| self.status.sittings.iter().any(|s| s.cut_block == Some(number));
        self.partial.iter().map(|block| block.number).filter(move |number| is_cut(*number))
    }

    /// Time that the complete blocks took from the beginning of the first slice to the end of the last, warm-up
    /// included; in a search for a capacity those that were cut off, too, for their trials count.
    pub fn measured_ns(&self) -> u64 {
        let span = |slices: &Vec<Slice>| {
            let began = slices.iter().map(|slice| slice.started_unix_ns).min()?;
            Some(slices.iter().map(Slice::ended_unix_ns).max()?.saturating_sub(began))
        };
        let cut = self.partial.iter().filter(|_| self.plan.capacity.is_some()).map(|block| &block.slices);
        let all = self.blocks.iter().map(|block| &block.slices).chain(cut);
        all.filter_map(span).fold(0, u64::saturating_add)
    }

    /// Facts that the subjects reported about themselves, block by block; of the blocks where they were recorded.
    ///
    /// # Errors
    /// Fails if a file of them is damaged.
    pub fn subjects(&self) -> Result<Vec<(u32, Vec<SubjectFacts>)>, StoreError> {
        self.beside(layout::subjects_of)
    }

    /// Warm-ups of the variants, block by block; of the blocks where it was recorded.
    ///
    /// # Errors
    /// Fails if a file of them is damaged.
    pub fn warm_ups(&self) -> Result<Vec<(u32, Vec<WarmUp>)>, StoreError> {
        self.beside(layout::warm_up_of)
    }

    fn beside<T: DeserializeOwned>(
        &self,
        path_of: fn(&Path, u32) -> PathBuf,
    ) -> Result<Vec<(u32, T)>, StoreError> {
        let mut room = Room::of(BESIDE_MAX);
        let begun: BTreeSet<u32> =
            self.blocks.iter().map(|b| b.number).chain(self.partial.iter().map(|b| b.number)).collect();
        let files = begun.into_iter().map(|number| (number, path_of(&self.path, number)));
        let there = files.filter(|(_, path)| path.is_file());
        there.map(|(number, path)| Ok((number, document(&path, &mut room)?))).collect()
    }

    fn read_blocks(&mut self, room: &mut Room) -> Result<(), StoreError> {
        for (number, whole) in block_files(&self.path)? {
            self.read_block(number, whole, room)?;
        }
        Ok(())
    }

    /// `whole`: whether its file had its whole name when the names were read.
    fn read_block(&mut self, number: u32, whole: bool, room: &mut Room) -> Result<(), StoreError> {
        let plain = layout::whole_block(&self.path, number);
        let partial = layout::partial_block(&self.path, number);
        let (whole, (slices, cut)) = match whole {
            true if plain.is_file() => (true, read_slices(&plain, room)?),
            true => (true, read_slices(&layout::packed_block(&self.path, number), room)?),
            false => match read_slices(&partial, room) {
                // It was finished meanwhile.
                Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    (true, read_slices(&plain, room)?)
                }
                read => (false, read?),
            },
        };
        if !whole {
            self.partial.push(PartialBlock { number, slices, damage: None });
        } else if let Some(damage) = cut.or_else(|| self.missing(number, &slices)) {
            self.partial.push(PartialBlock { number, slices, damage: Some(damage) });
        } else {
            let spared = spared(&slices);
            let (slices, lost) = apart(slices);
            let place = slices.first().map_or(number, Slice::place);
            self.blocks.push(Block { number, place, slices, lost, spared });
        }
        Ok(())
    }

    /// Slices that a block lacks of the plan. Lines lost at a line's end cannot be seen otherwise.
    fn missing(&self, number: u32, slices: &[Slice]) -> Option<Finding> {
        if self.plan.order.is_empty() {
            return None;
        }
        let order = order_of(&self.plan, self.slicing.as_ref(), number);
        let lost: BTreeSet<&str> = lost_lines(slices).map(|slice| slice.measured.variant.as_str()).collect();
        let is_lost = |name: &str| lost.contains(name);
        let name_of = |variant: &usize| self.plan.variants.get(*variant).map_or("", |planned| &planned.name);
        let spared = spared(slices);
        let points_of = |name: &str| {
            let left_out = spared.iter().filter(|spared| spared.variant == name).count();
            self.plan.points.len().saturating_sub(left_out)
        };
        let turns = order.iter().flatten().map(name_of).filter(|name| !is_lost(name));
        let lines = self.plan.streams.len().max(1);
        let expected = turns.map(points_of).sum::<usize>() * lines;
        if expected == 0 {
            return Some(Finding::EveryVariantLost);
        }
        let measured = slices.iter().filter(|slice| slice.is_measured());
        // A cycle that the plan does not have would be made room for, and for all before it.
        let planned = measured.filter(|slice| slice.cycle as usize <= order.len());
        let found = planned.filter(|slice| !is_lost(&slice.measured.variant)).count();
        let (found, expected) = (found as u32, expected as u32);
        (found < expected).then_some(Finding::TooFewSlices { found, expected })
    }
}

/// Reads `slicing.json`, if there is one.
pub(crate) fn slicing_of(run: &Path, room: &mut Room) -> Result<Option<Slicing>, StoreError> {
    let path = run.join(layout::SLICING);
    if path.is_file() { versioned(&path, room).map(Some) } else { Ok(None) }
}

/// A plan of that many trials was written by no study, and would take a reader's memory.
fn check_size(plan: &Plan, run: &Path) -> Result<(), StoreError> {
    let trials = plan.variants.len().saturating_mul(plan.points.len()).saturating_mul(plan.streams.len() + 1);
    if trials > TRIALS_MAX {
        let why = format!("it has {trials} trials in a block, {TRIALS_MAX} are read at most");
        return Err(StoreError::Damaged { path: run.join(layout::PLAN), why });
    }
    Ok(())
}

fn lost_lines(slices: &[Slice]) -> impl Iterator<Item = &Slice> {
    slices.iter().filter(|slice| slice.phase == Phase::Lost)
}

/// Trials that the block left out, each once.
fn spared(slices: &[Slice]) -> Vec<Spared> {
    let lines = slices.iter().filter(|slice| slice.phase == Phase::Spared);
    let all: BTreeSet<Spared> = lines
        .map(|line| Spared { variant: line.measured.variant.clone(), point: line.measured.point.clone() })
        .collect();
    all.into_iter().collect()
}

/// Slices of variants that got through the block, and of those that did not.
pub fn apart(slices: Vec<Slice>) -> (Vec<Slice>, Vec<LostVariant>) {
    let mut lost: Vec<LostVariant> = Vec::new();
    for line in lost_lines(&slices) {
        let variant = line.measured.variant.clone();
        if !lost.iter().any(|known| known.variant == variant) {
            let given_up = line.marks.iter().any(|mark| matches!(mark, Finding::GivenUp { .. }));
            let (why, died) = (line.marks.clone(), line.died);
            lost.push(LostVariant { variant, why, given_up, died, slices: Vec::new() });
        }
    }
    let mut kept = Vec::with_capacity(slices.len());
    for slice in slices.into_iter().filter(|slice| slice.phase != Phase::Spared) {
        match lost.iter_mut().find(|lost| lost.variant == slice.measured.variant) {
            Some(lost) => lost.slices.push(slice),
            None => kept.push(slice),
        }
    }
    (kept, lost)
}

fn unreadable(line: usize, error: &impl std::fmt::Display) -> Finding {
    Finding::LineUnreadable { line: line as u64, error: error.to_string() }
}

fn locate(path: &Path) -> Result<PathBuf, StoreError> {
    let candidates = [path.to_path_buf(), path.join(layout::LATEST)];
    let found = candidates.into_iter().find(|candidate| candidate.join(layout::PLAN).is_file());
    let found = found.ok_or_else(|| StoreError::NotARun { path: path.to_path_buf() })?;
    fs::canonicalize(&found).map_err(|e| StoreError::io("read", path, e))
}

/// Numbers of the blocks in order, and whether each bears its whole name.
fn block_files(run: &Path) -> Result<BTreeMap<u32, bool>, StoreError> {
    let directory = run.join(layout::BLOCKS);
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&directory).map_err(|e| StoreError::io("read", &directory, e))? {
        let name = entry.map_err(|e| StoreError::io("read", &directory, e))?.file_name();
        if let Some((number, whole)) = name.to_str().and_then(layout::block_of) {
            *found.entry(number).or_insert(false) |= whole;
        }
    }
    Ok(found)
}

/// Slices up to the last whole line, and what is wrong after it.
pub(crate) fn read_slices(path: &Path, room: &mut Room) -> Result<(Vec<Slice>, Option<Finding>), StoreError> {
    let file = document::open(path)?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes: Box<dyn Read> = match packed {
        true => Box::new(flate2::read::GzDecoder::new(file).take(UNPACKED_MAX)),
        false => Box::new(file),
    };
    let mut reader = BufReader::new(bytes);
    let mut slices = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader).take(LINE_MAX).read_until(b'\n', &mut line);
        let number = slices.len() + 1;
        match read {
            Ok(0) => return Ok((slices, None)),
            Ok(_) => {}
            // A packed block that no longer matches its original.
            Err(error) if packed => return Ok((slices, Some(unreadable(number, &error)))),
            Err(error) => return Err(StoreError::io("read", path, error)),
        }
        if line.pop() != Some(b'\n') {
            return Ok((slices, Some(Finding::LineCutOff { line: number as u64 })));
        }
        if number > LINES_MAX {
            return Ok((slices, Some(Finding::TooManyLines { most: LINES_MAX as u64 })));
        }
        if let Ok(Versioned { format }) = serde_json::from_slice(&line) {
            known(path, format)?;
        }
        match room.line(path, &line)? {
            Ok(slice) => slices.push(slice),
            Err(error) => return Ok((slices, Some(unreadable(number, &error)))),
        }
    }
}
