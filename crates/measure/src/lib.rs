//! Measured data: outcomes, histograms, recorders and snapshots.
//!
//! This crate knows no protocol, no file and no clock. Instants are nanoseconds on a monotonic
//! axis that the caller chose; durations are nanoseconds too. Both are plain `u64`, and names end
//! in `_ns`.

#![forbid(unsafe_code)]

mod hiccups;
mod histogram;
mod merging;
mod outcome;
mod recorder;
mod series;
mod silence;
mod slots;
mod snapshot;
mod sparse;
mod window;

pub use hiccups::Hiccups;
pub use histogram::{Censored, Counted, DIGITS, DecodeError, LatencyHistogram, MAX_NS, Summary};
pub use merging::Merging;
pub use outcome::{Outcome, OutcomeCounts};
pub use recorder::{ExchangeTimes, Recorder};
pub use series::{Collected, SECOND_NS, SecondQuantiles, Series, Stretch};
pub use silence::{Listener, Silences, SilentStretches, silences};
pub use snapshot::{CodeCounts, PARTS_MAX, Part, Snapshot, SparseSnapshot};
pub use sparse::SparseHistogram;
pub use window::Window;
