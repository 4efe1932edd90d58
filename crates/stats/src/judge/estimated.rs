//! A mean with its interval, in the unit of what is claimed.

use super::decide::{Frame, Scale};
use super::series::Series;
use crate::sample::Moments;
use crate::{Estimate, Measure, Reach, Side};

pub(super) fn estimate(
    series: &Series<'_>,
    frame: &Frame,
    moments: &Moments,
    half: f64,
    centre: f64,
) -> Estimate {
    let (low, high) = (moments.mean - half, moments.mean + half);
    let measure = series.trials.first().map_or(Measure::Throughput, |trial| trial.measure);
    let is_level = matches!(series.claim.right, Side::Constant(_)) && series.trials.len() == 1;
    match frame.scale {
        Scale::Log => Estimate {
            point: moments.mean.exp(),
            low: low.exp(),
            high: high.exp(),
            unit: if is_level { measure.unit() } else { "ratio" },
            hodges_lehmann: centre.exp(),
        },
        Scale::Plain | Scale::Difference => {
            let unit = match (frame.scale, measure.unit()) {
                (Scale::Difference, "share") => "share_difference",
                (Scale::Difference, "bytes") => "bytes_difference",
                (Scale::Difference, "ns") => "ns_difference",
                (Scale::Difference, _) => "count_difference",
                (_, unit) => unit,
            };
            // A count or a share is never below zero; a difference may be.
            let low = if frame.scale == Scale::Plain { low.max(0.0) } else { low };
            Estimate { point: moments.mean, low, high, unit, hodges_lehmann: centre }
        }
    }
}

/// An interval that reaches further where it is known how much.
pub(super) fn widened(estimate: Estimate, reach: Reach) -> Estimate {
    match reach.bounded() {
        Reach::NONE => estimate,
        Reach { below, above } => {
            Estimate { low: estimate.low * (-below).exp(), high: estimate.high * above.exp(), ..estimate }
        }
    }
}
