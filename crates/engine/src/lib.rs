//! Load profiles, schedules, and the workers that carry them out.
//!
//! The engine takes plain values and returns plain values: it knows no files, no processes, no JSON.
//! Instants are nanoseconds of `CLOCK_MONOTONIC`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start and time what they need"))]

mod check;
mod clock;
mod connection;
mod deadlines;
pub mod debug;
pub mod driver;
mod elsewhere;
mod error;
mod expect;
pub mod feed;
mod generator;
mod health;
mod http;
pub mod journey;
mod lane;
pub mod load;
mod memory;
mod merger;
mod plan;
mod reader;
pub mod reading;
mod received;
mod record;
mod result;
mod seats;
mod seconds;
mod shares;
mod target;
pub mod transport;
mod ways;
mod worker;

pub use error::EngineError;
pub use generator::{AGENT_BODIES_MAX, AgentPlace, Generator, Here, Launch, Network, Sockets, launch};
pub use load::{Arrival, Distribution, Profile, Stage, Trace};
pub use merger::Merger;
pub use plan::*;
pub use proofload_measure::{SecondQuantiles, Silences, Stretch};
pub use result::*;
pub use shares::{ShareResult, execute_share, lead_ns};
pub use target::{Address, Addresses, Target};
