//! Faults that cannot be planted from outside: books that do not add up.

use super::*;
use crate::record::WorkerRecord;
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
        }],
        profile: crate::Profile::Closed { think_ns: 0.into() },
        connections: 4,
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
    }
}

/// WorkerRecord of four connections that were in use all the time, a millisecond for each exchange; of every so
/// many exchanges one is not written down, and each is sent so late.
fn worker(drop_every: u64, sent_late_ns: u64) -> (WorkerResult, Snapshot) {
    let window = Window { start_ns: SECOND, end_ns: 2 * SECOND };
    let (mut collector, mut giving) = Collector::new(0, window, 1, &std::thread::current(), false);
    let mut books = WorkerRecord::new(window, giving.remove(0));
    for i in 0..1_000 {
        let intended_ns = SECOND + i * 1_000_000;
        let times = ExchangeTimes {
            intended_ns,
            sent_ns: Some(intended_ns + sent_late_ns),
            first_byte_ns: None,
            end_ns: intended_ns + 1_000_000,
        };
        for _ in (0..4).filter(|conn| drop_every == 0 || (4 * i + conn) % drop_every > 0) {
            books.exchange(&times, intended_ns, Outcome::Answered);
        }
    }
    let result = books.finish(window.end_ns, 4, "sim");
    assert!(collector.collect(&mut |_| ()));
    (result, collector.finish().snapshot)
}

fn assessed((worker, snapshot): (WorkerResult, Snapshot)) -> Vec<Finding> {
    assess(&plan(), &[worker], &snapshot, &ALLOWANCE).0
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
    let (worker, snapshot) = worker(10, 0);
    let profile =
        crate::Profile::Open { rate_per_s: 4_000.0, arrival: crate::Arrival::Constant, coalesce_ns: 0 };
    assert_eq!(assess(&LoadPlan { profile, ..plan() }, &[worker], &snapshot, &ALLOWANCE).0, []);
}

#[test]
fn send_delays_may_grow_with_response_times_and_with_coalescing() {
    let delayed = |coalesce_ns: u64, response_ns: u64| {
        let (mut worker, mut snapshot) = worker(0, 0);
        for _ in 0..1_000 {
            worker.own_delay.record(900_000);
            snapshot.response_time.record(response_ns);
        }
        let profile =
            crate::Profile::Open { rate_per_s: 1e3, arrival: crate::Arrival::Constant, coalesce_ns };
        send_delays(&LoadPlan { profile, ..plan() }, &[worker], &snapshot)
    };
    let ([usual, rare], finding) = delayed(0, 1_000_000);
    assert!(matches!(finding, Some(Finding::SendDelay { allowed_ns: 50_000..50_100, .. })));
    assert!(usual.found > Some(usual.allowed) && rare.found > Some(rare.allowed), "{usual:?} {rare:?}");
    assert_eq!(rare.allowed, 200_000.0);
    assert_eq!(delayed(0, 20_000_000).1, None);
    assert_eq!(delayed(1_000_000, 1_000_000).1, None);
}

#[test]
fn sends_that_are_late_now_and_then_concern_the_tail_alone() {
    let (mut worker, snapshot) = worker(0, 0);
    (0..1_000).for_each(|at| worker.own_delay.record(if at % 20 == 0 { 5_000_000 } else { 1_000 }));
    let ([usual, rare], finding) = send_delays(&plan(), &[worker], &snapshot);
    assert_eq!(finding, None);
    assert!(usual.found < Some(2_000.0) && rare.found > Some(rare.allowed), "{usual:?} {rare:?}");
}

#[test]
fn being_away_from_the_sockets_is_measured_against_the_tail() {
    let check = |away_ns: u64, response_ns: u64| {
        let (mut worker, mut snapshot) = worker(0, 0);
        let mut now_ns = SECOND;
        for turn in 0..10_000 {
            now_ns += 900_000;
            let away_ns = if turn % 100 == 0 { away_ns } else { 1_000 };
            worker.hiccups.note_poll(now_ns, now_ns + away_ns);
            now_ns += away_ns;
            snapshot.response_time.record(response_ns);
        }
        hiccups(&[worker], &snapshot)
    };
    let still = check(1_000, 100_000);
    assert!(still.found.is_some_and(|ns| ns < 2_000.0) && still.allowed == 200_000.0, "{still:?}");
    let away = check(20_000_000, 100_000);
    assert!(away.found.is_some_and(|ns| ns > 15e6), "{away:?}");
    assert!(check(20_000_000, 1_000_000_000).allowed >= 99e6);
    let (worker, snapshot) = worker(0, 0);
    assert_eq!(hiccups(&[worker], &snapshot).found, None, "nothing was asked");
}

#[test]
fn every_check_tells_its_figure_whether_it_passed_or_not() {
    let figures = |drop_every| {
        let (worker, snapshot) = worker(drop_every, 0);
        let (_, checks) = assess(&plan(), &[worker], &snapshot, &ALLOWANCE);
        let of = |kind| checks.iter().find(|check| check.kind == kind).copied().expect("each is there");
        (of(CheckKind::LittlesLaw), of(CheckKind::SendDelay), of(CheckKind::Ports))
    };
    let (sound, delay, ports) = figures(0);
    assert!(sound.found.is_some_and(|share| share < 0.01) && sound.allowed == 0.05, "{sound:?}");
    assert_eq!((delay.found, ports.found), (None, Some(0.0)), "a closed loop has no send of its own making");
    let (broken, ..) = figures(10);
    assert!(broken.found.is_some_and(|share| (share - 0.1).abs() < 0.01), "{broken:?}");
}
