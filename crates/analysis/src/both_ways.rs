//! A comparison both ways: of each pair of claims, that the first server serves more and that both are alike, the one that
//! tells something, with the faster server first.

use crate::judged::is_told;
use proofload_stats::{Claim, Names, Side, Term};
use proofload_store::schema::{ClaimResult, Estimate, Plan, Verdict};

/// The claims that are shown with what they came to: all of them, or of a comparison both ways one of each pair.
pub fn answers(
    plan: &Plan,
    names: &Names,
    claims: &[Claim],
    results: &[ClaimResult],
) -> Vec<(Claim, ClaimResult)> {
    let all: Vec<(Claim, ClaimResult)> = claims.iter().cloned().zip(results.iter().cloned()).collect();
    if !plan.two_sided {
        return all;
    }
    let answer = |pair: &[(Claim, ClaimResult)]| match pair {
        [more, alike] if more.1.verdict == Verdict::Undecided && alike.1.verdict == Verdict::Supported => {
            alike.clone()
        }
        pair => faster_first(pair[0].clone(), names),
    };
    all.chunks(2).map(answer).collect()
}

/// Whether every pair tells something.
pub fn all_told(results: &[ClaimResult]) -> bool {
    !results.is_empty()
        && results.chunks(2).all(|pair| is_told(&pair[0].verdict, pair.get(1).map(|alike| &alike.verdict)))
}

/// The same said of the faster server.
fn faster_first((claim, judged): (Claim, ClaimResult), names: &Names) -> (Claim, ClaimResult) {
    let name = |side: &Side| match side {
        Side::Measured { term: Term::Of { variant, .. }, .. } => {
            Some(names.variants.get(*variant)?.name.as_str())
        }
        _ => None,
    };
    let sides = name(&claim.left).zip(name(&claim.right));
    let Some(((other, first), estimate)) =
        sides.zip(judged.estimate.clone().filter(|found| found.point < 1.0))
    else {
        return (claim, judged);
    };
    let verdict = match judged.verdict {
        Verdict::Refuted => Verdict::Supported,
        verdict => verdict,
    };
    let (low, high) = (estimate.high.map(f64::recip), estimate.low.map(f64::recip));
    let estimate = Some(Estimate { point: estimate.point.recip(), low, high, ..estimate });
    let name = format!("{first} serves more than {other}");
    let text = format!("throughput({first}) > throughput({other})");
    let turned = ClaimResult { name: name.clone(), text: text.clone(), verdict, estimate, ..judged };
    (Claim { name, text, left: claim.right, right: claim.left, ..claim }, turned)
}
