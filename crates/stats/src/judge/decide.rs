//! Position of an interval relative to the claimed values.

use super::series::{Series, Sides};
use crate::sample::Moments;
use crate::{Comparison, Side, Term};

/// Meaning of the values of the blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// Logarithm of a ratio, or of a measure.
    Log,
    /// The measure itself: some value or the constant is zero.
    Plain,
    /// Left minus right, factors included: some value is zero.
    Difference,
}

/// The values of the blocks, and what is claimed of their mean.
pub(super) struct Frame {
    pub scale: Scale,
    pub values: Vec<f64>,
    /// Boundary between the claim's two answers.
    pub boundary: f64,
    comparison: Comparison,
    /// Half-width of the band of `~ within` around the boundary; `None` where no band can be drawn.
    band: Option<f64>,
    /// Left and right side, factors included, when neither ever changes.
    constant_sides: Option<(f64, f64)>,
}

fn factor(side: &Side) -> f64 {
    match side {
        Side::Measured { factor, .. } => *factor,
        Side::Constant(value) => *value,
    }
}

/// The frame of those blocks; `None` when a ratio has no value in one of them.
pub(super) fn frame(series: &Series<'_>, sides: &[Sides]) -> Option<Frame> {
    let claim = series.claim;
    let (left, right) = (factor(&claim.left), factor(&claim.right));
    let logs: Option<Vec<f64>> = sides.iter().map(|sides| sides.log.filter(|log| log.is_finite())).collect();
    let of_ratio = |side: &Side| matches!(side, Side::Measured { term: Term::Ratio { .. }, .. });
    let plain_right = matches!(claim.right, Side::Constant(_));
    let boundary = right / left;
    if !boundary.is_finite() {
        return None;
    }
    let (scale, values, boundary) = match logs {
        Some(logs) if boundary > 0.0 => (Scale::Log, logs, boundary.ln()),
        _ if of_ratio(&claim.left) || of_ratio(&claim.right) => return None,
        _ if plain_right => (Scale::Plain, sides.iter().map(|sides| sides.left).collect(), boundary),
        _ => {
            let difference = |sides: &Sides| left * sides.left - right * sides.right;
            (Scale::Difference, sides.iter().map(difference).collect(), 0.0)
        }
    };
    let band = match (claim.comparison, scale) {
        (Comparison::Within(share), Scale::Log) => Some(share.ln_1p()),
        (Comparison::Within(share), Scale::Plain) => Some(share * boundary.abs()),
        _ => None,
    };
    let first = sides.first()?;
    let same = sides.iter().all(|sides| sides.left == first.left && sides.right == first.right);
    let constant_sides = same.then_some((left * first.left, right * first.right));
    Some(Frame { scale, values, boundary, comparison: claim.comparison, band, constant_sides })
}

impl Frame {
    /// Answer of an interval to the claim: true, false, or none.
    pub fn decide(&self, low: f64, high: f64) -> Option<bool> {
        let (above, below) = (low > self.boundary, high < self.boundary);
        match self.comparison {
            Comparison::Greater | Comparison::AtLeast => answer(above, below),
            Comparison::Less | Comparison::AtMost => answer(below, above),
            Comparison::Equal => answer(false, above || below),
            Comparison::Within(_) => {
                let band = self.band?;
                let (bottom, top) = (self.boundary - band, self.boundary + band);
                answer(low >= bottom && high <= top, low > top || high < bottom)
            }
        }
    }

    /// Distance of an interval that decides from where the answers part.
    pub fn margin(&self, low: f64, high: f64) -> f64 {
        let band = self.band.unwrap_or(0.0);
        let parts = [self.boundary - band, self.boundary + band];
        parts.iter().flat_map(|part| [(low - part).abs(), (high - part).abs()]).fold(f64::INFINITY, f64::min)
    }

    /// Answer for values that never change.
    pub fn decide_constant(&self, value: f64) -> bool {
        let (left, right) = self.constant_sides.unwrap_or((value, self.boundary));
        match self.comparison {
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Equal => left == right,
            Comparison::Within(_) => {
                let apart = (value - self.boundary).abs();
                self.band.map_or(left == right, |band| apart <= band)
            }
        }
    }

    /// True if another estimate of the same quantity lies on the same side as the mean.
    pub fn agrees(&self, mean: f64, other: f64) -> bool {
        let side = |value: f64| match (self.comparison, self.band) {
            (Comparison::Within(_), Some(band)) => {
                let apart = value - self.boundary;
                if apart.abs() <= band { 0 } else { apart.signum() as i32 }
            }
            _ => (value - self.boundary).signum() as i32,
        };
        side(mean) == side(other)
    }

    /// Probability that an interval of half-width `half` will decide, when its centre is expected at `mean`, give or
    /// take `spread` times t with `freedom` degrees of freedom.
    fn chance(&self, mean: f64, spread: f64, freedom: u32, half: f64) -> f64 {
        let undecided = match (self.comparison, self.band) {
            // A band that cannot be drawn: nothing is known of what will be.
            (Comparison::Within(_), None) => return 1.0,
            (Comparison::Within(_), Some(band)) if half < band => {
                vec![(-band - half, half - band), (band - half, band + half)]
            }
            (Comparison::Within(_), Some(band)) => vec![(-band - half, band + half)],
            _ => vec![(-half, half)],
        };
        let below = |apart: f64| crate::student::cumulative((self.boundary + apart - mean) / spread, freedom);
        1.0 - undecided.into_iter().map(|(low, high)| below(high) - below(low)).sum::<f64>()
    }

    /// Probability that the last look will decide, at the mean and the spread seen so far and `half`, half the width of
    /// its interval. The mean of all `last` blocks is expected at that of those there are, give or take s √(1/n − 1/N).
    /// `None` where nothing is known of what will be, or nothing is to come.
    pub fn chance_at_last(&self, moments: &Moments, last: u32, half: f64) -> Option<f64> {
        let Moments { n, mean, sd } = *moments;
        if n < 2 || n >= last || sd == 0.0 || !half.is_finite() {
            return None;
        }
        let spread = sd * (1.0 / f64::from(n) - 1.0 / f64::from(last)).sqrt();
        Some(self.chance(mean, spread, n - 1, half).max(0.0))
    }

    /// Largest half-width of an interval around this mean that decides.
    pub fn reach(&self, moments: &Moments) -> Option<f64> {
        let apart = (moments.mean - self.boundary).abs();
        let reach = match (self.comparison, self.band) {
            (Comparison::Within(_), band) => (apart - band?).abs(),
            _ => apart,
        };
        (reach > 0.0).then_some(reach)
    }
}

fn answer(supported: bool, refuted: bool) -> Option<bool> {
    match (supported, refuted) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}
