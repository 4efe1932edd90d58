//! Live counters of a worker while it measures, and the switch that stops it.

use crate::Watch;
use crate::record::WorkerRecord;
use std::sync::atomic::Ordering;

/// Interval at which the live counters are updated.
const UPDATE_EVERY_NS: u64 = 100_000_000;

/// The live counters, as far as one worker adds to them.
pub(super) struct LiveCounters<'a> {
    watch: &'a Watch,
    due_ns: u64,
    /// Number added so far.
    answered: u64,
    failed: u64,
}

impl<'a> LiveCounters<'a> {
    pub fn new(watch: &'a Watch) -> Self {
        LiveCounters { watch, due_ns: 0, answered: 0, failed: 0 }
    }

    /// Instant of the next update.
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Adds the counts since the last update.
    pub fn update(&mut self, record: &WorkerRecord, now: u64) {
        self.due_ns = now + UPDATE_EVERY_NS;
        self.watch.answered.fetch_add(record.answered - self.answered, Ordering::Relaxed);
        self.watch.failed.fetch_add(record.failed - self.failed, Ordering::Relaxed);
        (self.answered, self.failed) = (record.answered, record.failed);
    }

    /// True if the load is to end early.
    pub fn is_stopped(&self) -> bool {
        self.watch.stop.load(Ordering::Relaxed)
    }

    /// True if the result is no longer wanted.
    pub fn is_abandoned(&self) -> bool {
        self.watch.abandoned.load(Ordering::Relaxed)
    }
}
