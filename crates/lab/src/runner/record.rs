//! From the engine's results to the record.

use super::bench::Loaded;
use super::participants::Fate;
use super::slice_key::SliceKey;
use crate::checks;
use proofload_engine::{AgentsUse, Check, CheckKind, EndedByPeer, LoadResult, SecondQuantiles};
use proofload_facts::Finding;
use proofload_host::clock;
use proofload_store::schema::{
    AddressUse, Agents, BadAnswer, CheckName, CheckOutcome, EndedByServer, FORMAT_VERSION, FitnessCheck,
    Generator, Handshakes, Negotiated, Phase, Plan, Point, Silences, Slice, SubjectUse,
};
use proofload_store::{bad_answer, histograms_of, point_of, requests_of};
use proofload_study::LoadPoint;
use proofload_study::transport::ALPN;

/// The record of a slice: a line for each stream. The subject's resource use, and the findings, belong to all of them
/// together and are in the first line, so that nothing counts them twice.
pub(super) fn slices(plan: &Plan, at: &SliceKey, loaded: &Loaded, marks: &[Finding]) -> Vec<Slice> {
    let point = &plan.points[at.point];
    let lines = loaded.results.iter().enumerate().map(|(number, result)| {
        let stream = plan.streams.get(number).cloned().unwrap_or_default();
        let load = point.streams.get(number);
        let first = number == 0;
        let noticed = marks.iter().chain(&loaded.marks).filter(|_| first);
        Slice {
            format: FORMAT_VERSION,
            block: at.block,
            phase: if at.cycle == 0 { Phase::WarmUp } else { Phase::Measure },
            cycle: at.cycle,
            position: at.position,
            started_unix_ns: loaded.started_unix_ns,
            age_seconds: loaded.age_seconds,
            measured: Point {
                variant: plan.variants[at.variant].name.clone(),
                point: point.label.clone(),
                stream,
                model: load.map_or(&point.model, |load| &load.model).clone(),
                connections: load.map_or(point.connections, |load| load.connections),
                cause: loaded.cause.clone().filter(|_| first),
                ..with_journeys(
                    plan,
                    measured(result, loaded.subject.clone().filter(|_| first), &plan.requests),
                )
            },
            histograms: histograms_of(&result.snapshot),
            answered_in_window: result.snapshot.answered_in_window,
            marks: noticed.cloned().collect(),
            telemetry: loaded.telemetry.clone().filter(|_| first),
            conditions: loaded.conditions.clone().filter(|_| first),
            ..Slice::default()
        }
    });
    lines.collect()
}

/// The point with its journeys told from its steps.
fn with_journeys(plan: &Plan, mut point: Point) -> Point {
    for request in &mut point.requests {
        request.journey = plan.journeys.contains(&request.name);
    }
    point
}

/// The line for a variant that a block left out at a load point.
pub(super) fn spared(plan: &Plan, block: u32, variant: usize, point: usize) -> Slice {
    let measured = Point {
        variant: plan.variants[variant].name.clone(),
        point: plan.points[point].label.clone(),
        ..Point::default()
    };
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: Phase::Spared,
        started_unix_ns: clock::unix_ns(),
        measured,
        marks: vec![Finding::NoOpenClaim],
        ..Slice::default()
    }
}

/// The line for a variant that did not get through a block.
pub(super) fn lost(plan: &Plan, block: u32, variant: usize, lost: &Fate) -> Slice {
    let measured = Point { variant: plan.variants[variant].name.clone(), ..Point::default() };
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: Phase::Lost,
        started_unix_ns: clock::unix_ns(),
        measured,
        marks: vec![lost.why.clone()],
        died: lost.died.is_some(),
        ..Slice::default()
    }
}

/// The point of a single measurement; `requests` are the names of the entries of its mix.
pub fn point(name: &str, load: &LoadPoint, result: &LoadResult, requests: &[String]) -> Point {
    Point {
        variant: name.to_string(),
        point: load.label.clone(),
        model: load.model().into(),
        connections: load.connections,
        silences: result.silences.map(|found| silences(&found, result.snapshot.throughput_per_s())),
        ..measured(result, None, requests)
    }
}

/// An open loop near its capacity shows what a closed one hides, without overloading the server.
const SHOWN_BY_SHARE: f64 = 0.9;

fn silences(found: &proofload_engine::Silences, throughput_per_s: Option<f64>) -> Silences {
    let rate = throughput_per_s.map(|per_s| two_digits(per_s * SHOWN_BY_SHARE));
    Silences {
        threshold_ns: found.threshold_ns,
        count: found.count,
        longest_ns: found.longest_ns,
        typical_ns: found.typical_ns,
        total_ns: found.total_ns,
        period_ns: found.period_ns,
        shown_by_rate_per_s: rate.filter(|rate| *rate >= 1.0 && found.count > 0),
    }
}

/// Rounded to the precision of a flag: two digits, and no fraction of a request.
fn two_digits(rate: f64) -> f64 {
    let unit = 10_f64.powf(rate.max(10.0).log10().floor() - 1.0);
    (rate / unit).round() * unit
}

fn of_seconds(result: &LoadResult, of: fn(&SecondQuantiles) -> u64) -> Vec<Option<u64>> {
    result.quantiles_per_second.iter().map(|second| second.as_ref().map(of)).collect()
}

fn measured(result: &LoadResult, subject: Option<SubjectUse>, requests: &[String]) -> Point {
    let used = &result.generator;
    let finished = result.snapshot.outcomes.finished();
    // The CPU time of a lost agent is not known.
    let lost = used.agents.map_or(0, |agents| agents.lost);
    let bad = result.bad_answers.iter();
    let of_snapshot = point_of(&result.snapshot);
    Point {
        connections_peak: result.connections.peak,
        connections_most: result.connections.most,
        redirects_elsewhere: result.elsewhere.iter().cloned().collect(),
        handshakes: handshakes(result, of_snapshot.handshakes.clone()),
        addresses: result.addresses.iter().map(address).collect(),
        per_second: result.per_second.clone(),
        response_p50_per_second_ns: of_seconds(result, |second| second.p50_ns),
        response_p99_per_second_ns: of_seconds(result, |second| second.p99_ns),
        generator: Generator {
            cpu_ns: used.cpu_ns,
            cpu_ns_per_exchange: (finished > 0 && lost == 0).then(|| used.cpu_ns as f64 / finished as f64),
            peak_rss_bytes: used.peak_rss_bytes,
            threads: used.threads,
            start_error_ns: used.start_error_ns.iter().copied().flatten().max(),
            driver: used.driver.to_string(),
            agents: used.agents.map(agents),
            fit: result.findings.is_empty(),
            findings: result.findings.iter().map(checks::finding).collect(),
            checks: result.checks.iter().map(check).collect(),
        },
        subject,
        bad_answers: bad
            .map(|bad| {
                for (name, value) in &bad.captured {
                    proofload_store::redact::know_named(name, &String::from_utf8_lossy(value));
                }
                let rows = bad.rows.as_deref().unwrap_or_default();
                let kept = bad_answer(bad.outcome, &bad.what, &bad.received, rows);
                BadAnswer { request: requests.get(bad.part).cloned().unwrap_or_default(), ..kept }
            })
            .collect(),
        requests: requests_of(&result.snapshot, requests),
        ended_by_server: ended_by_server(result.connections.ended_by_peer),
        ..of_snapshot
    }
}

fn ended_by_server(of: EndedByPeer) -> Option<EndedByServer> {
    let EndedByPeer { connections, fewest, most } = of;
    (connections > 0).then_some(EndedByServer { connections, fewest, most })
}

fn agents(of: AgentsUse) -> Agents {
    let AgentsUse { count, clocks_within_ns, lost, not_offered } = of;
    Agents { count, clocks_within_ns, lost, not_offered }
}

fn address(of: &proofload_engine::AddressUse) -> AddressUse {
    let proofload_engine::AddressUse { connections, refused, timed_out, failed, exchanges, .. } = *of;
    AddressUse { address: of.address.to_string(), connections, refused, timed_out, failed, exchanges }
}

/// With the settled parameters; there may be none in the window when all connections were open before.
fn handshakes(result: &LoadResult, counted: Option<Handshakes>) -> Option<Handshakes> {
    let negotiated: Vec<_> = result.negotiated.iter().map(negotiated).collect();
    (counted.is_some() || !negotiated.is_empty())
        .then(|| Handshakes { negotiated, ..counted.unwrap_or_default() })
}

fn negotiated(found: &proofload_engine::transport::Negotiated) -> Negotiated {
    Negotiated {
        version: found.version.number().to_string(),
        cipher_suite: found.cipher_suite.to_string(),
        alpn: found.alpn.map_or(String::new(), |_| ALPN.to_string()),
    }
}

/// A self-check as it is kept.
fn check(check: &Check) -> FitnessCheck {
    let (name, unit) = match check.kind {
        CheckKind::SendDelay => (CheckName::SendDelay, "ns"),
        CheckKind::Unsent => (CheckName::Unsent, "share"),
        CheckKind::AtWork => (CheckName::AtWork, "share"),
        CheckKind::Away => (CheckName::Away, "share"),
        CheckKind::LengthenedMean => (CheckName::LengthenedMean, "share"),
        CheckKind::LengthenedP99 => (CheckName::LengthenedP99, "share"),
        CheckKind::LengthenedP999 => (CheckName::LengthenedP999, "share"),
        CheckKind::LittlesLaw => (CheckName::LittlesLaw, "share"),
        CheckKind::Ports => (CheckName::Ports, "count"),
        CheckKind::Descriptors => (CheckName::Descriptors, "count"),
    };
    let outcome = match check.found {
        None => CheckOutcome::NotMeasured,
        Some(found) if found > check.allowed => CheckOutcome::Failed,
        Some(_) => CheckOutcome::Passed,
    };
    FitnessCheck {
        check: name,
        outcome,
        found: check.found,
        limit: Some(check.allowed),
        unit: unit.to_string(),
        note: if check.found.is_none() { checks::not_measured(check.kind) } else { None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_closed_loop_hides_comes_with_the_rate_that_shows_it() {
        let found = proofload_engine::Silences { count: 5, longest_ns: 200, ..Default::default() };
        let rate = |per_s, found| silences(&found, per_s).shown_by_rate_per_s;
        assert_eq!(rate(Some(1_485.0), found), Some(1_300.0));
        assert_eq!(rate(Some(12.0), found), Some(11.0));
        assert_eq!((rate(Some(0.3), found), rate(None, found)), (None, None));
        assert_eq!(rate(Some(1_485.0), proofload_engine::Silences::default()), None, "nothing is hidden");
    }
}
