//! The window of a measurement.

use serde::{Deserialize, Serialize};

/// The time that counts. Exchanges that were intended before it are only counted, in
/// [`Snapshot::discarded`](crate::Snapshot::discarded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Window {
    pub start_ns: u64,
    /// First instant that no longer counts.
    pub end_ns: u64,
}
