//! Claims as the result holds them.

use crate::messages;
use proofload_stats::{Claim, Judged, Names, Reason};
use proofload_store::schema::{AtLevel, ClaimResult, DependsOn, Estimate};

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
        reasons: messages::reasons(judged, names, seconds_per_block),
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
        reason_in_sentence: messages::reason_in_sentence(judged),
        hodges_lehmann: judged.estimate.map(|estimate| estimate.hodges_lehmann),
        early: messages::is_early(claim, judged, setting.design),
        ..result
    }
}

/// An estimate as it is stored: ends that bound nothing are absent.
pub(crate) fn stored(estimate: proofload_stats::Estimate) -> Estimate {
    let finite = |value: f64| value.is_finite().then_some(value);
    Estimate {
        point: estimate.point,
        low: finite(estimate.low),
        high: finite(estimate.high),
        unit: estimate.unit.to_string(),
    }
}
