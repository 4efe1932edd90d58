//! Errors of exports.

use crate::escape;
use parquet::errors::ParquetError;
use proofload_language::tr;
use proofload_measure::{DecodeError, LatencyHistogram};
use proofload_store::schema::Slice;
use std::io;

/// Reason why a file could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The place to write to refused.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The library that writes Parquet refused.
    #[error("Parquet: {0}")]
    Parquet(#[from] ParquetError),
    /// A stored histogram cannot be read.
    #[error("{}", tr!("export-histogram", block, label, source = source.to_string()))]
    Histogram { block: u32, label: String, source: DecodeError },
    /// The histogram and the count of outcomes contradict each other.
    #[error("{}", tr!("export-contradiction", block, label, answered, timed))]
    Contradiction { block: u32, label: String, answered: u64, timed: u64 },
    /// No slice was measured, or none that counts.
    #[error("{}", tr!("export-nothing"))]
    Nothing,
    /// A line for each exchange would be too many lines.
    #[error("{}", tr!("export-too-many-lines", exchanges, most))]
    TooManyLines { exchanges: u64, most: u64 },
}

impl ExportError {
    /// True if the reader closed the pipe.
    pub fn is_broken_pipe(&self) -> bool {
        let error = match self {
            ExportError::Write(error) => Some(error),
            ExportError::Parquet(ParquetError::External(error)) => error.downcast_ref::<io::Error>(),
            _ => None,
        };
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// A stored histogram of response times, or of how long was waited in vain; an empty text is an empty one.
pub(crate) fn decoded(slice: &Slice, text: &str) -> Result<LatencyHistogram, ExportError> {
    if text.is_empty() {
        return Ok(LatencyHistogram::new());
    }
    LatencyHistogram::decode(text).map_err(|source| ExportError::Histogram {
        block: slice.block,
        label: escape::line(&slice.label()),
        source,
    })
}
