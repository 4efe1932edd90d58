//! The run directory: stored formats, versions, atomic writes, tolerant reading.
//!
//! A run is written by [`RunWriter`] and read by [`Run`]. Nothing here knows how a load is made, what a
//! record means, or what time it is: callers pass the wall-clock time. The bytes on disk are described in
//! `docs/formats.md`.

#![forbid(unsafe_code)]

pub mod layout;
pub mod schema;

mod arrival;
mod atomic;
mod brief;
mod charge;
mod condense;
mod convert;
mod document;
mod error;
mod fused;
mod list;
mod lock;
mod order;
mod run;
mod schemas;
mod single;
mod sittings;
mod writer;

pub use arrival::Arrival;
pub use brief::{Brief, kept_baseline};
pub use condense::{Figures, condense};
pub use convert::{
    bad_answer, counts_of, decode, durations_of, encoded, ended_in_window, handshakes_of, histograms_of,
    outcomes_of, point_of, requests_of, response_times_of,
};
pub use error::StoreError;
pub use fused::Fused;
pub use list::{runs, runs_in};
pub use lock::is_held;
pub use order::order_of;
pub mod redact;
pub use run::{Block, LostVariant, PartialBlock, Run, Spared, apart};
pub use schemas::schemas;
pub use single::{Single, SingleWriter};
pub use sittings::PAUSE_MAX_NS;
pub use writer::{BlockWriter, RunWriter, note, without_credentials};
