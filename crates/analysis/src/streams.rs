//! Streams that ran at once, seen as one load.

use crate::merge::merge_with_histograms;
use proofload_store::schema::{Histograms, Model, Point, Slice};
use proofload_store::{Fused, StoreError, encoded};
use std::path::Path;

/// The lines of each slice as one slice: exchanges of all streams in the time that they share. Histograms are
/// merged, the subject's use is that of the first line, which holds it for all of them.
pub(crate) fn fused(lines: &[&Slice], path: &Path, known: &Fused) -> Result<Vec<Slice>, StoreError> {
    let place = |slice: &Slice| (slice.block, slice.cycle, slice.position);
    let slices = lines.chunk_by(|a, b| place(a) == place(b));
    slices.map(|lines| known.of(lines[0], || fuse(lines, path))).collect()
}

fn fuse(lines: &[&Slice], path: &Path) -> Result<Slice, StoreError> {
    let Some(first) = lines.first() else { return Ok(Slice::default()) };
    if lines.len() == 1 && first.condensed.is_some() {
        // Its own histograms are gone; its results are kept in it.
        return Ok((*first).clone());
    }
    let (merged, histograms) = merge_with_histograms(lines, path)?;
    let points = || lines.iter().map(|slice| &slice.measured);
    let seconds = points().map(|point| point.seconds).fold(0.0, f64::max);
    let answered: u64 = lines.iter().fold(0, |sum, slice| sum.saturating_add(slice.answered_in_window));
    let per_second = per_second(lines);
    let same_model = points().all(|point| point.model == first.measured.model);
    let mut measured = Point {
        variant: first.measured.variant.clone(),
        point: first.measured.point.clone(),
        model: if same_model { first.measured.model.clone() } else { Model::Mixed },
        connections: points().map(|point| point.connections).fold(0, u32::saturating_add),
        // Each stream has connections of its own.
        connections_peak: points().map(|point| point.connections_peak).fold(0, u32::saturating_add),
        connections_most: points().map(|point| point.connections_most).fold(0, u32::saturating_add),
        seconds,
        throughput_per_s: (seconds > 0.0).then(|| answered as f64 / seconds),
        per_second,
        // Quantiles of streams do not add up.
        response_p50_per_second_ns: Vec::new(),
        response_p99_per_second_ns: Vec::new(),
        ..merged
    };
    measured.generator.threads = points().map(|point| point.generator.threads).fold(0, u32::saturating_add);
    Ok(Slice {
        measured,
        answered_in_window: answered,
        histograms: Histograms {
            response_time: encoded(&histograms.response_time),
            unended: encoded(&histograms.unended),
            service_time: encoded(&histograms.service_time),
            first_byte: encoded(&histograms.first_byte),
            send_delay: encoded(&histograms.send_delay),
            handshakes_full: encoded(&histograms.handshakes_full),
            handshakes_resumed: encoded(&histograms.handshakes_resumed),
            requests: Vec::new(),
        },
        ..(*first).clone()
    })
}

/// Answers of each second, over all lines of a slice.
pub(crate) fn per_second(lines: &[&Slice]) -> Vec<u64> {
    let mut sums: Vec<u64> = Vec::new();
    for series in lines.iter().map(|line| &line.measured.per_second) {
        sums.resize(sums.len().max(series.len()), 0);
        sums.iter_mut().zip(series).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
    }
    sums
}
