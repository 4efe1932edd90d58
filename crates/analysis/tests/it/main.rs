//! Tests through the public interface of the crate, on records.

#![allow(clippy::unwrap_used, reason = "tests may")]

mod fitness;
#[path = "../../../store/tests/it/store/fixture.rs"]
mod fixture;
mod observations;
mod records;
