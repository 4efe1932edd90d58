//! The spread that like things, each known by a few blocks, have in common.

use crate::Between;
use crate::sample::Moments;
use crate::sittings::satterthwaite;
use statrs::function::gamma::digamma;

/// The spread that variances like these have in common, each with its degrees of freedom: their geometric mean,
/// corrected for the logarithm of a variance of few degrees of freedom, which lies too low by log(ν/2) − ψ(ν/2).
/// Those that are zero, not finite or without a degree of freedom are left out. `None` where nothing is left.
pub fn common_spread(variances: &[(f64, u32)]) -> Option<f64> {
    let logarithms: Vec<f64> = variances
        .iter()
        .filter(|(variance, freedom)| variance.is_finite() && *variance > 0.0 && *freedom > 0)
        .map(|(variance, freedom)| {
            let half = f64::from(*freedom) / 2.0;
            variance.ln() - digamma(half) + half.ln()
        })
        .collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64 / 2.0).exp())
}

/// The spread between sittings that several comparisons have in common, each seen in two sittings or more, of which these are
/// the blocks' moments. As [`Sittings`](crate::Sittings) finds it of one comparison: each has a mean of its own, and what its
/// sittings differ by from that is pooled. Comparisons of the same sittings move together, so that it has as many degrees of
/// freedom as differences of sittings are `independent`, at most; it counts as that of one sitting more. `None` where there are
/// none, or no sitting has two blocks.
pub fn pooled_between(comparisons: &[Vec<Moments>], independent: u32) -> Option<Between> {
    let several: Vec<&Vec<Moments>> = comparisons.iter().filter(|sittings| sittings.len() > 1).collect();
    let (mut squares, mut within, mut per_block) = (0.0, 0.0, 0.0);
    let (mut differences, mut within_freedom) = (0, 0);
    for sittings in several {
        let count = sittings.len() as f64;
        let mean = sittings.iter().map(|sitting| sitting.mean).sum::<f64>() / count;
        squares += sittings.iter().map(|sitting| (sitting.mean - mean).powi(2)).sum::<f64>();
        within += sittings.iter().map(|it| f64::from(it.n - 1) * it.sd.powi(2)).sum::<f64>();
        per_block +=
            (1.0 - 1.0 / count) * sittings.iter().map(|sitting| 1.0 / f64::from(sitting.n)).sum::<f64>();
        differences += sittings.len() as u32 - 1;
        within_freedom += sittings.iter().map(|it| it.n - 1).sum::<u32>();
    }
    let freedom = differences.min(independent);
    if freedom == 0 || within_freedom == 0 {
        return None;
    }
    let of_means = squares / f64::from(differences);
    let of_blocks = within / f64::from(within_freedom) * per_block / f64::from(differences);
    Some(Between {
        tau: (of_means - of_blocks).max(0.0).sqrt(),
        freedom: satterthwaite((of_means, freedom), (of_blocks, within_freedom)),
        sittings: freedom + 1,
        of_means: of_means.sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sittings;
    use crate::rng::Rng;

    #[test]
    fn one_variance_is_corrected_by_what_its_logarithm_lacks() {
        // ψ(1) = −0.5772156649, so that with two degrees of freedom log s² is too low by just that.
        let found = common_spread(&[(0.0004, 2)]).expect("a variance");
        assert!((found - 0.02 * (0.577_215_664_9_f64 / 2.0).exp()).abs() < 1e-10, "{found}");
        let many = common_spread(&[(0.0004, 1_000_000)]).expect("a variance");
        assert!((many - 0.02).abs() < 1e-6, "{many}");
    }

    #[test]
    fn what_says_nothing_is_passed_over() {
        assert_eq!(common_spread(&[]), None);
        assert_eq!(common_spread(&[(0.0, 3), (f64::NAN, 3), (f64::INFINITY, 3), (0.01, 0), (-1.0, 2)]), None);
        assert_eq!(common_spread(&[(0.0, 3), (0.01, 3)]), common_spread(&[(0.01, 3)]));
    }

    /// Of blocks as few as three, whose variances scatter by a factor of twenty, hundreds together tell the spread.
    #[test]
    fn variances_of_few_blocks_give_the_spread_that_all_have() {
        let mut rng = Rng::new(11);
        let variances: Vec<(f64, u32)> = (0..4_000)
            .map(|at| {
                let blocks = 3 + at % 4;
                let values: Vec<f64> = (0..blocks).map(|_| 0.03 * rng.normal()).collect();
                (Moments::of(&values).expect("blocks").sd.powi(2), blocks - 1)
            })
            .collect();
        let found = common_spread(&variances).expect("variances");
        assert!((found / 0.03 - 1.0).abs() < 0.03, "{found}");
    }

    fn moments(values: &[f64]) -> Moments {
        Moments::of(values).expect("values")
    }

    /// One comparison alone is what its sittings are, of different lengths, too.
    #[test]
    fn the_sittings_of_one_comparison_are_pooled_as_they_are_told() {
        for sittings in [
            vec![vec![0.0, 2.0], vec![3.0, 5.0], vec![6.0, 8.0]],
            vec![vec![0.0, 2.0], vec![3.0, 5.0, 5.5], vec![6.0, 8.0, 9.0, 9.5]],
        ] {
            let told = Sittings::of(&sittings).and_then(|found| found.between).expect("a spread within");
            let each = sittings.iter().map(|values| moments(values)).collect();
            let pooled = pooled_between(&[each, vec![moments(&[7.0, 9.0])]], 9).expect("a spread within");
            assert!((pooled.tau - told.tau).abs() < 1e-12 && (pooled.of_means - told.of_means).abs() < 1e-12);
            assert!((pooled.freedom - told.freedom).abs() < 1e-9, "{pooled:?} {told:?}");
            assert_eq!(pooled.sittings, 3);
        }
    }

    /// Means 1 and 3 about 2, and 11 and 15 about 13: S² = (2 + 8)/2; σ² = 2, of two blocks 1: τ² = 4.
    #[test]
    fn what_comparisons_differ_by_from_each_other_is_no_spread_between_sittings() {
        let pair = |low: f64| moments(&[low, low + 2.0]);
        let two = [vec![pair(0.0), pair(2.0)], vec![pair(10.0), pair(14.0)]];
        let found = pooled_between(&two, 9).expect("a spread");
        assert!((found.of_means.powi(2) - 5.0).abs() < 1e-12 && (found.tau - 2.0).abs() < 1e-12, "{found:?}");
        assert_eq!(found.sittings, 3);
        let same = pooled_between(&two, 1).expect("a spread");
        assert!(same.sittings == 2 && same.tau == found.tau, "of the same two sittings: {same:?}");
        assert_eq!(pooled_between(&[vec![pair(0.0)], vec![pair(1.0)]], 9), None);
        assert_eq!(pooled_between(&[vec![moments(&[1.0]), moments(&[2.0])]], 9), None);
    }
}
