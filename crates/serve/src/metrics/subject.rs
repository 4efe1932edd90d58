//! What subjects used, added up, and what they hold.

use crate::metrics::catalogue as about;
use crate::metrics::family::Figures;
use crate::metrics::{About, Unit};
use proofload_store::schema::SubjectUse;

type Of = fn(&SubjectUse) -> Option<u64>;

/// What is added up. Times are in nanoseconds.
static COUNTERS: [(&About, Of); 9] = [
    (&about::SUBJECT_CPU, |used| used.cpu_ns),
    (&about::SUBJECT_GC, |used| used.gc_ns),
    (&about::SUBJECT_GCS, |used| used.gc_count),
    (&about::SUBJECT_SAFEPOINT, |used| used.safepoint_ns),
    (&about::SUBJECT_JIT, |used| used.jit_ns),
    (&about::SUBJECT_FAULTS, |used| used.major_faults),
    (&about::SUBJECT_READ, |used| used.disk_read_bytes),
    (&about::SUBJECT_WRITTEN, |used| used.disk_written_bytes),
    (&about::SAMPLER_CPU, |used| used.sampler_cpu_ns),
];

/// What there is at a moment.
static GAUGES: [(&About, Of); 9] = [
    (&about::SUBJECT_MEMORY, |used| used.rss_bytes),
    (&about::SUBJECT_HEAP, |used| used.heap_used_bytes),
    (&about::SUBJECT_HEAP_CAPACITY, |used| used.heap_capacity_bytes),
    (&about::SUBJECT_THREADS, |used| used.threads),
    (&about::SUBJECT_PROCESSES, |used| used.processes),
    (&about::SUBJECT_DESCRIPTORS, |used| used.descriptors),
    (&about::SUBJECT_CONNECTIONS, |used| used.connections),
    (&about::SUBJECT_TIME_WAIT, |used| used.time_wait),
    (&about::SUBJECT_QUEUE, |used| used.accept_queue_max),
];

/// A sum of what a subject used; `None` for what nobody ever knew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used([Option<u64>; COUNTERS.len()]);

impl Used {
    /// What was used in a window.
    pub fn of(used: &SubjectUse) -> Used {
        Used(COUNTERS.map(|(_, of)| of(used)))
    }

    pub fn add(&mut self, other: &Used) {
        for (sum, n) in self.0.iter_mut().zip(other.0) {
            *sum = n.map_or(*sum, |n| Some(sum.unwrap_or(0) + n));
        }
    }

    /// As it is, but nowhere less than what was shown before: a counter that shrinks looks like a restart. CPU time is
    /// scaled to its window when it comes on record, which may be less than a sample of a moment before.
    pub fn at_least(self, shown: Option<&Used>) -> Used {
        let Some(shown) = shown else { return self };
        let mut most = self;
        most.0.iter_mut().zip(shown.0).for_each(|(n, shown)| *n = (*n).max(shown));
        most
    }

    pub fn enter(&self, labels: &[&str], figures: &mut Figures) {
        for (sum, (about, _)) in self.0.iter().zip(&COUNTERS) {
            enter(about, labels, *sum, figures);
        }
    }
}

/// What a subject holds; what only some samples tell stays as it was told last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held([Option<u64>; GAUGES.len()]);

impl Held {
    /// Takes a sample, or what a slice ended with.
    pub fn take(&mut self, used: &SubjectUse) {
        for (held, (_, of)) in self.0.iter_mut().zip(&GAUGES) {
            *held = of(used).or(*held);
        }
    }

    pub fn enter(&self, labels: &[&str], figures: &mut Figures) {
        for (held, (about, _)) in self.0.iter().zip(&GAUGES) {
            enter(about, labels, *held, figures);
        }
    }
}

fn enter(about: &'static About, labels: &[&str], value: Option<u64>, figures: &mut Figures) {
    let Some(value) = value else { return };
    match about.unit {
        Unit::Seconds => figures.number(about, labels, Some(value as f64 / 1e9)),
        _ => figures.count(about, labels, value),
    }
}
