//! Claims of a study that this machine can hardly resolve.

use super::{POWER, design};
use proofload_facts::Finding;
use proofload_stats::noise::{blocks_for, detectable};
use proofload_stats::{Claim, Comparison, Measure, Side, Term};
use proofload_store::schema::{MeasureNoise, NoiseAudit, Plan};

/// Claims of a plan about smaller differences than the machine resolves within its looks, with the blocks that they
/// would take. Claims without a figure of their own (`throughput(a) > throughput(b)`) set no definite difference;
/// constants, and measures that are not in the audit, are not reported.
pub fn resolution_warnings(claims: &[Claim], plan: &Plan, audit: &NoiseAudit) -> Vec<Finding> {
    let estimated = claims.iter().filter(|claim| !claim.is_of_a_count()).count() as u32;
    let design = design(plan);
    let blocks = design.looks.last().copied().unwrap_or(1);
    let asked: Vec<(&Claim, Asked)> =
        claims.iter().filter_map(|claim| Some((claim, asked(claim, audit)?))).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let Some(unit) = detectable(&design, estimated, POWER) else { return Vec::new() };
    let seconds_per_block = plan.estimated_seconds / f64::from(blocks.max(1));
    let doubt = |(claim, asked): (&Claim, Asked)| {
        let reach = asked.sd * if asked.is_band { unit.band } else { unit.difference };
        if reach <= asked.log {
            return None;
        }
        let needed = blocks_for(blocks, reach, asked.log);
        Some(Finding::BelowNoise {
            claim: claim.name.clone(),
            asked_share: asked.log.exp_m1(),
            is_band: asked.is_band,
            measure: asked.noise,
            blocks,
            reach_share: reach.exp_m1(),
            needed,
            minutes: needed.map(|needed| (f64::from(needed) * seconds_per_block / 60.0).ceil() as u64),
        })
    };
    asked.into_iter().filter_map(doubt).collect()
}

/// Difference that a claim is about.
struct Asked {
    /// The difference or the half-width of the band, as a logarithm.
    log: f64,
    is_band: bool,
    /// Spread from block to block of the compared figure.
    sd: f64,
    /// The measure whose noise it is.
    noise: String,
}

fn asked(claim: &Claim, audit: &NoiseAudit) -> Option<Asked> {
    let Side::Measured { factor: left, term: over, .. } = &claim.left else { return None };
    let (right, ratios) = match &claim.right {
        Side::Measured { factor, term, .. } => (*factor, u8::from(is_ratio(over)) + u8::from(is_ratio(term))),
        // A ratio is held against a constant, a measure of one variant alone is not compared.
        Side::Constant(value) if is_ratio(over) => (*value, 1),
        Side::Constant(_) => return None,
    };
    let (log, is_band) = match claim.comparison {
        Comparison::Within(share) => (share.ln_1p(), true),
        Comparison::Equal => return None,
        _ => ((right / left).ln().abs(), false),
    };
    let noise = noise_of(measure_of(over), audit)?;
    // A difference of two log-ratios varies by the root of two more than one.
    let sd = noise.block_sd.value * f64::from(ratios.max(1)).sqrt();
    (log.is_finite() && log > 0.0).then(|| Asked { log, is_band, sd, noise: noise.measure.clone() })
}

fn measure_of(term: &Term) -> Measure {
    match term {
        Term::Of { measure, .. } | Term::Ratio { measure, .. } => *measure,
    }
}

fn is_ratio(term: &Term) -> bool {
    matches!(term, Term::Ratio { .. })
}

/// The noise of a measure, or of one that is not noisier: a tail is not steadier than a quantile below it.
fn noise_of(measure: Measure, audit: &NoiseAudit) -> Option<&MeasureNoise> {
    let known = match measure {
        Measure::ResponseQuantile(quantile) if quantile >= 9_900 => Measure::ResponseQuantile(9_900),
        Measure::ResponseQuantile(quantile) if quantile >= 5_000 => Measure::ResponseQuantile(5_000),
        other => other,
    };
    let name = known.name();
    audit.measures.iter().find(|noise| noise.measure == name)
}
