//! Comparisons that no claim declares: every pair of variants at every load point, as a source of questions for later
//! studies.
//!
//! They go through the judge like claims, at the same looks, and share an error rate of their own by Holm's rule, apart
//! from that of the claims. Their result is a ratio with its interval, and never a verdict.

use crate::cells::{Cells, answered_over};
use crate::estimate::stored;
use crate::observe::observations;
use crate::reasons::reason as reason_of;
use proofload_facts::{Limit, Reason as Why};
use proofload_stats::{
    Claim, Comparison, Design, FigureOf, Judged, Kind, Measure, Names, Observations, Reason, Side, Term,
    Verdict, judge,
};
use proofload_store::schema::Exploratory;
use proofload_store::{Run, StoreError};

/// Measures that are compared, most telling first.
const MEASURES: [Measure; 3] = [Measure::Throughput, Measure::CpuPerRequest, Measure::ResponseQuantile(9900)];

/// Most comparisons: each more makes all intervals wider.
const COMPARISONS_MAX: usize = 20;

/// The comparisons, and what of them is left out.
pub(crate) fn exploratory(
    run: &Run,
    names: &Names,
    claims: &[Claim],
    design: &Design,
) -> Result<(Vec<Exploratory>, Option<Limit>), StoreError> {
    // One block decides nothing, and suggests nothing either.
    if names.variants.len() < 2 || design.last() < 2 {
        return Ok((Vec::new(), None));
    }
    let observations = observations(run, &MEASURES)?;
    let comparisons = comparisons(names, claims, &observations);
    let all = comparisons.len();
    let comparisons = most_telling(comparisons, claims);
    let mut design = Design { futility: false, ..design.clone() };
    if design.kind == Kind::Anytime {
        // Its bounds hold at any look by themselves, and none of these is settled for good.
        let have = observations.blocks.len() as u32;
        let reached = design.looks.iter().rev().find(|look| **look <= have).copied();
        design.looks = vec![reached.unwrap_or(design.looks[0])];
    }
    let judgement = judge(&comparisons, &observations, &design);
    let cells = Cells::of(&observations);
    let results = comparisons.iter().zip(&judgement.claims);
    let shown: Vec<Exploratory> =
        results.filter_map(|(comparison, judged)| result(comparison, judged, names, &cells)).collect();
    let (told, comparisons) = (shown.len() as u32, all as u32);
    Ok((shown, (comparisons > told).then_some(Limit::NotExplored { shown: told, comparisons })))
}

fn term(measure: Measure, variant: usize, point: usize) -> Side {
    Side::Measured { factor: 1.0, term: Term::Of { measure, variant, stream: None }, point }
}

/// Every pair that was measured and that no claim compares.
fn comparisons(names: &Names, claims: &[Claim], observations: &Observations) -> Vec<Claim> {
    let mut found = Vec::new();
    for measure in MEASURES {
        let seen = |variant: usize, point: usize| {
            let mut cells = observations.cells.iter();
            cells.any(|cell| {
                (cell.measure, cell.variant, cell.point) == (measure, variant, point) && cell.merged.is_some()
            })
        };
        for point in 0..names.points.len() {
            for over in 1..names.variants.len() {
                for under in 0..over {
                    let sides = [term(measure, over, point), term(measure, under, point)];
                    if seen(over, point) && seen(under, point) && !is_claimed(claims, &sides) {
                        let [left, right] = sides;
                        let (name, text) = (String::new(), String::new());
                        found.push(Claim { name, text, left, comparison: Comparison::Equal, right });
                    }
                }
            }
        }
    }
    found
}

/// Of too many comparisons those in their order that fit, and before others what a request costs the two of a claim about
/// throughput: where the generator is their limit, it is what remains.
fn most_telling(comparisons: Vec<Claim>, claims: &[Claim]) -> Vec<Claim> {
    let remains = |comparison: &Claim| {
        let throughput = |of: FigureOf| term(Measure::Throughput, of.variant, of.point);
        let [over, under] = comparison.figures().collect::<Vec<_>>()[..] else { return false };
        over.measure == Measure::CpuPerRequest && is_claimed(claims, &[throughput(over), throughput(under)])
    };
    let mut ordered: Vec<(usize, Claim)> = comparisons.into_iter().enumerate().collect();
    ordered.sort_by_key(|(at, comparison)| (!remains(comparison), *at));
    ordered.truncate(COMPARISONS_MAX);
    ordered.sort_by_key(|(at, _)| *at);
    ordered.into_iter().map(|(_, comparison)| comparison).collect()
}

/// True if a claim compares the two, with any factors, in either order, or compares one over them.
fn is_claimed(claims: &[Claim], sides: &[Side; 2]) -> bool {
    let upright = |term: &Term| match term.clone() {
        Term::Of { measure: Measure::ThroughputPerCpu, variant, stream } => {
            Term::Of { measure: Measure::CpuPerRequest, variant, stream }
        }
        other => other,
    };
    let same = |one: &Side, other: &Side| match (one, other) {
        (Side::Measured { term, point, .. }, Side::Measured { term: other, point: there, .. }) => {
            (&upright(term), point) == (other, there)
        }
        _ => false,
    };
    claims.iter().any(|claim| {
        (same(&claim.left, &sides[0]) && same(&claim.right, &sides[1]))
            || (same(&claim.left, &sides[1]) && same(&claim.right, &sides[0]))
    })
}

fn result(comparison: &Claim, judged: &Judged, names: &Names, cells: &Cells<'_>) -> Option<Exploratory> {
    let estimate = judged.estimate.filter(|estimate| estimate.unit == "ratio")?;
    let sides: Vec<FigureOf> = comparison.figures().collect();
    let [over, under] = sides[..] else { return None };
    let name = |of: FigureOf| names.variants.get(of.variant).map(|variant| variant.name.clone());
    let exchanges = answered_over(cells, &sides, judged.blocks);
    let stands_out = judged.verdict == Verdict::Refuted;
    let held = |reason: &Reason| {
        use Reason::{Constant, IntervalCrosses, NoData, TooFewBlocks};
        !matches!(reason, IntervalCrosses { .. } | TooFewBlocks { .. } | NoData | Constant)
    };
    let mut reasons: Vec<Why> = judged.reasons.iter().filter(|r| held(r)).map(|r| why(r, names)).collect();
    reasons.dedup();
    Some(Exploratory {
        measure: over.measure.name(),
        over: name(over)?,
        under: name(under)?,
        point: names.points.get(over.point)?.clone(),
        ratio: Some(stored(estimate)),
        confidence: judged.confidence,
        blocks: judged.blocks,
        over_exchanges: exchanges[0],
        under_exchanges: exchanges[1],
        stands_out,
        reasons,
    })
}

/// The reason in short: the limits hold the number of exchanges that a quantile lacks.
fn why(reason: &Reason, names: &Names) -> Why {
    match reason {
        Reason::NotResolvable { .. } => Why::TooFewBeyond,
        other => reason_of(other, names, "ratio"),
    }
}
