//! Estimates as a result holds them.

use proofload_store::schema::Estimate;

/// An estimate as it is stored: ends that bound nothing are absent.
pub(crate) fn stored(estimate: proofload_stats::Estimate) -> Estimate {
    let finite = |value: f64| value.is_finite().then_some(value);
    Estimate {
        point: estimate.point,
        low: finite(estimate.low),
        high: finite(estimate.high),
        unit: estimate.unit.to_string(),
    }
}
