//! The machine, its fitness to measure, the division of its CPUs; the clock of this crate.
//!
//! No setting of the system is changed; the report has a remedy for each finding instead. Requests to the kernel
//! during a measurement end with the process.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start and time what they need"))]

pub mod affinity;
mod awake;
mod cgroup;
pub mod clock;
pub mod cpus;
pub mod descriptors;
pub mod doctor;
mod environment;
mod facts;
pub mod files;
pub mod http;
pub mod jdk;
pub mod lock;
pub mod memory;
mod orphans;
pub mod others;
pub mod process;
mod root;
pub mod sched_idle;
mod settings;
pub mod signals;
pub mod started;
pub mod steady;

pub use awake::{AS_IT_LIKES, Awake, Sleep};
pub use doctor::{Finding, State, doctor};
pub use environment::{boot, environment};
pub use facts::memory_available_bytes;
pub use orphans::MARK_KEEPER;

/// Folder in which the program was started; empty if the system does not report it.
pub fn working_directory() -> String {
    std::env::current_dir().map(|dir| dir.display().to_string()).unwrap_or_default()
}
