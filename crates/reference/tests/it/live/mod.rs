//! The reference server over loopback, by a client that blocks.

mod answers;
mod client;
mod faults;
mod life;
mod null;
mod reconcile;
mod tls;
