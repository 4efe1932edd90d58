//! Results of a load, second by second, once all events in them are added up.

use crate::{Snapshot, Window};

/// A second, in nanoseconds.
pub const SECOND_NS: u64 = 1_000_000_000;
/// Seconds for which quantiles are kept; a day takes 2 MiB.
const QUANTILES_MAX: u64 = 3 * 86_400;

/// Quantiles of the response times of the exchanges that were answered within a second, all workers merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondQuantiles {
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
}

/// A stretch of a load, whole seconds of its window where nothing was late: what all its workers saw, merged.
#[derive(Debug)]
pub struct Stretch<'a> {
    /// Number of the load, from 0.
    pub stream: usize,
    /// The second of the window with which it begins, from 0; it holds the discarded stretch too.
    pub first: u64,
    /// The second with which it ends. The one after the last second of the window holds what was in flight then.
    pub last: u64,
    /// Of its response times; `None` where nothing was answered.
    pub quantiles: Option<SecondQuantiles>,
    /// Events in it. Its window is the part of the load's window that it covers.
    pub snapshot: &'a Snapshot,
}

/// Results of the seconds of one load.
#[derive(Debug)]
pub struct Collected {
    pub snapshot: Snapshot,
    /// Of each second; `None` for one without answers, and for one that could not be separated from its neighbours.
    pub quantiles: Vec<Option<SecondQuantiles>>,
}

/// The stretches of one load that are whole, one after the other.
#[derive(Debug)]
pub struct Series {
    stream: usize,
    /// The second after the last stretch.
    next: u64,
    collected: Collected,
}

impl Series {
    /// The series of the load `stream`, of which nothing is known yet. Has all its memory from the beginning.
    pub fn new(stream: usize, window: Window) -> Series {
        let seconds = (window.end_ns - window.start_ns).div_ceil(SECOND_NS);
        let quantiles = Vec::with_capacity(seconds.min(QUANTILES_MAX) as usize);
        Series { stream, next: 0, collected: Collected { snapshot: Snapshot::new(window), quantiles } }
    }

    /// The same of a load with so many named parts.
    #[must_use]
    pub fn with_parts(mut self, parts: usize) -> Self {
        self.collected.snapshot = self.collected.snapshot.with_parts(parts);
        self
    }

    /// The second with which the next stretch begins.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Adds the next stretch, up to second `last`, and reports it.
    pub fn add(&mut self, last: u64, stretch: &Snapshot, tell: &mut dyn FnMut(&Stretch<'_>)) {
        let response = &stretch.response_time;
        let quantiles = response.quantile_ns(0.5).zip(response.quantile_ns(0.99));
        let quantiles = quantiles.map(|(p50_ns, p99_ns)| SecondQuantiles { p50_ns, p99_ns });
        let (stream, first) = (self.stream, self.next);
        let series = &mut self.collected.quantiles;
        for _ in first..=last {
            if series.len() < series.capacity() {
                series.push(quantiles.filter(|_| first == last));
            }
        }
        tell(&Stretch { stream, first, last, quantiles, snapshot: stretch });
        if first == 0 {
            self.collected.snapshot.window = stretch.window;
        }
        self.collected.snapshot.merge(stretch);
        self.next = last + 1;
    }

    /// The result.
    pub fn finish(self) -> Collected {
        self.collected
    }
}
