//! Noise of a machine, fitted to two variants that are equal (A/A).
//!
//! The logarithm of a slice is taken for the sum of four things: the effect of this start of this variant, the state
//! of the machine at that moment (which all variants share, and which lasts: AR(1)), the noise of the slice, and now
//! and then a spike. Each is found by its own mark:
//!
//! - the *slice's* noise scatters the log-ratios of the cycles of one block;
//! - a *start's* effect scatters the blocks' means of them by more than the cycles' scatter explains (Kalibera and
//!   Jones, ISMM 2013: T² = S² − s²/r);
//! - the *drift* is all that slices of different variants have in common; how that fades with the distance of the
//!   slices is its memory;
//! - *spikes* are slices that are worse than their pair by more than noise ever makes them.

mod lengths;
mod resolution;

pub use lengths::{SliceLengths, slice_lengths};
pub use resolution::{Detectable, blocks_for, detectable};

use crate::judge::of_block;
use crate::sample::{Moments, median};
use crate::{CellKey, Measure, Observations, block_log_ratios, chi_square, student};

/// Fewest blocks for a spread.
pub const BLOCKS_MIN: u32 = 3;
/// The intervals miss with this probability.
const TAIL: f64 = 0.05;
/// A log-ratio this many standard deviations from the middle of its block is a spike: normal noise goes there once in
/// 16,000.
const SPIKE_SDS: f64 = 4.0;
/// The median distance of two values of a normal distribution, in standard deviations.
const MEDIAN_DISTANCE: f64 = 0.953_9;
/// Memories that are tried, in steps; beyond the last one the drift outlasts a block, and its length is unknown. What
/// fades within a slice or two is a slice's noise.
const MEMORY_STEP: f64 = 0.005;
const MEMORY_MIN: f64 = 0.3;
const MEMORY_MAX: f64 = 0.995;
/// Least covariance of variants that counts as a drift, in standard errors above 0.
const DRIFT_ERRORS: f64 = 2.0;

/// A number with both ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The noise of one measure. All are on the scale of logarithms: 0.02 is 2 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Spread of a single run: from one fresh start to the next, whatever lies between them.
    pub run_sd: f64,
    /// Spread of the log-ratio of two equal variants from block to block: what a comparison has to see through.
    pub block_sd: Ends,
    /// Mean log-ratio of the two equal variants: 0 must be within its ends, or something favours one of them.
    pub difference: Ends,
    /// Spread of the starts' own effects.
    pub start_sd: f64,
    pub slice_sd: f64,
    /// Spread of the machine's drift.
    pub drift_sd: f64,
    /// Correlation of the drift from one slice to the next; `None` when no drift was found.
    pub drift_memory: Option<f64>,
    /// Share of the drift in the variance of a slice.
    pub drift_share: f64,
    /// Share of slices that were spoilt.
    pub spike_share: f64,
    /// Size of the spikes: median log-ratio of the spoilt slices to their pairs; `None` without any.
    pub spike_size: Option<f64>,
}

/// One block: the logarithms of both variants' slices by cycle, spikes taken out, and the log-ratios of the cycles.
struct Block {
    slices: [Vec<Option<f64>>; 2],
    ratios: Vec<f64>,
}

/// Fits the noise of two variants that are equal. Disturbed and incomplete blocks are not among the observations.
///
/// `None` with fewer than [`BLOCKS_MIN`] blocks that have both, or when the slices have no values.
pub fn fit(observations: &Observations, place: CellKey, pair: (usize, usize)) -> Option<Noise> {
    let ratios: Vec<f64> =
        block_log_ratios(observations, place, pair.0, pair.1).into_iter().flatten().collect();
    let moments = Moments::of(&ratios).filter(|moments| moments.n >= BLOCKS_MIN)?;
    let (low, high) = chi_square::interval_of_sd(moments.sd, moments.n, TAIL);
    let half = student::critical(TAIL, moments.n - 1) * moments.standard_error();
    let mut blocks = blocks(observations, place, pair);
    let spikes = take_spikes(&mut blocks, place.measure);
    let within = variance_within(&blocks)?;
    let start_var = start_variance(&blocks, within);
    let (drift_var, memory) = drift(&blocks, within);
    let slice_var = (0.5 * within - drift_var * (1.0 - memory.unwrap_or(0.0))).max(0.0);
    let all = drift_var + slice_var + start_var;
    Some(Noise {
        blocks: moments.n,
        run_sd: run_sd(observations, place, pair)?,
        block_sd: Ends { value: moments.sd, low, high },
        difference: Ends { value: moments.mean, low: moments.mean - half, high: moments.mean + half },
        start_sd: start_var.sqrt(),
        slice_sd: slice_var.sqrt(),
        drift_sd: drift_var.sqrt(),
        drift_memory: memory,
        drift_share: if all > 0.0 { drift_var / all } else { 0.0 },
        spike_share: spikes.share,
        spike_size: spikes.size,
    })
}

fn blocks(observations: &Observations, place: CellKey, pair: (usize, usize)) -> Vec<Block> {
    let logs = |values: &[Option<f64>]| -> Vec<Option<f64>> {
        values.iter().map(|value| value.filter(|v| v.is_finite() && *v > 0.0).map(f64::ln)).collect()
    };
    let of_block = |&block: &u32| {
        let left = place.cell(observations, block, pair.0)?;
        let right = place.cell(observations, block, pair.1)?;
        Some(Block { slices: [logs(&left.cycles), logs(&right.cycles)], ratios: Vec::new() })
    };
    observations.blocks.iter().filter_map(of_block).collect()
}

/// Spread of what single starts came to, each variant about its own mean.
fn run_sd(observations: &Observations, place: CellKey, pair: (usize, usize)) -> Option<f64> {
    let of_variant = |variant: usize| {
        let runs = observations.blocks.iter().filter_map(|&block| {
            let value = of_block(place.cell(observations, block, variant)?)?;
            (value > 0.0).then(|| value.ln())
        });
        Moments::of(&runs.collect::<Vec<f64>>())
    };
    let (one, other) = (of_variant(pair.0)?, of_variant(pair.1)?);
    Some((0.5 * (one.sd * one.sd + other.sd * other.sd)).sqrt())
}

struct Spikes {
    share: f64,
    size: Option<f64>,
}

/// Finds the spoilt slices and takes their cycles out of what the other parts are fitted to.
fn take_spikes(blocks: &mut [Block], measure: Measure) -> Spikes {
    let ratio =
        |block: &Block, cycle: usize| Some((*block.slices[0].get(cycle)?)? - (*block.slices[1].get(cycle)?)?);
    let cycles = |block: &Block| block.slices[0].len().min(block.slices[1].len());
    let apart = |block: &Block| -> Vec<(usize, f64)> {
        let all: Vec<(usize, f64)> =
            (0..cycles(block)).filter_map(|cycle| Some((cycle, ratio(block, cycle)?))).collect();
        let middle = median(&all.iter().map(|(_, ratio)| *ratio).collect::<Vec<f64>>()).unwrap_or(0.0);
        all.into_iter().map(|(cycle, ratio)| (cycle, ratio - middle)).collect()
    };
    // Distances between cycles, not from their middle: the middle of a few lies nearer to them than their mean does.
    let mut distances = Vec::new();
    let mut pairs = 0;
    for all in blocks.iter().map(&apart) {
        pairs += all.len();
        let later = |(at, one): (usize, &(usize, f64))| -> Vec<f64> {
            all[at + 1..].iter().map(|other| (one.1 - other.1).abs()).collect()
        };
        distances.extend(all.iter().enumerate().flat_map(later));
    }
    let sd = median(&distances).unwrap_or(0.0) / MEDIAN_DISTANCE;
    // A spike is always for the worse.
    let worse = if measure.more_is_better() { -1.0 } else { 1.0 };
    let mut sizes = Vec::new();
    for block in blocks.iter_mut() {
        for (cycle, apart) in apart(block) {
            if sd > 0.0 && apart.abs() > SPIKE_SDS * sd {
                sizes.push(apart.abs());
                let spoilt = usize::from(apart * worse < 0.0);
                block.slices[spoilt][cycle] = None;
            }
        }
        block.ratios = (0..cycles(block)).filter_map(|cycle| ratio(block, cycle)).collect();
    }
    let share = if pairs == 0 { 0.0 } else { sizes.len() as f64 / (2 * pairs) as f64 };
    Spikes { share, size: median(&sizes) }
}

/// Variance of the cycles' log-ratios about the mean of their block, all blocks together.
fn variance_within(blocks: &[Block]) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for moments in blocks.iter().filter_map(|block| Moments::of(&block.ratios)) {
        squares += moments.sd * moments.sd * f64::from(moments.n - 1);
        freedom += f64::from(moments.n - 1);
    }
    (freedom > 0.0).then(|| squares / freedom)
}

/// Variance of a start's effect: half of what the blocks' mean log-ratios vary by beyond their cycles' noise.
fn start_variance(blocks: &[Block], within: f64) -> f64 {
    let of_blocks: Vec<Moments> = blocks.iter().filter_map(|block| Moments::of(&block.ratios)).collect();
    let means: Vec<f64> = of_blocks.iter().map(|moments| moments.mean).collect();
    let Some(between) = Moments::of(&means) else { return 0.0 };
    let noise = of_blocks.iter().map(|moments| within / f64::from(moments.n)).sum::<f64>();
    (0.5 * (between.sd * between.sd - noise / f64::from(between.n))).max(0.0)
}

/// Variance and memory of the drift, from the products of slices of different variants: those share nothing else.
///
/// Within a cycle the two are one slice apart; k cycles apart they are 2k slices apart on the average, since every
/// second cycle has the order of the one before it reversed. Starts that differ much hide a small drift: nothing is found
/// then.
fn drift(blocks: &[Block], within: f64) -> (f64, Option<f64>) {
    let mean = |variant: usize| {
        let all: Vec<f64> =
            blocks.iter().flat_map(|block| block.slices[variant].iter().copied().flatten()).collect();
        Moments::of(&all).map_or(0.0, |moments| moments.mean)
    };
    let means = [mean(0), mean(1)];
    let mut products: Vec<(f64, f64)> = Vec::new();
    let mut of_blocks = Vec::new();
    for block in blocks {
        let (mut sum, mut count) = (0.0, 0.0);
        for (i, left) in block.slices[0].iter().enumerate() {
            for (j, right) in block.slices[1].iter().enumerate() {
                let (Some(left), Some(right)) = (left, right) else { continue };
                let cycles = i.abs_diff(j);
                if products.len() <= cycles {
                    products.resize(cycles + 1, (0.0, 0.0));
                }
                let product = (left - means[0]) * (right - means[1]);
                products[cycles].0 += product;
                products[cycles].1 += 1.0;
                sum += product;
                count += 1.0;
            }
        }
        of_blocks.extend((count > 0.0).then_some(sum / count));
    }
    let common = Moments::of(&of_blocks);
    if common.is_none_or(|common| common.mean <= DRIFT_ERRORS * common.standard_error()) {
        return (0.0, None);
    }
    // The means are of the same blocks, which takes one of them away.
    let n = blocks.len() as f64;
    let unbiased = n / (n - 1.0).max(1.0);
    let lag = |cycles: usize| if cycles == 0 { 1.0 } else { 2.0 * cycles as f64 };
    let seen: Vec<(f64, f64, f64)> = products
        .iter()
        .enumerate()
        .filter(|(_, (_, count))| *count > 0.0)
        .map(|(cycles, (sum, count))| (lag(cycles), unbiased * sum / count, *count))
        .collect();
    best_decay(&seen, within)
}

/// The variance and the memory whose decay is nearest to covariances at lags, each with its weight. What the drift does
/// from one slice to the next cannot be more than the cycles of a block scatter by, `within`.
fn best_decay(seen: &[(f64, f64, f64)], within: f64) -> (f64, Option<f64>) {
    let steps = ((MEMORY_MAX - MEMORY_MIN) / MEMORY_STEP).round() as u32;
    let mut best = (f64::INFINITY, 0.0, None);
    for step in 0..=steps {
        let memory = MEMORY_MIN + f64::from(step) * MEMORY_STEP;
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            seen.iter().map(|(lag, found, weight)| weight * of(memory.powf(*lag), *found)).sum()
        };
        let variance = sum(&|decay, found| decay * found) / sum(&|decay, _| decay * decay);
        let variance = variance.min(0.5 * within / (1.0 - memory));
        if !(variance > 0.0 && variance.is_finite()) {
            continue;
        }
        let missed = sum(&|decay, found| (found - variance * decay).powi(2));
        if missed < best.0 {
            best = (missed, variance, Some(memory));
        }
    }
    (best.1, best.2)
}
