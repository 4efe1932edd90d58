//! Results as files that other programs read: Parquet, JMeter's results (JTL), HdrHistogram's percentiles (`.hgrm`).
//!
//! Each takes a result and its slices. What is checked is checked before the first byte, so that a refusal leaves no
//! half of a file.

mod error;
mod hgrm;
mod jtl;
mod parquet;
pub(crate) mod series;

pub use error::ExportError;
pub use hgrm::{Hgrm, hgrm};
pub use jtl::{JTL_LINES_MAX, Jtl};
pub use parquet::parquet;
