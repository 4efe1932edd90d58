//! Figures of one variant over the blocks: for tables, not for verdicts.
//!
//! An interval is always one between starts. The exchanges of one start are not independent observations of the next
//! one: they wait in one queue behind each other, and the start as a whole may be a slow one. Intervals from order
//! statistics of requests cover the truth in a fifth of the cases where they promise 95 % (`tests/intervals.rs`).

use crate::sample::Moments;
use crate::sittings::half_of;
use crate::{Between, Cell, Measure, student};

/// A mean over blocks with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// Geometric mean; the arithmetic one when a value is not positive.
    pub mean: f64,
    /// Both ends of the interval; `None` for a single block, which has no spread to rest on.
    pub ends: Option<(f64, f64)>,
    pub blocks: u32,
}

/// Mean of one value for each block, with the t interval that misses with probability `tail`: on the log
/// scale where all values are positive, because most measures of servers are skewed to the right.
///
/// `None` when there is no value, or one that is not finite.
pub fn mean_over_blocks(values: &[f64], tail: f64) -> Option<MeanInterval> {
    let positive = values.iter().all(|value| *value > 0.0);
    let logs: Vec<f64> =
        if positive { values.iter().map(|value| value.ln()).collect() } else { values.to_vec() };
    let moments = Moments::of(&logs)?;
    let back = |value: f64| if positive { value.exp() } else { value };
    let ends = (moments.n > 1).then(|| {
        let half = student::critical(tail, moments.n - 1) * moments.standard_error();
        (back(moments.mean - half), back(moments.mean + half))
    });
    Some(MeanInterval { mean: back(moments.mean), ends, blocks: moments.n })
}

/// Exchanges of a start that must lie beyond a quantile, or that start has hardly seen it: 10,000 exchanges for p99,
/// 100,000 for p99.9.
pub const TAIL_EXCHANGES_MIN: u64 = 100;

/// The fewest exchanges that lie beyond a quantile in any of these starts; `None` for anything but a quantile, and where no
/// start has a value.
pub fn fewest_beyond<'a>(measure: Measure, starts: impl Iterator<Item = &'a Cell>) -> Option<u64> {
    let quantile = measure.quantile()?;
    // Those without an end have their rank, too.
    let ranked =
        |cell: &Cell| cell.finished.saturating_sub(cell.errors_outside()).saturating_add(cell.unsent);
    starts.filter(|cell| cell.merged.is_some()).map(|cell| beyond(quantile, ranked(cell))).min()
}

/// Number of `exchanges` beyond a quantile, on the shorter side; `quantile` in units of 1/10000, as in
/// [`Measure::ResponseQuantile`].
pub fn beyond(quantile: u16, exchanges: u64) -> u64 {
    let short = u128::from(quantile.min(10_000_u16.saturating_sub(quantile)));
    u64::try_from(short * u128::from(exchanges) / 10_000).unwrap_or(u64::MAX)
}

/// Spread of values from start to start, and the part of it that a single start's own roughness makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Standard deviation between starts, of the logarithms.
    pub between_starts: f64,
    /// Standard error of one start's logarithm, from how its sections lie around it; the root mean square over starts.
    pub within_start: f64,
}

impl Spread {
    /// True if longer starts would sharpen the interval more than as much time in further ones: the roughness within
    /// a start exceeds half of that between starts.
    pub fn wants_longer_starts(&self) -> bool {
        self.within_start > 0.5 * self.between_starts
    }
}

/// Compares both for a quantile: a start's value is that over all of it, and the sections are its stretches of equal
/// load (Asmussen and Glynn, Stochastic Simulation, 2007, sectioning): the standard error is
/// √(Σ (ln `section` − ln `whole`)² / (b(b − 1))) for b sections.
///
/// A diagnosis, not an interval. `None` with fewer than two starts, or without a start of two sections; starts with a
/// value that is not positive and finite are passed over.
pub fn spread(starts: &[(f64, Vec<f64>)]) -> Option<Spread> {
    let good = |value: f64| value.is_finite() && value > 0.0;
    let mut wholes = Vec::new();
    let mut squares = Vec::new();
    for (whole, sections) in starts.iter().filter(|(whole, _)| good(*whole)) {
        wholes.push(whole.ln());
        let count = sections.len() as f64;
        if sections.len() > 1 && sections.iter().all(|section| good(*section)) {
            let sum: f64 = sections.iter().map(|section| (section / whole).ln().powi(2)).sum();
            squares.push(sum / (count * (count - 1.0)));
        }
    }
    let between = Moments::of(&wholes).filter(|moments| moments.n > 1)?;
    let mean = Moments::of(&squares)?.mean;
    Some(Spread { between_starts: between.sd, within_start: mean.sqrt() })
}

/// The ratio of two samples that are not paired, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioInterval {
    /// Ratio of the geometric means.
    pub point: f64,
    pub low: f64,
    pub high: f64,
}

/// `over` to `under`, as the ratio of their geometric means, with Welch's interval on the logarithms (unequal
/// variances, degrees of freedom rounded down) that misses with probability `tail`.
///
/// It covers how blocks differ within each sample; that the machine may have been another at another time it
/// cannot know. `None` with fewer than two values on a side, or a value that is not positive and finite.
pub fn ratio_unpaired(over: &[f64], under: &[f64], tail: f64) -> Option<RatioInterval> {
    ratio_of(over, under, tail, None)
}

/// As [`ratio_unpaired`], of two sittings that differ by more than their blocks: the variance of the difference has 2τ²
/// beside those of the blocks' means.
pub fn ratio_between_sittings(
    over: &[f64],
    under: &[f64],
    tail: f64,
    between: &Between,
) -> Option<RatioInterval> {
    ratio_of(over, under, tail, Some(between))
}

fn ratio_of(over: &[f64], under: &[f64], tail: f64, between: Option<&Between>) -> Option<RatioInterval> {
    let logs = |values: &[f64]| {
        let positive = values.len() > 1 && values.iter().all(|value| *value > 0.0);
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        positive.then(|| Moments::of(&logs)).flatten()
    };
    let (over, under) = (logs(over)?, logs(under)?);
    let part = |side: &Moments| (side.standard_error().powi(2), f64::from(side.n - 1));
    let parts = match between {
        None => vec![part(&over), part(&under)],
        Some(between) => {
            let [of_sittings, over] = between.parts(&over, 2.0);
            vec![of_sittings, over, between.parts(&under, 2.0)[1]]
        }
    };
    let (mean, half) = (over.mean - under.mean, half_of(&parts, tail));
    Some(RatioInterval { point: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_has_a_mean_and_no_interval() {
        let found = mean_over_blocks(&[5.0], 0.05).expect("a value");
        assert!((found.mean - 5.0).abs() < 1e-12);
        assert_eq!((found.ends, found.blocks), (None, 1));
    }

    /// Logs 0 and ln 4: mean ln 2, standard error ln 2, t(0.05, 1) = 12.7062: 2 · 2^±12.7062.
    #[test]
    fn two_blocks_have_a_wide_interval_on_the_log_scale() {
        let found = mean_over_blocks(&[1.0, 4.0], 0.05).expect("two values");
        let (low, high) = found.ends.expect("an interval");
        assert!((found.mean - 2.0).abs() < 1e-12);
        assert!((low * high - 4.0).abs() < 1e-9, "symmetric on the log scale");
        assert!((high.log2() - 13.7062).abs() < 1e-3, "{high}");
    }

    #[test]
    fn zeros_are_averaged_as_they_are() {
        assert_eq!(
            mean_over_blocks(&[0.0, 0.0], 0.05).map(|i| (i.mean, i.ends)),
            Some((0.0, Some((0.0, 0.0))))
        );
        assert_eq!(mean_over_blocks(&[], 0.05), None);
        assert_eq!(mean_over_blocks(&[f64::NAN], 0.05), None);
    }

    /// Logs 0, 2 and 3, 5: means 1 and 4, standard errors 1 and 1, so 2 degrees of freedom; t(0.05, 2) = 4.3027.
    #[test]
    fn welch_with_equal_spreads_is_students() {
        let e = std::f64::consts::E;
        let found = ratio_unpaired(&[e.powi(3), e.powi(5)], &[1.0, e.powi(2)], 0.05).expect("an interval");
        assert!((found.point.ln() - 3.0).abs() < 1e-12);
        assert!((found.high.ln() - 3.0 - 4.302_65 * 2_f64.sqrt()).abs() < 1e-3, "{found:?}");
        assert!((found.low.ln() + found.high.ln() - 6.0).abs() < 1e-9);
    }

    /// One side without spread: the degrees of freedom are the other's. Logs 0, 1, 2: standard error 1/√3,
    /// t(0.05, 2) = 4.3027.
    #[test]
    fn welch_takes_the_freedom_of_the_side_that_varies() {
        let e = std::f64::consts::E;
        let found = ratio_unpaired(&[1.0, e, e * e], &[1.0; 9], 0.05).expect("an interval");
        assert!((found.high.ln() - 1.0 - 4.302_65 / 3_f64.sqrt()).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn a_hundred_exchanges_beyond_p99_take_ten_thousand() {
        assert_eq!((beyond(9900, 9_999), beyond(9900, 10_000)), (99, 100));
        assert_eq!((beyond(9990, 100_000), beyond(9999, 100_000)), (100, 10));
        assert_eq!((beyond(5000, 200), beyond(100, 10_000)), (100, 100), "and below a low one");
        assert_eq!((beyond(10_000, 5), beyond(u16::MAX, 5), beyond(5000, u64::MAX)), (0, 0, u64::MAX / 2));
    }

    /// Sections a factor e² apart on both sides: Σ = 2, b = 2, standard error 1. Wholes of 1 and e² spread by √2.
    #[test]
    fn sections_tell_whether_starts_are_long_enough() {
        let e = std::f64::consts::E;
        let rough = spread(&[(1.0, vec![e, 1.0 / e]), (e * e, vec![e.powi(3), e])]).expect("two starts");
        assert!((rough.within_start - 1.0).abs() < 1e-12);
        assert!((rough.between_starts - 2.0_f64.sqrt()).abs() < 1e-12 && rough.wants_longer_starts());
        let long = spread(&[(1.0, vec![1.0; 4]), (e * e, vec![e * e; 4])]).expect("two starts");
        assert!(!long.wants_longer_starts());
        for nothing in [vec![], vec![(1.0, vec![1.0, 2.0])], vec![(1.0, vec![]), (2.0, vec![2.0])]] {
            assert_eq!(spread(&nothing), None);
        }
        assert_eq!(spread(&[(0.0, vec![1.0, 1.0]), (f64::NAN, vec![1.0, 1.0]), (1.0, vec![1.0, 1.0])]), None);
    }

    #[test]
    fn what_cannot_be_compared_has_no_interval() {
        for (over, under) in [(&[1.0][..], &[1.0, 2.0][..]), (&[1.0, 0.0], &[1.0, 2.0]), (&[], &[])] {
            assert_eq!(ratio_unpaired(over, under, 0.05), None);
        }
        assert_eq!(ratio_unpaired(&[1.0, f64::NAN], &[1.0, 2.0], 0.05), None);
    }
}
