//! The last line of a report, the one to remember.

use crate::messages;
use crate::two_sided;
use proofload_analysis::figures::errors;
use proofload_analysis::{fixed_conditions, restore};
use proofload_facts::Reason;
use proofload_language::facts::told;
use proofload_language::tr;
use proofload_stats::{Claim, Comparison, Measure, Names, Side, Term};
use proofload_store::schema::{ClaimResult, Plan, Point, RunResult, Verdict};

/// The last line: who, how many times as much, the interval, the blocks.
pub(crate) fn headline(result: &RunResult) -> String {
    if !result.capacities.is_empty() {
        let sentences: Vec<&str> = result.capacities.iter().map(|found| found.sentence.as_str()).collect();
        return sentences.join(tr!("between-sentences"));
    }
    match &result.plan {
        None => result.points.first().map(single_headline).unwrap_or_default(),
        Some(plan) => of_claims(plan, &result.claims),
    }
}

/// Headline of the first claim that compares two variants; empty where none does.
pub(crate) fn of_claims(plan: &Plan, results: &[ClaimResult]) -> String {
    let Ok((names, claims, _)) = restore(plan) else { return String::new() };
    let answers = two_sided::answers(plan, &names, &claims, results);
    let mut lines = answers.iter().filter_map(|(claim, judged)| {
        comparison(claim, judged, &names, plan).map(|line| (claim, judged, line))
    });
    let Some((first, judged, line)) = lines.next() else { return String::new() };
    // Of a claim that is open another one on the same figures may have the answer.
    let figures = |claim: &Claim| claim.figures().collect::<Vec<_>>();
    let settled = lines
        .find(|(claim, other, _)| other.verdict != Verdict::Undecided && figures(claim) == figures(first));
    match settled.filter(|_| judged.verdict == Verdict::Undecided && !plan.two_sided) {
        Some((.., line)) => scoped(line, plan),
        None => scoped(line, plan),
    }
}

/// The claims of a result as they are shown: of a comparison both ways the answers, each with its own sentence, then the claims
/// that were asked of the finished run.
pub(crate) fn shown(result: &RunResult) -> Vec<ClaimResult> {
    let plan = result.plan.as_ref().filter(|plan| plan.two_sided);
    let Some((plan, Ok((names, claims, _)))) = plan.map(|plan| (plan, restore(plan))) else {
        return result.claims.clone();
    };
    let asked = result.claims.iter().skip(claims.len()).cloned();
    let answers =
        two_sided::answers(plan, &names, &claims, &result.claims).into_iter().map(|(claim, judged)| {
            let sentence = comparison(&claim, &judged, &names, plan).unwrap_or_default();
            ClaimResult { found: sentence.clone(), sentence, reason_in_sentence: None, ..judged }
        });
    answers.chain(asked).collect()
}

/// Adds the conditions under which alone the line holds, where none varied.
fn scoped(line: String, plan: &Plan) -> String {
    match fixed_conditions(plan) {
        fixed if fixed.is_empty() => line,
        fixed => format!("{line}; {}", messages::asked_with(&fixed)),
    }
}

fn single_headline(point: &Point) -> String {
    messages::headline_single(point.throughput_per_s, point.seconds, &point.response_time_ns, errors(point))
}

fn comparison(claim: &Claim, judged: &ClaimResult, names: &Names, plan: &Plan) -> Option<String> {
    let estimate = judged.estimate.as_ref().filter(|estimate| estimate.unit == "ratio")?;
    let side = |side: &Side| match side {
        Side::Measured { term: Term::Of { measure, variant, stream }, point, .. } => {
            Some((*measure, *variant, (*point, *stream)))
        }
        _ => None,
    };
    let ((measure, over, at), (other, under, there)) = (side(&claim.left)?, side(&claim.right)?);
    // "Times as many as" applies to two variants under one load, not to one variant under two.
    if (measure, at) != (other, there) || over == under {
        return None;
    }
    let name = |variant: usize| names.variants.get(variant).map(|variant| variant.name.as_str());
    let point = names.points.get(at.0).filter(|_| names.points.len() > 1).map(String::as_str);
    // Of a comparison both ways neither end is nearer to what is claimed.
    let end = quoted_end(claim, judged).filter(|_| !plan.two_sided);
    let interval = messages::interval(estimate);
    let ratio = (interval.as_str(), end.as_deref());
    let basis = messages::rests_on_sittings(judged, plan);
    let of = |measure: Measure| match names.part(at.1) {
        Some(stream) => format!("{}[{stream}]", measure.name()),
        None => measure.name(),
    };
    let named = Some(of(measure)).filter(|_| measure != Measure::Throughput);
    let (named, both) = (named.as_deref(), [name(over)?, name(under)?]);
    let line = match &claim.comparison {
        Comparison::Within(band) if judged.verdict == Verdict::Supported => {
            messages::headline_alike(named, both, point, *band, (&interval, &basis))
        }
        _ if measure == Measure::Throughput
            && plan.two_sided
            && judged.verdict == Verdict::Undecided
            && plan.timing.looks != [1] =>
        {
            return Some(messages::headline_open(both, point, &interval, &basis));
        }
        _ => messages::headline_ratio(named, both, point, ratio, &basis),
    };
    let line = match judged.verdict {
        Verdict::Undecided if plan.timing.looks == [1] => tr!("headline-checked", line),
        Verdict::Undecided => tr!("headline-undecided", line),
        _ => line,
    };
    let depends = judged.reasons.iter().filter(|it| matches!(it, Reason::DependsOn { .. })).map(told);
    Some(std::iter::once(line).chain(depends).collect::<Vec<_>>().join(tr!("between-sentences")))
}

/// Figure quoted for a study that stopped early: the end of the interval that is nearer to the boundary claimed.
fn quoted_end(claim: &Claim, judged: &ClaimResult) -> Option<String> {
    let estimate = judged.estimate.as_ref().filter(|_| judged.early)?;
    let (low, high) = (estimate.low?, estimate.high?);
    let inside = matches!(claim.comparison, Comparison::Within(_)) && judged.verdict == Verdict::Supported;
    let decimals = crate::number::ratio_decimals_of(estimate.point, high - low);
    match estimate.point > messages::boundary(claim, false) {
        _ if inside => None,
        true => Some(messages::at_least(low, decimals)),
        false => Some(messages::at_most(high, decimals)),
    }
}
