//! A comparison both ways: of each pair of claims, that the first server serves more and that both are alike, the
//! decided one is shown, with the faster server first.

use crate::{messages, names};
use proofload_stats::{Claim, Names, Side, Term};
use proofload_store::schema::{BorrowedSpread, ClaimResult, Estimate, Plan, Verdict};

/// The claims that are shown with what they came to: all of them, or of a comparison both ways one of each pair.
pub(crate) fn answers(
    plan: &Plan,
    names: &Names,
    claims: &[Claim],
    results: &[ClaimResult],
) -> Vec<(Claim, ClaimResult)> {
    let all: Vec<(Claim, ClaimResult)> = claims.iter().cloned().zip(results.iter().cloned()).collect();
    if !plan.two_sided {
        return all;
    }
    let short = names::short(plan);
    let answer = |pair: &[(Claim, ClaimResult)]| match pair {
        [more, alike] if is_alike(&more.1, &alike.1) => renamed(alike.clone(), true, &short),
        // Of what is open none is called the faster one.
        [more, ..] if more.1.verdict == Verdict::Undecided && plan.timing.looks != [1] => {
            renamed(more.clone(), false, &short)
        }
        pair => renamed(faster_first(pair[0].clone(), names), false, &short),
    };
    all.chunks(2).map(answer).collect()
}

/// True if the second of a pair's two claims is the answer.
pub(crate) fn is_alike(more: &ClaimResult, alike: &ClaimResult) -> bool {
    more.verdict == Verdict::Undecided && alike.verdict == Verdict::Supported
}

pub(crate) fn variant_of(side: &Side) -> Option<usize> {
    match side {
        Side::Measured { term: Term::Of { variant, .. }, .. } => Some(*variant),
        _ => None,
    }
}

/// The claim under the names that distinguish the servers.
fn renamed((claim, judged): (Claim, ClaimResult), alike: bool, short: &[String]) -> (Claim, ClaimResult) {
    let name = |side: &Side| short.get(variant_of(side)?);
    let Some((first, other)) = name(&claim.left).zip(name(&claim.right)) else { return (claim, judged) };
    let name = messages::claim_both_ways(first, other, alike);
    (Claim { name: name.clone(), ..claim }, ClaimResult { name, ..judged })
}

/// The same claim, stated of the faster server.
fn faster_first((claim, judged): (Claim, ClaimResult), names: &Names) -> (Claim, ClaimResult) {
    let name = |side: &Side| Some(names.variants.get(variant_of(side)?)?.name.as_str());
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
    let text = format!("throughput({first}) > throughput({other})");
    let plain = |it: BorrowedSpread| BorrowedSpread { plain: turned(it.plain), ..it };
    let turned = ClaimResult {
        text: text.clone(),
        verdict,
        estimate: Some(turned(estimate)),
        hodges_lehmann: judged.hodges_lehmann.map(f64::recip),
        borrowed: judged.borrowed.map(plain),
        ..judged
    };
    (Claim { text, left: claim.right, right: claim.left, ..claim }, turned)
}

/// One over a ratio, with its interval.
fn turned(of: Estimate) -> Estimate {
    let (low, high) = (of.high.map(f64::recip), of.low.map(f64::recip));
    Estimate { point: of.point.recip(), low, high, ..of }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_stats::{Selector, parse_claim};

    #[test]
    fn said_of_the_faster_server_every_ratio_is_turned() {
        let variant = |name: &str| Selector { name: name.into(), levels: Vec::new() };
        let names = Names {
            variants: vec![variant("a"), variant("b")],
            points: vec!["1c".into()],
            ..Names::default()
        };
        let claim =
            parse_claim("faster", "throughput(a) > throughput(b)", &names).expect("a claim").remove(0);
        let of =
            |low, point, high| Estimate { low: Some(low), point, high: Some(high), ..Estimate::default() };
        let judged = ClaimResult {
            verdict: Verdict::Refuted,
            estimate: Some(of(0.4, 0.5, 0.8)),
            hodges_lehmann: Some(0.5),
            borrowed: Some(BorrowedSpread { plain: of(0.25, 0.5, 1.0), ..BorrowedSpread::default() }),
            ..ClaimResult::default()
        };
        let (_, turned) = faster_first((claim, judged), &names);
        assert_eq!((turned.verdict, turned.estimate), (Verdict::Supported, Some(of(1.25, 2.0, 2.5))));
        assert_eq!(turned.hodges_lehmann, Some(2.0));
        assert_eq!(turned.borrowed.expect("borrowed").plain, of(1.0, 2.0, 4.0));
    }
}
