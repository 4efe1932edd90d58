//! The door of the crate.

mod store;
