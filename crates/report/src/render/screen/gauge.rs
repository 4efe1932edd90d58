//! An interval drawn in a line, beside what it is held against: all of a screen on one logarithmic scale.

use crate::messages;
use proofload_stats::{Claim, Comparison, Side};
use proofload_store::schema::ClaimResult;

/// An interval as a share of what it is held against, with the threshold or the band, all as logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gauge {
    low: f64,
    point: f64,
    high: f64,
    /// One threshold, or the two ends of a band.
    thresholds: (f64, f64),
    /// A value beside its limit, which may lie far from it: it has a scale of its own.
    is_level: bool,
}

/// How far to both sides a screen draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    reach: f64,
}

/// Least reach: intervals of a few per cent are not drawn as if they were wide.
const REACH_MIN: f64 = 0.05;
/// Room beyond the farthest end.
const MARGIN: f64 = 1.15;

impl Gauge {
    /// Of a claim with an interval of ratios, or of a value that is held against a constant.
    pub(super) fn of(claim: &Claim, judged: &ClaimResult) -> Option<Gauge> {
        let estimate = judged.estimate.as_ref().filter(|estimate| estimate.point > 0.0)?;
        let (low, high) =
            (estimate.low.filter(|low| *low > 0.0)?, estimate.high.filter(|high| high.is_finite())?);
        let boundary = messages::boundary(claim, false);
        let is_level = matches!(claim.right, Side::Constant(_)) && estimate.unit != "ratio";
        if boundary <= 0.0 || !boundary.is_finite() || (estimate.unit != "ratio" && !is_level) {
            return None;
        }
        // A level is drawn as a share of its limit, so that it stands on the scale of the ratios.
        let unit = if is_level { boundary } else { 1.0 };
        let at = |value: f64| (value / unit).ln();
        let thresholds = match band_of(claim) {
            Some(band) => (at(boundary * (1.0 - band)), at(boundary * (1.0 + band))),
            None => (at(boundary), at(boundary)),
        };
        Some(Gauge { low: at(low), point: at(estimate.point), high: at(high), thresholds, is_level })
    }

    /// `······┃··●··`: the threshold or the ends of the band, the interval, the estimate.
    pub(super) fn drawn(self, scale: Scale, columns: usize) -> String {
        let scale = if self.is_level { Scale::reaching(&[self]) } else { scale };
        let place = |log: f64| {
            let share = (log / scale.reach + 1.0) / 2.0;
            (share.clamp(0.0, 1.0) * (columns - 1) as f64).round() as usize
        };
        let mut out = vec!['·'; columns];
        let (low, high) = (place(self.low), place(self.high));
        out[low..=high].fill('─');
        let (from, to) = (place(self.thresholds.0), place(self.thresholds.1));
        if from == to {
            out[from] = '┃';
        } else {
            (out[from], out[to]) = ('[', ']');
        }
        out[place(self.point)] = '●';
        out.into_iter().collect()
    }
}

impl Scale {
    /// One that has room for all ratios.
    pub(super) fn of(gauges: impl Iterator<Item = Gauge>) -> Scale {
        Scale::reaching(&gauges.filter(|gauge| !gauge.is_level).collect::<Vec<_>>())
    }

    fn reaching(gauges: &[Gauge]) -> Scale {
        let ends = gauges.iter().flat_map(|it| [it.low, it.high, it.thresholds.0, it.thresholds.1]);
        Scale { reach: ends.map(f64::abs).fold(REACH_MIN, f64::max) * MARGIN }
    }
}

/// Whether a claim asks that two sides are alike.
fn band_of(claim: &Claim) -> Option<f64> {
    match claim.comparison {
        Comparison::Within(share) => Some(share),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(low: f64, point: f64, high: f64, thresholds: (f64, f64)) -> Gauge {
        let thresholds = (thresholds.0.ln(), thresholds.1.ln());
        Gauge { low: low.ln(), point: point.ln(), high: high.ln(), thresholds, is_level: false }
    }

    #[test]
    fn an_interval_stands_beside_its_own_threshold_on_the_common_scale() {
        let more = gauge(1.15, 1.20, 1.25, (1.0, 1.0));
        let alike = gauge(0.99, 1.0, 1.01, (0.95, 1.05));
        let scale = Scale::of([more, alike].into_iter());
        assert_eq!(more.drawn(scale, 21), "··········┃····──●──·");
        assert_eq!(alike.drawn(scale, 21), "········[·●·]········");
    }
}
