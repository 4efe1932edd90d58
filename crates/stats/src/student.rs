//! Student's t distribution: tails and critical values.

use statrs::function::beta::beta_reg;

/// Probability that |t| with `freedom` degrees of freedom exceeds `t`. 1 for a NaN.
pub fn two_sided_tail(t: f64, freedom: u32) -> f64 {
    if t.is_nan() || freedom == 0 {
        return 1.0;
    }
    let freedom = f64::from(freedom);
    let share = freedom / (freedom + t * t);
    if share <= 0.0 { 0.0 } else { beta_reg(0.5 * freedom, 0.5, share.min(1.0)) }
}

/// Probability that t with `freedom` degrees of freedom is at most `t`.
pub fn cumulative(t: f64, freedom: u32) -> f64 {
    let beyond = 0.5 * two_sided_tail(t, freedom);
    if t > 0.0 { 1.0 - beyond } else { beyond }
}

/// The value that |t| exceeds with probability `tail`, to 12 digits: `critical(0.05, 9)` is 2.262. Infinite
/// for `tail` ≤ 0 or no degree of freedom, 0 for `tail` ≥ 1.
pub fn critical(tail: f64, freedom: u32) -> f64 {
    if tail.is_nan() || tail <= 0.0 || freedom == 0 {
        return f64::INFINITY;
    }
    if tail >= 1.0 {
        return 0.0;
    }
    crossing(|t| two_sided_tail(t, freedom) > tail)
}

/// The number above zero up to which `is_before` holds, to 13 digits; infinite beyond 10^15.
pub(crate) fn crossing(is_before: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while is_before(high) {
        low = high;
        high *= 2.0;
        if high > 1e15 {
            return f64::INFINITY;
        }
    }
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if is_before(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance * expected.abs().max(1e-300),
            "{found} is not {expected}"
        );
    }

    /// One degree of freedom is the Cauchy distribution: |t| exceeds tan(π(1 − p)/2) with probability p.
    #[test]
    fn one_degree_of_freedom_is_cauchy() {
        for tail in [0.5, 0.05, 0.01, 1e-4] {
            close(critical(tail, 1), (PI * (1.0 - tail) / 2.0).tan(), 1e-9);
        }
    }

    /// Two degrees: with q = 1 − p, the critical value is q √(2 / (1 − q²)).
    #[test]
    fn two_degrees_of_freedom_have_a_closed_form() {
        for tail in [0.5, 0.05, 0.01, 1e-4] {
            let inside: f64 = 1.0 - tail;
            close(critical(tail, 2), inside * (2.0 / (1.0 - inside * inside)).sqrt(), 1e-9);
        }
    }

    /// Three degrees: P(|t| ≤ x) = 2/π · (atan(y) + y / (1 + y²)), y = x/√3.
    /// Five degrees: P(|t| ≤ x) = 2/π · (atan(y) + y/(1 + y²) · (1 + 2/(3(1 + y²)))), y = x/√5.
    #[test]
    fn three_and_five_degrees_of_freedom_have_closed_forms() {
        for x in [0.5_f64, 2.0, 5.93, 20.0] {
            let y = x / 3_f64.sqrt();
            let inside = 2.0 / PI * (y.atan() + y / (1.0 + y * y));
            close(two_sided_tail(x, 3), 1.0 - inside, 1e-9);
            let y = x / 5_f64.sqrt();
            let inside = 2.0 / PI * (y.atan() + y / (1.0 + y * y) * (1.0 + 2.0 / (3.0 * (1.0 + y * y))));
            close(two_sided_tail(x, 5), 1.0 - inside, 1e-9);
        }
    }

    /// From printed tables (Fisher and Yates, two-sided 5 % and 1 %).
    #[test]
    fn critical_values_are_those_of_the_printed_tables() {
        for (freedom, five, one) in [
            (4, 2.776, 4.604),
            (9, 2.262, 3.250),
            (19, 2.093, 2.861),
            (29, 2.045, 2.756),
            (120, 1.980, 2.617),
        ] {
            assert!((critical(0.05, freedom) - five).abs() < 5.1e-4);
            assert!((critical(0.01, freedom) - one).abs() < 5.1e-4);
        }
    }

    #[test]
    fn what_is_no_probability_gives_no_number_to_rely_on() {
        assert_eq!(critical(0.0, 5), f64::INFINITY);
        assert_eq!(critical(f64::NAN, 5), f64::INFINITY);
        assert_eq!(critical(0.05, 0), f64::INFINITY);
        assert_eq!(critical(1.0, 5), 0.0);
        assert_eq!(two_sided_tail(f64::INFINITY, 5), 0.0);
        assert_eq!(two_sided_tail(f64::NAN, 5), 1.0);
    }
}
