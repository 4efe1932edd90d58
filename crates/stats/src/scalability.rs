//! Knee, plateau and peak of a ladder of connections in a closed loop: where more load stops paying.
//!
//! By Little's law a closed loop of N connections answers X = N / (R + Z) exchanges a second, R being the response
//! time and Z the think time. While nothing queues, R stays at R₀ and X grows with N; what the server can do at most,
//! `X_max`, bounds it from above. The two lines cross at the **knee**, N* = `X_max` · (R₀ + Z) (Denning and Buzen,
//! Computing Surveys 10, 1978). It rests on two well measured numbers, not on where a curve seems to bend.
//!
//! A **peak**, a number of connections beyond which throughput falls, is reported only where it was seen: see
//! [`scalability`].

mod law;

use crate::MeanInterval;
use crate::mean_over_blocks;
use crate::rng::Rng;
use crate::sample::Moments;
use crate::student;
use law::{Curve, Law};

/// Fewest rungs for any result: the scalability law has three unknowns.
const RUNGS_MIN: usize = 4;
/// Fewest blocks for any result.
const BLOCKS_MIN: usize = 3;
/// A rung belongs to the plateau from this share of its throughput on.
const PLATEAU_SHARE: f64 = 0.95;
/// A plateau was seen when it begins at the highest rung divided by this, or below. Rungs that lie closer have throughput
/// within 5 % of each other on any curve. Just below √2, the usual step, since connections are whole.
const PLATEAU_REACH: f64 = 1.4;
/// Between the two lowest rungs throughput grows by at least this share of what the connections do, or the lowest is
/// no low load.
const LOW_LOAD_SHARE: f64 = 0.9;
/// One less than a thousand, so that the ends of usual intervals are order statistics.
const RESAMPLES: usize = 999;

/// Values of one variant at one number of connections.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// Connections of the closed loop.
    pub connections: u32,
    /// Answered exchanges per second, for each block.
    pub throughput_per_s: Vec<f64>,
}

/// Values of one variant on a ladder of connections, each block a fresh start that climbed all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// The rungs, by connections, the fewest first.
    pub rungs: Vec<Rung>,
    /// Mean response time at the lowest rung in nanoseconds, for each block.
    pub low_response_ns: Vec<f64>,
    /// Mean think time in nanoseconds.
    pub think_ns: f64,
}

/// Reason why a ladder has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLadder {
    /// Too few numbers of connections.
    TooFewRungs { have: usize, need: usize },
    /// Too few blocks in which every rung has a value.
    TooFewBlocks { have: usize, need: usize },
    /// Rungs that do not ascend, have not the same blocks, or a value that is not positive and finite.
    Unsound,
}

/// Reason why there is no knee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoKnee {
    /// No rung well below the highest comes near its throughput: what the server can do at most was not seen.
    StillRising,
    /// The lowest rung is on the plateau already: the knee lies there or below.
    AtLowest,
    /// Connections answered more each where there were more of them, and the knee comes out beyond the highest rung:
    /// the response time of the lowest is not the shortest.
    BeyondHighest,
}

/// Reason why there is no peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPeak {
    /// Throughput at the highest rung is not significantly below the most.
    NoFall,
    /// It is, but the interval of the fitted peak reaches the highest rung.
    OpenEnd,
}

/// An estimate with both ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    pub point: f64,
    pub low: f64,
    pub high: f64,
}

/// Rung from which on throughput is that of the plateau.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlateauFrom {
    /// Connections of the lowest rung whose throughput is on the plateau.
    pub point: u32,
    /// Lowest rung that may be.
    pub low: u32,
    /// Lowest rung that surely is; `None` when no rung is.
    pub high: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalability {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// The most that was answered per second, over the blocks.
    pub most_per_s: MeanInterval,
    /// Mean response time at the lowest rung in nanoseconds.
    pub low_response_ns: MeanInterval,
    /// True if the lowest rung is a low load. Where it is not, its response time is too long and the knee too high.
    pub low_load: bool,
    pub knee: Result<MeanInterval, NoKnee>,
    /// Beginning of the plateau; it means nothing while throughput is still rising.
    pub plateau_from: PlateauFrom,
    pub peak: Result<Fitted, NoPeak>,
    /// σ of the scalability law: the share of work that has to queue.
    pub contention: Fitted,
    /// κ of the scalability law: what each pair of connections costs.
    pub coherency: Fitted,
}

/// Reads a ladder. Each interval misses with probability `tail`, for a number of blocks that was fixed before: these
/// are figures, not verdicts. The same seed gives the same intervals.
///
/// - *The most* is taken in each block at the rung that the **other** blocks show to be the highest: the highest of
///   several noisy figures is too high, one that was chosen without looking at it is not. Rungs that the other blocks
///   do not show to be lower, by a standard error, are taken with it, and their mean counts: the highest rung of a
///   plateau changes from block to block, and one alone would make the interval half as wide again.
/// - *The knee*: each block has ln X + ln(R₀ + Z), whose mean over blocks has Student's interval. That is the delta
///   method on logarithms with the covariance of both factors in it. The standard error of both is the jackknife's, for a
///   block has a say in where the others take their most, and such figures are not independent of each other.
/// - *The plateau* begins at the lowest rung whose mean log-ratio to the most is at least ln 0.95. Its ends are the
///   lowest rung that is not significantly below that, and the lowest that is significantly above. Unless the highest
///   rung has 1.4 times as many connections, the ladder was too short to see a plateau, and there is no knee either.
/// - *The peak* is that of the Universal Scalability Law, X = λN / (1 + σ(N − 1) + κN(N − 1)), at √((1 − σ)/κ)
///   (Gunther, Guerrilla Capacity Planning, 2007), fitted to ln X by least squares. It is reported only if the upper end of
///   its interval lies below the highest rung **and** throughput there is significantly below the most: the law has a
///   peak for any data, also for a curve that never falls.
///
/// # Errors
/// The reason why nothing can be told.
pub fn scalability(ladder: &Ladder, tail: f64, seed: u64) -> Result<Scalability, NoLadder> {
    check(ladder)?;
    let logs: Vec<Vec<f64>> = ladder
        .rungs
        .iter()
        .map(|rung| rung.throughput_per_s.iter().map(|throughput| throughput.ln()).collect())
        .collect();
    let blocks: Vec<usize> = (0..ladder.low_response_ns.len()).collect();
    let most = most(&logs, &blocks);
    let cycle = |ns: &f64| ((ns + ladder.think_ns) / 1e9).ln();
    let cycles: Vec<f64> = ladder.low_response_ns.iter().map(cycle).collect();
    let times = |own: &[f64]| most_times(&logs, own, tail).ok_or(NoLadder::Unsound);
    let below: Vec<Distance> = logs
        .iter()
        .map(|rung| Distance::of(rung, &most, tail))
        .collect::<Option<_>>()
        .ok_or(NoLadder::Unsound)?;
    let fit = Fit::of(ladder, &logs, tail, seed);
    let highest = ladder.rungs.last().map_or(0, |rung| rung.connections);
    let falls = below.last().is_some_and(|distance| distance.high < 0.0);
    Ok(Scalability {
        blocks: most.len() as u32,
        most_per_s: times(&vec![0.0; blocks.len()])?,
        low_response_ns: mean_over_blocks(&ladder.low_response_ns, tail).ok_or(NoLadder::Unsound)?,
        low_load: is_low_load(ladder, &logs),
        knee: knee(times(&cycles)?, ladder, &below),
        plateau_from: plateau_from(ladder, &below),
        peak: match (falls, fit.peak.high < f64::from(highest)) {
            (false, _) => Err(NoPeak::NoFall),
            (true, false) => Err(NoPeak::OpenEnd),
            (true, true) => Ok(fit.peak),
        },
        contention: fit.contention,
        coherency: fit.coherency,
    })
}

fn check(ladder: &Ladder) -> Result<(), NoLadder> {
    let rungs = &ladder.rungs;
    if rungs.len() < RUNGS_MIN {
        return Err(NoLadder::TooFewRungs { have: rungs.len(), need: RUNGS_MIN });
    }
    let blocks = ladder.low_response_ns.len();
    if blocks < BLOCKS_MIN {
        return Err(NoLadder::TooFewBlocks { have: blocks, need: BLOCKS_MIN });
    }
    let mut values = rungs.iter().flat_map(|rung| &rung.throughput_per_s).chain(&ladder.low_response_ns);
    let sound = values.all(|value| value.is_finite() && *value > 0.0)
        && rungs.iter().all(|rung| rung.throughput_per_s.len() == blocks)
        && rungs.windows(2).all(|pair| pair[0].connections < pair[1].connections)
        && rungs[0].connections > 0
        && ladder.think_ns.is_finite()
        && ladder.think_ns >= 0.0;
    if sound { Ok(()) } else { Err(NoLadder::Unsound) }
}

/// For each of these blocks the log throughput where the others of them have the most: at their highest rung and those
/// within a standard error of it, the mean of all of these.
fn most(logs: &[Vec<f64>], blocks: &[usize]) -> Vec<f64> {
    let of_block = |block: &usize| {
        let others = || blocks.iter().filter(|other| *other != block);
        let sum = |rung: &[f64]| others().map(|other| rung[*other]).sum::<f64>();
        let highest = logs.iter().max_by(|a, b| sum(a).total_cmp(&sum(b)));
        let is_near = |rung: &&Vec<f64>| {
            let below = |highest: &Vec<f64>| others().map(|other| highest[*other] - rung[*other]).collect();
            let below: Option<Vec<f64>> = highest.map(below);
            let moments = below.and_then(|below| Moments::of(&below));
            moments.is_some_and(|moments| moments.mean <= moments.standard_error())
        };
        let here: Vec<f64> = logs.iter().filter(is_near).map(|rung| rung[*block]).collect();
        Moments::of(&here).map_or(f64::NAN, |moments| moments.mean)
    };
    blocks.iter().map(of_block).collect()
}

/// The most, times what each block has of its own, as logarithms. The standard error is what leaving out each block in
/// turn does to the mean (Efron and Stein, Ann. Statist. 9, 1981); without a choice of rungs it would be the usual one.
fn most_times(logs: &[Vec<f64>], own: &[f64], tail: f64) -> Option<MeanInterval> {
    let mean = |blocks: &[usize]| {
        let most = most(logs, blocks);
        most.iter().zip(blocks).map(|(most, block)| most + own[*block]).sum::<f64>() / blocks.len() as f64
    };
    let blocks: Vec<usize> = (0..own.len()).collect();
    let without = |left_out: &usize| {
        let others: Vec<usize> = blocks.iter().copied().filter(|block| block != left_out).collect();
        mean(&others)
    };
    let spread = Moments::of(&blocks.iter().map(without).collect::<Vec<f64>>())?;
    let freedom = spread.n.saturating_sub(1);
    let error = f64::from(freedom) / f64::from(spread.n).sqrt() * spread.sd;
    let (mean, half) = (mean(&blocks), student::critical(tail, freedom) * error);
    let ends = Some(((mean - half).exp(), (mean + half).exp()));
    mean.is_finite().then(|| MeanInterval { mean: mean.exp(), ends, blocks: spread.n })
}

/// Distance of the log throughput of a rung from the most.
struct Distance {
    mean: f64,
    low: f64,
    high: f64,
}

impl Distance {
    fn of(rung: &[f64], most: &[f64], tail: f64) -> Option<Distance> {
        let differences: Vec<f64> = rung.iter().zip(most).map(|(here, most)| here - most).collect();
        let moments = Moments::of(&differences)?;
        let half = student::critical(tail, moments.n.saturating_sub(1)) * moments.standard_error();
        Some(Distance { mean: moments.mean, low: moments.mean - half, high: moments.mean + half })
    }
}

fn plateau_from(ladder: &Ladder, below: &[Distance]) -> PlateauFrom {
    let bound = PLATEAU_SHARE.ln();
    let first = |is_on: &dyn Fn(&Distance) -> bool| {
        below.iter().position(is_on).and_then(|at| ladder.rungs.get(at)).map(|rung| rung.connections)
    };
    // The rung that is the highest over all blocks is on the plateau in any case.
    let highest = ladder.rungs.last().map_or(0, |rung| rung.connections);
    PlateauFrom {
        point: first(&|distance| distance.mean >= bound).unwrap_or(highest),
        low: first(&|distance| distance.high >= bound).unwrap_or(highest),
        high: first(&|distance| distance.low >= bound),
    }
}

fn knee(crossing: MeanInterval, ladder: &Ladder, below: &[Distance]) -> Result<MeanInterval, NoKnee> {
    let bound = PLATEAU_SHARE.ln();
    let connections = |at: usize| ladder.rungs.get(at).map_or(0.0, |rung| f64::from(rung.connections));
    let highest = connections(ladder.rungs.len() - 1);
    let first = below.iter().position(|distance| distance.mean >= bound);
    match first {
        Some(0) => Err(NoKnee::AtLowest),
        Some(at) if PLATEAU_REACH * connections(at) <= highest && crossing.mean <= highest => Ok(crossing),
        Some(at) if PLATEAU_REACH * connections(at) <= highest => Err(NoKnee::BeyondHighest),
        _ => Err(NoKnee::StillRising),
    }
}

/// One connection waits for no other. More of them are a low load while they do not slow each other down.
fn is_low_load(ladder: &Ladder, logs: &[Vec<f64>]) -> bool {
    let [first, second, ..] = ladder.rungs.as_slice() else { return true };
    let sum = |rung: &[f64]| rung.iter().sum::<f64>();
    let grown = (sum(&logs[1]) - sum(&logs[0])) / logs[0].len() as f64;
    let offered = (f64::from(second.connections) / f64::from(first.connections)).ln();
    first.connections == 1 || grown >= offered + LOW_LOAD_SHARE.ln()
}

/// The scalability law through all figures, with percentile intervals from resampled residuals.
struct Fit {
    peak: Fitted,
    contention: Fitted,
    coherency: Fitted,
}

impl Fit {
    /// A start that is quicker than another is so at every rung, which tells nothing about the curve's form: each
    /// block has a scale of its own, and residuals are taken around it. With n figures and p numbers fitted, scales
    /// included, they are scaled by √(n/(n − p)) (Davison and Hinkley, Bootstrap Methods, 1997, 6.3), because a fit
    /// lies nearer to its data than the truth does.
    fn of(ladder: &Ladder, logs: &[Vec<f64>], tail: f64, seed: u64) -> Fit {
        let blocks = ladder.low_response_ns.len();
        let connections = ladder.rungs.iter().map(|rung| f64::from(rung.connections)).collect();
        let means: Vec<f64> = logs.iter().map(|rung| rung.iter().sum::<f64>() / blocks as f64).collect();
        let curve = Curve::over(connections);
        let law = curve.fit(&means, None);
        let fitted = curve.logs(law, &means);
        let residuals = residuals(logs, &fitted);
        let n = residuals.len();
        let scale = (n as f64 / (n - (2 + blocks)) as f64).sqrt();
        let mut rng = Rng::new(seed);
        let mut drawn = || residuals[rng.below(n as u64) as usize] * scale;
        let mut laws = Vec::with_capacity(RESAMPLES);
        for _ in 0..RESAMPLES {
            let again: Vec<f64> = fitted
                .iter()
                .map(|log| log + (0..blocks).map(|_| drawn()).sum::<f64>() / blocks as f64)
                .collect();
            laws.push(curve.fit(&again, Some(law)));
        }
        let interval = |of: &dyn Fn(&Law) -> f64| percentiles(of(&law), laws.iter().map(of).collect(), tail);
        Fit {
            peak: interval(&Law::peak),
            contention: interval(&|law| law.sigma),
            coherency: interval(&|law| law.kappa),
        }
    }
}

fn residuals(logs: &[Vec<f64>], fitted: &[f64]) -> Vec<f64> {
    let blocks = logs.first().map_or(0, Vec::len);
    let mut residuals = Vec::with_capacity(logs.len() * blocks);
    for block in 0..blocks {
        let off = || logs.iter().zip(fitted).map(|(rung, fitted)| rung[block] - fitted);
        let scale = off().sum::<f64>() / logs.len() as f64;
        residuals.extend(off().map(|off| off - scale));
    }
    residuals
}

fn percentiles(point: f64, mut seen: Vec<f64>, tail: f64) -> Fitted {
    seen.sort_by(f64::total_cmp);
    let rank = ((0.5 * tail * (seen.len() + 1) as f64).floor() as usize).clamp(1, seen.len().max(1));
    let end = |at: usize| seen.get(at).copied().unwrap_or(point);
    Fitted { point, low: end(rank - 1), high: end(seen.len().saturating_sub(rank)) }
}

#[cfg(test)]
mod tests;
