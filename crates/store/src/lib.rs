//! The run directory: stored formats, versions, atomic writes; and the observations that the judge reads.

#![forbid(unsafe_code)]

pub mod schema;
