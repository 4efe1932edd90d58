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
}
