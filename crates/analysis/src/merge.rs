//! Slices merged to one: sums, and histograms merged before quantiles are taken.

use crate::checks::merged_checks;
use crate::requests;
use proofload_facts::Finding;
use proofload_measure::{LatencyHistogram, Outcome, OutcomeCounts};
use proofload_store::schema::{
    AddressUse, Agents, BadAnswer, EndedByServer, Generator, Handshakes, Histograms, Point, Slice, SubjectUse,
};
use proofload_store::{
    StoreError, counts_of, decode, durations_of, handshakes_of, outcomes_of, response_times_of,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Distinct findings of one point that are kept.
const FINDINGS_MAX: usize = 8;

/// The histograms of several slices, each merged.
pub(crate) struct Merged {
    pub response_time: LatencyHistogram,
    pub unended: LatencyHistogram,
    pub service_time: LatencyHistogram,
    pub first_byte: LatencyHistogram,
    pub send_delay: LatencyHistogram,
    pub handshakes_full: LatencyHistogram,
    pub handshakes_resumed: LatencyHistogram,
}

impl Merged {
    fn of(slices: &[&Slice], path: &Path) -> Result<Merged, StoreError> {
        let merged = |of: fn(&Histograms) -> &String| -> Result<LatencyHistogram, StoreError> {
            let mut all = LatencyHistogram::new();
            // An empty one is as large as any other to make and to go through.
            for text in slices.iter().map(|slice| of(&slice.histograms)).filter(|text| !text.is_empty()) {
                all.merge(&decode(text, path)?);
            }
            Ok(all)
        };
        let mut unended = LatencyHistogram::new();
        slices.iter().try_for_each(|slice| add_unended(&mut unended, slice, path))?;
        Ok(Merged {
            response_time: merged(|h| &h.response_time)?,
            unended,
            service_time: merged(|h| &h.service_time)?,
            first_byte: merged(|h| &h.first_byte)?,
            send_delay: merged(|h| &h.send_delay)?,
            handshakes_full: merged(|h| &h.handshakes_full)?,
            handshakes_resumed: merged(|h| &h.handshakes_resumed)?,
        })
    }
}

pub(crate) fn merge(slices: &[&Slice], path: &Path) -> Result<Point, StoreError> {
    Ok(merge_with_histograms(slices, path)?.0)
}

/// The same with the histograms that its quantiles are of.
pub(crate) fn merge_with_histograms(slices: &[&Slice], path: &Path) -> Result<(Point, Merged), StoreError> {
    let merged = Merged::of(slices, path)?;
    let mut out = Point::default();
    let mut counts = OutcomeCounts::default();
    let mut answered = 0;
    for slice in slices {
        let measured = &slice.measured;
        counts.merge(&counts_of(&measured.outcomes));
        add(&mut answered, slice.answered_in_window);
        out.seconds += measured.seconds;
        add(&mut out.bytes_sent, measured.bytes_sent);
        add(&mut out.bytes_received, measured.bytes_received);
        add(&mut out.intended, measured.intended);
        add(&mut out.sent, measured.sent);
        add(&mut out.unsent, measured.unsent);
        add(&mut out.dropped, measured.dropped);
        out.connections_peak = out.connections_peak.max(measured.connections_peak);
        out.connections_most = out.connections_most.max(measured.connections_most);
        add(&mut out.redirects, measured.redirects);
        add(&mut out.challenges, measured.challenges);
        for (url, redirects) in &measured.redirects_elsewhere {
            add(out.redirects_elsewhere.entry(url.clone()).or_default(), *redirects);
        }
        add(&mut out.surplus, measured.surplus);
        out.per_second.extend(&measured.per_second);
        out.response_p50_per_second_ns.extend(&measured.response_p50_per_second_ns);
        out.response_p99_per_second_ns.extend(&measured.response_p99_per_second_ns);
        for (code, n) in &measured.codes {
            add(out.codes.entry(code.clone()).or_default(), *n);
        }
        measured.addresses.iter().for_each(|one| add_address(&mut out.addresses, one));
        out.cause = out.cause.take().or_else(|| measured.cause.clone());
        if let Some(more) = measured.ended_by_server {
            let ended = out.ended_by_server.get_or_insert(EndedByServer { connections: 0, ..more });
            add(&mut ended.connections, more.connections);
            (ended.fewest, ended.most) = (ended.fewest.min(more.fewest), ended.most.max(more.most));
        }
        for bad in &measured.bad_answers {
            let is_kind = |seen: &BadAnswer| (&seen.outcome, &seen.request) == (&bad.outcome, &bad.request);
            if !out.bad_answers.iter().any(is_kind) {
                out.bad_answers.push(bad.clone());
            }
        }
    }
    let answered_at_all = counts.get(Outcome::Answered);
    // What was so in one slice need not be so in all.
    out.cause = out.cause.take().filter(|cause| match cause {
        Finding::RedirectsTo { .. } => out.redirects == 0 && redirects_of(&out) == answered_at_all,
        _ => answered_at_all == 0,
    });
    out.throughput_per_s = (out.seconds > 0.0).then(|| answered as f64 / out.seconds);
    out.outcomes = outcomes_of(&counts);
    out.response_time_ns = response_times_of(&merged.response_time, &merged.unended);
    out.service_time_ns = durations_of(&merged.service_time);
    out.first_byte_ns = match merged.first_byte.count() == merged.response_time.count() {
        true => response_times_of(&merged.first_byte, &merged.unended),
        // A condensed record may not have kept it.
        false => durations_of(&merged.first_byte),
    };
    out.send_delay_ns = durations_of(&merged.send_delay);
    out.requests = requests::merged(slices, out.seconds, path)?;
    out.handshakes = handshakes(slices, &merged.handshakes_full, &merged.handshakes_resumed);
    out.generator = generator(slices, counts.finished());
    out.subject = subject(slices);
    Ok((out, merged))
}

/// Answers that are redirects.
pub(crate) fn redirects_of(point: &Point) -> u64 {
    let counts = REDIRECTS.iter().filter_map(|code| point.codes.get(*code));
    counts.fold(0, |sum: u64, n| sum.saturating_add(*n))
}

const REDIRECTS: [&str; 5] = ["301", "302", "303", "307", "308"];

/// A record may hold any number: sums end at the largest.
fn add(sum: &mut u64, n: u64) {
    *sum = sum.saturating_add(n);
}

/// Adds the times waited in vain for the exchanges of a slice that had no end. Records of earlier versions have only
/// their number: nothing is known of these but that they were waited for.
pub(crate) fn add_unended(to: &mut LatencyHistogram, slice: &Slice, path: &Path) -> Result<(), StoreError> {
    let all = counts_of(&slice.measured.outcomes).unended();
    let mut known = 0;
    if !slice.histograms.unended.is_empty() {
        let unended = decode(&slice.histograms.unended, path)?;
        known = unended.count();
        to.merge(&unended);
    }
    to.record_many(1, all.saturating_sub(known));
    Ok(())
}

fn add_address(all: &mut Vec<AddressUse>, more: &AddressUse) {
    let Some(sum) = all.iter_mut().find(|sum| sum.address == more.address) else {
        return all.push(more.clone());
    };
    add(&mut sum.connections, more.connections);
    add(&mut sum.refused, more.refused);
    add(&mut sum.timed_out, more.timed_out);
    add(&mut sum.failed, more.failed);
    add(&mut sum.exchanges, more.exchanges);
}

/// All handshakes, and all that any of them settled on.
fn handshakes(slices: &[&Slice], full: &LatencyHistogram, resumed: &LatencyHistogram) -> Option<Handshakes> {
    let kept = slices.iter().filter_map(|slice| slice.measured.handshakes.as_ref());
    let mut negotiated: Vec<_> = kept.flat_map(|handshakes| handshakes.negotiated.clone()).collect();
    negotiated.sort();
    negotiated.dedup();
    match handshakes_of(full, resumed) {
        Some(handshakes) => Some(Handshakes { negotiated, ..handshakes }),
        // Handshakes of connections opened before the window fall outside it.
        None => (!negotiated.is_empty()).then(|| Handshakes { negotiated, ..Handshakes::default() }),
    }
}

fn generator(slices: &[&Slice], finished: u64) -> Generator {
    let mut out = Generator { fit: !is_mostly_unfit(slices), ..Generator::default() };
    for generator in slices.iter().map(|slice| &slice.measured.generator) {
        add(&mut out.cpu_ns, generator.cpu_ns);
        out.peak_rss_bytes = out.peak_rss_bytes.max(generator.peak_rss_bytes);
        out.threads = out.threads.max(generator.threads);
        out.start_error_ns = out.start_error_ns.max(generator.start_error_ns);
        out.agents = out.agents.into_iter().chain(generator.agents).reduce(Agents::merge);
        out.driver.clone_from(&generator.driver);
        for finding in &generator.findings {
            if out.findings.len() < FINDINGS_MAX && !out.findings.contains(finding) {
                out.findings.push(finding.clone());
            }
        }
    }
    out.checks = merged_checks(slices.iter().flat_map(|slice| &slice.measured.generator.checks));
    // The CPU time of a lost agent is not known.
    let is_whole = finished > 0 && out.agents_lost() == 0;
    out.cpu_ns_per_exchange = is_whole.then(|| out.cpu_ns as f64 / finished as f64);
    out
}

/// True if the generator was unfit in most of these slices. The median counts for all, because a machine takes its
/// CPU away in one slice or another. With streams a slice has several lines, and one generator carried them all.
pub(crate) fn is_mostly_unfit(lines: &[&Slice]) -> bool {
    is_most(lines, |line| !line.measured.generator.fit)
}

/// True if the condition holds of a line of most of these slices.
pub(crate) fn is_most(lines: &[&Slice], holds: impl Fn(&Slice) -> bool) -> bool {
    let slices = |lines: &mut dyn Iterator<Item = &&Slice>| {
        lines.map(|line| (line.block, line.cycle, line.position)).collect::<BTreeSet<_>>().len()
    };
    let those = slices(&mut lines.iter().filter(|line| holds(line)));
    those * 2 > slices(&mut lines.iter())
}

/// Counters add up, peaks are the largest, values at the end are those of the last slice.
fn subject(slices: &[&Slice]) -> Option<SubjectUse> {
    let all = slices.iter().filter_map(|slice| slice.measured.subject.as_ref());
    let merged = all.cloned().reduce(|out, next| {
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
        let largest = |a: Option<u64>, b: Option<u64>| a.max(b);
        SubjectUse {
            cpu_ns: sum(out.cpu_ns, next.cpu_ns),
            jit_ns: sum(out.jit_ns, next.jit_ns),
            gc_ns: sum(out.gc_ns, next.gc_ns),
            gc_count: sum(out.gc_count, next.gc_count),
            full_gc_count: sum(out.full_gc_count, next.full_gc_count),
            rss_peak_bytes: largest(out.rss_peak_bytes, next.rss_peak_bytes),
            minor_faults: sum(out.minor_faults, next.minor_faults),
            major_faults: sum(out.major_faults, next.major_faults),
            voluntary_switches: sum(out.voluntary_switches, next.voluntary_switches),
            involuntary_switches: sum(out.involuntary_switches, next.involuntary_switches),
            disk_read_bytes: sum(out.disk_read_bytes, next.disk_read_bytes),
            disk_written_bytes: sum(out.disk_written_bytes, next.disk_written_bytes),
            accept_queue_max: largest(out.accept_queue_max, next.accept_queue_max),
            listen_overflows: sum(out.listen_overflows, next.listen_overflows),
            listen_drops: sum(out.listen_drops, next.listen_drops),
            backend_bytes: sum(out.backend_bytes, next.backend_bytes),
            backend_connections: largest(out.backend_connections, next.backend_connections),
            backend_connections_lost: sum(out.backend_connections_lost, next.backend_connections_lost),
            old_used_before_bytes: out.old_used_before_bytes,
            safepoints: sum(out.safepoints, next.safepoints),
            safepoint_ns: sum(out.safepoint_ns, next.safepoint_ns),
            jvm_threads_peak: largest(out.jvm_threads_peak, next.jvm_threads_peak),
            contended_locks: sum(out.contended_locks, next.contended_locks),
            sampler_cpu_ns: sum(out.sampler_cpu_ns, next.sampler_cpu_ns),
            ..next
        }
    });
    let balances = slices.iter().filter_map(|slice| slice.measured.subject.as_ref()?.worker_balance);
    merged.map(|used| SubjectUse { worker_balance: mean(balances), ..used })
}

/// The mean; `None` of nothing.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    (n > 0.0).then_some(sum / n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_cause_is_kept_where_it_is_true_of_all_slices() {
        let slice = |codes: &[(&str, u64)], cause: Option<Finding>| Slice {
            measured: Point {
                outcomes: BTreeMap::from([(
                    "answered".to_string(),
                    codes.iter().map(|(_, n)| n).sum::<u64>(),
                )]),
                codes: codes.iter().map(|(code, n)| ((*code).to_string(), *n)).collect(),
                cause,
                ..Point::default()
            },
            ..Slice::default()
        };
        let tls = Some(Finding::SpeaksTls { authority: "shop.test:443".into() });
        let to = Some(Finding::RedirectsTo { to: "https://shop.test/".into() });
        let (silent, page) = (slice(&[], tls.clone()), slice(&[("200", 5)], None));
        let moved = slice(&[("302", 3), ("301", 1)], to.clone());
        let nothing = slice(&[], None);
        for (slices, expected) in [
            ([&silent, &nothing], &tls),
            ([&silent, &page], &None),
            ([&moved, &nothing], &to),
            ([&moved, &page], &None),
        ] {
            let merged = merge(&slices, Path::new("")).expect("a point");
            assert_eq!(merged.cause, *expected);
        }
    }

    #[test]
    fn exchanges_without_an_end_rank_above_every_first_byte_that_was_kept() {
        let encoded = |ns, n| {
            let mut times = LatencyHistogram::new();
            times.record_many(ns, n);
            times.encode()
        };
        let whole = Histograms {
            response_time: encoded(5_000_000, 9),
            first_byte: encoded(1_000_000, 9),
            unended: encoded(2_000_000_000, 1),
            ..Histograms::default()
        };
        let condensed = Histograms { first_byte: String::new(), ..whole.clone() };
        let merged = |histograms: Histograms| {
            let outcomes = BTreeMap::from([("answered".to_string(), 9), ("timeout".to_string(), 1)]);
            let measured = Point { outcomes, ..Point::default() };
            let slice = Slice { measured, histograms, ..Slice::default() };
            merge(&[&slice], Path::new("")).expect("a point").first_byte_ns
        };
        let times = merged(whole);
        assert_eq!((times.count, times.unended), (9, 1));
        assert!(!times.is_at_least(0.9) && times.is_at_least(0.99));
        assert!(times.max > Some(1_900_000_000));
        assert_eq!(merged(condensed).p50, None);
    }
}
