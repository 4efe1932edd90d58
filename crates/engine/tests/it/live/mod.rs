//! The engine over the kernel's sockets, against peers in this process.

mod lanes;
mod stall;

use proofload_engine::{
    Arrival, EngineError, Expect, Extent, KeepAlive, LoadPlan, LoadResult, MixEntry, Profile, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::run;
use proofload_testkit::{HttpPeer, ScriptStep, ScriptedPeer, refusing_address};
use proofload_wire::http1::RequestSpec;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

/// A closed loop of `requests` requests over 4 connections.
fn plan(address: SocketAddr, requests: u64) -> LoadPlan {
    let spec = RequestSpec {
        method: "GET".to_owned(),
        target: "/".to_owned(),
        authority: address.to_string(),
        headers: Vec::new(),
        body: Vec::new(),
        close: false,
        keep_body: 16,
    };
    let closing = RequestSpec { close: true, ..spec.clone() };
    LoadPlan {
        targets: vec![address.into()],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: Arc::new(spec.encode().unwrap()),
            closing_request: Arc::new(closing.encode().unwrap()),
            expect: Expect::default(),
            follow: Default::default(),
            digest: None,
        }],
        profile: Profile::Closed { think_ns: 0.into() },
        connections: 4,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts { connect_ns: 20 * SECOND, response_ns: 20 * SECOND },
        discard_ns: 0,
        extent: Extent::Requests { count: requests, cap_ns: 60 * SECOND },
        drain_ns: 20 * SECOND,
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

/// Both ends of every connection lie in this process, whose descriptors are limited: a load that takes nearly all
/// of them must be alone.
static ROOM: RwLock<()> = RwLock::new(());

fn load(plan: &LoadPlan) -> LoadResult {
    let _beside_others = ROOM.read().unwrap_or_else(PoisonError::into_inner);
    run(plan, &Watch::default()).unwrap()
}

fn load_alone(plan: &LoadPlan) -> LoadResult {
    let _alone = ROOM.write().unwrap_or_else(PoisonError::into_inner);
    run(plan, &Watch::default()).unwrap()
}

fn only(result: &LoadResult, outcome: Outcome, n: u64) {
    let seen: Vec<_> = result.snapshot.outcomes.iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(seen, [(outcome, n)], "{:?}", result.bad_answers);
}

#[test]
fn requests_are_counted_exactly_over_several_workers() {
    let peer = HttpPeer::start(1024).unwrap();
    let mut plan = LoadPlan { workers: 2, connections: 6, ..plan(peer.address(), 2_001) };
    plan.mix[0].expect = Expect {
        status: vec![200..=200],
        bytes: Some(1024..=1024),
        text: vec![b"xxx".to_vec()],
        ..Expect::default()
    };
    let result = load(&plan);
    only(&result, Outcome::Answered, 2_001);
    assert_eq!((peer.answered(), peer.accepted()), (2_001, 6));
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\nConnection: keep-alive\r\n\r\n".len() as u64;
    assert_eq!(result.snapshot.bytes_received, 2_001 * (head + 1024));
    assert_eq!(result.snapshot.bytes_sent, 2_001 * plan.mix[0].request.bytes.len() as u64);
    assert_eq!((result.generator.threads, result.generator.driver), (2, "epoll"));
    assert!(result.generator.cpu_ns > 0 && result.generator.peak_rss_bytes > 0);
}

#[test]
fn without_keep_alive_the_server_closes_first() {
    let peer = HttpPeer::start(10).unwrap();
    let result = load(&LoadPlan { keep_alive: KeepAlive::Off, ..plan(peer.address(), 300) });
    only(&result, Outcome::Answered, 300);
    assert_eq!(peer.accepted(), 300);
    assert_eq!(result.snapshot.connects.count(), 300);
    assert_eq!(result.snapshot.closed_by_us, 0);
}

#[test]
fn an_open_loop_sends_its_whole_timetable() {
    let peer = HttpPeer::start(10).unwrap();
    let profile = Profile::Open { rate_per_s: 2_000.0, arrival: Arrival::Constant, coalesce_ns: 0 };
    let result = load(&LoadPlan { profile, workers: 2, ..plan(peer.address(), 1_000) });
    only(&result, Outcome::Answered, 1_000);
    assert_eq!(peer.answered(), 1_000);
}

#[test]
fn a_dead_port_is_an_outcome() {
    let (address, _kept) = refusing_address().unwrap();
    let result = load(&LoadPlan { connections: 2, ..plan(address, 6) });
    only(&result, Outcome::ConnectRefused, 6);
    // Three rounds, and a pause of a tenth of a second after the first and the second.
    assert!(result.snapshot.seconds() >= 0.2, "{}", result.snapshot.seconds());
}

#[test]
fn error_pages_are_rejected_and_the_connections_go_on() {
    let peer = HttpPeer::start(10).unwrap();
    peer.refuse();
    let result = load(&plan(peer.address(), 100));
    only(&result, Outcome::Rejected, 100);
    assert_eq!(peer.accepted(), 4);
    assert!(result.bad_answers[0].received.starts_with(b"HTTP/1.1 503"));
}

#[test]
fn resets_ends_and_odd_bytes_are_told_apart() {
    let good: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let request = plan(refusing_address().unwrap().0, 1).mix[0].request.bytes.len();
    // The port in the Host header may be a digit shorter; what is awaited is the end of no request but this.
    let ask = || ScriptStep::Await(request - 1);
    let until_close = b"HTTP/1.0 200 OK\r\n\r\nno length".to_vec();
    let cases: [(Vec<ScriptStep>, Outcome); 7] = [
        (vec![ask(), ScriptStep::Reset], Outcome::ResetFresh),
        (vec![ask(), ScriptStep::Send(good[..30].to_vec()), ScriptStep::Reset], Outcome::ResetFresh),
        (vec![ask(), ScriptStep::Fin], Outcome::ClosedEarly),
        (vec![ask(), ScriptStep::Send(good[..30].to_vec()), ScriptStep::Fin], Outcome::ClosedEarly),
        (vec![ask(), ScriptStep::Send(until_close.clone()), ScriptStep::Fin], Outcome::Answered),
        (vec![ask(), ScriptStep::Send(until_close), ScriptStep::Reset], Outcome::ResetFresh),
        (vec![ask(), ScriptStep::Send(b"+OK ready\r\n\r\n".to_vec())], Outcome::Malformed),
    ];
    for (script, outcome) in cases {
        let peer = ScriptedPeer::start(vec![script.clone()]).unwrap();
        let result = load(&LoadPlan { connections: 1, ..plan(peer.address(), 1) });
        only(&result, outcome, 1);
        peer.finish().unwrap();
    }
}

#[test]
fn a_silent_server_runs_into_the_time_out() {
    let peer = ScriptedPeer::start(vec![vec![]]).unwrap();
    let timeouts = Timeouts { response_ns: 50 * MS, ..Timeouts::default() };
    let result = load(&LoadPlan { connections: 1, timeouts, ..plan(peer.address(), 1) });
    only(&result, Outcome::Timeout, 1);
    assert_eq!(result.snapshot.closed_by_us, 1);
}

#[test]
fn too_many_connections_for_the_descriptors_are_refused_before_the_start() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap();
    let plan = LoadPlan { connections: limit as u32, ..plan(refusing_address().unwrap().0, 1) };
    let error = run(&plan, &Watch::default()).unwrap_err();
    assert!(matches!(error, EngineError::Descriptors { limit: told, .. } if told == limit), "{error}");
}

#[test]
fn a_cpu_that_does_not_exist_is_told_before_the_start() {
    let plan = LoadPlan { cpus: vec![1_000], ..plan(refusing_address().unwrap().0, 1) };
    let error = run(&plan, &Watch::default()).unwrap_err();
    assert!(error.to_string().contains("pin"), "{error}");
}
