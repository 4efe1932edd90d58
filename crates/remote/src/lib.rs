//! Servers and agents on other machines: one load by several processes ([`agents`]), which this executable starts here, by the user's own
//! ssh, on the nodes of a Slurm allocation, or in pods of Kubernetes, and a coordinator beside the servers
//! ([ADR 29](../../docs/adr/0029-the-coordinator-is-where-the-servers-are.md)).
//!
//! Nothing here depends on how a study is run: a [`Conductor`] does that.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "ssh, srun, salloc and kubectl bring this executable elsewhere; tests start and time what they need"
)]

pub mod agents;
mod client;
mod deadline;
mod error;
pub mod kubernetes;
mod launch;
mod notices;
mod order;
pub mod pack;
mod placement;
pub mod server;
pub mod slurm;

pub use client::Ended;
pub use error::RemoteError;
pub use notices::Notices;
pub use order::{Order, RemoteRun, TakeIn};
pub use placement::Placement;
pub use server::{Conductor, Ordered};
