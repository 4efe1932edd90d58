//! The engine in virtual time: its public door over a simulated network.

mod addresses;
mod elsewhere;
mod ends;
mod fitness;
mod follow;
mod guarded;
mod journeys;
mod lanes;
mod merged;
mod outcomes;
mod pace;
mod parts;
mod queue;
mod readiness;
mod refusal;
pub mod secured;
mod shapes;
mod shares;
mod shortage;
mod stall;
mod streams;
mod surplus;
mod totals;

use proofload_engine::{
    Arrival, Expect, Extent, Follow, KeepAlive, LoadPlan, LoadResult, MixEntry, Profile, Target, Timeouts,
    Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::World;
use proofload_testkit::sim::run_in;
use proofload_wire::http1::RequestSpec;
use std::sync::Arc;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

fn entry(weight: u32, target: usize, body: usize) -> MixEntry {
    let spec = RequestSpec {
        method: if body > 0 { "POST" } else { "GET" }.to_owned(),
        target: "/".to_owned(),
        authority: "server.test".to_owned(),
        headers: Vec::new(),
        body: vec![b'x'; body],
        close: false,
        keep_body: 64,
    };
    let closing = RequestSpec { close: true, ..spec.clone() };
    MixEntry {
        weight,
        target,
        request: Arc::new(spec.encode().unwrap()),
        closing_request: Arc::new(closing.encode().unwrap()),
        expect: Expect::default(),
        follow: Default::default(),
        digest: None,
    }
}

/// The entry, following up to `most` redirects.
fn following(most: u32, entry: MixEntry) -> MixEntry {
    let get = |close| {
        let spec = RequestSpec { close, ..RequestSpec::get("server.test", "/") };
        Arc::new(spec.encode().unwrap())
    };
    let as_get = Some([get(false), get(true)]);
    MixEntry { follow: Follow { most, as_get, ..Follow::default() }, ..entry }
}

fn target() -> Target {
    std::net::SocketAddr::from(([127, 0, 0, 1], 80)).into()
}

/// A closed loop without think time: 8 connections, one second, nothing discarded.
fn closed() -> LoadPlan {
    LoadPlan {
        targets: vec![target()],
        mix: vec![entry(1, 0, 0)],
        profile: Profile::Closed { think_ns: 0.into() },
        connections: 8,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts { connect_ns: 500 * MS, response_ns: SECOND },
        discard_ns: 0,
        extent: Extent::DurationNs(SECOND),
        drain_ns: 10 * SECOND,
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

/// The same for a twentieth of a second, where some thousand exchanges tell as much as eighty thousand.
fn brief() -> LoadPlan {
    LoadPlan { extent: Extent::DurationNs(SECOND / 20), ..closed() }
}

fn open(rate_per_s: f64) -> LoadPlan {
    LoadPlan { profile: Profile::Open { rate_per_s, arrival: Arrival::Constant, coalesce_ns: 0 }, ..closed() }
}

fn load(plan: &LoadPlan, world: &World) -> LoadResult {
    run_in(plan, &Watch::default(), world).unwrap()
}

fn count(result: &LoadResult, outcome: Outcome) -> u64 {
    result.snapshot.outcomes.get(outcome)
}
