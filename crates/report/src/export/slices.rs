//! What slices hold.

use crate::export::ExportError;
use proofload_measure::LatencyHistogram;
use proofload_store::schema::Slice;

/// A stored histogram of response times, or of how long was waited in vain; an empty text is an empty one.
pub fn decoded(slice: &Slice, text: &str) -> Result<LatencyHistogram, ExportError> {
    if text.is_empty() {
        return Ok(LatencyHistogram::new());
    }
    LatencyHistogram::decode(text).map_err(|source| ExportError::Histogram {
        block: slice.block,
        label: crate::escape::line(&slice.label()),
        source,
    })
}
