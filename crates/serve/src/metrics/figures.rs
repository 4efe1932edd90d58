//! From what is known of a run to metrics with values.

use crate::metrics::catalogue as about;
use crate::metrics::doing::Doing;
use crate::metrics::family::{Figures, Value};
use crate::metrics::load::{Latest, Load, QUANTILES, no_outcomes};
use crate::metrics::state::{ClaimState, State};
use proofload_report::escape;
use proofload_stats::Verdict;

/// What exporting itself took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// CPU time of its thread.
    pub cpu_ns: u64,
    /// Bytes handed out.
    pub bytes: u64,
    pub done: u64,
    /// Times that it could not.
    pub failed: u64,
}

/// Proofload's own use of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// CPU time of the process.
    pub cpu_ns: u64,
    pub memory_bytes: Option<u64>,
    /// By name of the exporter.
    pub exporters: Vec<(&'static str, Cost)>,
}

const VERDICTS: [Verdict; 3] = [Verdict::Supported, Verdict::Refuted, Verdict::Undecided];

impl State {
    /// All figures as they are now. Names are strangers' text: what a terminal would obey is shown as an escape.
    pub fn figures(&self, own: &Own) -> Figures {
        let mut figures = Figures { study: escape::line(&self.study), families: Vec::new() };
        self.enter_run(&mut figures);
        self.claims.iter().for_each(|claim| enter_claim(claim, &mut figures));
        for ((place, stream), load) in self.loads() {
            let [variant, point, stream] =
                [&place.variant, &place.point, &stream].map(|name| escape::line(name));
            enter_load(&load, &[&variant, &point, &stream, &place.phase], &mut figures);
        }
        for ((variant, point, stream), latest) in &self.latest {
            let [variant, point, stream] = [variant, point, stream].map(|name| escape::line(name));
            enter_latest(latest, [&variant, &point, &stream], &mut figures);
        }
        for (place, used) in self.used_so_far() {
            let [variant, point] = [&place.variant, &place.point].map(|name| escape::line(name));
            used.enter(&[&variant, &point, &place.phase], &mut figures);
        }
        for ((variant, point), held) in &self.held {
            held.enter(&[&escape::line(variant), &escape::line(point)], &mut figures);
        }
        enter_own(own, &mut figures);
        figures
    }

    fn enter_run(&self, to: &mut Figures) {
        let seed = self.seed.to_string();
        to.count(&about::RUN, &[env!("CARGO_PKG_VERSION"), &self.preset, &seed], 1);
        for doing in Doing::ALL {
            to.count(&about::RUN_STATE, &[doing.name()], u64::from(doing == self.doing));
        }
        to.number(&about::RUN_PROGRESS, &[], self.progress);
        if let Some((block, last)) = self.block {
            to.count(&about::BLOCK, &[], u64::from(block));
            to.count(&about::BLOCKS_LAST, &[], u64::from(last));
            to.count(&about::BLOCKS_COMPLETE, &[], u64::from(self.complete));
            to.count(&about::BLOCKS_DISTURBED, &[], self.disturbed);
        }
        if let Some((cycle, of)) = self.cycle {
            to.count(&about::CYCLE, &[], u64::from(cycle));
            to.count(&about::CYCLES, &[], u64::from(of));
        }
        for (variant, times) in &self.lost {
            to.count(&about::LOST, &[&escape::line(variant)], *times);
        }
    }
}

fn enter_claim(claim: &ClaimState, to: &mut Figures) {
    let name = escape::line(&claim.name);
    for verdict in VERDICTS {
        let is_it = u64::from(verdict == claim.verdict);
        to.count(&about::CLAIM_VERDICT, &[&name, verdict.name()], is_it);
    }
    to.count(&about::CLAIM_SETTLED, &[&name], u64::from(claim.settled));
    to.count(&about::CLAIM_BLOCKS, &[&name], u64::from(claim.blocks));
    if let Some(estimate) = &claim.estimate {
        let labels = [name.as_str(), estimate.unit];
        to.number(&about::CLAIM_ESTIMATE, &labels, Some(estimate.point));
        to.number(&about::CLAIM_LOW, &labels, Some(estimate.low));
        to.number(&about::CLAIM_HIGH, &labels, Some(estimate.high));
    }
}

fn enter_load(load: &Load, labels: &[&str; 4], to: &mut Figures) {
    let [variant, point, stream, phase] = *labels;
    let with = |last| [variant, point, stream, phase, last];
    let mut outcomes = no_outcomes();
    outcomes.extend(load.outcomes.clone());
    for (outcome, n) in &outcomes {
        to.count(&about::EXCHANGES, &with(outcome), *n);
    }
    for (code, n) in &load.codes {
        to.count(&about::CODES, &with(code), *n);
    }
    for ((check, outcome), n) in &load.checks {
        to.count(&about::CHECKS, &[variant, point, stream, phase, check, outcome], *n);
    }
    to.count(&about::DROPPED, labels, load.dropped);
    to.count(&about::IN_WINDOW, labels, load.in_window);
    to.number(&about::MEASURED, labels, Some(load.measured_ns as f64 / 1e9));
    to.count(&about::SLICES, labels, load.slices);
    to.count(&about::SENT, labels, load.sent_bytes);
    to.count(&about::RECEIVED, labels, load.received_bytes);
    to.number(&about::GENERATOR_CPU, labels, Some(load.generator_cpu_ns as f64 / 1e9));
    to.push(&about::RESPONSE, labels, Value::Times(load.response.clone()));
    to.push(&about::SERVICE, labels, Value::Times(load.service.clone()));
}

fn enter_latest(latest: &Latest, labels: [&str; 3], to: &mut Figures) {
    let [variant, point, stream] = labels;
    let seconds = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e9);
    for (at, (percentile, _)) in QUANTILES.iter().enumerate() {
        let labels = [variant, point, stream, percentile];
        to.number(&about::RESPONSE_LATEST, &labels, seconds(latest.response_ns[at]));
        to.number(&about::SERVICE_LATEST, &labels, seconds(latest.service_ns[at]));
    }
    to.number(&about::THROUGHPUT, &labels, latest.per_s);
    // Before the first slice is over neither is known.
    if latest.connections > 0 {
        to.count(&about::CONNECTIONS, &labels, u64::from(latest.connections));
    }
    to.number(&about::GENERATOR_BUSY, &labels, latest.busy);
    for (check, unit, found, limit) in &latest.checks {
        let labels = [variant, point, stream, check, unit];
        to.number(&about::CHECK, &labels, *found);
        to.number(&about::CHECK_LIMIT, &labels, *limit);
    }
}

fn enter_own(own: &Own, to: &mut Figures) {
    to.number(&about::PROCESS_CPU, &[], Some(own.cpu_ns as f64 / 1e9));
    if let Some(bytes) = own.memory_bytes {
        to.count(&about::PROCESS_MEMORY, &[], bytes);
    }
    for (exporter, cost) in &own.exporters {
        to.number(&about::EXPORTER_CPU, &[exporter], Some(cost.cpu_ns as f64 / 1e9));
        to.count(&about::EXPORTER_SENT, &[exporter], cost.bytes);
        to.count(&about::EXPORTER_DONE, &[exporter, "done"], cost.done);
        to.count(&about::EXPORTER_DONE, &[exporter, "failed"], cost.failed);
    }
}
