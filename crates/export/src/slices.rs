//! Which slices, and what they are called.

use crate::ExportError;
use proofload_measure::LatencyHistogram;
use proofload_store::schema::{RunResult, Slice};

/// What a slice is of, as histogram logs call it: `VARIANT@POINT`, with streams `VARIANT/STREAM@POINT`.
pub fn label(slice: &Slice) -> String {
    let measured = &slice.measured;
    let stream = if measured.stream.is_empty() { String::new() } else { format!("/{}", measured.stream) };
    format!("{}{stream}@{}", measured.variant, measured.point)
}

/// Whether the totals of a result rest on a slice: one of warm-up does not count, nor one of a block that the machine
/// disturbed, unless it disturbed all of them.
pub fn counts(result: &RunResult, slices: &[&Slice]) -> impl Fn(&Slice) -> bool + use<> {
    let out = result.disturbed_blocks.clone();
    let all = slices.iter().all(|slice| out.contains(&slice.block));
    move |slice| slice.is_measured() && (all || !out.contains(&slice.block))
}

/// A stored histogram of response times, or of how long was waited in vain; an empty text is an empty one.
pub fn decoded(slice: &Slice, text: &str) -> Result<LatencyHistogram, ExportError> {
    if text.is_empty() {
        return Ok(LatencyHistogram::new());
    }
    LatencyHistogram::decode(text).map_err(|source| ExportError::Histogram {
        block: slice.block,
        label: proofload_report::escape::line(&label(slice)),
        source,
    })
}
