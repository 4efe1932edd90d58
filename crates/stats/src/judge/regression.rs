//! Two runs made at different times: is this one worse than its baseline by more than is tolerated?
//!
//! The question for each figure is "no worse than the baseline by more than the tolerance": supported, refuted (a
//! regression), or undecided. Nothing is paired: each side is its blocks' values, and the interval is Welch's on
//! their logarithms. Figures share the error rate as claims do (Holm): those that settle leave their share to
//! the others.

use super::guard::{ERROR_SHARE_MAX, LOST_SHARE_MAX};
use crate::sample::{Moments, median};
use crate::{Cell, Estimate, Judged, Measure, Observations, Reason, Verdict, ratio_unpaired};

/// Blocks from which on values without any spread are taken for constant.
const CONSTANT_FROM: usize = 4;

/// One figure of two runs: indexes of this run first, of the baseline second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterpart {
    /// What.
    pub measure: Measure,
    /// Of which variant.
    pub variant: (usize, usize),
    /// At which load point.
    pub point: (usize, usize),
}

/// The blocks of one figure in one run.
struct Sample<'a> {
    cells: Vec<&'a Cell>,
    values: Vec<f64>,
    lost: (u32, u32),
}

/// Judges every figure. `tolerance` is a share: throughput may fall by it, everything else may rise by it. Each
/// estimate is this run's figure over the baseline's.
pub fn judge_regressions(
    now: &Observations,
    then: &Observations,
    figures: &[Counterpart],
    tolerance: f64,
    alpha: f64,
) -> Vec<Judged> {
    let samples: Vec<(Sample<'_>, Sample<'_>)> = figures
        .iter()
        .map(|f| {
            (
                Sample::of(now, f.measure, f.variant.0, f.point.0),
                Sample::of(then, f.measure, f.variant.1, f.point.1),
            )
        })
        .collect();
    let mut settled: Vec<Option<Judged>> = vec![None; figures.len()];
    loop {
        let open: Vec<usize> = (0..figures.len()).filter(|&figure| settled[figure].is_none()).collect();
        if open.is_empty() {
            break;
        }
        let share = alpha / open.len() as f64;
        let judged = |figure: usize| {
            let (now, then) = &samples[figure];
            (figure, compare(figures[figure].measure, now, then, tolerance, share))
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

impl<'a> Sample<'a> {
    fn of(observations: &'a Observations, measure: Measure, variant: usize, point: usize) -> Sample<'a> {
        // All streams together.
        let is_it = |cell: &&Cell| {
            (cell.measure, cell.variant, cell.point, cell.stream) == (measure, variant, point, None)
        };
        let (spared, cells): (Vec<&Cell>, Vec<&Cell>) =
            observations.cells.iter().filter(is_it).partition(|cell| cell.is_spared());
        let usable = |value: &f64| value.is_finite() && *value > 0.0;
        let values: Vec<f64> = cells.iter().filter_map(|cell| cell.merged).filter(usable).collect();
        let begun = (observations.blocks.len() as u32).saturating_add(observations.excluded_blocks);
        let of = begun.saturating_sub(spared.len() as u32);
        let lost = of.saturating_sub(values.len() as u32);
        Sample { cells, values, lost: (lost, of) }
    }

    /// What forbids a verdict however clear the interval is.
    fn guards(&self, measure: Measure) -> Vec<Reason> {
        let unfit = self.cells.iter().find_map(|cell| cell.unfit.first());
        let mut reasons: Vec<Reason> =
            unfit.map(|what| Reason::ClientLimited { what: what.clone() }).into_iter().collect();
        let sum =
            |of: fn(&Cell) -> u64| self.cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(of(cell)));
        let (errors, finished) = (sum(|cell| cell.errors), sum(|cell| cell.finished));
        let share = if errors == 0 { 0.0 } else { errors as f64 / finished.max(errors) as f64 };
        if measure.is_speed() && share > ERROR_SHARE_MAX {
            let variant = self.cells.first().map_or(0, |cell| cell.variant);
            reasons.push(Reason::Errors { variant, share });
        }
        let (lost, of) = self.lost;
        if f64::from(lost) > LOST_SHARE_MAX * f64::from(of) {
            reasons.push(Reason::BlocksLost { lost, of });
        }
        reasons
    }

    fn is_constant(&self) -> bool {
        Moments::of(&self.values).is_some_and(|moments| moments.sd == 0.0)
    }
}

fn compare(measure: Measure, now: &Sample<'_>, then: &Sample<'_>, tolerance: f64, tail: f64) -> Judged {
    let blocks = now.values.len() as u32;
    let fewest = now.values.len().min(then.values.len());
    let mut judged = Judged {
        verdict: Verdict::Undecided,
        estimate: None,
        confidence: 1.0 - tail,
        blocks,
        reasons: Vec::new(),
        settled: true,
        projection: None,
    };
    let Some(ratio) = ratio_unpaired(&now.values, &then.values, tail) else {
        judged.reasons.push(match fewest {
            0 => Reason::NoData,
            _ => Reason::TooFewBlocks { have: fewest as u32, need: 2 },
        });
        return judged;
    };
    judged.estimate = Some(Estimate {
        point: ratio.point,
        low: ratio.low,
        high: ratio.high,
        unit: "ratio",
        hodges_lehmann: shift(&now.values, &then.values).unwrap_or(ratio.point),
    });
    let constant = now.is_constant() && then.is_constant();
    judged.reasons = now.guards(measure);
    judged.reasons.extend(then.guards(measure));
    if constant && fewest < CONSTANT_FROM {
        judged.reasons.push(Reason::TooFewBlocks { have: fewest as u32, need: CONSTANT_FROM as u32 });
    }
    if !judged.reasons.is_empty() {
        return judged;
    }
    let (well, worse) = match measure {
        Measure::Throughput => (ratio.low >= 1.0 - tolerance, ratio.high < 1.0 - tolerance),
        _ => (ratio.high <= 1.0 + tolerance, ratio.low > 1.0 + tolerance),
    };
    judged.verdict = match (well, worse) {
        (true, _) => Verdict::Supported,
        (_, true) => Verdict::Refuted,
        _ => Verdict::Undecided,
    };
    if judged.verdict == Verdict::Undecided {
        let resolution = (ratio.high / ratio.low).sqrt() - 1.0;
        judged.reasons.push(Reason::IntervalCrosses { resolution, more_blocks: None });
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
