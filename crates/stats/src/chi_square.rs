//! The χ² distribution: what a standard deviation of a few values is worth.

use statrs::function::gamma::gamma_lr;

/// Probability that χ² with `freedom` degrees of freedom is at most `x`.
fn below(x: f64, freedom: u32) -> f64 {
    if x <= 0.0 { 0.0 } else { gamma_lr(0.5 * f64::from(freedom), 0.5 * x) }
}

/// The value that χ² with `freedom` degrees of freedom stays below with probability `share`, to 12 digits.
/// 0 for `share` ≤ 0 or no degree of freedom, infinite for `share` ≥ 1.
pub fn quantile(share: f64, freedom: u32) -> f64 {
    if share.is_nan() || share <= 0.0 || freedom == 0 {
        return 0.0;
    }
    if share >= 1.0 {
        return f64::INFINITY;
    }
    crate::student::crossing(|x| below(x, freedom) < share)
}

/// The interval of a standard deviation that was taken of `n` values of a normal distribution; it misses with
/// probability `tail`. From 0 without end for fewer than two values.
pub fn interval_of_sd(sd: f64, n: u32, tail: f64) -> (f64, f64) {
    let freedom = n.saturating_sub(1);
    if freedom == 0 {
        return (0.0, f64::INFINITY);
    }
    let end = |share: f64| sd * (f64::from(freedom) / quantile(share, freedom)).sqrt();
    (end(1.0 - 0.5 * tail), end(0.5 * tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From printed tables (Pearson and Hartley).
    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        for (freedom, low, high) in
            [(1, 0.000_982, 5.023_9), (10, 3.246_97, 20.483_2), (19, 8.906_52, 32.852_3)]
        {
            assert!((quantile(0.025, freedom) / low - 1.0).abs() < 1e-3);
            assert!((quantile(0.975, freedom) / high - 1.0).abs() < 1e-5);
        }
        // Two degrees of freedom: −2 ln(1 − p).
        assert!((quantile(0.5, 2) - 2.0 * 2_f64.ln()).abs() < 1e-10);
    }

    #[test]
    fn twenty_values_tell_a_spread_to_a_quarter_below_and_a_half_above() {
        let (low, high) = interval_of_sd(1.0, 20, 0.05);
        assert!((low - 0.760_5).abs() < 1e-3 && (high - 1.460_6).abs() < 1e-3, "{low} {high}");
        assert_eq!(interval_of_sd(1.0, 1, 0.05), (0.0, f64::INFINITY));
    }

    #[test]
    fn what_is_no_probability_has_no_quantile_to_rely_on() {
        assert_eq!(quantile(0.0, 5), 0.0);
        assert_eq!(quantile(f64::NAN, 5), 0.0);
        assert_eq!(quantile(0.5, 0), 0.0);
        assert_eq!(quantile(1.0, 5), f64::INFINITY);
    }
}
