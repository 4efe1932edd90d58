//! The door of the crate: runs written, cut, damaged, read again.

mod directory;
mod fixture;
mod reading;
mod sittings;
mod versions;
