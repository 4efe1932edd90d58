//! Published conclusions beside their outcome here; and published figures that cannot all be true.

use crate::cells::CellKey;
use crate::points::place_of;
use proofload_facts::{Finding, Reason};
use proofload_stats::{Claim, Contradiction, InFlight, Names, Published, contradictions};
use proofload_store::schema::{
    ClaimResult, ConclusionOutcome, ConclusionResult, ConclusionTest, LoadPoint, Model, Plan,
    PlannedConclusion, PlannedReference, PublishedContradiction, Verdict,
};
use std::collections::BTreeMap;

/// A contradiction with the source and the place that it was found at.
pub(crate) struct Found {
    reference: usize,
    place: CellKey,
    told: PublishedContradiction,
}

/// The published figures of a plan that contradict themselves; `published` are all of them, in the plan's order.
pub(crate) fn contradicting(plan: &Plan, names: &Names, published: &[Published]) -> Vec<Found> {
    let mut rest = published;
    let mut found = Vec::new();
    for (index, reference) in plan.references.iter().enumerate() {
        let (own, others) = rest.split_at(reference.figures.len().min(rest.len()));
        rest = others;
        let mut places: BTreeMap<CellKey, Vec<Published>> = BTreeMap::new();
        for figure in own {
            places.entry((figure.variant, figure.point, figure.stream)).or_default().push(figure.clone());
        }
        for (place, figures) in places {
            let stream = names.part(place.2);
            // What is in flight of an entry of a mix is not known.
            let is_known = place.2.is_none_or(|at| at < names.streams.len());
            let load = plan.points.get(place.1).filter(|_| is_known);
            let in_flight = load.and_then(|load| in_flight(load, stream));
            found.extend(contradictions(&figures, in_flight).iter().map(|contradiction| Found {
                reference: index,
                place,
                told: told(contradiction, place, names, reference),
            }));
        }
    }
    found
}

/// Requests that may be in flight at a load point, where that is known.
fn in_flight(load: &LoadPoint, stream: Option<&str>) -> Option<InFlight> {
    let of = |model: &Model, connections: u32, always: bool| {
        (*model == Model::Closed && connections > 0)
            .then(|| InFlight { connections: f64::from(connections), always: always && !load.whole })
    };
    if load.streams.is_empty() {
        let always = load.think_ns == 0 && load.profile.is_empty();
        return of(&load.model, load.connections, always);
    }
    let streams = load.streams.iter().filter(|own| stream.is_none_or(|name| own.stream == name));
    let each = streams.map(|own| of(&own.model, own.connections, own.think_ns == 0));
    let sum = each.reduce(|a, b| {
        let (a, b) = a.zip(b)?;
        Some(InFlight { connections: a.connections + b.connections, always: a.always && b.always })
    });
    sum.flatten()
}

fn told(
    contradiction: &Contradiction,
    place: CellKey,
    names: &Names,
    reference: &PlannedReference,
) -> PublishedContradiction {
    let (variant, point) = (names.name_of(place.0), names.point_of(place.1));
    let stream = names.stream_of(place.2);
    let what = contradicts(contradiction, place_of(&variant, &stream, &point));
    PublishedContradiction {
        source: reference.source.clone(),
        measures: contradiction.measures().iter().map(|measure| measure.name()).collect(),
        what,
        variant,
        point,
        stream,
    }
}

/// A contradiction at a place, as a reason.
fn contradicts(contradiction: &Contradiction, place: String) -> Reason {
    match *contradiction {
        Contradiction::MoreInFlight { in_flight, connections } => {
            Reason::MoreInFlight { place, in_flight, connections }
        }
        Contradiction::Unaccounted { missing, connections } => {
            Reason::TimeUnaccounted { place, missing, connections, used: connections - missing }
        }
        Contradiction::Below { of, than } => {
            Reason::BelowOther { place, measure: of.name(), other: than.name() }
        }
        Contradiction::AboveWhole { of } => Reason::AboveWhole { place, measure: of.name() },
        Contradiction::Utilisation { product, cores } => Reason::CoresDiffer { place, product, cores },
    }
}

/// The same as the result holds them.
pub(crate) fn stored(found: &[Found]) -> Vec<PublishedContradiction> {
    found.iter().map(|found| found.told.clone()).collect()
}

/// Outcomes of the conclusions of a plan; `judged` are the results of its claims.
pub(crate) fn conclusions(
    plan: &Plan,
    claims: &[Claim],
    judged: &[ClaimResult],
    found: &[Found],
) -> Vec<ConclusionResult> {
    let judged: Vec<(&Claim, &ClaimResult)> = claims.iter().zip(judged).collect();
    let mut results = Vec::new();
    for (index, reference) in plan.references.iter().enumerate() {
        let own: Vec<&Found> = found.iter().filter(|found| found.reference == index).collect();
        results.extend(
            reference.conclusions.iter().map(|planned| conclusion(plan, reference, planned, &judged, &own)),
        );
    }
    results
}

fn conclusion(
    plan: &Plan,
    reference: &PlannedReference,
    planned: &PlannedConclusion,
    judged: &[(&Claim, &ClaimResult)],
    found: &[&Found],
) -> ConclusionResult {
    let asked = |claim: &Claim| planned.claims.contains(&claim.name);
    let of = || judged.iter().filter(|(claim, _)| asked(claim));
    let is_smoke = plan.timing.looks == [1];
    let tests: Vec<ConclusionTest> = of().filter(|_| !is_smoke).map(|(_, result)| test(result)).collect();
    let mut not_tested: Vec<Finding> = Vec::new();
    if !planned.not_tested.is_empty() {
        not_tested.push(Finding::NotTestedByStudy { why: planned.not_tested.clone() });
    } else if is_smoke {
        not_tested.push(Finding::NotTestedBySmoke);
    } else {
        let gone = planned.claims.iter().filter(|name| !of().any(|(claim, _)| claim.name == **name));
        not_tested.extend(gone.flat_map(|name| left_out(plan, name)));
    }
    let spoken_of = |place: CellKey| {
        of().flat_map(|(claim, _)| claim.figures()).any(|of| (of.variant, of.point, of.stream) == place)
    };
    ConclusionResult {
        says: planned.says.clone(),
        outcome: outcome(&tests, !not_tested.is_empty()),
        was: planned.was.clone(),
        beware: planned.beware.clone(),
        contradictions: found
            .iter()
            .filter(|found| spoken_of(found.place))
            .map(|found| found.told.what.clone())
            .collect(),
        tests,
        not_tested,
        source: reference.source.clone(),
        url: reference.url.clone(),
    }
}

fn test(result: &ClaimResult) -> ConclusionTest {
    ConclusionTest {
        claim: result.name.clone(),
        text: result.text.clone(),
        outcome: outcome_of(&result.verdict),
        estimate: result.estimate.clone(),
        confidence: result.confidence,
        blocks: result.blocks,
        reasons: result.reasons.clone(),
    }
}

/// Outcome of a conclusion for a verdict on a claim that tests it.
fn outcome_of(verdict: &Verdict) -> ConclusionOutcome {
    match verdict {
        Verdict::Supported => ConclusionOutcome::Reproduced,
        Verdict::Refuted => ConclusionOutcome::NotReproduced,
        _ => ConclusionOutcome::Undecided,
    }
}

/// Reasons why a claim of the study is not one of this run: the plan lists what was dropped, and why its variants
/// were.
fn left_out(plan: &Plan, name: &str) -> Vec<Finding> {
    let is_it = |it: &&Finding| matches!(it, Finding::ClaimLeftOut { claim, .. } if claim == name);
    let Some(found) = plan.not_tested.iter().find(is_it) else {
        return vec![Finding::NoSuchClaim { claim: name.to_string() }];
    };
    let Finding::ClaimLeftOut { text, .. } = found else { return Vec::new() };
    let of_variant = |it: &&Finding| match it {
        Finding::VariantLeftOut { variant, why } => !why.is_empty() && names_variant(text, variant),
        _ => false,
    };
    std::iter::once(found).chain(plan.not_tested.iter().filter(of_variant)).cloned().collect()
}

/// True if a claim names a variant or one of its levels.
fn names_variant(claim: &str, variant: &str) -> bool {
    let words: Vec<&str> = claim.split(|c: char| "(), ".contains(c)).collect();
    let levels = variant.split(',').map(|pair| pair.split_once('=').map_or(pair, |(_, level)| level));
    let named = levels.into_iter().any(|level| {
        words.iter().any(|word| *word == level || word.split_once('=').is_some_and(|(_, own)| own == level))
    });
    named || claim.contains(variant)
}

/// One refuted test is enough, and all must be supported. A part that was not tested leaves the rest open.
fn outcome(tests: &[ConclusionTest], in_part_only: bool) -> ConclusionOutcome {
    let any = |outcome| tests.iter().any(|test| test.outcome == outcome);
    if tests.is_empty() {
        ConclusionOutcome::NotTested
    } else if any(ConclusionOutcome::NotReproduced) {
        ConclusionOutcome::NotReproduced
    } else if any(ConclusionOutcome::Undecided) || in_part_only {
        ConclusionOutcome::Undecided
    } else {
        ConclusionOutcome::Reproduced
    }
}

#[cfg(test)]
mod tests;
