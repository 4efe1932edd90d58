//! Load profiles, schedules, and the workers that carry them out.
//!
//! The engine takes plain values and returns plain values: it knows no files, no processes, no JSON.
//! Instants are nanoseconds of `CLOCK_MONOTONIC`.

mod plan;
pub use plan::*;
