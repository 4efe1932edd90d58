//! Faults that cannot be planted from outside: books that do not add up.

use super::*;
use crate::lane::Lane;
use crate::record::{HandedOver, WorkerRecord};
use crate::seconds::Collector;
use crate::{Expect, Extent, KeepAlive, MixEntry, Timeouts};
use proofload_measure::{ExchangeTimes, Outcome, Window};
use proofload_wire::Request;
use proofload_wire::http1::RequestSpec;
use std::sync::Arc;

const SECOND: u64 = 1_000_000_000;
const ALLOWANCE: Allowance = Allowance { descriptors: None, ports: 28_232 };

pub(crate) fn plan() -> LoadPlan {
    let request = Arc::new(RequestSpec::get("server", "/").encode().unwrap());
    LoadPlan {
        targets: vec![std::net::SocketAddr::from(([127, 0, 0, 1], 80)).into()],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            closing_request: Arc::new(Request { closes: true, ..(*request).clone() }),
            request,
            expect: Expect::default(),
            follow: Default::default(),
            digest: None,
        }],
        profile: crate::Profile::Closed { think_ns: 0.into() },
        connections: 4,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(SECOND),
        drain_ns: SECOND,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    }
}

/// WorkerRecord of four connections that were in use all the time, a millisecond for each exchange; of every so
/// many exchanges one is not written down, and each is sent so late.
fn worker(drop_every: u64, sent_late_ns: u64) -> (HandedOver, Snapshot) {
    let window = Window { start_ns: SECOND, end_ns: 2 * SECOND };
    let (mut collector, mut giving) = Collector::new(0, window, (1, 0), &std::thread::current(), false);
    let mut books = WorkerRecord::new(window, giving.remove(0), &crate::Asking::default(), false);
    for i in 0..1_000 {
        let intended_ns = SECOND + i * 1_000_000;
        let times = ExchangeTimes {
            intended_ns,
            sent_ns: Some(intended_ns + sent_late_ns),
            first_byte_ns: None,
            end_ns: intended_ns + 1_000_000,
        };
        for _ in (0..4).filter(|conn| drop_every == 0 || (4 * i + conn) % drop_every > 0) {
            let lane = Lane { times, cohort_ns: intended_ns, ready_ns: intended_ns, ..Lane::new(0, 0) };
            books.exchange(&lane, Outcome::Answered);
        }
    }
    let result = books.finish(window.end_ns, 4, "sim");
    assert!(collector.collect(&mut |_| ()));
    (result, collector.finish().snapshot)
}

fn assessed((HandedOver { sums, worker }, snapshot): (HandedOver, Snapshot)) -> Vec<Finding> {
    assess(&plan(), &sums, &[worker], &snapshot, &ALLOWANCE).0
}

#[test]
fn books_that_add_up_are_fit() {
    assert_eq!(assessed(worker(0, 0)), []);
}

#[test]
fn dropped_records_break_littles_law() {
    assert_eq!(assessed(worker(50, 0)), []);
    let [Finding::LittlesLaw { expected, found }] = assessed(worker(10, 0))[..] else { panic!() };
    assert!((expected - 4.0).abs() < 0.02 && (found - 3.6).abs() < 0.02, "{expected} {found}");
}

#[test]
fn time_that_requests_wait_inside_the_generator_breaks_littles_law() {
    // As a tool does that parses in one turn and sends in the next, and counts from the send.
    let [Finding::LittlesLaw { found, .. }] = assessed(worker(0, 300_000))[..] else { panic!() };
    assert!((found - 2.8).abs() < 0.02, "{found}");
}

#[test]
fn an_open_loop_has_no_such_law() {
    let (HandedOver { sums, worker }, snapshot) = worker(10, 0);
    let profile =
        crate::Profile::Open { rate_per_s: 4_000.0, arrival: crate::Arrival::Constant, coalesce_ns: 0 };
    assert_eq!(assess(&LoadPlan { profile, ..plan() }, &sums, &[worker], &snapshot, &ALLOWANCE).0, []);
}

#[test]
fn send_delays_may_grow_with_response_times_and_with_coalescing() {
    let delayed = |coalesce_ns: u64, response_ns: u64| {
        let (HandedOver { mut sums, .. }, mut snapshot) = worker(0, 0);
        for _ in 0..1_000 {
            sums.own_delay.record(900_000);
            snapshot.response_time.record(response_ns);
        }
        let profile =
            crate::Profile::Open { rate_per_s: 1e3, arrival: crate::Arrival::Constant, coalesce_ns };
        send_delay(&LoadPlan { profile, ..plan() }, &sums.own_delay, &snapshot)
    };
    let (usual, finding) = delayed(0, 1_000_000);
    assert!(matches!(finding, Some(Finding::SendDelay { allowed_ns: 50_000..50_100, .. })));
    assert!(usual.found > Some(usual.allowed), "{usual:?}");
    assert_eq!(delayed(0, 20_000_000).1, None);
    assert_eq!(delayed(1_000_000, 1_000_000).1, None);
}

/// Lengthening by the generator's delays, of 10,000 exchanges of which one in `every` was late by `late_ns` and, if
/// `shows`, was answered that much later.
fn longer(every: u64, late_ns: u64, shows: bool) -> [f64; 3] {
    let (HandedOver { mut sums, .. }, mut snapshot) = worker(0, 0);
    snapshot.response_time.clear();
    for at in 0..10_000 {
        let own_ns = if at % every == 0 { late_ns } else { 1_000 };
        sums.own_delay.record(own_ns);
        snapshot.response_time.record(1_000_000 + at * 10 + if shows { own_ns } else { 0 });
        sums.hiccups.note_poll(at * 1_000_000 + 1_000_000, at * 1_000_000 + 1_000_001);
    }
    let checks = lengthened(&plan(), &sums, &snapshot);
    assert!(checks.iter().all(|check| check.allowed == 0.10), "{checks:?}");
    checks.map(|check| check.found.expect("enough was asked"))
}

#[test]
fn sends_that_are_late_now_and_then_lengthen_what_lies_that_far_out() {
    let [mean, p99, p999] = longer(2_000, 50_000, true);
    assert!(mean < 0.002 && p99 < 0.002 && p999 < 0.06, "hardly any: {mean} {p99} {p999}");
    let [mean, p99, p999] = longer(500, 20_000_000, true);
    assert!(
        (0.03..0.05).contains(&mean) && p99 < 0.01 && p999 > 0.9,
        "two in a thousand: {mean} {p99} {p999}"
    );
    let [mean, p99, p999] = longer(20, 5_000_000, true);
    assert!(mean > 0.15 && p99 > 0.9 && p999 > 0.9, "one in twenty: {mean} {p99} {p999}");
    // As large as the response itself, and always.
    assert_eq!(longer(1, 900_000, true)[1], 10.0);
    // All of them a little: what is added once more is what was added.
    let [mean, p99, _] = longer(1, 50_000, true);
    assert!((0.04..0.05).contains(&mean) && (0.04..0.05).contains(&p99), "{mean} {p99}");
}

#[test]
fn being_away_from_the_sockets_lengthens_the_tail_that_shows_it() {
    let longer = |shows: bool| {
        let (HandedOver { mut sums, .. }, mut snapshot) = worker(0, 0);
        snapshot.response_time.clear();
        let mut now_ns = SECOND;
        for turn in 0..10_000 {
            now_ns += 900_000;
            let away_ns = if turn % 1_000 == 0 { 20_000_000 } else { 1_000 };
            sums.hiccups.note_poll(now_ns, now_ns + away_ns);
            now_ns += away_ns;
            let slow = shows && turn % 50 == 0;
            snapshot.response_time.record(if slow { 10_000_000 } else { 1_000_000 });
        }
        lengthened(&plan(), &sums, &snapshot)[1].found.expect("enough was asked")
    };
    // Two hundredths of the time: as many answers may have been late, and the tail is of those.
    assert!(longer(true) > 1.0 && longer(false) < 0.001, "{} {}", longer(true), longer(false));
    let (HandedOver { sums, .. }, snapshot) = worker(0, 0);
    assert_eq!(lengthened(&plan(), &sums, &snapshot)[1].found, None, "nothing was asked");
}

#[test]
fn every_check_tells_its_figure_whether_it_passed_or_not() {
    let figures = |drop_every| {
        let (HandedOver { sums, worker }, snapshot) = worker(drop_every, 0);
        let (_, checks) = assess(&plan(), &sums, &[worker], &snapshot, &ALLOWANCE);
        let of = |kind| checks.iter().find(|check| check.kind == kind).copied().expect("each is there");
        (of(CheckKind::LittlesLaw), of(CheckKind::SendDelay), of(CheckKind::Ports))
    };
    let (sound, delay, ports) = figures(0);
    assert!(sound.found.is_some_and(|share| share < 0.01) && sound.allowed == 0.05, "{sound:?}");
    assert_eq!((delay.found, ports.found), (None, Some(0.0)), "a closed loop has no send of its own making");
    let (broken, ..) = figures(10);
    assert!(broken.found.is_some_and(|share| (share - 0.1).abs() < 0.01), "{broken:?}");
}
