//! Hodges-Lehmann: the median of all pairwise means, and its exact interval.
//!
//! It holds without normality and shrugs off a spiked block, and so checks the t interval. The interval comes
//! from the exact distribution of the Wilcoxon signed-rank statistic: \[k-th smallest, k-th largest\] of the
//! Walsh averages (d_i + d_j)/2, i ≤ j. (Hodges and Lehmann, Ann. Math. Statist. 34, 1963.)

use crate::sample;

/// Most values that are looked at: the Walsh averages are n(n + 1)/2. Studies have some dozens of blocks.
pub const VALUES_MAX: usize = 2_000;

/// The estimate; `None` for no value, for one that is not finite, and for more than [`VALUES_MAX`].
pub fn estimate(values: &[f64]) -> Option<f64> {
    sample::median(&walsh_averages(values)?)
}

/// The exact interval of at least that confidence; `None` where so few values cannot reach it (5 and fewer at
/// 95 %).
pub fn interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let mut averages = walsh_averages(values)?;
    let rank = rank(values.len(), confidence)?;
    averages.sort_by(f64::total_cmp);
    Some((averages[rank - 1], averages[averages.len() - rank]))
}

/// k(n): which smallest and largest Walsh average end the interval. The largest k with
/// 2 P(W ≤ k − 1) ≤ 1 − confidence.
pub fn rank(n: usize, confidence: f64) -> Option<usize> {
    if n == 0 || n > VALUES_MAX || !(0.0..1.0).contains(&confidence) {
        return None;
    }
    // counts[w]: share of sign patterns whose ranks of positive sign sum up to w. Only the lower tail is
    // needed, and it holds less than half of them, so at most half of all sums.
    let sums = n * (n + 1) / 4 + 1;
    let mut shares = vec![0.0; sums];
    shares[0] = 1.0;
    for rank in 1..=n {
        for sum in (0..sums).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = 0.5 * (shares[sum] + with);
        }
    }
    let tail = 0.5 * (1.0 - confidence);
    let mut below = 0.0;
    let mut k = 0;
    for share in shares {
        below += share;
        if below > tail {
            break;
        }
        k += 1;
    }
    (k > 0).then_some(k)
}

fn walsh_averages(values: &[f64]) -> Option<Vec<f64>> {
    let fit =
        !values.is_empty() && values.len() <= VALUES_MAX && values.iter().all(|value| value.is_finite());
    fit.then(|| {
        let mut averages = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
        for (index, first) in values.iter().enumerate() {
            averages.extend(values[index..].iter().map(|second| 0.5 * first + 0.5 * second));
        }
        averages
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lower critical values of the signed-rank statistic at 5 % two-sided, from printed tables (Wilcoxon
    /// 1945; n: 6 0, 7 2, 8 3, 9 5, 10 8, 12 13, 15 25, 16 29, 20 52, 30 137), each one less than k.
    #[test]
    fn ranks_at_95_percent_are_those_of_the_printed_tables() {
        for (n, k) in
            [(6, 1), (7, 3), (8, 4), (9, 6), (10, 9), (12, 14), (15, 26), (16, 30), (20, 53), (30, 138)]
        {
            assert_eq!(rank(n, 0.95), Some(k), "n = {n}");
        }
        for n in 1..=5 {
            assert_eq!(rank(n, 0.95), None, "n = {n}");
        }
    }

    /// Every sign pattern of a few ranks, counted one by one.
    #[test]
    fn ranks_agree_with_counting_every_pattern_of_signs() {
        for n in 1..=12_usize {
            for confidence in [0.5, 0.8, 0.9, 0.95, 0.99] {
                let mut sums: Vec<usize> = (0..1_usize << n)
                    .map(|signs| (0..n).filter(|bit| signs >> bit & 1 == 1).map(|bit| bit + 1).sum())
                    .collect();
                sums.sort_unstable();
                let allowed = 0.5 * (1.0 - confidence) * sums.len() as f64;
                let k = (0..)
                    .take_while(|&w| sums.partition_point(|&sum| sum <= w) as f64 <= allowed + 1e-9)
                    .count();
                assert_eq!(rank(n, confidence), (k > 0).then_some(k), "n = {n}, {confidence}");
            }
        }
    }

    #[test]
    fn the_estimate_is_the_median_of_the_walsh_averages() {
        // Averages of 1, 2, 6: 1, 1.5, 3.5, 2, 4, 6; the middle two are 2 and 3.5.
        assert_eq!(estimate(&[1.0, 2.0, 6.0]), Some(2.75));
    }

    #[test]
    fn one_wild_value_moves_the_estimate_little() {
        let calm = [1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02, 0.98];
        let mut wild = calm;
        wild[0] = 100.0;
        let (calm, wild) = (estimate(&calm).expect("finite"), estimate(&wild).expect("finite"));
        assert!((wild - calm).abs() < 0.05, "{calm} became {wild}");
    }

    #[test]
    fn the_interval_ends_at_the_ranked_averages() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(interval(&values, 0.95), Some((1.0, 6.0)));
        assert_eq!(interval(&values[..5], 0.95), None);
        assert_eq!(interval(&[1.0, f64::NAN], 0.5), None);
    }
}
