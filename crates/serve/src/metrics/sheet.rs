//! Metrics with their values: those of one load, subject or run, which add up; and all of one moment, of which both formats
//! are made.

use crate::metrics::catalogue::{ALL, About, Unit};
use proofload_measure::LatencyHistogram;
use proofload_report::escape;
use std::collections::BTreeMap;

/// Bounds between which durations are counted, in microseconds: 1, 2 and 5 of each power of ten, 10 µs to a minute.
const BOUNDS_US: [u64; 21] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000, 5_000_000, 10_000_000, 30_000_000, 60_000_000,
];

/// Durations, counted between bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// Number of durations beyond the bound before and at most at each bound of [`Times::bounds_s`]; then those beyond
    /// the last.
    pub counts: Vec<u64>,
    /// Their sum in nanoseconds. A whole number: one that shrank by a rounding would be taken for a new beginning.
    pub sum_ns: u128,
}

impl Default for Times {
    /// None; every bound has its count all the same.
    fn default() -> Times {
        Times { counts: vec![0; BOUNDS_US.len() + 1], sum_ns: 0 }
    }
}

impl Times {
    pub(crate) fn of(histogram: &LatencyHistogram) -> Times {
        let bounds_ns = BOUNDS_US.map(|us| us * 1_000);
        Times { counts: histogram.counts_between(&bounds_ns), sum_ns: histogram.sum_ns() }
    }

    /// Upper bounds in seconds, ascending; what is longer than all of them is counted last.
    pub fn bounds_s() -> impl Iterator<Item = f64> {
        BOUNDS_US.into_iter().map(|us| us as f64 / 1e6)
    }

    /// Their sum in seconds.
    pub fn sum_s(&self) -> f64 {
        self.sum_ns as f64 / 1e9
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a metric in seconds on a `Sheet`, nanoseconds: whole numbers add up without a rounding.
    Count(u64),
    Number(f64),
    Times(Times),
}

impl From<u64> for Value {
    fn from(count: u64) -> Value {
        Value::Count(count)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

/// Values by metric and its last labels; the first ones are of what the sheet is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sheet(BTreeMap<(&'static About, Vec<String>), Value>);

impl Sheet {
    /// Enters a value, if it is known, in place of the one that is there.
    pub fn set(&mut self, about: &'static About, labels: &[&str], value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert((about, labels.iter().map(ToString::to_string).collect()), value.into());
        }
    }

    /// Enters counts of metrics without further labels.
    pub fn set_all(&mut self, counts: &[(&'static About, u64)]) {
        counts.iter().for_each(|(about, n)| self.set(about, &[], Some(*n)));
    }

    /// Enters all values of another in place of those that are there.
    pub fn take(&mut self, other: Sheet) {
        self.0.extend(other.0);
    }

    pub fn remove(&mut self, metrics: &[&About]) {
        self.0.retain(|(about, _), _| !metrics.contains(about));
    }

    pub fn add(&mut self, other: &Sheet) {
        for (key, value) in &other.0 {
            match (self.0.get_mut(key), value) {
                (Some(Value::Count(sum)), Value::Count(n)) => *sum += n,
                (Some(Value::Times(sum)), Value::Times(times)) => {
                    sum.counts.iter_mut().zip(&times.counts).for_each(|(sum, n)| *sum += n);
                    sum.sum_ns += times.sum_ns;
                }
                _ => drop(self.0.insert(key.clone(), value.clone())),
            }
        }
    }

    /// Makes no count less than one that was shown before: a counter that shrinks looks like a restart.
    pub fn at_least(&mut self, shown: &Sheet) {
        for (key, shown) in &shown.0 {
            match (self.0.get_mut(key), shown) {
                (Some(Value::Count(n)), Value::Count(shown)) => *n = (*n).max(*shown),
                _ => drop(self.0.insert(key.clone(), shown.clone())),
            }
        }
    }
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
    /// Metrics that have a value, in the order of [`ALL`].
    pub families: Vec<Family>,
}

impl Figures {
    /// All figures of these sheets, each with its first labels. Names are strangers' text: what a terminal would obey is shown as
    /// an escape.
    pub(crate) fn of<'a>(study: &str, sheets: impl Iterator<Item = (&'a [String], &'a Sheet)>) -> Figures {
        let mut families = ALL.map(|about| Family { about, samples: Vec::new() });
        for (first, Sheet(values)) in sheets {
            for ((about, last), value) in values {
                let labels: Vec<String> = first.iter().chain(last).map(|label| escape::line(label)).collect();
                debug_assert_eq!(labels.len(), about.labels.len(), "{about:?}");
                let value = match value {
                    Value::Count(ns) if about.unit == Unit::Seconds => Value::Number(*ns as f64 / 1e9),
                    // A value that is not a number is not exported.
                    Value::Number(number) if !number.is_finite() => continue,
                    value => value.clone(),
                };
                if let Some(family) = families.iter_mut().find(|family| family.about == *about) {
                    family.samples.push(Sample { labels, value });
                }
            }
        }
        let families = families.into_iter().filter(|family| !family.samples.is_empty());
        Figures { study: escape::line(study), families: families.collect() }
    }
}
