//! Claims as the result holds them.

use crate::estimate::stored;
use crate::messages;
use proofload_stats::{Between, Claim, Judged, Names, Reason, Scope};
use proofload_store::schema::{AtLevel, ClaimResult, DependsOn, Scope as Stored, SittingSpread};

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
        reasons: proofload_analysis::reasons(judged, names, seconds_per_block),
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

/// The same, with what was found in a sentence; only of what rests on blocks.
pub(crate) fn with_sentence(
    result: ClaimResult,
    claim: &Claim,
    judged: &Judged,
    setting: &messages::Setting<'_>,
) -> ClaimResult {
    ClaimResult {
        sentence: messages::sentence(claim, judged, setting),
        found: messages::found(claim, judged, setting),
        reason_in_sentence: messages::reason_in_sentence(judged),
        hodges_lehmann: judged.estimate.map(|estimate| estimate.hodges_lehmann),
        early: messages::is_early(claim, judged, setting.design),
        scope: match judged.scope {
            _ if claim.is_of_a_count() || judged.estimate.is_none() => Stored::Unsaid,
            Scope::ThisSitting => Stored::ThisSitting,
            Scope::Widened(_) | Scope::Sittings(_) => Stored::AnySitting,
        },
        sittings: setting.sittings,
        tau: spread(&judged.scope, setting.cost),
        prediction: match judged.scope {
            Scope::Sittings(over) => Some(stored(over.prediction)),
            Scope::ThisSitting | Scope::Widened(_) => None,
        },
        ..result
    }
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

/// What is known of the spread between sittings from earlier ones.
pub(crate) fn earlier_spread(between: &Between) -> SittingSpread {
    let (tau, sittings) = (between.tau, between.sittings);
    SittingSpread { tau, sittings, earlier: true, ..SittingSpread::default() }
}
