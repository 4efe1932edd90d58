//! From a record to verdicts, the same way for everyone who asks.

use crate::{Run, StoreError};
use proofload_stats::{Claim, Design, Judgement, Measure, Side, Term, judge};

/// The measures that claims speak of, each once.
pub fn measures_of(claims: &[Claim]) -> Vec<Measure> {
    let sides = claims.iter().flat_map(|claim| [&claim.left, &claim.right]);
    let mut measures: Vec<Measure> = sides
        .filter_map(|side| match side {
            Side::Measured { term: Term::Of { measure, .. } | Term::Ratio { measure, .. }, .. } => {
                Some(*measure)
            }
            Side::Constant(_) => None,
        })
        .collect();
    measures.sort_unstable();
    measures.dedup();
    measures
}

/// Judges claims on what a run has recorded so far. The runner, the report and the exit code all come here,
/// so the last verdict of a run is the one that its record yields again.
///
/// # Errors
/// When a stored histogram cannot be read.
pub fn judged(run: &Run, claims: &[Claim], design: &Design) -> Result<Judgement, StoreError> {
    Ok(judge(claims, &run.observations(&measures_of(claims))?, design))
}
