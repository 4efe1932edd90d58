//! What spreads of like things, each known by a few blocks, have in common.

use statrs::function::gamma::digamma;

/// The spread that variances like these have in common, each with its degrees of freedom: their geometric mean, corrected for
/// the logarithm of a variance of few degrees of freedom, which lies too low by log(ν/2) − ψ(ν/2). Those that are zero, not
/// finite or without a degree of freedom say nothing. `None` where nothing is left.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::sample::Moments;

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
}
