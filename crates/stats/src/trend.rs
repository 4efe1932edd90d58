//! Trends: whether something grows over hours of even load, and how fast.
//!
//! Values follow each other closely and depend on each other, so a line through all of them is far too sure of itself:
//! with an autocorrelation of 0.8 it sees growth in every second series of pure noise. Here the beginning is left out
//! (caches fill), the rest is folded into ten blocks, and the line goes through the means of the blocks, whose scatter
//! gives the interval. `crates/stats/tests/trend.rs` shows how often that errs.

use crate::sample::median;
use crate::student;

/// A value of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendValue {
    /// Time, in hours from the beginning of the load.
    pub hours: f64,
    pub exchanges: f64,
    pub value: f64,
}

/// Folding of a block's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Mean,
    /// The least of them: of a heap between collections, what was left after one.
    Least,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendRule {
    /// Share of the values that is left out at the beginning.
    pub dropped: f64,
    /// Blocks that the rest is folded into.
    pub blocks: usize,
    /// Intervals miss with this probability.
    pub tail: f64,
    /// Growth of less than this share of the yardstick in an hour does not matter.
    pub growth_per_hour: f64,
    /// Largest share of the yardstick that the upper end of the interval may reach, over `horizon_hours`, for the
    /// verdict of no growth.
    pub stays_within: f64,
    pub horizon_hours: f64,
    /// Ratio of the growth in the first half to that in the second from which on the series is filling up.
    pub slows_by: f64,
}

impl Default for TrendRule {
    fn default() -> Self {
        TrendRule {
            dropped: 0.3,
            blocks: 10,
            tail: 0.05,
            growth_per_hour: 0.01,
            stays_within: 0.05,
            horizon_hours: 24.0,
            slows_by: 3.0,
        }
    }
}

/// Fewest blocks: three make a line with an interval, and there are two halves.
const BLOCKS_MIN: usize = 6;

impl TrendRule {
    /// Number of `values` that are left out.
    fn left_out(&self, values: usize) -> usize {
        (values as f64 * self.dropped.clamp(0.0, 1.0)).round() as usize
    }

    /// Fewest values in which a trend can be detected.
    pub fn needs(&self) -> usize {
        let kept = self.blocks.max(BLOCKS_MIN);
        let is_enough = |values: &usize| values - self.left_out(*values).min(*values) >= kept;
        (kept..=100 * kept).find(is_enough).unwrap_or(usize::MAX)
    }
}

/// Increase per unit of time, or per exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Of the line of least squares.
    pub point: f64,
    /// Lower end of its interval.
    pub low: f64,
    pub high: f64,
    /// The median of the slopes between any two blocks (Theil and Sen), which a block that went astray does not move.
    pub median: f64,
    error: f64,
    freedom: u32,
}

/// Verdict on the growth of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrendVerdict {
    /// It grows, in the whole and in the second half, by more than matters.
    Growth,
    /// Whatever it does, it stays within bounds for the horizon, and the second half grows by no more than matters.
    NoGrowth,
    /// It grew, and much slower in the second half.
    Filling {
        /// The second half by itself still grows, by more than matters.
        goes_on: bool,
    },
    /// None of these can be decided.
    Undecided,
}

/// A series with its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    pub verdict: TrendVerdict,
    pub per_hour: Slope,
    /// In an hour, of the first half of what was kept.
    pub first_half: Slope,
    /// In an hour, of the second half.
    pub second_half: Slope,
    /// With each exchange; `None` when none was answered.
    pub per_exchange: Option<Slope>,
    pub level: f64,
    /// Value that growth is compared with: the given one, or the level.
    pub yardstick: f64,
    /// The smallest growth in an hour that this series could have shown.
    pub detectable_per_hour: f64,
    pub values: usize,
    /// Values that were left out at the beginning.
    pub left_out: usize,
    /// From the first value kept to the last.
    pub hours: f64,
}

/// Reason why a series has no trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTrend {
    #[error("{have} values, and a trend can be told from {need} on")]
    TooFew { have: usize, need: usize },
    /// A value, or its time, is not a finite number.
    #[error("value {at}, counted from 0, is not finite")]
    NotFinite { at: usize },
    /// All values are of one instant.
    #[error("all values are of one instant")]
    NoTime,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    hours: f64,
    exchanges: f64,
    value: f64,
}

/// Trend of a series, in order of time. `yardstick` is the value that growth is compared with, in the unit of the
/// values, such as the largest heap; without one it is the level itself.
///
/// # Errors
/// Fails if the values are too few, one is not finite, or no time passes.
pub fn trend(
    values: &[TrendValue],
    yardstick: Option<f64>,
    fold: Fold,
    rule: &TrendRule,
) -> Result<Trend, NoTrend> {
    let is_finite =
        |value: &TrendValue| [value.hours, value.exchanges, value.value].iter().all(|n| n.is_finite());
    if let Some(at) = values.iter().position(|value| !is_finite(value)) {
        return Err(NoTrend::NotFinite { at });
    }
    let (have, need) = (values.len(), rule.needs());
    if have < need {
        return Err(NoTrend::TooFew { have, need });
    }
    let left_out = rule.left_out(have);
    let kept = &values[left_out..];
    let blocks = folded(kept, fold, rule.blocks.max(BLOCKS_MIN));
    let (first, second) = blocks.split_at(blocks.len() / 2);
    let in_hours = |blocks: &[Block]| slope(blocks, |block| block.hours, rule.tail).ok_or(NoTrend::NoTime);
    let per_hour = in_hours(&blocks)?;
    let (first_half, second_half) = (in_hours(first)?, in_hours(second)?);
    let level = blocks.iter().map(|block| block.value).sum::<f64>() / blocks.len() as f64;
    let yardstick = yardstick.filter(|of| *of > 0.0).unwrap_or_else(|| level.abs());
    let half_width = |slope: &Slope| 0.5 * (slope.high - slope.low);
    let detectable_per_hour =
        half_width(&per_hour).max(half_width(&second_half)).max(rule.growth_per_hour * yardstick);
    let found = Trend {
        verdict: TrendVerdict::Undecided,
        per_hour,
        first_half,
        second_half,
        per_exchange: slope(&blocks, |block| block.exchanges, rule.tail),
        level,
        yardstick,
        detectable_per_hour,
        values: kept.len(),
        left_out,
        hours: kept[kept.len() - 1].hours - kept[0].hours,
    };
    Ok(Trend { verdict: verdict(&found, rule), ..found })
}

/// The rules. What slows down is looked at first: it grows as well, for as long as it fills up.
fn verdict(of: &Trend, rule: &TrendRule) -> TrendVerdict {
    let (first, second) = (&of.first_half, &of.second_half);
    let slower = first.low > 0.0 && first.point > rule.slows_by * second.point.max(0.0);
    // By chance one half of a straight line is three times as steep as the other; then they do not differ for sure.
    let error = first.error.hypot(second.error);
    let certain = student::critical(rule.tail, first.freedom + second.freedom) * error;
    let ends_growing = second.low > 0.0 && second.point > rule.growth_per_hour * of.yardstick;
    if slower && first.point - second.point > certain && !stays(of, rule) {
        return TrendVerdict::Filling { goes_on: ends_growing };
    }
    let grows = of.per_hour.low > 0.0 && second.low > 0.0;
    if grows && of.per_hour.point > rule.growth_per_hour * of.yardstick {
        return TrendVerdict::Growth;
    }
    // After a fall, the whole tells nothing about the end.
    if stays(of, rule) && !ends_growing { TrendVerdict::NoGrowth } else { TrendVerdict::Undecided }
}

fn stays(of: &Trend, rule: &TrendRule) -> bool {
    of.per_hour.high <= 0.0 || of.per_hour.high * rule.horizon_hours < rule.stays_within * of.yardstick
}

/// As many values in each block as in every other, to within one.
fn folded(values: &[TrendValue], fold: Fold, blocks: usize) -> Vec<Block> {
    let end = |block: usize| block * values.len() / blocks;
    let block = |at: usize| {
        let of = &values[end(at)..end(at + 1)];
        let mean = |what: fn(&TrendValue) -> f64| of.iter().map(what).sum::<f64>() / of.len() as f64;
        let value = match fold {
            Fold::Mean => mean(|value| value.value),
            Fold::Least => of.iter().map(|value| value.value).fold(f64::INFINITY, f64::min),
        };
        Block { hours: mean(|value| value.hours), exchanges: mean(|value| value.exchanges), value }
    };
    (0..blocks).map(block).collect()
}

/// The line through blocks; `None` when they all lie at one place.
fn slope(blocks: &[Block], along: fn(&Block) -> f64, tail: f64) -> Option<Slope> {
    let n = blocks.len() as f64;
    let freedom = u32::try_from(blocks.len()).ok()?.checked_sub(2).filter(|freedom| *freedom > 0)?;
    let middle = blocks.iter().map(along).sum::<f64>() / n;
    let level = blocks.iter().map(|block| block.value).sum::<f64>() / n;
    let squares: f64 = blocks.iter().map(|block| (along(block) - middle).powi(2)).sum();
    if squares.is_nan() || squares <= 0.0 {
        return None;
    }
    let product: f64 = blocks.iter().map(|block| (along(block) - middle) * (block.value - level)).sum();
    let point = product / squares;
    let off = |block: &Block| (block.value - level - point * (along(block) - middle)).powi(2);
    let error = (blocks.iter().map(off).sum::<f64>() / f64::from(freedom) / squares).sqrt();
    let half = student::critical(tail, freedom) * error;
    let pairs = blocks.iter().enumerate().flat_map(|(at, left)| {
        let later = blocks[at + 1..].iter();
        later.map(move |right| (right.value - left.value) / (along(right) - along(left)))
    });
    let pairs: Vec<f64> = pairs.filter(|slope| slope.is_finite()).collect();
    let median = median(&pairs)?;
    Some(Slope { point, low: point - half, high: point + half, median, error, freedom })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: impl IntoIterator<Item = f64>) -> Vec<TrendValue> {
        let value = |(at, value): (usize, f64)| TrendValue {
            hours: at as f64 / 10.0,
            exchanges: at as f64 * 1_000.0,
            value,
        };
        values.into_iter().enumerate().map(value).collect()
    }

    fn found(values: &[TrendValue], yardstick: f64) -> Trend {
        trend(values, Some(yardstick), Fold::Mean, &TrendRule::default()).expect("enough values")
    }

    /// 1, 2, 4 at 0, 1, 2: slope 1.5, residuals ±1/6 and −1/3, s² = 1/6, error √(1/12); t(0.05, 1) = 12.706.
    #[test]
    fn a_line_is_what_pen_and_paper_say() {
        let block = |hours: f64, value| Block { hours, exchanges: 0.0, value };
        let blocks = [block(0.0, 1.0), block(1.0, 2.0), block(2.0, 4.0)];
        let line = slope(&blocks, |block| block.hours, 0.05).expect("a line");
        assert!((line.point - 1.5).abs() < 1e-12, "{line:?}");
        assert!((line.high - 1.5 - 12.706_204_7 / 12_f64.sqrt()).abs() < 1e-6, "{line:?}");
        // Slopes of the pairs: 1, 1.5, 2.
        assert!((line.median - 1.5).abs() < 1e-12);
        assert_eq!(slope(&blocks, |block| block.exchanges, 0.05), None);
        assert_eq!(slope(&blocks[..2], |block| block.hours, 0.05), None);
    }

    #[test]
    fn the_beginning_is_left_out_and_the_rest_makes_ten_blocks() {
        let rule = TrendRule::default();
        // Thirty per cent of 14 are 4, and ten are left.
        assert_eq!(rule.needs(), 14);
        let steep = series((0..60).map(|at| if at < 18 { 1e9 * f64::from(at) } else { 5.0 }));
        let found = found(&steep, 100.0);
        assert_eq!((found.left_out, found.values, found.level), (18, 42, 5.0));
        assert_eq!((found.per_hour.point, found.verdict), (0.0, TrendVerdict::NoGrowth));
        assert!((found.hours - 4.1).abs() < 1e-9);
        let sizes = folded(&steep[18..], Fold::Least, 10);
        assert_eq!(sizes.len(), 10);
    }

    #[test]
    fn growth_that_comes_to_nothing_is_none_and_shrinking_is_none() {
        let steady = |per_value: f64| series((0..60).map(move |at| 100.0 + per_value * f64::from(at)));
        let verdict = |per_value| found(&steady(per_value), 1_000.0).verdict;
        // Ten values in an hour: 20 of 1,000 in an hour is growth, 2 in an hour is 48 in a day, 4 is neither.
        assert_eq!(verdict(2.0), TrendVerdict::Growth);
        assert_eq!(verdict(0.2), TrendVerdict::NoGrowth);
        assert_eq!(verdict(0.4), TrendVerdict::Undecided);
        assert_eq!(verdict(-5.0), TrendVerdict::NoGrowth);
        let growth = found(&steady(2.0), 1_000.0);
        assert!((growth.per_hour.point - 20.0).abs() < 1e-9, "{growth:?}");
        let each = growth.per_exchange.expect("exchanges");
        assert!((each.point - 0.002).abs() < 1e-12, "{each:?}");
        assert!((growth.detectable_per_hour - 10.0).abs() < 1e-6, "{growth:?}");
    }

    #[test]
    fn what_slows_down_is_filling_and_what_still_grows_says_so() {
        let full = series((0..100).map(|at| 2.0 * f64::from(at.min(60))));
        assert_eq!(found(&full, 100.0).verdict, TrendVerdict::Filling { goes_on: false });
        let slower = series((0..100).map(|at| f64::from(20 * at.min(65) + 2 * (at - 65).max(0))));
        assert_eq!(found(&slower, 100.0).verdict, TrendVerdict::Filling { goes_on: true });
        // A cache that is small beside the yardstick never matters.
        assert_eq!(found(&full, 1e6).verdict, TrendVerdict::NoGrowth);
    }

    /// A series that fell steeply at first falls on the whole, whatever it does at the end.
    #[test]
    fn growth_behind_a_fall_is_not_called_none() {
        let hook = |rise: f64| {
            series(
                (0..100)
                    .map(move |at| 20.0 * f64::from((65 - at).max(0)) + rise * f64::from((at - 65).max(0))),
            )
        };
        let grows = found(&hook(1.0), 100.0);
        assert!(grows.per_hour.high < 0.0 && grows.second_half.low > 0.0, "{grows:?}");
        assert_eq!(grows.verdict, TrendVerdict::Undecided);
        assert_eq!(found(&hook(0.0), 100.0).verdict, TrendVerdict::NoGrowth);
        // By less than matters.
        assert_eq!(found(&hook(0.01), 100.0).verdict, TrendVerdict::NoGrowth);
    }

    #[test]
    fn what_cannot_be_told_says_why() {
        let rule = TrendRule::default();
        let told = |values: &[TrendValue]| trend(values, None, Fold::Mean, &rule).map(|found| found.verdict);
        assert_eq!(told(&[]), Err(NoTrend::TooFew { have: 0, need: 14 }));
        assert_eq!(told(&series([1.0; 13])), Err(NoTrend::TooFew { have: 13, need: 14 }));
        let mut odd = series([1.0; 20]);
        odd[3].value = f64::NAN;
        assert_eq!(told(&odd), Err(NoTrend::NotFinite { at: 3 }));
        let at_once: Vec<TrendValue> =
            series([1.0; 20]).iter().map(|value| TrendValue { hours: 1.0, ..*value }).collect();
        assert_eq!(told(&at_once), Err(NoTrend::NoTime));
        // Nothing at all, all the time, with nothing to compare with.
        assert_eq!(told(&series([0.0; 20])), Ok(TrendVerdict::NoGrowth));
        // A rule with nonsensical values.
        let none = TrendRule { dropped: 2.0, blocks: 0, ..rule };
        assert!(none.needs() == usize::MAX);
    }
}
