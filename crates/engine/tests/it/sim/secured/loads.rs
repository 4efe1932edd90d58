//! Whole loads in virtual time.

use super::*;
use proofload_engine::{
    Distribution, Expect, Extent, KeepAlive, LoadPlan, LoadResult, MixEntry, Profile, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::run_in;
use proofload_testkit::sim::{Fault, Link, ScriptPeer, ScriptStep, Server, World};
use proofload_testkit::tls::{TLS12, TLS13};
use proofload_wire::http1::RequestSpec;

const MS: u64 = 1_000_000;

/// A load of `count` exchanges over four connections.
pub(super) fn plan(count: u64) -> LoadPlan {
    let spec = RequestSpec::get("server.test", "/");
    let closing = RequestSpec { close: true, ..spec.clone() };
    LoadPlan {
        targets: vec![secured()],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: Arc::new(spec.encode().unwrap()),
            closing_request: Arc::new(closing.encode().unwrap()),
            expect: Expect::default(),
            follow: Default::default(),
            digest: None,
        }],
        profile: Profile::Closed { think_ns: Distribution::Constant(0) },
        connections: 4,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts { connect_ns: 500 * MS, response_ns: 1_000 * MS },
        discard_ns: 0,
        extent: Extent::Requests { count, cap_ns: 3_600_000 * MS },
        drain_ns: 10_000 * MS,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
        shortage: Default::default(),
    }
}

pub(super) fn load(plan: &LoadPlan, world: &World) -> LoadResult {
    run_in(plan, &Watch::default(), world).unwrap()
}

pub(super) fn count(result: &LoadResult, outcome: Outcome) -> u64 {
    result.snapshot.outcomes.get(outcome)
}

fn world(server: Server, front: TlsFront) -> World {
    World::new(server, 7).behind(Arc::new(front))
}

fn speaks(version: &'static rustls::SupportedProtocolVersion) -> TlsFront {
    TlsFront::new(&Speaks { versions: vec![version], ..Speaks::default() })
}

#[test]
fn however_the_bytes_are_cut_the_exchanges_are_the_same() {
    let links = [
        Link::default(),
        Link { segment_max: 1, ..Link::default() },
        Link { segment_max: 3, send_room: 7, ..Link::default() },
        Link { segment_max: 4_000, send_room: 100, jitter_ns: 5_000, ..Link::default() },
    ];
    for (link, version) in links.into_iter().flat_map(|link| [(link, &TLS12), (link, &TLS13)]) {
        for keep_alive in [KeepAlive::On, KeepAlive::Off] {
            let server = Server { body_bytes: 2_000, ..Server::default() };
            let world = world(server, speaks(version)).with_link(link);
            let result = load(&LoadPlan { keep_alive, ..plan(24) }, &world);
            assert_eq!(
                count(&result, Outcome::Answered),
                24,
                "{link:?} {keep_alive:?} {:?}",
                result.bad_answers
            );
            assert_eq!(world.served().answered, 24);
            let handshakes = &result.snapshot;
            let (full, resumed) = (handshakes.handshakes_full.count(), handshakes.handshakes_resumed.count());
            // The first of each place cannot know a session yet, and the next ones do. Kept connections are made
            // before the window, unless the way is long.
            assert!(full <= 4, "{full}");
            assert!(keep_alive == KeepAlive::On || full + resumed == 24, "{full} {resumed}");
        }
    }
}

#[test]
fn an_answer_over_many_records_comes_whole() {
    let front = TlsFront::new(&Speaks { record_max: Some(512), ..Speaks::default() });
    for (front, body_bytes) in [(front, 100_000), (speaks(&TLS13), 5_000_000)] {
        let world = world(Server { body_bytes, ..Server::default() }, front);
        let mut long = plan(8);
        long.mix[0].expect.bytes = Some(body_bytes as u64..=body_bytes as u64);
        let result = load(&long, &world);
        assert_eq!(count(&result, Outcome::Answered), 8, "{:?}", result.bad_answers);
    }
}

#[test]
fn keys_may_change_at_any_time() {
    let front = TlsFront { changes_keys: true, ..speaks(&TLS13) };
    for link in [Link::default(), Link { segment_max: 9, send_room: 20, ..Link::default() }] {
        let world = world(Server::default(), front.clone()).with_link(link);
        let result = load(&plan(100), &world);
        assert_eq!(count(&result, Outcome::Answered), 100, "{:?}", result.bad_answers);
    }
}

#[test]
fn what_a_server_does_wrong_is_counted_as_without_tls() {
    let faults = [
        (Fault::Refuse, Outcome::ConnectRefused),
        (Fault::SilentConnect, Outcome::ConnectTimeout),
        (Fault::ResetBefore, Outcome::ResetReused),
        (Fault::CloseBefore, Outcome::ClosedEarly),
        (Fault::CloseWithin, Outcome::ClosedEarly),
        (Fault::Error, Outcome::Rejected),
        (Fault::Garbage, Outcome::Malformed),
        (Fault::Silence, Outcome::Timeout),
    ];
    for ((fault, outcome), truncates) in faults.into_iter().flat_map(|f| [(f, false), (f, true)]) {
        let server = Server { faults: vec![(fault, 0.3)], ..Server::default() };
        let world = world(server, TlsFront { truncates, ..speaks(&TLS13) });
        let keep_alive = if outcome == Outcome::ResetReused { KeepAlive::On } else { KeepAlive::Every(3) };
        let result = load(&LoadPlan { keep_alive, ..plan(300) }, &world);
        assert!(count(&result, outcome) > 20, "{fault:?}: {:?}", result.snapshot.outcomes);
        assert_eq!(result.snapshot.outcomes.total(), 300, "{fault:?}");
        assert_eq!(count(&result, Outcome::Answered), world.served().answered, "{fault:?}");
    }
}

/// A server that plays a script on each connection, behind TLS or without it.
#[derive(Debug)]
pub(super) struct Scripted {
    pub tls: Option<TlsFront>,
    pub script: Vec<ScriptStep>,
}

impl Front for Scripted {
    fn before(&self, _server: Box<dyn Peer>) -> Box<dyn Peer> {
        let peer: Box<dyn Peer> = Box::new(ScriptPeer::new(vec![self.script.clone(); 64], Arc::default()));
        match &self.tls {
            None => peer,
            Some(front) => front.before(peer),
        }
    }
}

pub(super) fn scripted(tls: Option<TlsFront>, script: Vec<ScriptStep>) -> World {
    World::new(Server::default(), 7).behind(Arc::new(Scripted { tls, script }))
}

#[test]
fn an_answer_that_ends_with_its_connection_needs_a_proper_end() {
    let script = vec![
        ScriptStep::Await(20),
        ScriptStep::Send(b"HTTP/1.1 200 OK\r\n\r\nhalf".to_vec()),
        ScriptStep::Fin,
    ];
    for truncates in [false, true] {
        let front = TlsFront { truncates, ..speaks(&TLS13) };
        let result = load(&plan(10), &scripted(Some(front), script.clone()));
        let outcome = if truncates { Outcome::ClosedEarly } else { Outcome::Answered };
        assert_eq!(count(&result, outcome), 10, "{:?}", result.bad_answers);
        if truncates {
            let what = &result.bad_answers[0].what;
            assert!(what.ends_with("server.test ended TLS without saying so (close_notify)"), "{what}");
        }
    }
}

#[test]
fn silence_after_hello_is_a_timeout_of_the_connection() {
    let result = load(&plan(4), &scripted(None, vec![ScriptStep::Await(1_000_000)]));
    assert_eq!(count(&result, Outcome::ConnectTimeout), 4);
    assert_eq!(result.bad_answers[0].what, "the TLS handshake with server.test was not done in time");
}

#[test]
fn many_connections_that_begin_at_once_resume_too() {
    let world = world(Server::default(), speaks(&TLS13));
    let each = LoadPlan { keep_alive: KeepAlive::Off, connections: 64, ..plan(1_000) };
    let result = load(&each, &world);
    assert_eq!(count(&result, Outcome::Answered), 1_000);
    let full = result.snapshot.handshakes_full.count();
    assert!(full <= 64, "{full} full handshakes, though each leaves sessions behind");
}
