//! Entries of a mix, each seen as a load of its own.

use proofload_measure::{LatencyHistogram, OutcomeCounts};
use proofload_store::schema::{Histograms, Point, RequestFigures, RequestHistograms, Slice};
use proofload_store::{StoreError, counts_of, decode, outcomes_of, response_times_of};
use std::path::Path;

/// The part of a slice that one entry has in it, without what is known of the whole alone; `None` where it was not asked.
pub(crate) fn part_of(slice: &Slice, name: &str) -> Option<Slice> {
    let at = slice.measured.requests.iter().position(|request| request.name == name)?;
    let request = &slice.measured.requests[at];
    let RequestHistograms { response_time, unended } =
        slice.histograms.requests.get(at).cloned().unwrap_or_default();
    Some(Slice {
        measured: Point {
            stream: request.name.clone(),
            outcomes: request.outcomes.clone(),
            throughput_per_s: request.throughput_per_s,
            response_time_ns: request.response_time_ns.clone(),
            codes: request.codes.clone(),
            variant: slice.measured.variant.clone(),
            point: slice.measured.point.clone(),
            model: slice.measured.model.clone(),
            connections: slice.measured.connections,
            seconds: slice.measured.seconds,
            generator: slice.measured.generator.clone(),
            ..Point::default()
        },
        histograms: Histograms { response_time, unended, ..Histograms::default() },
        answered_in_window: request.answered_in_window,
        block: slice.block,
        phase: slice.phase.clone(),
        cycle: slice.cycle,
        position: slice.position,
        ..Slice::default()
    })
}

/// The figures of each entry over several slices, `seconds` long together.
pub(crate) fn merged(
    slices: &[&Slice],
    seconds: f64,
    path: &Path,
) -> Result<Vec<RequestFigures>, StoreError> {
    let mut names: Vec<&str> = Vec::new();
    for request in slices.iter().flat_map(|slice| &slice.measured.requests) {
        if !names.contains(&request.name.as_str()) {
            names.push(&request.name);
        }
    }
    let merge = |name: &&str| {
        let mut counts = OutcomeCounts::default();
        let (mut ended, mut unended) = (LatencyHistogram::new(), LatencyHistogram::new());
        let mut all = RequestFigures { name: (*name).to_string(), ..RequestFigures::default() };
        for part in slices.iter().filter_map(|slice| part_of(slice, name)) {
            counts.merge(&counts_of(&part.measured.outcomes));
            ended.merge(&decode(&part.histograms.response_time, path)?);
            unended.merge(&decode(&part.histograms.unended, path)?);
            all.answered_in_window = all.answered_in_window.saturating_add(part.answered_in_window);
            for (code, n) in part.measured.codes {
                let sum = all.codes.entry(code).or_default();
                *sum = sum.saturating_add(n);
            }
        }
        let bytes = slices.iter().flat_map(|slice| &slice.measured.requests);
        let bytes = bytes.filter(|request| request.name == **name).map(|request| request.body_bytes);
        all.body_bytes = bytes.fold(0, u64::saturating_add);
        let own = slices.iter().flat_map(|slice| &slice.measured.requests).filter(|of| of.name == **name);
        all.journey = own.into_iter().any(|request| request.journey);
        all.throughput_per_s = (seconds > 0.0).then(|| all.answered_in_window as f64 / seconds);
        all.outcomes = outcomes_of(&counts);
        all.response_time_ns = response_times_of(&ended, &unended);
        Ok(all)
    };
    names.iter().map(merge).collect()
}
