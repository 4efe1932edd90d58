//! Subjects: fetched, verified, built, started, ready, stopped.
//!
//! [`Prepared::prepare`] turns what a study asks for into a command whose every part is pinned;
//! [`Prepared::start`] lets a [`Keeper`] start it; [`Running`] says when it is ready, and ends it. Nothing is
//! ever started but through a keeper, Maven and compilers included, so nothing outlives Proofload.

#[allow(dead_code, reason = "the door for every subject that comes in an archive")]
mod archive;
mod cache;
mod catalogue;
mod error;
mod keeper;
mod pins;
mod ports;
mod prepare;
mod running;
mod temp;
mod tools;

pub use cache::{CACHE_VARIABLE, Cache};
pub use catalogue::{CATALOGUE_VARIABLE, Catalogue, Declaration};
pub use error::{Mistake, SubjectError};
pub use keeper::{Exit, KEEPER_ARGUMENT, Keeper, MARK_KEEPER, MARK_RUN, MARK_SUBJECT, keeper_main};
pub use prepare::Prepared;
pub use running::{Running, StopReport};
pub use temp::clean_leftovers;
