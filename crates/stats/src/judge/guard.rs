//! Guards: reasons that forbid a verdict however clear the interval is.
//!
//! Each guard is one line in [`guards`], [`of_values`] or [`of_estimate`], and one function below; beside them is
//! [`few`], which comes before any interval.

use super::decide::{Frame, Scale};
use super::series::{Series, Trial, of_block};
use crate::design::CONSTANT_BLOCKS_MIN;
use crate::sample::{Moments, median};
use crate::{
    Cell, Comparison, Design, LostStart, Perturbation, Reason, Side, TAIL_EXCHANGES_MIN, Unsteady,
    fewest_beyond, next_look, student,
};
use proofload_facts::Finding;
use std::mem::discriminant;

/// Error share above which there is no verdict on speed: a fast error page is not throughput.
pub const ERROR_SHARE_MAX: f64 = 0.001;

/// Share of the blocks that may be lost.
pub(super) const LOST_SHARE_MAX: f64 = 0.2;

/// Largest difference, as a share of the blocks, between the losses of two variants.
pub(super) const UNEVEN_SHARE_MAX: f64 = 0.1;

/// Blocks of difference that are not a pattern yet.
const UNEVEN_BLOCKS_MIN: u32 = 2;

/// Probability with which chance alone may hold the halves of a study apart: that of a normal value beyond three
/// standard deviations.
const HALVES_TAIL: f64 = 0.0027;

/// Fewest blocks that have halves with a spread.
const HALVES_BLOCKS_MIN: usize = 4;

/// Share of the blocks that may be without a steady state.
const UNSTEADY_SHARE_MAX: f64 = 0.25;

/// Least further change that is assumed of a variant without a steady state, however little it changed when it was
/// seen: planted, where two windows were nearly alike by chance a JVM changed by less than this (docs/truth.md), and
/// a late step of a compiler brings up to 12 %.
const REST_OF_WARM_UP_MIN: f64 = 0.2;
/// The same by the older rules.
const REST_OF_WARM_UP_MIN_OLDER: f64 = 0.5;

/// Every guard that needs no estimate, looking at the first `blocks` complete blocks of those that were begun;
/// `beside` them that many were disturbed. Flaws of single values are in [`Flaws`](super::flaws::Flaws).
pub(super) fn guards(series: &Series<'_>, blocks: u32, begun: u32, beside: u32) -> Vec<Reason> {
    let mut reasons = Vec::new();
    reasons.extend(errors(series, blocks));
    reasons.extend(of_blocks(series, blocks, begun));
    reasons.extend(unresolved(series, blocks));
    reasons.extend(unsteady(series, blocks));
    reasons.extend(disturbed(blocks, beside));
    reasons.extend(slice_length(series, blocks));
    reasons
}

/// Guards against blocks that are missing.
pub(super) fn of_blocks(series: &Series<'_>, blocks: u32, begun: u32) -> Vec<Reason> {
    lost(series, blocks, begun).into_iter().chain(unevenly(series, blocks, begun)).collect()
}

/// Guards that rest on the values of the blocks.
pub(super) fn of_values(frame: &Frame) -> Vec<Reason> {
    let mut reasons = Vec::new();
    reasons.extend(halves(frame));
    reasons
}

/// Guards that rest on the estimate, where its interval decides.
pub(super) fn of_estimate(frame: &Frame, mean: f64, centre: f64) -> Vec<Reason> {
    let mut reasons = Vec::new();
    reasons.extend((!frame.agrees(mean, centre)).then_some(Reason::SignsDisagree));
    reasons
}

/// Fewer blocks than the first look, or than any interval takes; or sittings, where the looks count them.
pub(super) fn few(design: &Design, have: u32, half: f64, are_sittings: bool) -> Option<Reason> {
    let first = design.looks.first().copied().unwrap_or(u32::MAX);
    (have < first || half.is_infinite()).then(|| match are_sittings {
        true => too_few_sittings(design, have),
        false => too_few(design, have),
    })
}

pub(super) fn too_few_sittings(design: &Design, have: u32) -> Reason {
    Reason::TooFewSittings { have, need: next_look(design, have) }
}

pub(super) fn too_few(design: &Design, have: u32) -> Reason {
    Reason::TooFewBlocks { have, need: next_look(design, have).unwrap_or(CONSTANT_BLOCKS_MIN.max(have + 1)) }
}

/// Quantiles that some start hardly saw. The p9999 of a thousand exchanges is the slowest of them, which lies below it in
/// every start alike, so that the interval between starts is narrow and beside the truth.
fn unresolved(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let of_trial = |(place, trial): (usize, &Trial)| {
        let cells = series.cells.iter().take(blocks as usize).filter_map(|cells| cells[place]);
        let beyond = fewest_beyond(trial.measure, cells).filter(|beyond| *beyond < TAIL_EXCHANGES_MIN)?;
        Some(Reason::NotResolvable { measure: trial.measure, variant: trial.variant, beyond })
    };
    series.trials.iter().enumerate().filter_map(of_trial).collect()
}

/// Blocks in which a variant was still warming, or moved another way than the others while it was measured. What is
/// counted over all exchanges does not rest on it.
fn unsteady(series: &Series<'_>, blocks: u32) -> Option<Reason> {
    let of_block = |found: &Vec<Unsteady>| found.first().copied();
    let found: Vec<Unsteady> = series.unsteady.iter().take(blocks as usize).filter_map(of_block).collect();
    unsteady_in(&found, blocks).filter(|_| !series.is_of_errors())
}

/// Further change of the claim's quantity, as a logarithm, because its variants had no steady state: the mean over
/// the blocks, and at least the change that is assumed of any warm-up. `None` when nothing is known of some start.
pub(super) fn rest_of_warm_up(series: &Series<'_>, blocks: u32) -> Option<f64> {
    let of_block = |found: &Vec<Unsteady>| found.iter().map(|start| start.rest).sum::<Option<f64>>();
    let all: Option<Vec<f64>> = series.unsteady.iter().take(blocks as usize).map(of_block).collect();
    let mean = all?.iter().sum::<f64>() / f64::from(blocks.max(1));
    let least = if series.is_older { REST_OF_WARM_UP_MIN_OLDER } else { REST_OF_WARM_UP_MIN };
    mean.is_finite().then(|| mean.max(least.ln_1p()))
}

pub(super) fn unsteady_in(found: &[Unsteady], blocks: u32) -> Option<Reason> {
    let too_many = found.len() as f64 > UNSTEADY_SHARE_MAX * f64::from(blocks);
    let slopes: Vec<f64> = found.iter().filter_map(|start| start.per_10s).collect();
    too_many.then(|| Reason::NoSteadyState {
        blocks: found.len() as u32,
        of: blocks,
        per_10s: median(&slopes),
    })
}

/// Findings for which the generator was unfit: of each kind the first, with its place.
pub(super) fn unfit(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let cells = series.cells.iter().take(blocks as usize).flatten().flatten();
    of_each_kind(cells.filter(|cell| cell.is_unbounded()).flat_map(|cell| &cell.unfit))
}

/// Findings of a busy generator, for values that hold at the rate at which it asked.
pub(super) fn busy(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    of_each_kind(series.cells.iter().take(blocks as usize).flatten().flatten().flat_map(|cell| &cell.busy))
}

fn of_each_kind<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Reason> {
    let mut seen: Vec<&Finding> = Vec::new();
    for finding in findings {
        let kind = |finding: &Finding| discriminant(finding.innermost());
        if !seen.iter().any(|known| kind(known) == kind(finding)) {
            seen.push(finding);
        }
    }
    seen.into_iter().map(|what| Reason::ClientLimited { what: what.clone() }).collect()
}

/// True if errors of the generator's own making are among those of the first blocks.
pub(super) fn has_own_errors(series: &Series<'_>, blocks: u32) -> bool {
    series.cells.iter().take(blocks as usize).flatten().flatten().any(|cell| cell.own_errors > 0)
}

/// Quantiles whose rank lies among exchanges without an end, each with all of these that it has.
pub(super) fn unended(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let of_trial = |(place, trial): (usize, &Trial)| {
        let cells = || series.cells.iter().take(blocks as usize).filter_map(move |cells| cells[place]);
        let sum = |of: fn(&Cell) -> u64| cells().fold(0_u64, |sum, cell| sum.saturating_add(of(cell)));
        cells().any(|cell| cell.at_least).then(|| Reason::Unended {
            measure: trial.measure,
            variant: trial.variant,
            unanswered: sum(|cell| cell.unanswered),
            unsent: sum(|cell| cell.unsent),
        })
    };
    series.trials.iter().enumerate().filter_map(of_trial).collect()
}

/// The first variant of a claim that errors are few which died under load.
pub(super) fn died(series: &Series<'_>, begun: u32) -> Option<Reason> {
    let comparison = series.claim.comparison;
    let are_few = matches!(comparison, Comparison::Less | Comparison::AtMost | Comparison::Equal);
    if !are_few || !series.is_of_errors() || !matches!(series.claim.right, Side::Constant(_)) {
        return None;
    }
    let of_start = |start: &&LostStart| {
        Some(Reason::Died { variant: start.variant, what: start.died.clone()? })
            .filter(|_| start.block <= begun)
    };
    series.lost.iter().find_map(of_start)
}

/// Too many errors under a claim about speed.
pub(super) fn errors(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    if !series.is_of_speed() {
        return Vec::new();
    }
    let mut told: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut reasons = Vec::new();
    for (place, trial) in series.trials.iter().enumerate() {
        if told.contains(&(trial.variant, trial.point, trial.stream)) {
            continue;
        }
        told.push((trial.variant, trial.point, trial.stream));
        let (mut errors, mut finished) = (0_u64, 0_u64);
        for cell in series.cells.iter().take(blocks as usize).filter_map(|cells| cells[place]) {
            errors = errors.saturating_add(cell.errors_outside());
            finished = finished.saturating_add(cell.finished);
        }
        let share = share_of_errors(errors, finished);
        if share > ERROR_SHARE_MAX {
            reasons.push(Reason::Errors { variant: trial.variant, share });
        }
    }
    reasons
}

/// Of errors and other exchanges together, where `finished` may leave out those that never ended.
pub fn share_of_errors(errors: u64, finished: u64) -> f64 {
    if errors == 0 { 0.0 } else { errors as f64 / finished.max(errors) as f64 }
}

/// Blocks that count for no claim, when they are the most.
pub(super) fn disturbed(blocks: u32, disturbed: u32) -> Option<Reason> {
    let of = blocks.saturating_add(disturbed);
    (disturbed > blocks).then_some(Reason::Disturbed { blocks: disturbed, of })
}

/// A ratio that is another one in long slices than in short ones: in these it is still felt that the load went from one server
/// to the other.
fn slice_length(series: &Series<'_>, blocks: u32) -> Option<Reason> {
    match series.slice_length(blocks)? {
        (Perturbation::Beyond { ratio }, blocks) => Some(Reason::SliceLength { ratio, blocks }),
        _ => None,
    }
}

/// Blocks that were begun for this claim: those that left it out on purpose are not among them.
fn begun_for(series: &Series<'_>, blocks: u32, begun: u32) -> u32 {
    let spared = series.spared.iter().take(blocks as usize).filter(|spared| **spared).count() as u32;
    begun.max(blocks).saturating_sub(spared)
}

/// Blocks lost to everyone, and those in which this claim has no value.
fn lost(series: &Series<'_>, blocks: u32, begun: u32) -> Option<Reason> {
    let held = series.sides.iter().zip(&series.spared).take(blocks as usize);
    let missing = held.filter(|(sides, spared)| sides.is_none() && !**spared).count();
    let lost = begun.saturating_sub(blocks).saturating_add(missing as u32);
    let of = begun_for(series, blocks, begun);
    (f64::from(lost) > LOST_SHARE_MAX * f64::from(of)).then_some(Reason::BlocksLost { lost, of })
}

/// One variant lost in many more blocks than another. What is left of it may be its better starts.
fn unevenly(series: &Series<'_>, blocks: u32, begun: u32) -> Option<Reason> {
    let lost_of = |place: usize| {
        let held = series.cells.iter().zip(&series.spared).take(blocks as usize);
        held.filter(|(cells, spared)| !**spared && cells[place].and_then(of_block).is_none()).count() as u32
    };
    let lost: Vec<(usize, u32)> =
        series.trials.iter().enumerate().map(|(place, trial)| (trial.variant, lost_of(place))).collect();
    let (variant, most) = lost.iter().copied().max_by_key(|(_, lost)| *lost)?;
    let others = lost.iter().filter(|(other, _)| *other != variant);
    let other = others.map(|(_, lost)| *lost).min()?;
    let (apart, of) = (most - other, begun_for(series, blocks, begun));
    let uneven = apart >= UNEVEN_BLOCKS_MIN && f64::from(apart) > UNEVEN_SHARE_MAX * f64::from(of);
    uneven.then_some(Reason::LostUnevenly { variant, lost: most, other, of })
}

/// The halves of the study against each other, in the order of its blocks: a t test with both halves' spread. Three
/// standard errors are rare only where the spread is known well, so what is allowed grows as blocks are few.
fn halves(frame: &Frame) -> Option<Reason> {
    let values = &frame.values;
    if values.len() < HALVES_BLOCKS_MIN {
        return None;
    }
    let (first, second) = values.split_at(values.len() / 2);
    let (first, second) = (Moments::of(first)?, Moments::of(second)?);
    let freedom = first.n + second.n - 2;
    let squares = |half: &Moments| half.sd * half.sd * f64::from(half.n - 1);
    let variance = (squares(&first) + squares(&second)) / f64::from(freedom);
    let error = (variance * (1.0 / f64::from(first.n) + 1.0 / f64::from(second.n))).sqrt();
    let apart = (first.mean - second.mean).abs();
    let allowed = student::critical(HALVES_TAIL, freedom);
    let back = |value: f64| if frame.scale == Scale::Log { value.exp() } else { value };
    (apart > allowed * error).then(|| Reason::HalvesDiffer {
        first: back(first.mean),
        second: back(second.mean),
        errors: apart / error,
        allowed,
    })
}
