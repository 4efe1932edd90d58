//! TLS and proxies over real sockets: servers of another make than the simulated ones, through the public door.

mod handshakes;
mod proxies;

use proofload_engine::transport::{Proxy, Tls, TlsVersion, Transport};
use proofload_engine::{
    Distribution, Expect, Extent, KeepAlive, LoadPlan, LoadResult, MixEntry, Profile, Target, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::run;
use proofload_testkit::tls::{Authority, Good, HttpsPeer, Identity, Parting, Speaks};
use proofload_wire::http1::RequestSpec;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};

const MS: u64 = 1_000_000;

/// The authority of all servers, and the certificate of a good one.
fn authority() -> &'static (Authority, Identity) {
    static MADE: OnceLock<(Authority, Identity)> = OnceLock::new();
    MADE.get_or_init(|| {
        let authority = Authority::default();
        let identity = authority.server(&["localhost", "127.0.0.1"], Good::Now);
        (authority, identity)
    })
}

fn tls() -> Tls {
    Tls::new("localhost", vec![authority().0.certificate.clone()])
}

fn server(speaks: &Speaks) -> HttpsPeer {
    HttpsPeer::start(speaks.config(&authority().1), 64, Parting::Proper).unwrap()
}

fn target(address: SocketAddr, tls: Tls) -> Target {
    Target { transport: Transport { proxy: None, tls: Some(Arc::new(tls)) }, ..address.into() }
}

/// A load of `count` exchanges over two connections.
fn plan(target: Target, count: u64) -> LoadPlan {
    let spec = RequestSpec::get("localhost", "/");
    let closing = RequestSpec { close: true, ..spec.clone() };
    LoadPlan {
        targets: vec![target],
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
        connections: 2,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts { connect_ns: 3_000 * MS, response_ns: 3_000 * MS },
        discard_ns: 0,
        extent: Extent::Requests { count, cap_ns: 20_000 * MS },
        drain_ns: 5_000 * MS,
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

/// Loads run one after the other: more of them at once would only disturb each other.
fn load(plan: &LoadPlan) -> LoadResult {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock();
    run(plan, &Watch::default()).unwrap()
}

fn count(result: &LoadResult, outcome: Outcome) -> u64 {
    result.snapshot.outcomes.get(outcome)
}

/// Text about the one kind of outcome that there was.
fn complaint(result: &LoadResult, outcome: Outcome) -> &str {
    assert!(
        count(result, outcome) > 0 && count(result, Outcome::Answered) == 0,
        "{:?}",
        result.snapshot.outcomes
    );
    let bad = result.bad_answers.iter().find(|bad| bad.outcome == outcome);
    &bad.expect("the first one is kept").what
}

/// The complaint of a load that gets no connection.
fn refused(target: Target) -> String {
    complaint(&load(&plan(target, 2)), Outcome::ConnectFailed).to_owned()
}
