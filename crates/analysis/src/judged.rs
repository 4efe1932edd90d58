//! From a record to verdicts, the same way for everyone who asks.

use crate::observe::observations;
use crate::planned::{PlanError, expectations_of, restore};
use proofload_stats::{Claim, Design, Judgement, Measure, Outlook, Side, Term, judge, outlook};
use proofload_store::schema::{self, Plan};
use proofload_store::{Run, StoreError};

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

/// Judges claims on what a run has recorded so far. The runner, the report and the exit code all use this function,
/// so the last verdict of a run is the one that its record yields again.
///
/// # Errors
/// Fails if a stored histogram cannot be read.
pub fn judged(run: &Run, claims: &[Claim], design: &Design) -> Result<Judgement, StoreError> {
    Ok(judge(claims, &observations(run, &measures_of(claims))?, design))
}

/// Judge of the claims and expectations of a plan at what a run holds so far, used to decide when it may end. It is
/// settled when the claims are, and the expectations, which share an error rate of their own.
#[derive(Clone, Debug)]
pub struct RunJudge {
    claims: Vec<Claim>,
    expected: Vec<Claim>,
    design: Design,
    two_sided: bool,
}

impl RunJudge {
    /// The judge of runs of this plan.
    ///
    /// # Errors
    /// Fails if a claim or an expectation of the plan cannot be read.
    pub fn of(plan: &Plan) -> Result<RunJudge, PlanError> {
        let (names, claims, design) = restore(plan)?;
        let expected = expectations_of(plan, &names)?.into_iter().flat_map(|(_, row)| row.claims).collect();
        Ok(RunJudge { claims, expected, design, two_sided: plan.two_sided })
    }

    /// All that is judged: the claims, then those that the expectations come to.
    pub fn claims(&self) -> Vec<Claim> {
        self.claims.iter().chain(&self.expected).cloned().collect()
    }

    /// The judgement of all [`RunJudge::claims`] with how many more blocks it may take, settled only when every one is.
    ///
    /// # Errors
    /// Fails if a stored histogram cannot be read.
    pub fn judge(&self, run: &Run) -> Result<Judgement, StoreError> {
        let mut judgement = self.with_outlook(run, &self.claims)?;
        if self.two_sided {
            let told: Vec<schema::Verdict> =
                judgement.claims.iter().map(|judged| judged.verdict.into()).collect();
            judgement.settled |= told.chunks(2).all(|pair| is_told(&pair[0], pair.get(1)));
        }
        if !self.expected.is_empty() {
            let expected = self.with_outlook(run, &self.expected)?;
            judgement.left = later(judgement.left, expected.left);
            if expected.to_replace.len() > judgement.to_replace.len() {
                judgement.to_replace = expected.to_replace;
            }
            judgement.settled = expected.settled && (judgement.settled || self.claims.is_empty());
            judgement.claims.extend(expected.claims);
        }
        Ok(judgement)
    }

    fn with_outlook(&self, run: &Run, claims: &[Claim]) -> Result<Judgement, StoreError> {
        let observations = observations(run, &measures_of(claims))?;
        let judgement = judge(claims, &observations, &self.design);
        Ok(Judgement { left: outlook(claims, &observations, &self.design), ..judgement })
    }
}

/// True if a pair of claims of a comparison both ways gives an answer: that one server serves more, or that both are
/// alike.
pub fn is_told(more: &schema::Verdict, alike: Option<&schema::Verdict>) -> bool {
    *more != schema::Verdict::Undecided || alike == Some(&schema::Verdict::Supported)
}

/// True if every pair of a comparison both ways gives an answer.
pub fn all_told(results: &[schema::ClaimResult]) -> bool {
    !results.is_empty()
        && results.chunks(2).all(|pair| is_told(&pair[0].verdict, pair.get(1).map(|alike| &alike.verdict)))
}

/// Outlook until both are settled.
fn later(one: Option<Outlook>, other: Option<Outlook>) -> Option<Outlook> {
    let Some((one, other)) = one.zip(other) else { return one.or(other) };
    Some(Outlook {
        low: one.low.max(other.low),
        median: one.median.max(other.median),
        high: one.high.max(other.high),
        last: one.last.max(other.last),
    })
}
