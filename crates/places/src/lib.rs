//! Where the processes of a run are started: on this machine, on others by the user's own ssh, on the nodes of a Slurm allocation, in
//! pods of Kubernetes ([ADR 29](../../docs/adr/0029-the-coordinator-is-where-the-servers-are.md)).
//!
//! Nothing here knows what a load or a server is: it starts this executable elsewhere, hands it files, brings a record home, and
//! understands what an engine says.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "ssh, srun, salloc and kubectl bring this executable elsewhere"
)]

pub mod kubernetes;
mod launch;
mod pack;
mod place;
mod slurm;

pub use launch::{AllLaunched, Launched, Launcher, fingerprint, seen_from};
pub use pack::{CARRIED_BYTES_MAX, Carried, PackError, pack, pack_record, record_bytes};
pub use place::{Order, Told, read_order, read_told, say_order, say_told};
pub use slurm::Allocation;
