//! Distributions of pauses and of sizes. A value is a function of the seed and of a number, so that it does not
//! depend on who asks for it first.

use super::Random;
use super::random::scaled;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Distribution of a whole quantity: a pause in nanoseconds, a size in bytes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Distribution {
    /// Always the same.
    Constant(u64),
    /// Each value from the first to the second as likely as any other.
    Uniform {
        low: u64,
        /// Highest; at least `low`.
        high: u64,
    },
    Exponential {
        /// Its mean, above 0.
        mean: u64,
    },
    LogNormal {
        /// Its median, above 0.
        median: u64,
        /// Standard deviation of the logarithm, not negative.
        sigma: f64,
    },
    /// Cut at 0, which is three deviations away at least.
    Normal {
        mean: u64,
        /// Standard deviation, at most a third of the mean.
        deviation: u64,
    },
    /// Any of these, each as likely as any other; one that is listed twice is twice as likely.
    List(Arc<[u64]>),
}

/// The 99th percentile of the standard normal distribution.
const Z_99: f64 = 2.326_347_874_040_841;

/// Largest standard deviation of a logarithm: with it the 99th percentile is a million times the median.
const SIGMA_MAX: f64 = 6.0;

impl Default for Distribution {
    /// Nothing, always.
    fn default() -> Self {
        Distribution::Constant(0)
    }
}

impl From<u64> for Distribution {
    fn from(value: u64) -> Self {
        Distribution::Constant(value)
    }
}

impl Distribution {
    /// The log-normal distribution with that median and that 99th percentile, both above 0.
    pub fn log_normal(median: u64, p99: u64) -> Self {
        Distribution::LogNormal { median, sigma: (p99 as f64 / median as f64).ln() / Z_99 }
    }

    /// True if every value is 0.
    pub fn is_zero(&self) -> bool {
        match self {
            Distribution::Constant(value) => *value == 0,
            Distribution::Uniform { high, .. } => *high == 0,
            Distribution::Exponential { .. } | Distribution::LogNormal { .. } => false,
            Distribution::Normal { mean, deviation } => *mean == 0 && *deviation == 0,
            Distribution::List(values) => values.iter().all(|value| *value == 0),
        }
    }

    /// True if there is one value only.
    pub fn is_constant(&self) -> bool {
        match self {
            Distribution::Constant(_) => true,
            Distribution::Uniform { low, high } => low == high,
            Distribution::LogNormal { sigma, .. } => *sigma == 0.0,
            Distribution::Normal { deviation, .. } => *deviation == 0,
            Distribution::Exponential { .. } => false,
            Distribution::List(values) => values.windows(2).all(|pair| pair[0] == pair[1]),
        }
    }

    pub fn mean(&self) -> f64 {
        match self {
            Distribution::Constant(value) => *value as f64,
            Distribution::Uniform { low, high } => (*low as f64 + *high as f64) / 2.0,
            Distribution::Exponential { mean } | Distribution::Normal { mean, .. } => *mean as f64,
            Distribution::LogNormal { median, sigma } => *median as f64 * (sigma * sigma / 2.0).exp(),
            Distribution::List(values) => {
                values.iter().map(|value| *value as f64).sum::<f64>() / values.len().max(1) as f64
            }
        }
    }

    /// Its largest value; `None` if it is unbounded.
    pub fn most(&self) -> Option<u64> {
        match self {
            Distribution::Constant(value) => Some(*value),
            Distribution::Uniform { high, .. } => Some(*high),
            Distribution::Exponential { .. } => None,
            Distribution::Normal { mean, deviation } => (*deviation == 0).then_some(*mean),
            Distribution::LogNormal { median, sigma } => (*sigma == 0.0).then_some(*median),
            Distribution::List(values) => values.iter().max().copied(),
        }
    }

    /// Its problem, in a few words; `None` if there is none.
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            Distribution::Uniform { low, high } if low > high => Some("ends before it begins"),
            Distribution::Exponential { mean: 0 } => Some("has a mean of 0"),
            Distribution::LogNormal { median: 0, .. } => Some("has a median of 0"),
            Distribution::Normal { mean, deviation } if *deviation > mean / 3 => {
                Some("has a standard deviation of more than a third of its mean")
            }
            Distribution::LogNormal { sigma, .. } if !(0.0..=SIGMA_MAX).contains(sigma) => {
                Some("has a 99th percentile below its median, or more than a million times as high")
            }
            Distribution::List(values) if values.is_empty() => Some("has no value"),
            _ => None,
        }
    }
}

/// Values of a distribution by number.
#[derive(Clone, Debug)]
pub struct Draws {
    distribution: Distribution,
    random: [Random; 2],
}

impl Draws {
    /// Values of that seed and stream, as of [`Random::new`]. The distribution has no problem.
    pub fn new(distribution: Distribution, seed: u64, stream: u64) -> Self {
        // The second number of a draw comes from a stream of its own.
        Draws { distribution, random: [Random::new(seed, stream), Random::new(!seed, stream)] }
    }

    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// The value with that number.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        match &self.distribution {
            Distribution::Constant(value) => *value,
            Distribution::Uniform { low, high } => low + self.below(index, (high - low).saturating_add(1)),
            Distribution::Exponential { mean } => (self.exponential(0, index) * *mean as f64) as u64,
            Distribution::LogNormal { median, sigma } => {
                (*median as f64 * (sigma * self.normal(index)).exp()) as u64
            }
            Distribution::Normal { mean, deviation } => {
                (*mean as f64 + *deviation as f64 * self.normal(index)).max(0.0) as u64
            }
            Distribution::List(values) => values[self.below(index, values.len() as u64) as usize],
        }
    }

    /// The rest of a value that is interrupted at a random instant, `fraction` of its length before its end: the
    /// chance to hit a value is proportional to its length, which makes long ones likelier than among all values.
    pub fn rest(&self, index: u64, fraction: f64) -> u64 {
        let met = match &self.distribution {
            Distribution::Constant(value) => *value as f64,
            Distribution::Uniform { low, high } => {
                let (low, high) = (*low as f64, *high as f64);
                (low * low + self.unit(0, index) * (high * high - low * low)).sqrt()
            }
            Distribution::Exponential { mean } => {
                *mean as f64 * (self.exponential(0, index) + self.exponential(1, index))
            }
            Distribution::LogNormal { median, sigma } => {
                *median as f64 * (sigma * (self.normal(index) + sigma)).exp()
            }
            // Longer by the square of the deviation over the mean; of the spread nothing is left out but its skew.
            Distribution::Normal { mean, deviation } => {
                let (mean, deviation) = (*mean as f64, *deviation as f64);
                (mean + deviation * deviation / mean.max(1.0) + deviation * self.normal(index)).max(0.0)
            }
            Distribution::List(values) => {
                let sum = values.iter().fold(0_u64, |sum, value| sum.saturating_add(*value));
                let mut left = self.below(index, sum.max(1));
                let met = values.iter().find(|value| match left.checked_sub(**value) {
                    Some(rest) => {
                        left = rest;
                        false
                    }
                    None => true,
                });
                met.copied().unwrap_or(0) as f64
            }
        };
        (met * fraction) as u64
    }

    fn below(&self, index: u64, bound: u64) -> u64 {
        scaled(self.random[0].at(index), bound)
    }

    /// Above 0 and not above 1.
    fn unit(&self, which: usize, index: u64) -> f64 {
        ((self.random[which].at(index) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&self, which: usize, index: u64) -> f64 {
        -self.unit(which, index).ln()
    }

    /// Standard normal (Box and Muller 1958).
    fn normal(&self, index: u64) -> f64 {
        let angle = std::f64::consts::TAU * self.unit(1, index);
        (2.0 * self.exponential(0, index)).sqrt() * angle.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const N: u64 = 20_000;

    fn values(distribution: &Distribution, seed: u64) -> Vec<f64> {
        let draws = Draws::new(distribution.clone(), seed, 1);
        let mut values: Vec<f64> = (0..N).map(|at| draws.at(at) as f64).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    /// The Kolmogorov-Smirnov distance of sorted values from a distribution function.
    fn distance(sorted: &[f64], function: impl Fn(f64) -> f64) -> f64 {
        let n = sorted.len() as f64;
        sorted.iter().enumerate().fold(0f64, |worst, (i, value)| {
            let expected = function(*value);
            worst.max((expected - i as f64 / n).abs()).max((expected - (i + 1) as f64 / n).abs())
        })
    }

    /// Normal distribution function by its series (Marsaglia 2004, eq. 1).
    fn normal_function(x: f64) -> f64 {
        let (mut sum, mut term) = (x, x);
        for i in 1..200 {
            term *= x * x / f64::from(2 * i + 1);
            sum += term;
        }
        (0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()).clamp(0.0, 1.0)
    }

    type Function = Box<dyn Fn(f64) -> f64>;

    fn all() -> Vec<(Distribution, Function)> {
        let log_normal = Distribution::log_normal(100 * MS, 1_000 * MS);
        let sigma = 10f64.ln() / Z_99;
        vec![
            (
                Distribution::Uniform { low: 50 * MS, high: 150 * MS },
                Box::new(|x| ((x - 50e6) / 100e6).clamp(0.0, 1.0)),
            ),
            (Distribution::Exponential { mean: 100 * MS }, Box::new(|x| 1.0 - (-x / 100e6).exp())),
            (log_normal, Box::new(move |x| normal_function((x / 100e6).ln() / sigma))),
        ]
    }

    #[test]
    fn values_pass_kolmogorov_smirnov_against_their_distribution_and_no_other() {
        let critical = 1.628 / (N as f64).sqrt(); // 1 %, large n (Massey 1951)
        let all = all();
        for (at, (distribution, function)) in all.iter().enumerate() {
            // Of twenty seeds more than two are beyond it with a chance of a thousandth.
            let beyond = (0..20).filter(|seed| distance(&values(distribution, *seed), function) >= critical);
            assert!(beyond.count() <= 2, "{distribution:?}");
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            for (other, (_, function)) in others {
                let found = distance(&values(distribution, 1), function);
                assert!(found > 10.0 * critical, "{distribution:?} {other}: {found}");
            }
        }
    }

    #[test]
    fn means_are_those_that_are_said() {
        let list = Distribution::List([1, 1, 10].into());
        assert!((list.mean() - 4.0).abs() < 1e-12);
        for distribution in all().into_iter().map(|(one, _)| one).chain([list, Distribution::Constant(7)]) {
            let sorted = values(&distribution, 9);
            let mean = sorted.iter().sum::<f64>() / N as f64;
            let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / N as f64;
            let allowed = 4.0 * (variance / N as f64).sqrt() + 1.0;
            assert!((mean - distribution.mean()).abs() <= allowed, "{distribution:?}: {mean}");
        }
    }

    #[test]
    fn a_value_depends_on_its_number_and_not_on_who_asked_before() {
        for (distribution, _) in all() {
            let draws = Draws::new(distribution.clone(), 5, 2);
            let forth: Vec<u64> = (0..100).map(|at| draws.at(at)).collect();
            let back: Vec<u64> = (0..100).rev().map(|at| draws.at(at)).rev().collect();
            assert_eq!(forth, back);
            assert_ne!(
                forth,
                (0..100).map(|at| Draws::new(distribution.clone(), 6, 2).at(at)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn the_rest_of_a_value_that_is_met_has_the_law_of_renewals() {
        // Mean rest: the mean square over twice the mean.
        let (sigma, median) = (10f64.ln() / Z_99, 100e6);
        let expected = [
            (50e6f64 * 50e6 + 50e6 * 150e6 + 150e6 * 150e6) / 3.0 / 2.0 / 100e6,
            100e6,
            median * (1.5 * sigma * sigma).exp() / 2.0,
        ];
        for ((distribution, _), expected) in all().into_iter().zip(expected) {
            let draws = Draws::new(distribution.clone(), 3, 1);
            let fraction = Random::new(3, 77);
            let rests: Vec<f64> = (0..200_000)
                .map(|at| draws.rest(at, fraction.at(at) as f64 / u64::MAX as f64) as f64)
                .collect();
            let mean = rests.iter().sum::<f64>() / rests.len() as f64;
            assert!((mean / expected - 1.0).abs() < 0.02, "{distribution:?}: {mean} of {expected}");
        }
        assert_eq!(Draws::new(Distribution::List([0, 0, 9].into()), 1, 1).rest(4, 1.0), 9);
        assert_eq!(Draws::new(Distribution::List([0].into()), 1, 1).rest(4, 1.0), 0);
    }

    #[test]
    fn what_is_no_distribution_is_told() {
        for (wrong, says) in [
            (Distribution::Uniform { low: 2, high: 1 }, "ends before"),
            (Distribution::Exponential { mean: 0 }, "mean of 0"),
            (Distribution::LogNormal { median: 0, sigma: 1.0 }, "median of 0"),
            (Distribution::log_normal(100, 99), "below its median"),
            (Distribution::LogNormal { median: 1, sigma: f64::NAN }, "below its median"),
            (Distribution::List([].into()), "no value"),
        ] {
            assert!(wrong.problem().is_some_and(|what| what.contains(says)), "{wrong:?}");
        }
        assert!(all().iter().all(|(one, _)| one.problem().is_none()));
    }
}
