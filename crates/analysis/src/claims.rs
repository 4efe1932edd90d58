//! Claims as the result holds them.

use crate::estimate::stored;
use crate::reasons::reasons;
use proofload_stats::{
    Between, Borrowed, Claim, Design, Judged, Lender, Names, Observations, Reason, Scope, Verdict, bounds,
};
use proofload_store::schema::{
    AtLevel, BorrowedSpread, ClaimResult, DependsOn, Lender as LentBy, Scope as Stored, SittingSpread,
};

pub(crate) fn claim_result(
    claim: &Claim,
    judged: &Judged,
    names: &Names,
    seconds_per_block: f64,
) -> ClaimResult {
    ClaimResult {
        name: claim.name.clone(),
        text: claim.text.clone(),
        verdict: judged.verdict.into(),
        estimate: judged.estimate.map(stored),
        confidence: judged.confidence,
        blocks: judged.blocks,
        reasons: reasons(judged, names, seconds_per_block),
        depends_on: judged.reasons.iter().filter_map(|reason| depends_on(reason, names)).collect(),
        ..ClaimResult::default()
    }
}

/// A reason that names a condition of measuring.
fn depends_on(reason: &Reason, names: &Names) -> Option<DependsOn> {
    let Reason::DependsOn { condition, levels, alike } = reason else { return None };
    let known = names.conditions.get(*condition)?;
    let at = |(level, estimate): &(usize, proofload_stats::Estimate)| AtLevel {
        level: known.levels.get(*level).cloned().unwrap_or_default(),
        estimate: stored(*estimate),
    };
    let levels = levels.iter().map(at).collect();
    Some(DependsOn { condition: known.name.clone(), levels, alike: *alike })
}

/// Claims with what they came to, and what a sentence about them needs beside.
#[derive(Clone, Debug)]
pub struct Judgements {
    pub claims: Vec<Claim>,
    /// Their answers, in the order of the plan.
    pub judged: Vec<Judged>,
    /// Variants, load points and streams by their indexes.
    pub names: Names,
    pub design: Design,
    pub observations: Observations,
    /// Cost of a sitting beside its blocks, in blocks.
    pub cost: f64,
}

impl Judgements {
    /// Sittings that the complete blocks are of.
    pub fn sittings(&self) -> u32 {
        sittings_of(&self.observations)
    }

    /// The claims as the result holds them.
    pub(crate) fn results(&self, seconds_per_block: f64) -> Vec<ClaimResult> {
        let both = self.claims.iter().zip(&self.judged);
        both.map(|(claim, judged)| self.result(claim, judged, seconds_per_block)).collect()
    }

    fn result(&self, claim: &Claim, judged: &Judged, seconds_per_block: f64) -> ClaimResult {
        ClaimResult {
            reason_in_sentence: reason_in_sentence(judged),
            hodges_lehmann: judged.estimate.map(|estimate| estimate.hodges_lehmann),
            early: is_early(claim, judged, &self.design),
            scope: match judged.scope {
                _ if claim.is_of_a_count() || judged.estimate.is_none() => Stored::Unsaid,
                Scope::ThisSitting => Stored::ThisSitting,
                Scope::Widened(_) | Scope::Sittings(_) => Stored::AnySitting,
            },
            sittings: self.sittings(),
            borrowed: judged.borrowed.map(borrowed),
            tau: spread(&judged.scope, self.cost),
            prediction: match judged.scope {
                Scope::Sittings(over) => Some(stored(over.prediction)),
                Scope::ThisSitting | Scope::Widened(_) => None,
            },
            ..claim_result(claim, judged, &self.names, seconds_per_block)
        }
    }
}

fn borrowed(found: Borrowed) -> BorrowedSpread {
    BorrowedSpread {
        spread: found.lent.spread,
        freedom: bounds::borrowed::WEIGHT,
        relatives: found.lent.relatives,
        from: match found.lent.from {
            Lender::Study => LentBy::Study,
            Lender::History => LentBy::EarlierRuns,
        },
        used: found.is_used,
        own_spread: found.own,
        plain: stored(found.plain),
    }
}

/// Number of sittings that the complete blocks belong to.
pub(crate) fn sittings_of(observations: &Observations) -> u32 {
    let mut sittings = observations.sittings.clone();
    sittings.dedup();
    sittings.len() as u32
}

/// True if a claim was settled before the last look, where more blocks might have shown less.
pub fn is_early(claim: &Claim, judged: &Judged, design: &Design) -> bool {
    let exact = |reason: &Reason| matches!(reason, Reason::Constant | Reason::SeenOnly { .. });
    judged.settled
        && judged.verdict != Verdict::Undecided
        && looked_at(judged) < design.last()
        && !claim.is_of_a_count()
        && !judged.reasons.iter().any(exact)
}

/// Unit that the looks of the design count: blocks, or sittings where there are several.
fn looked_at(judged: &Judged) -> u32 {
    match &judged.scope {
        Scope::Sittings(over) => over.found.means.n,
        Scope::ThisSitting | Scope::Widened(_) => judged.blocks,
    }
}

/// True if the interval contains both claimed and unclaimed values.
pub fn allows_both(reason: &Reason) -> bool {
    matches!(reason, Reason::IntervalCrosses { .. } | Reason::SittingsCross { .. })
}

/// The reason that belongs to the sentence of an open verdict.
pub fn reason_in_sentence(judged: &Judged) -> Option<usize> {
    let is_open = judged.estimate.is_some() && judged.verdict == Verdict::Undecided;
    let at = judged.reasons.iter().position(allows_both).unwrap_or(0);
    (is_open && at < judged.reasons.len()).then_some(at)
}

/// The spread between sittings, of these or of earlier ones.
fn spread(scope: &Scope, cost: f64) -> Option<SittingSpread> {
    match scope {
        Scope::ThisSitting => None,
        Scope::Widened(between) => Some(earlier_spread(between)),
        Scope::Sittings(over) => {
            let test = over.found.heterogeneity;
            over.found.between.map(|between| SittingSpread {
                tau: between.tau,
                sittings: between.sittings,
                earlier: false,
                within: over.found.within,
                q: test.map(|test| test.q),
                p: test.map(|test| test.p),
                blocks_advised: over.found.blocks_worth(cost),
            })
        }
    }
}

/// Spread between sittings as known from earlier ones.
pub(crate) fn earlier_spread(between: &Between) -> SittingSpread {
    let (tau, sittings) = (between.tau, between.sittings);
    SittingSpread { tau, sittings, earlier: true, ..SittingSpread::default() }
}
