//! From a record to verdicts, the same way for everyone who asks.

use crate::schema::Plan;
use crate::{Run, StoreError};
use proofload_stats::{Claim, Design, Judgement, Kind, Measure, Side, Term, judge, outlook};

/// What stands in a plan whose looks may be taken after every block.
pub const ANYTIME: &str = "anytime";

/// How a run of this plan is looked at; decided before its first block.
pub fn design_of(plan: &Plan) -> Design {
    let kind = if plan.timing.looking == ANYTIME { Kind::Anytime } else { Kind::Looks };
    Design { looks: plan.timing.looks.clone(), alpha: plan.alpha, kind, futility: plan.timing.futility }
}

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

/// As [`judged`], with how many more blocks it may take.
///
/// # Errors
/// When a stored histogram cannot be read.
pub fn judged_with_outlook(run: &Run, claims: &[Claim], design: &Design) -> Result<Judgement, StoreError> {
    let observations = run.observations(&measures_of(claims))?;
    let judgement = judge(claims, &observations, design);
    Ok(Judgement { left: outlook(claims, &observations, design), ..judgement })
}
