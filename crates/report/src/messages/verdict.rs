//! Findings of claims, in one sentence each: size, confidence, number of blocks, and what that means for the claim.
//! Never without the interval; never a percentile without the arrival of requests and their number; where a study
//! stopped early, the end of the interval that is nearer to the boundary claimed comes first.

use super::{of_sittings, spread_of};
use crate::number;
use proofload_analysis::{Cells, Judgements, allows_both, answered_over, is_early, reason_in_sentence};
use proofload_language::facts::told;
use proofload_language::{named, tr};
use proofload_stats::{
    Claim, Comparison, Design, Estimate, FigureOf, Judged, Kind, Measure, Names, Reason, Scope, Side, Term,
    Verdict,
};
use proofload_store::schema::{LoadPoint, Mode, Plan, Replication};

/// Data that a sentence needs beside the claim.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub plan: &'a Plan,
    /// The claims, and what they were judged on.
    pub judgements: &'a Judgements,
    pub cells: &'a Cells<'a>,
}

/// Ratios from this on are shown as ratios, not in per cent.
const TIMES_FROM: f64 = 2.0;

/// A claim about two variants under the same load, on one measure.
struct Pair {
    measure: Measure,
    stream: Option<usize>,
    over: usize,
    under: usize,
    point: usize,
}

/// Finding of a claim, without what it rests on; empty when nothing was measured.
pub fn found(claim: &Claim, judged: &Judged, setting: &Setting<'_>) -> String {
    let Some(estimate) = judged.estimate else { return String::new() };
    match pair_of(claim).filter(|_| estimate.unit == "ratio") {
        Some(pair) => of_pair(&pair, claim, judged, &estimate, setting),
        None => of_level(claim, judged, &estimate, setting),
    }
}

/// The sentence; empty when nothing was measured.
pub fn sentence(claim: &Claim, judged: &Judged, setting: &Setting<'_>) -> String {
    let Some(estimate) = judged.estimate else { return String::new() };
    let found = found(claim, judged, setting);
    let basis = basis(claim, judged, &estimate, setting);
    let outcome = outcome(claim, judged, &estimate, setting);
    let spread = match &judged.scope {
        Scope::Sittings(over) => Some(spread_of(over, over.found.blocks_worth(setting.judgements.cost))),
        _ => None,
    };
    tr!("sentence", found, basis, claim = claim.name, outcome, spread)
}

fn pair_of(claim: &Claim) -> Option<Pair> {
    let side = |side: &Side| match side {
        Side::Measured { term: Term::Of { measure, variant, stream }, point, .. } => {
            Some((*measure, *variant, *stream, *point))
        }
        _ => None,
    };
    let ((measure, over, stream, point), (other, under, beside, there)) =
        (side(&claim.left)?, side(&claim.right)?);
    ((measure, stream, point) == (other, beside, there) && over != under).then_some(Pair {
        measure,
        stream,
        over,
        under,
        point,
    })
}

/// `nio2 serves 5.4 % more requests than nio`.
fn of_pair(
    pair: &Pair,
    claim: &Claim,
    judged: &Judged,
    estimate: &Estimate,
    setting: &Setting<'_>,
) -> String {
    let variant =
        |index: usize| setting.judgements.names.variants.get(index).map_or("?", |known| known.name.as_str());
    let over = variant(pair.over);
    let under = match setting
        .judgements
        .names
        .points
        .get(pair.point)
        .filter(|_| setting.judgements.names.points.len() > 1)
    {
        Some(point) => format!("{} @ {point}", variant(pair.under)),
        None => variant(pair.under).to_string(),
    };
    let stream = of_stream(pair.stream, &setting.judgements.names);
    let (bound, ratio) = quoted(claim, judged, estimate, &setting.judgements.design);
    let found = if in_times(estimate) {
        let (bound, times) = (bound.map(Bound::name), times(ratio, estimate));
        match pair.measure {
            Measure::Throughput => tr!("pair-throughput-times", over, bound, times, stream, under),
            Measure::CpuPerRequest => tr!("pair-cpu-times", over, bound, times, under),
            Measure::ThroughputPerCpu => tr!("pair-per-cpu-times", over, bound, times, under),
            measure => {
                tr!("pair-measure-times", measure = measure.name(), stream, over, bound, times, under)
            }
        }
    } else {
        let bound = bound.map(|bound| if ratio < 1.0 { bound.other() } else { bound }.name());
        let (share, more) = (change(ratio, estimate), ratio >= 1.0);
        match pair.measure {
            Measure::Throughput => tr!("pair-throughput", over, bound, share, more, stream, under),
            Measure::CpuPerRequest => tr!("pair-cpu", over, bound, share, more, under),
            Measure::ThroughputPerCpu => tr!("pair-per-cpu", over, bound, share, more, under),
            measure => {
                tr!("pair-measure", measure = measure.name(), stream, over, bound, share, more, under)
            }
        }
    };
    match (claim.comparison, judged.verdict) {
        (Comparison::Within(band), Verdict::Supported) => {
            let differ = estimate.low > 1.0 || estimate.high < 1.0;
            tr!("pair-within", found, differ, band = number::percent(band))
        }
        _ => found,
    }
}

/// `[login]`, or nothing.
fn of_stream(stream: Option<usize>, names: &Names) -> String {
    names.part(stream).map_or_else(String::new, |name| format!("[{name}]"))
}

/// True if an estimate and its ends are shown as ratios, because one of them would be a large share.
fn in_times(estimate: &Estimate) -> bool {
    let ends = if has_ends(estimate) { [estimate.low, estimate.high] } else { [estimate.point; 2] };
    let mut told = ends.into_iter().chain([estimate.point]).filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    told.any(|ratio| ratio >= TIMES_FROM || ratio <= 1.0 / TIMES_FROM)
}

/// True if its ends are finite and not too wide to be shown.
fn has_ends(estimate: &Estimate) -> bool {
    estimate.low.is_finite() && estimate.high.is_finite() && !super::is_wide(estimate.low, estimate.high)
}

/// A value as the interval that it belongs to has it.
fn level(value: f64, estimate: &Estimate) -> String {
    match estimate.unit {
        "ratio" => times(value, estimate),
        unit => number::with_unit_as(value, estimate.point, unit),
    }
}

/// A ratio with the decimals of the interval that it belongs to.
fn times(ratio: f64, estimate: &Estimate) -> String {
    match decimals(estimate) {
        Some(decimals) => format!("{ratio:.decimals$}"),
        None => number::ratio(ratio),
    }
}

fn decimals(estimate: &Estimate) -> Option<usize> {
    let width = Some(estimate.high - estimate.low).filter(|_| has_ends(estimate));
    width.map(|width| number::ratio_decimals_of(estimate.point, width))
}

/// 5.4 % for 1.054 and for 0.946, with a digit more than the ratio would have.
fn change(ratio: f64, estimate: &Estimate) -> String {
    let percent = (ratio - 1.0).abs() * 100.0;
    match decimals(estimate) {
        Some(decimals) => format!("{percent:.0$}{1}", decimals.saturating_sub(1), number::percent_sign()),
        None => number::percent((ratio - 1.0).abs()),
    }
}

/// The end of an interval by which an early verdict is quoted.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast,
    AtMost,
}

impl Bound {
    /// As messages choose by it.
    fn name(self) -> &'static str {
        match self {
            Bound::AtLeast => "at-least",
            Bound::AtMost => "at-most",
        }
    }

    /// `at least` of a ratio below 1 is `at most` of what is missing to 1.
    fn other(self) -> Bound {
        match self {
            Bound::AtLeast => Bound::AtMost,
            Bound::AtMost => Bound::AtLeast,
        }
    }
}

/// Value that comes first: the estimate, or after an early stop the end of the interval that is nearer to the boundary.
fn quoted(claim: &Claim, judged: &Judged, estimate: &Estimate, design: &Design) -> (Option<Bound>, f64) {
    let inside = matches!(claim.comparison, Comparison::Within(_)) && judged.verdict == Verdict::Supported;
    if inside || !is_early(claim, judged, design) {
        return (None, estimate.point);
    }
    match estimate.point > boundary(claim, is_difference(estimate.unit)) {
        true => (Some(Bound::AtLeast), estimate.low),
        false => (Some(Bound::AtMost), estimate.high),
    }
}

/// Value that the quantity is compared with: a difference has the factors in it already.
pub fn boundary(claim: &Claim, is_difference: bool) -> f64 {
    let factor = |side: &Side| match side {
        Side::Measured { factor, .. } => *factor,
        Side::Constant(value) => *value,
    };
    if is_difference { 0.0 } else { factor(&claim.right) / factor(&claim.left) }
}

/// True if an estimate is one side less the other, because zeros forbid a ratio.
pub fn is_difference(unit: &str) -> bool {
    unit.ends_with("_difference")
}

/// `p99(nio) @ 64c is 48.2 ms`.
fn of_level(claim: &Claim, judged: &Judged, estimate: &Estimate, setting: &Setting<'_>) -> String {
    let left = quantity(&claim.left, &setting.judgements.names);
    let (bound, value) = quoted(claim, judged, estimate, &setting.judgements.design);
    let (bound, value) = (bound.map(Bound::name), level(value, estimate));
    match &claim.right {
        Side::Measured { .. } if is_difference(estimate.unit) => {
            let multiple = |side: &Side| match side {
                Side::Measured { factor, .. } if *factor != 1.0 => {
                    format!(
                        "{} × {}",
                        number::short(*factor, "count"),
                        quantity(side, &setting.judgements.names)
                    )
                }
                _ => quantity(side, &setting.judgements.names),
            };
            let (left, right) = (multiple(&claim.left), multiple(&claim.right));
            tr!("level-difference", left, right, bound, value)
        }
        Side::Measured { .. } => {
            tr!("level-times", left, bound, value, right = quantity(&claim.right, &setting.judgements.names))
        }
        Side::Constant(_) => tr!("level", left, bound, value),
    }
}

/// A side without its factor: `ratio(throughput, a, b) @ 64c`.
fn quantity(side: &Side, names: &Names) -> String {
    let variant = |index: &usize| names.variants.get(*index).map_or("?", |known| known.name.as_str());
    match side {
        Side::Constant(value) => number::plain(*value),
        Side::Measured { term, point, .. } => {
            let at = names.points.get(*point).map_or("?", String::as_str);
            match term {
                Term::Of { measure, variant: of, stream } => {
                    format!("{}{}({}) @ {at}", measure.name(), of_stream(*stream, names), variant(of))
                }
                Term::Ratio { measure, over, under, stream } => {
                    let (over, under) = (variant(over), variant(under));
                    format!("ratio({}{}, {over}, {under}) @ {at}", measure.name(), of_stream(*stream, names))
                }
            }
        }
    }
}

/// Basis of a finding: the interval, the estimate where another figure came first, blocks, and how they were made.
fn basis(claim: &Claim, judged: &Judged, estimate: &Estimate, setting: &Setting<'_>) -> String {
    let mut parts = Vec::new();
    let is_pair = pair_of(claim).is_some() && estimate.unit == "ratio";
    let told = |value: f64| match is_pair {
        true => signed(value, estimate),
        false => level(value, estimate),
    };
    if judged.reasons.contains(&Reason::Constant) {
        parts.push(tr!("basis-the-same-in-all").to_string());
    } else if has_ends(estimate) && !claim.is_of_a_count() {
        let confidence = number::confidence(judged.confidence);
        let anytime = setting.judgements.design.kind == Kind::Anytime;
        let (low, high) = (told(estimate.low), told(estimate.high));
        parts.push(tr!("basis-interval", confidence, anytime, low, high));
        if quoted(claim, judged, estimate, &setting.judgements.design).0.is_some() {
            parts.push(tr!("basis-estimate", told = told(estimate.point)));
        }
        parts.push(made_of(judged.blocks, setting.plan));
        parts.extend(of_sittings(&judged.scope));
        parts.push(tr!("basis-hodges-lehmann", told = told(estimate.hodges_lehmann)));
        return with_arrivals(parts, claim, judged.blocks, setting);
    } else if !claim.is_of_a_count() {
        parts.push(tr!("basis-no-interval").to_string());
    }
    parts.push(made_of(judged.blocks, setting.plan));
    with_arrivals(parts, claim, judged.blocks, setting)
}

/// `+5.4 %` for a ratio of 1.054; `×2.31` where the estimate is shown as a ratio.
fn signed(ratio: f64, estimate: &Estimate) -> String {
    if in_times(estimate) {
        return format!("×{}", times(ratio, estimate));
    }
    let sign = if ratio < 1.0 { "−" } else { "+" };
    format!("{sign}{}", change(ratio, estimate))
}

/// `12 blocks of fresh starts in cycles`.
fn made_of(n: u32, plan: &Plan) -> String {
    let (restarted, serial) = (plan.replication != Replication::Process, plan.mode == Mode::Serial);
    tr!("blocks-made-of", n, restarted, serial)
}

/// Adds to a figure of response times the arrival of requests, and the number of answers: those of the stream and of
/// the blocks that it rests on.
fn with_arrivals(mut parts: Vec<String>, claim: &Claim, n: u32, setting: &Setting<'_>) -> String {
    if claim.measured().any(|(measure, _)| measure.ranks_unended()) {
        let mut figures: Vec<FigureOf> = Vec::new();
        let place = |of: &FigureOf| (of.variant, of.point, of.stream);
        claim.figures().for_each(|of| {
            if !figures.iter().any(|known| place(known) == place(&of)) {
                figures.push(of);
            }
        });
        let counts = answered_over(setting.cells, &figures, n).into_iter().map(number::count);
        let counts: Vec<String> = counts.collect();
        let arrivals = |of: &FigureOf| {
            let load = setting.plan.points.get(of.point)?;
            let own = of.stream.and_then(|stream| load.streams.get(stream));
            Some(own.map_or_else(|| arrivals(load), |own| named(own.model.name()).to_string()))
        };
        let mut loops: Vec<String> = figures.iter().filter_map(arrivals).collect();
        loops.dedup();
        parts.push(tr!(
            "arrivals-and-answers",
            loops = loops.join(tr!("between-both")),
            counts = counts.join(tr!("between-both"))
        ));
    }
    parts.join(tr!("between-parts"))
}

/// Arrival of requests: `closed`, `open, poisson`.
pub fn arrivals(point: &LoadPoint) -> String {
    match &point.arrival {
        Some(arrival) => format!("{}{}{arrival}", named(point.model.name()), tr!("between-items")),
        None => named(point.model.name()).to_string(),
    }
}

/// `undecided, at +3.00 % the interval allows both; the resolution is ±4.40 %; about 9 blocks more would settle it`.
/// The reason has the same words as elsewhere.
fn outcome(claim: &Claim, judged: &Judged, estimate: &Estimate, setting: &Setting<'_>) -> String {
    let word = named(judged.verdict.name());
    if judged.verdict != Verdict::Undecided {
        return match judged.scope == Scope::ThisSitting && !claim.is_of_a_count() {
            true => tr!("outcome-in-this-sitting", word),
            false => word.to_string(),
        };
    }
    let Some(reason) = reason_in_sentence(judged).map(|at| &judged.reasons[at]) else {
        return word.to_string();
    };
    let why = told(&proofload_analysis::reason(reason, &setting.judgements.names, estimate.unit));
    if !allows_both(reason) {
        return tr!("labelled", label = word, what = why);
    }
    let is_pair = pair_of(claim).is_some() && estimate.unit == "ratio";
    let between = match claim.comparison {
        Comparison::Within(band) => format!("±{}", number::percent(band)),
        _ if is_pair => signed(boundary(claim, false), estimate),
        _ => number::with_unit(boundary(claim, is_difference(estimate.unit)), estimate.unit),
    };
    tr!("outcome-at", word, between, why)
}
