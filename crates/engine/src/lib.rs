//! Load profiles, schedules, and the workers that carry them out.
//!
//! The engine takes plain values and returns plain values: it knows no files, no processes, no JSON.
//! Instants are nanoseconds of `CLOCK_MONOTONIC`.

mod books;
mod check;
mod clock;
mod deadlines;
pub mod debug;
pub mod driver;
mod expect;
pub mod feed;
mod generator;
mod health;
mod hiccups;
mod http;
pub mod load;
mod plan;
mod seconds;
mod slot;
pub mod transport;
mod worker;

pub use generator::{Launch, launch, run, run_in, run_streams, run_streams_in};
pub use http::Follow;
pub use load::{Distribution, Stage, Trace};
pub use plan::*;
pub use seconds::{SecondQuantiles, Stretch};
