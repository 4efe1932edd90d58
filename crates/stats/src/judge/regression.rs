//! Two runs made at different times: is this one worse than its baseline by more than is tolerated?
//!
//! The question for each figure is "no worse than the baseline by more than the tolerance": supported, refuted (a
//! regression), or undecided. Nothing is paired: each side is its blocks' values, and the interval is Welch's on
//! their logarithms; where it is known how much the figure differs between sittings, its variance has twice the square of
//! that beside those of the blocks, for the runs are two sittings. Figures share the error rate as claims do (Holm): those that settle leave their share to
//! the others.

use super::estimated::widened;
use super::figure::Figure;
use crate::interval::{ratio_between_sittings, ratio_unpaired};
use crate::sample::{Moments, median};
use crate::{Between, Estimate, FigureOf, Judged, Measure, Observations, Reason, Scope, Verdict};

/// Blocks from which on values without any spread are taken for constant.
const CONSTANT_FROM: usize = 4;

/// One figure of two runs: indexes of this run first, of the baseline second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counterpart {
    pub measure: Measure,
    pub variant: (usize, usize),
    pub point: (usize, usize),
    /// Spread between sittings, where that is known.
    pub between: Option<Between>,
}

/// Judges every figure. `tolerance` is a share: throughput, of a CPU too, may fall by it, everything else may rise by it. Each
/// estimate is this run's figure over the baseline's.
pub fn judge_regressions(
    now: &Observations,
    then: &Observations,
    figures: &[Counterpart],
    tolerance: f64,
    alpha: f64,
) -> Vec<Judged> {
    // All streams together.
    let of = |run, measure, variant, point| {
        Figure::of(run, FigureOf { measure, variant, point, stream: None }, false)
    };
    let both: Vec<(Figure<'_>, Figure<'_>)> = figures
        .iter()
        .map(|f| (of(now, f.measure, f.variant.0, f.point.0), of(then, f.measure, f.variant.1, f.point.1)))
        .collect();
    let mut settled: Vec<Option<Judged>> = vec![None; figures.len()];
    loop {
        let open: Vec<usize> = (0..figures.len()).filter(|&figure| settled[figure].is_none()).collect();
        if open.is_empty() {
            break;
        }
        let share = alpha / open.len() as f64;
        let judged = |figure: usize| {
            let (now, then) = &both[figure];
            (figure, compare(&figures[figure], now, then, tolerance, share))
        };
        let all: Vec<(usize, Judged)> = open.into_iter().map(judged).collect();
        let decided = |judged: &Judged| judged.verdict != Verdict::Undecided;
        let any = all.iter().any(|(_, judged)| decided(judged));
        for (figure, judged) in all {
            if decided(&judged) || !any {
                settled[figure] = Some(judged);
            }
        }
    }
    settled.into_iter().flatten().collect()
}

fn is_constant(figure: &Figure<'_>) -> bool {
    Moments::of(&figure.values).is_some_and(|moments| moments.sd == 0.0)
}

fn compare(of: &Counterpart, now: &Figure<'_>, then: &Figure<'_>, tolerance: f64, tail: f64) -> Judged {
    let blocks = now.values.len() as u32;
    let fewest = now.values.len().min(then.values.len());
    let mut judged = Judged {
        scope: of.between.map_or(Scope::ThisSitting, Scope::Widened),
        ..Judged::undecided(1.0 - tail, blocks)
    };
    let ratio = match &of.between {
        Some(between) => ratio_between_sittings(&now.values, &then.values, tail, between),
        None => ratio_unpaired(&now.values, &then.values, tail),
    };
    let Some(ratio) = ratio else {
        judged.reasons.push(match fewest {
            0 => Reason::NoData,
            _ => Reason::TooFewBlocks { have: fewest as u32, need: 2 },
        });
        return judged;
    };
    let reach = now.reach().and(then.reach().inverse());
    let (low, high) = (ratio.low * (-reach.below).exp(), ratio.high * reach.above.exp());
    let own = Estimate {
        point: ratio.point,
        low: ratio.low,
        high: ratio.high,
        unit: "ratio",
        hodges_lehmann: shift(&now.values, &then.values).unwrap_or(ratio.point),
    };
    judged.estimate = Some(widened(own, reach));
    let constant = is_constant(now) && is_constant(then);
    judged.reasons = now.guards();
    judged.reasons.extend(then.guards());
    if constant && fewest < CONSTANT_FROM {
        judged.reasons.push(Reason::TooFewBlocks { have: fewest as u32, need: CONSTANT_FROM as u32 });
    }
    if !judged.reasons.is_empty() {
        return judged;
    }
    let verdict = |low: f64, high: f64| {
        let (well, worse) = match of.measure.more_is_better() {
            true => (low >= 1.0 - tolerance, high < 1.0 - tolerance),
            false => (high <= 1.0 + tolerance, low > 1.0 + tolerance),
        };
        match (well, worse) {
            (true, _) => Verdict::Supported,
            (_, true) => Verdict::Refuted,
            _ => Verdict::Undecided,
        }
    };
    judged.verdict = verdict(low, high);
    if judged.verdict == Verdict::Undecided && verdict(ratio.low, ratio.high) != Verdict::Undecided {
        judged.reasons = now.flaws().into_iter().chain(then.flaws()).collect();
    } else if judged.verdict == Verdict::Undecided {
        let resolution = (ratio.high / ratio.low).sqrt() - 1.0;
        judged.reasons.push(Reason::IntervalCrosses { resolution, more_blocks: None });
        let wider =
            of.between.map(|Between { tau, sittings, .. }| Reason::WidenedBySittings { tau, sittings });
        judged.reasons.extend(wider);
    } else if constant {
        judged.reasons.push(Reason::Constant);
    }
    judged
}

/// Hodges and Lehmann's shift of two samples on the log scale, as a ratio.
fn shift(now: &[f64], then: &[f64]) -> Option<f64> {
    let pairs: Vec<f64> = now.iter().flat_map(|n| then.iter().map(move |t| (n / t).ln())).collect();
    median(&pairs).map(f64::exp)
}
