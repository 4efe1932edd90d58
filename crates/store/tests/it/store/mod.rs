//! The door of the crate: runs written, cut, damaged, read again.

mod fitness;
mod fixture;

mod directory;
mod observations;
mod reading;
mod sittings;
mod versions;
