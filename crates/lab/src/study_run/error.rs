//! Reasons why a run cannot begin or go on.

use crate::runner::Unprepared;
use proofload_analysis::PlanError;
use proofload_language::tr;
use proofload_store::StoreError;
use proofload_store::schema::Difference;
use proofload_subject::SubjectError;
use std::path::PathBuf;

/// Reasons why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The request is impossible; nothing was started.
    #[error("{0}")]
    Usage(String),
    /// The record that was to go on, or to be repeated, is of something else; nothing was started.
    #[error("{}", tr!("run-changed", path = .0.path))]
    Changed(Changed),
    /// No subject can be started.
    #[error(transparent)]
    Unprepared(#[from] Unprepared),
    /// The keeper cannot be started.
    #[error(transparent)]
    Keeper(SubjectError),
    /// A claim of the plan cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The record cannot be made, or not be opened again.
    #[error(transparent)]
    Record(StoreError),
    /// The record could not be written on; all servers are stopped, and the part on disk stays.
    #[error("{error}")]
    Unkept { error: StoreError, path: PathBuf },
}

/// Changes since a record.
#[derive(Debug)]
pub struct Changed {
    pub path: PathBuf,
    /// True if it was to go on, not to be repeated.
    pub resumed: bool,
    pub differences: Vec<Difference>,
    /// True if it is another study now, which cannot be accepted.
    pub is_another_study: bool,
}
