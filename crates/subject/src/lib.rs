//! Subjects: fetched, verified, built, started, ready, stopped.
//!
//! [`Prepared::prepare`] turns the subject of a study into a command whose every part is pinned; [`Prepared::start`]
//! lets a [`Keeper`] start it; [`Running`] reports when it is ready, and ends it. Nothing is ever started but through a
//! keeper, Maven and compilers included, so nothing outlives Proofload.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start and time what they need"))]

mod add;
mod archive;
mod cache;
mod catalogue;
mod contract;
mod debian;
mod error;
mod failure;
mod flags;
mod inspect;
mod keeper;
mod launched;
mod logs;
mod pins;
mod ports;
mod prepare;
mod prepared;
mod ready;
mod resolve;
mod running;
mod sources;
mod surroundings;
mod temp;
mod tools;

pub use add::{Added, add};
pub use archive::{unpack, unpack_record};
pub use cache::{CACHE_VARIABLE, Cache};
pub use catalogue::{CATALOGUE_VARIABLE, Catalogue, Declaration};
pub use error::SubjectError;
pub use inspect::{Choice, Choices, Tried, check, choices, every_choice, try_starts};
pub use keeper::{Exit, KEEPER_ARGUMENT, Keeper, MARK_KEEPER, MARK_RUN, MARK_SUBJECT, keeper_main};
pub use prepared::Prepared;
pub use resolve::this_program;
pub use running::{Absent, Running, StopReport};
pub use surroundings::Surroundings;
pub use temp::clean_leftovers;
