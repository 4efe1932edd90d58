//! The door of the crate: what records say.

#![allow(clippy::unwrap_used, reason = "tests may")]

mod fitness;
#[path = "../../../store/tests/it/store/fixture.rs"]
mod fixture;
mod observations;
mod records;
