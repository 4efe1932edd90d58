//! Exported figures of loads and subjects: of the seconds of a slice that goes on, and of slices on record.

use crate::metrics::catalogue::{self as about, About};
use crate::metrics::sheet::{Sheet, Times, Value};
use proofload_measure::{LatencyHistogram, Outcome, Snapshot};
use proofload_store::schema::{CheckOutcome, Slice, SubjectUse};

/// Quantiles that are shown of the latest second or slice, as percentiles in the label: `quantile` is for summaries alone.
const QUANTILES: [(&str, f64); 4] = [("50", 0.5), ("90", 0.9), ("99", 0.99), ("99.9", 0.999)];

/// Metrics that each second renews; the others come from slices alone.
pub(crate) const OF_SECONDS: [&About; 3] =
    [&about::RESPONSE_LATEST, &about::SERVICE_LATEST, &about::THROUGHPUT];

/// A second of a load, or several that could not be separated: what adds up of it, and how it was. Snapshots have megabytes;
/// this has not.
pub(crate) struct Second {
    pub counts: Sheet,
    pub latest: Sheet,
}

impl Second {
    pub fn of(seen: &Snapshot) -> Second {
        let outcomes = seen.outcomes.iter().map(|(outcome, n)| (outcome.name(), n));
        let mut counts = ended(outcomes);
        for (code, n) in seen.codes.iter() {
            let code = if code == 0 { "other".to_string() } else { code.to_string() };
            counts.set(&about::CODES, &[&code], Some(n));
        }
        counts.set_all(&[
            (&about::DROPPED, seen.dropped),
            (&about::IN_WINDOW, seen.answered_in_window),
            (&about::MEASURED, seen.window.end_ns.saturating_sub(seen.window.start_ns)),
            (&about::SLICES, 0),
            (&about::SENT, seen.bytes_sent),
            (&about::RECEIVED, seen.bytes_received),
            (&about::GENERATOR_CPU, 0),
        ]);
        counts.set(&about::RESPONSE, &[], Some(Value::Times(Times::of(&seen.response_time))));
        counts.set(&about::SERVICE, &[], Some(Value::Times(Times::of(&seen.service_time))));
        let mut latest = Sheet::default();
        for (percentile, q) in QUANTILES {
            let response = seen.response_time.quantile_beside(&seen.unended, q).map(|found| found.value);
            latest.set(&about::RESPONSE_LATEST, &[percentile], response);
            latest.set(&about::SERVICE_LATEST, &[percentile], seen.service_time.quantile_ns(q));
        }
        latest.set(&about::THROUGHPUT, &[], seen.throughput_per_s());
        Second { counts, latest }
    }
}

/// Exchanges by outcome, also those that did not happen yet: they are 0 and not unknown.
fn ended<'a>(outcomes: impl Iterator<Item = (&'a str, u64)>) -> Sheet {
    let mut sheet = Sheet::default();
    let none = Outcome::ALL.into_iter().map(|outcome| (outcome.name(), 0));
    none.chain(outcomes).for_each(|(name, n)| sheet.set(&about::EXCHANGES, &[name], Some(n)));
    sheet
}

/// Counters of a slice on record. A histogram that cannot be read is left out.
pub(crate) fn counts_of(slice: &Slice) -> Sheet {
    let Slice { measured, histograms, .. } = slice;
    let mut counts = ended(measured.outcomes.iter().map(|(name, n)| (name.as_str(), *n)));
    measured.codes.iter().for_each(|(code, n)| counts.set(&about::CODES, &[code], Some(*n)));
    for check in &measured.generator.checks {
        let mut one = Sheet::default();
        one.set(&about::CHECKS, &[check.check.name(), check.outcome.name()], Some(1_u64));
        counts.add(&one);
    }
    counts.set_all(&[
        (&about::DROPPED, measured.dropped),
        (&about::IN_WINDOW, slice.answered_in_window),
        (&about::MEASURED, (measured.seconds * 1e9).round() as u64),
        (&about::SLICES, 1),
        (&about::SENT, measured.bytes_sent),
        (&about::RECEIVED, measured.bytes_received),
        (&about::GENERATOR_CPU, measured.generator.cpu_ns),
    ]);
    for (metric, text) in
        [(&about::RESPONSE, &histograms.response_time), (&about::SERVICE, &histograms.service_time)]
    {
        let times = LatencyHistogram::decode(text).map(|histogram| Times::of(&histogram)).unwrap_or_default();
        counts.set(metric, &[], Some(Value::Times(times)));
    }
    counts
}

/// Latest figures of a load, from a slice on record.
pub(crate) fn latest_of(slice: &Slice) -> Sheet {
    let measured = &slice.measured;
    let mut latest = Sheet::default();
    for (metric, times) in [
        (&about::RESPONSE_LATEST, &measured.response_time_ns),
        (&about::SERVICE_LATEST, &measured.service_time_ns),
    ] {
        for ((percentile, _), ns) in QUANTILES.iter().zip([times.p50, times.p90, times.p99, times.p999]) {
            latest.set(metric, &[percentile], ns);
        }
    }
    latest.set(&about::THROUGHPUT, &[], measured.throughput_per_s);
    let connections = u64::from(measured.connections_peak);
    latest.set(&about::CONNECTIONS, &[], Some(connections).filter(|n| *n > 0));
    let generator = &measured.generator;
    let thread_s = measured.seconds * f64::from(generator.threads);
    let busy = (thread_s > 0.0).then(|| generator.cpu_ns as f64 / 1e9 / thread_s);
    latest.set(&about::GENERATOR_BUSY, &[], busy);
    for check in generator.checks.iter().filter(|check| check.outcome != CheckOutcome::NotMeasured) {
        let labels = [check.check.name(), &check.unit];
        latest.set(&about::CHECK, &labels, check.found);
        latest.set(&about::CHECK_LIMIT, &labels, check.limit);
    }
    latest
}

type Of = fn(&SubjectUse) -> Option<u64>;

/// Counters of subjects. Times are in nanoseconds.
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

/// Gauges of subjects.
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

/// Counters of a subject's use of a window, and gauges of what it holds.
pub(crate) fn of_subject(used: &SubjectUse) -> [Sheet; 2] {
    [&COUNTERS, &GAUGES].map(|metrics| {
        let mut sheet = Sheet::default();
        metrics.iter().for_each(|(about, of)| sheet.set(about, &[], of(used)));
        sheet
    })
}
