//! Whatever goes wrong, every intended exchange is counted once, as what the server knows it to be.

use super::*;
use proofload_engine::{Overflow, Shortage};
use proofload_testkit::sim::{Fault, Link, Redirect, Server, Service, Stall};
use proptest::prelude::*;

pub const FAULTS: [Fault; 13] = [
    Fault::Refuse,
    Fault::SilentConnect,
    Fault::ResetBefore,
    Fault::ResetWithin,
    Fault::ResetAfter,
    Fault::CloseBefore,
    Fault::CloseWithin,
    Fault::CloseAfter,
    Fault::CloseAnnounced,
    Fault::Error,
    Fault::Garbage,
    Fault::Silence,
    Fault::Drip(100),
];

/// All faults but some, each with that share.
pub fn faults_but(left_out: &[Fault], share: f64) -> Vec<(Fault, f64)> {
    FAULTS.into_iter().filter(|fault| !left_out.contains(fault)).map(|fault| (fault, share)).collect()
}

fn profiles() -> impl Strategy<Value = Profile> {
    prop_oneof![
        Just(Profile::Closed { think_ns: 0.into() }),
        (1u64..20).prop_map(|ms| Profile::Closed { think_ns: (ms * MS).into() }),
        (100f64..20_000.0).prop_map(|rate_per_s| Profile::Open {
            rate_per_s,
            arrival: Arrival::Poisson,
            coalesce_ns: 0
        }),
    ]
}

pub fn keep_alives() -> impl Strategy<Value = KeepAlive> {
    prop_oneof![Just(KeepAlive::On), Just(KeepAlive::Off), (1u32..6).prop_map(KeepAlive::Every)]
}

pub fn servers() -> impl Strategy<Value = Server> {
    let faults = proptest::collection::vec(0.0f64..0.08, FAULTS.len());
    let stall = proptest::option::of((10u64..60, 1u64..9))
        .prop_map(|stall| stall.map(|(every, long)| Stall { every_ns: every * MS, for_ns: long * MS }));
    let redirects = proptest::collection::vec(any::<bool>(), 0..3).prop_map(|closes| {
        let ways = [("/", "/a"), ("/a", "b")];
        let redirects = closes.into_iter().zip(ways);
        redirects.map(|(closes, (from, to))| Redirect { from, code: 307, to, closes }).collect()
    });
    (faults, stall, 0usize..400, 0usize..4, any::<bool>(), redirects).prop_map(
        |(shares, stall, body_bytes, threads, never_closes, redirects)| Server {
            redirects,
            service: Service::Exponential(100_000),
            threads,
            stall,
            body_bytes,
            faults: FAULTS.into_iter().zip(shares).collect(),
            never_closes,
            ..Server::default()
        },
    )
}

fn shortages() -> impl Strategy<Value = Shortage> {
    let overflow = prop_oneof![Just(Overflow::Queue), Just(Overflow::Drop)];
    (overflow, proptest::option::of(20u32..60))
        .prop_map(|(overflow, most_connections)| Shortage { overflow, most_connections })
}

pub fn links() -> impl Strategy<Value = Link> {
    (
        1u64..200_000,
        0u64..200_000,
        prop_oneof![Just(0usize), 1usize..2_000],
        prop_oneof![Just(0usize), 1usize..200],
    )
        .prop_map(|(latency_ns, jitter_ns, segment_max, send_room)| Link {
            latency_ns,
            jitter_ns,
            segment_max,
            send_room,
            ..Link::default()
        })
}

pub fn agree(result: &LoadResult, world: &World) {
    let served = world.served();
    let of = |outcome| result.snapshot.outcomes.get(outcome) + result.snapshot.discarded.get(outcome);
    let resets = served.reset_fresh + served.reset_reused + served.lost_to_reset;
    for (what, seen, known) in [
        ("answered", of(Outcome::Answered), served.answered - served.redirected),
        ("rejected", of(Outcome::Rejected), served.errors),
        ("malformed", of(Outcome::Malformed), served.garbage),
        ("timeout", of(Outcome::Timeout), served.silent),
        ("closed early", of(Outcome::ClosedEarly), served.cut + served.lost_to_close),
        ("reset", of(Outcome::ResetFresh) + of(Outcome::ResetReused), resets),
        ("reset fresh", of(Outcome::ResetFresh), served.reset_fresh),
        ("internal", of(Outcome::Internal), 0),
        ("unanswered", of(Outcome::Unanswered), 0),
    ] {
        assert_eq!(seen, known, "{what}: {:?} {served:?}", result.snapshot.outcomes);
    }
    // Connections opened ahead of the load may have been refused without an exchange.
    assert!(of(Outcome::ConnectRefused) <= served.refused);
    assert!(of(Outcome::ConnectTimeout) <= served.unanswered_dials);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn totals_reconcile_kind_by_kind(
        profile in profiles(),
        shortage in shortages(),
        keep_alive in keep_alives(),
        server in servers(),
        link in links(),
        connections in 2u32..20,
        workers in 1u32..3,
        body in prop_oneof![Just(0usize), 1usize..1_000],
        seed: u64,
    ) {
        let shortage = if profile.is_closed() { Shortage::default() } else { shortage };
        let plan = LoadPlan {
            profile, shortage, keep_alive, connections, workers, seed,
            mix: vec![following(2, entry(1, 0, body))],
            timeouts: Timeouts { connect_ns: 300 * MS, response_ns: 5 * SECOND },
            discard_ns: 5 * MS,
            extent: Extent::DurationNs(60 * MS),
            // Virtual time is free: nothing is cut off.
            drain_ns: 100_000 * SECOND,
            ..closed()
        };
        let world = World::new(server, seed).with_link(link);
        let result = load(&plan, &world);
        let unsent = result.snapshot.outcomes.get(Outcome::Unsent);
        prop_assert_eq!(unsent, result.snapshot.dropped);
        prop_assert!(unsent == 0 || plan.shortage.overflow == Overflow::Drop);
        let most = u64::from(plan.most_connections());
        prop_assert!(u64::from(result.connections.peak) <= most);
        agree(&result, &world);
        prop_assert!(result.snapshot.redirects <= world.served().redirected);
    }
}

#[test]
fn a_hundred_thousand_requests_with_every_fault_reconcile() {
    let faults = FAULTS.into_iter().map(|fault| (fault, 0.004)).collect();
    let world = World::new(Server { faults, ..Server::default() }, 42);
    let extent = Extent::Requests { count: 100_000, cap_ns: 100_000 * SECOND };
    let plan = LoadPlan { connections: 100, workers: 2, extent, drain_ns: 1_000 * SECOND, ..closed() };
    let result = load(&plan, &world);
    assert_eq!(result.snapshot.intended(), 100_000);
    agree(&result, &world);
}
