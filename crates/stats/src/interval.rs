//! What one variant came to over the blocks: for tables, not for verdicts.

use crate::sample::Moments;
use crate::student;

/// A mean over blocks with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// Geometric mean; the arithmetic one when a value is not positive.
    pub mean: f64,
    /// Both ends of the interval; `None` for a single block, which has no spread to rest on.
    pub ends: Option<(f64, f64)>,
    /// Blocks.
    pub blocks: u32,
}

/// Mean of one value for each block, with the t interval that misses with probability `tail`: on the log
/// scale where all values are positive, for most measures of servers are skewed to the right.
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

/// The ratio of two samples that are not paired, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioInterval {
    /// Ratio of the geometric means.
    pub point: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// `over` to `under`, as the ratio of their geometric means, with Welch's interval on the logarithms (unequal
/// variances, degrees of freedom rounded down) that misses with probability `tail`.
///
/// It covers how blocks differ within each sample; that the machine may have been another at another time it
/// cannot know. `None` with fewer than two values on a side, or a value that is not positive and finite.
pub fn ratio_unpaired(over: &[f64], under: &[f64], tail: f64) -> Option<RatioInterval> {
    let logs = |values: &[f64]| {
        let positive = values.len() > 1 && values.iter().all(|value| *value > 0.0);
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        positive.then(|| Moments::of(&logs)).flatten()
    };
    let (over, under) = (logs(over)?, logs(under)?);
    let (v1, v2) = (over.standard_error().powi(2), under.standard_error().powi(2));
    let mean = over.mean - under.mean;
    let half = if v1 + v2 > 0.0 {
        let below = v1 * v1 / f64::from(over.n - 1) + v2 * v2 / f64::from(under.n - 1);
        let freedom = ((v1 + v2) * (v1 + v2) / below).floor().max(1.0);
        student::critical(tail, freedom as u32) * (v1 + v2).sqrt()
    } else {
        0.0
    };
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
    fn what_cannot_be_compared_has_no_interval() {
        for (over, under) in [(&[1.0][..], &[1.0, 2.0][..]), (&[1.0, 0.0], &[1.0, 2.0]), (&[], &[])] {
            assert_eq!(ratio_unpaired(over, under, 0.05), None);
        }
        assert_eq!(ratio_unpaired(&[1.0, f64::NAN], &[1.0, 2.0], 0.05), None);
    }
}
