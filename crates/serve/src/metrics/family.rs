//! Metrics with their values at one moment: what both formats are made of.

use crate::metrics::About;

/// Bounds between which durations are counted, in nanoseconds: 1, 2 and 5 of each power of ten, 10 µs to a minute.
pub(crate) const BOUNDS_NS: [u64; 21] = [
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
    60_000_000_000,
];

/// Durations, counted between bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// How many lie beyond the bound before and at most at each bound of [`Times::bounds_s`]; then those beyond the last.
    pub counts: Vec<u64>,
    /// Their sum in nanoseconds. A whole number: one that shrank by a rounding would be taken for a new beginning.
    pub sum_ns: u128,
}

impl Default for Times {
    /// None; every bound has its count all the same.
    fn default() -> Times {
        Times { counts: vec![0; BOUNDS_NS.len() + 1], sum_ns: 0 }
    }
}

impl Times {
    /// Upper bounds in seconds, ascending; what is longer than all of them is counted last.
    pub fn bounds_s() -> impl Iterator<Item = f64> {
        BOUNDS_NS.into_iter().map(|ns| ns as f64 / 1e9)
    }

    /// Their sum in seconds.
    pub fn sum_s(&self) -> f64 {
        self.sum_ns as f64 / 1e9
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(crate) fn add(&mut self, other: &Times) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
        self.sum_ns += other.sum_ns;
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Count(u64),
    Number(f64),
    Times(Times),
}

/// A value with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Values of the labels, in the order of [`About::labels`]. An empty one is as good as none.
    pub labels: Vec<String>,
    pub value: Value,
}

/// A metric with all its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    pub about: &'static About,
    pub samples: Vec<Sample>,
}

/// The figures of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The study's name; empty where there is none.
    pub study: String,
    /// Metrics that have a value.
    pub families: Vec<Family>,
}

impl Figures {
    pub(crate) fn push(&mut self, about: &'static About, labels: &[&str], value: Value) {
        debug_assert_eq!(labels.len(), about.labels.len(), "{about:?}");
        let sample = Sample { labels: labels.iter().map(ToString::to_string).collect(), value };
        match self.families.iter_mut().find(|family| family.about == about) {
            Some(family) => family.samples.push(sample),
            None => self.families.push(Family { about, samples: vec![sample] }),
        }
    }

    pub(crate) fn count(&mut self, about: &'static About, labels: &[&str], count: u64) {
        self.push(about, labels, Value::Count(count));
    }

    /// Adds a number, if it is one: nothing is said of what is not known.
    pub(crate) fn number(&mut self, about: &'static About, labels: &[&str], number: Option<f64>) {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            self.push(about, labels, Value::Number(number));
        }
    }
}
