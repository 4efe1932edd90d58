//! Mean, standard deviation and median of a few numbers.

/// Mean and standard deviation (n − 1 below the line) of finite values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    pub n: u32,
    pub mean: f64,
    /// Standard deviation; 0 for a single value.
    pub sd: f64,
}

impl Moments {
    /// Of these values; `None` when there are none, or when any is not finite.
    pub fn of(values: &[f64]) -> Option<Moments> {
        let n = u32::try_from(values.len()).ok().filter(|&n| n > 0)?;
        let mean = values.iter().sum::<f64>() / f64::from(n);
        // Equal values have no spread; their mean may differ from them in the last bit, which is not a
        // spread.
        if values.iter().all(|value| value == &values[0]) {
            return values[0].is_finite().then_some(Moments { n, mean: values[0], sd: 0.0 });
        }
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let sd = (squares / f64::from(n - 1)).sqrt();
        (mean.is_finite() && sd.is_finite()).then_some(Moments { n, mean, sd })
    }

    /// Standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        self.sd / f64::from(self.n).sqrt()
    }
}

/// The median, the mean of the middle two for an even count; `None` when there is none or any is not finite.
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    Some(if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        // Halved before they are added: the sum of two finite values need not be finite.
        0.5 * sorted[middle - 1] + 0.5 * sorted[middle]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_one_to_five_is_the_root_of_two_and_a_half() {
        let moments = Moments::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five finite values");
        assert_eq!((moments.n, moments.mean), (5, 3.0));
        assert!((moments.sd - 2.5_f64.sqrt()).abs() < 1e-15);
        assert!((moments.standard_error() - 0.5_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn equal_values_have_no_spread_at_all() {
        let third = 1.0 / 3.0;
        assert_eq!(Moments::of(&[third; 7]), Some(Moments { n: 7, mean: third, sd: 0.0 }));
    }

    #[test]
    fn the_median_is_the_middle_or_between_the_middle_two() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    #[test]
    fn nothing_and_what_is_not_finite_have_no_moments() {
        for odd in
            [&[][..], &[f64::NAN], &[1.0, f64::INFINITY], &[f64::INFINITY; 2], &[f64::MAX, -f64::MAX, 1.0]]
        {
            assert_eq!(Moments::of(odd), None);
        }
        assert_eq!(median(&[1.0, f64::NAN]), None);
    }
}
