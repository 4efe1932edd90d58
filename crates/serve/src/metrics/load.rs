//! What loads came to, added up: of slices on record, or of the seconds of one that goes on.

use crate::metrics::family::{BOUNDS_NS, Times};
use proofload_measure::{LatencyHistogram, Outcome, Snapshot};
use proofload_store::schema::{CheckOutcome, Durations, Slice};
use std::collections::BTreeMap;

/// Quantiles that are shown of the latest second or slice, as percentiles in the label: `quantile` is for summaries alone.
pub(crate) const QUANTILES: [(&str, f64); 4] = [("50", 0.5), ("90", 0.9), ("99", 0.99), ("99.9", 0.999)];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub outcomes: BTreeMap<String, u64>,
    pub codes: BTreeMap<String, u64>,
    pub checks: BTreeMap<(String, String), u64>,
    pub dropped: u64,
    pub in_window: u64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    pub measured_ns: u64,
    pub slices: u64,
    pub generator_cpu_ns: u64,
    pub response: Times,
    pub service: Times,
}

/// The latest second or slice.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Latest {
    /// In the order of [`QUANTILES`], in nanoseconds.
    pub response_ns: [Option<u64>; QUANTILES.len()],
    pub service_ns: [Option<u64>; QUANTILES.len()],
    pub per_s: Option<f64>,
    pub connections: u32,
    pub busy: Option<f64>,
    pub checks: Vec<(String, String, Option<f64>, Option<f64>)>,
}

/// A second of a load, or several that could not be separated. Snapshots have megabytes; this has not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Second {
    pub load: Load,
    pub latest: Latest,
}

impl Second {
    /// What is exported of it.
    pub fn of(seen: &Snapshot) -> Second {
        let mut second = Second::default();
        second.load.add_second(seen);
        let response = |q| seen.response_time.quantile_beside(&seen.unended, q).map(|found| found.value);
        second.latest.response_ns = QUANTILES.map(|(_, q)| response(q));
        second.latest.service_ns = QUANTILES.map(|(_, q)| seen.service_time.quantile_ns(q));
        second.latest.per_s = seen.throughput_per_s();
        second
    }
}

fn add(to: &mut BTreeMap<String, u64>, name: &str, n: u64) {
    match to.get_mut(name) {
        Some(count) => *count += n,
        None => {
            to.insert(name.to_string(), n);
        }
    }
}

fn times(histogram: &LatencyHistogram) -> Times {
    Times { counts: histogram.counts_between(&BOUNDS_NS), sum_ns: histogram.sum_ns() }
}

impl Load {
    /// Adds a second of a load, or several.
    fn add_second(&mut self, seen: &Snapshot) {
        seen.outcomes.iter().for_each(|(outcome, n)| add(&mut self.outcomes, outcome.name(), n));
        for (code, n) in seen.codes.iter() {
            let other = code == 0;
            add(&mut self.codes, &if other { "other".to_string() } else { code.to_string() }, n);
        }
        self.dropped += seen.dropped;
        self.in_window += seen.answered_in_window;
        self.sent_bytes += seen.bytes_sent;
        self.received_bytes += seen.bytes_received;
        self.measured_ns += seen.window.end_ns.saturating_sub(seen.window.start_ns);
        self.response.add(&times(&seen.response_time));
        self.service.add(&times(&seen.service_time));
    }

    /// Adds a slice that is on record. A histogram that cannot be read is left out.
    pub fn add_slice(&mut self, slice: &Slice) {
        let Slice { measured, histograms, .. } = slice;
        measured.outcomes.iter().for_each(|(name, n)| add(&mut self.outcomes, name, *n));
        measured.codes.iter().for_each(|(code, n)| add(&mut self.codes, code, *n));
        for check in &measured.generator.checks {
            let key = (check.check.name().to_string(), check.outcome.name().to_string());
            *self.checks.entry(key).or_default() += 1;
        }
        self.dropped += measured.dropped;
        self.in_window += slice.answered_in_window;
        self.sent_bytes += measured.bytes_sent;
        self.received_bytes += measured.bytes_received;
        self.measured_ns += (measured.seconds * 1e9).round() as u64;
        self.slices += 1;
        self.generator_cpu_ns += measured.generator.cpu_ns;
        for (sum, text) in
            [(&mut self.response, &histograms.response_time), (&mut self.service, &histograms.service_time)]
        {
            if let Ok(histogram) = LatencyHistogram::decode(text) {
                sum.add(&times(&histogram));
            }
        }
    }

    pub fn add(&mut self, other: &Load) {
        other.outcomes.iter().for_each(|(name, n)| add(&mut self.outcomes, name, *n));
        other.codes.iter().for_each(|(code, n)| add(&mut self.codes, code, *n));
        other.checks.iter().for_each(|(key, n)| *self.checks.entry(key.clone()).or_default() += n);
        self.dropped += other.dropped;
        self.in_window += other.in_window;
        self.sent_bytes += other.sent_bytes;
        self.received_bytes += other.received_bytes;
        self.measured_ns += other.measured_ns;
        self.slices += other.slices;
        self.generator_cpu_ns += other.generator_cpu_ns;
        self.response.add(&other.response);
        self.service.add(&other.service);
    }
}

impl Latest {
    /// Takes a second of a load in; what only a slice tells stays.
    pub fn take_second(&mut self, second: &Latest) {
        (self.response_ns, self.service_ns) = (second.response_ns, second.service_ns);
        self.per_s = second.per_s;
    }

    pub fn of_slice(slice: &Slice) -> Latest {
        let measured = &slice.measured;
        let of = |times: &Durations| [times.p50, times.p90, times.p99, times.p999];
        let generator = &measured.generator;
        let thread_s = measured.seconds * f64::from(generator.threads);
        let checks = generator.checks.iter().filter(|check| check.outcome != CheckOutcome::NotMeasured);
        Latest {
            response_ns: of(&measured.response_time_ns),
            service_ns: of(&measured.service_time_ns),
            per_s: measured.throughput_per_s,
            connections: measured.connections_peak,
            busy: (thread_s > 0.0).then(|| generator.cpu_ns as f64 / 1e9 / thread_s),
            checks: checks
                .map(|check| (check.check.name().to_string(), check.unit.clone(), check.found, check.limit))
                .collect(),
        }
    }
}

/// Every outcome there is, so that one that did not happen yet is 0 and not unknown.
pub(crate) fn no_outcomes() -> BTreeMap<String, u64> {
    Outcome::ALL.into_iter().map(|outcome| (outcome.name().to_string(), 0)).collect()
}
