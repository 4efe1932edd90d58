//! A small copy of a record, from which the same verdicts can be computed, to be kept beside its conclusions.
//!
//! Left out is all that no figure and no verdict rests on: warm-ups, logs, samples of the telemetry, and histograms other
//! than those of response time (of each entry of a mix, too), of handshakes, and of the first byte with streams or where a
//! claim is about it. Without streams, histograms of one variant, load point and block are put together, because quantiles
//! are taken from all cycles of a block; the results of single cycles are kept as numbers. The rest of a block is packed.

use crate::convert::{decode, encoded};
use crate::document::text_of;
use crate::schema::{FORMAT_VERSION, Histograms, Phase, Plan, Point, Slice, Telemetry};
use crate::{Block, Run, StoreError, atomic, layout};
use flate2::{Compression, GzBuilder};
use proofload_facts::Finding;
use proofload_measure::LatencyHistogram;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Documents that are copied as they are.
const DOCUMENTS: [&str; 4] = [layout::ENVIRONMENT, layout::STATUS, layout::CEILINGS, layout::SLICING];

/// Figures of a slice that take its histograms, by measure.
pub type Figures<'a> = dyn Fn(&Slice) -> Result<BTreeMap<String, f64>, StoreError> + 'a;

/// Writes a small copy of a run into a new directory, with the figures that are wanted cycle by cycle.
///
/// # Errors
/// Fails if something has that name already, the copy cannot be written, or a histogram of the run cannot be read.
pub fn condense(run: &Run, figures: &Figures<'_>, to: &Path) -> Result<(), StoreError> {
    if let Some(parent) = to.parent() {
        atomic::create_dirs(parent)?;
    }
    if !atomic::create_new_dir(to)? {
        return Err(StoreError::io("create", to, std::io::ErrorKind::AlreadyExists.into()));
    }
    atomic::create_new_dir(&to.join(layout::BLOCKS))?;
    for block in run.blocks() {
        let mut text = String::new();
        for slice in lines(run, block, figures)? {
            text.push_str(&line(&slice)?);
        }
        write(&layout::packed_block(to, block.number), &packed(&text, to)?)?;
        copy(&layout::warm_up_of(run.path(), block.number), &layout::warm_up_of(to, block.number))?;
        copy(&layout::subjects_of(run.path(), block.number), &layout::subjects_of(to, block.number))?;
    }
    for partial in run.excluded() {
        // That there was such a block counts, and what was measured in it does not; but each trial of a search does.
        let kept = partial.slices.iter().filter(|_| run.plan().capacity.is_some());
        let text = kept.map(line).collect::<Result<String, StoreError>>()?;
        write(&layout::partial_block(to, partial.number), text.as_bytes())?;
    }
    DOCUMENTS.iter().try_for_each(|name| copy(&run.path().join(name), &to.join(name)))?;
    // The plan last: a directory without one is not a run. The working directory means nothing where the copy is
    // read.
    let plan = Plan { working_directory: String::new(), ..run.plan().clone() };
    let text = serde_json::to_string_pretty(&plan)
        .map_err(|source| StoreError::Encode { what: "the plan", source })?;
    write(&to.join(layout::PLAN), (text + "\n").as_bytes())
}

fn line(slice: &Slice) -> Result<String, StoreError> {
    let text =
        serde_json::to_string(slice).map_err(|source| StoreError::Encode { what: "a slice", source })?;
    Ok(text + "\n")
}

/// The same bytes for the same text, whenever it is packed.
fn packed(text: &str, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let written = writer.write_all(text.as_bytes()).and_then(|()| writer.finish());
    written.map_err(|e| StoreError::io("write", path, e))
}

/// Not synced file by file: after a power cut the run that it is a copy of is still there.
fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut file = atomic::create_new_file(path)?;
    file.write_all(bytes).map_err(|e| StoreError::io("write", path, e))
}

fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    match text_of(from) {
        Ok(bytes) => write(to, &bytes),
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    }
}

/// Lines kept of a block.
fn lines(run: &Run, block: &Block, figures: &Figures<'_>) -> Result<Vec<Slice>, StoreError> {
    let mut kept = Vec::new();
    let mut merged: BTreeMap<(&str, &str), (usize, [LatencyHistogram; 2])> = BTreeMap::new();
    for slice in &block.slices {
        let load = run.plan().points.iter().find(|load| load.label == slice.measured.point);
        let is_whole = slice.is_measured() && load.is_some_and(|load| load.whole);
        if run.plan().capacity.is_some() || is_whole {
            // Carried out once, from end to end: its course is what was measured.
            kept.push(slice.clone());
            continue;
        }
        let is_pair = matches!(slice.phase, Phase::Perturbation | Phase::Long);
        if !slice.is_measured() && !is_pair {
            continue;
        }
        let mut small = without_course(slice);
        // What streams came to together is computed from the histograms of each.
        if run.plan().streams.is_empty() {
            let own = match &slice.condensed {
                Some(own) => own.clone(),
                None => figures(slice)?,
            };
            if !is_pair {
                let place = (slice.measured.variant.as_str(), slice.measured.point.as_str());
                let (_, [all, first_byte]) =
                    merged.entry(place).or_insert_with(|| (kept.len(), Default::default()));
                all.merge(&decode(&slice.histograms.response_time, run.path())?);
                if own.keys().any(|measure| measure.starts_with("first_byte")) {
                    first_byte.merge(&decode(&slice.histograms.first_byte, run.path())?);
                }
            }
            small.condensed = Some(own);
            small.histograms.response_time = String::new();
        } else {
            small.histograms.first_byte.clone_from(&slice.histograms.first_byte);
        }
        kept.push(small);
    }
    for (first, [all, first_byte]) in merged.into_values() {
        kept[first].histograms.response_time = encoded(&all);
        kept[first].histograms.first_byte = encoded(&first_byte);
    }
    // Of those that were lost the errors count, and nothing else.
    let lost = block.lost.iter().flat_map(|lost| &lost.slices).filter(|slice| slice.is_measured());
    kept.extend(lost.map(|slice| Slice { histograms: Histograms::default(), ..without_course(slice) }));
    kept.extend(said(block));
    Ok(kept)
}

/// A slice without what happened in the course of it.
fn without_course(slice: &Slice) -> Slice {
    let missing =
        slice.telemetry.as_ref().map(|seen| seen.missing.clone()).filter(|missing| !missing.is_empty());
    Slice {
        histograms: Histograms {
            response_time: slice.histograms.response_time.clone(),
            unended: slice.histograms.unended.clone(),
            requests: slice.histograms.requests.clone(),
            handshakes_full: slice.histograms.handshakes_full.clone(),
            handshakes_resumed: slice.histograms.handshakes_resumed.clone(),
            ..Histograms::default()
        },
        telemetry: missing.map(|missing| Telemetry { missing, ..Telemetry::default() }),
        ..slice.clone()
    }
}

/// Lines for lost variants and for trials that were left out.
fn said(block: &Block) -> Vec<Slice> {
    let say = |phase, variant: &str, point: &str, marks: Vec<Finding>| Slice {
        format: FORMAT_VERSION,
        block: block.number,
        phase,
        measured: Point { variant: variant.to_string(), point: point.to_string(), ..Point::default() },
        marks,
        ..Slice::default()
    };
    let lost = block
        .lost
        .iter()
        .map(|lost| Slice { died: lost.died, ..say(Phase::Lost, &lost.variant, "", lost.why.clone()) });
    lost.chain(block.spared.iter().map(|it| say(Phase::Spared, &it.variant, &it.point, Vec::new()))).collect()
}
