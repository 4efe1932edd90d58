//! Errors of analysis.

use crate::planned::PlanError;
use proofload_store::StoreError;

/// A record that cannot be turned into a result.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its plan holds a claim that cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanError),
}
