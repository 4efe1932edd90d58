//! The engine through its public door.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests may")]

mod conformance;
mod drivers;
mod live;
mod misbehaviour;
mod sim;
mod stateful;
mod tls;
mod uploads;
