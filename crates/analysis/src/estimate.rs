//! Estimates as a result holds them.

use proofload_store::schema::Estimate;

/// An estimate as it is stored. An end that bounds nothing leaves no interval: of a ratio the lower one is then 0,
/// which looks like an end and is not one.
pub fn stored(estimate: proofload_stats::Estimate) -> Estimate {
    let bounds = estimate.low.is_finite() && estimate.high.is_finite();
    Estimate::new(estimate.point, bounds.then_some((estimate.low, estimate.high)), estimate.unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_two_ends_or_none() {
        let of = |low: f64, high: f64| {
            let found = stored(proofload_stats::Estimate {
                low,
                high,
                point: 1.0,
                hodges_lehmann: 1.0,
                unit: "ratio",
            });
            (found.low, found.high)
        };
        assert_eq!(of(0.0, f64::INFINITY), (None, None));
        assert_eq!(of(f64::NEG_INFINITY, f64::INFINITY), (None, None));
        assert_eq!(of(0.9, 1.1), (Some(0.9), Some(1.1)));
    }
}
