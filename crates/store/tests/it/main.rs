//! The door of the crate.

#![allow(clippy::unwrap_used, reason = "tests may")]

mod store;
