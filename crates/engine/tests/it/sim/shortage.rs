//! An open loop whose connections are all busy: it queues, it drops, it opens more.

use super::*;
use proofload_engine::{EngineError, Finding, Overflow, Shortage};
use proofload_testkit::sim::{Fault, Link, Machine, Server, Service, Stall};

/// A tenth of all time: of 5,000 requests a second a thousand fall into each.
const STALL: Stall = Stall { every_ns: 2 * SECOND, for_ns: 200 * MS };

fn stalling() -> World {
    World::new(Server { stall: Some(STALL), ..Server::default() }, 1)
}

fn stalled(connections: u32, overflow: Overflow, most: Option<u32>) -> LoadPlan {
    let shortage = Shortage { overflow, most_connections: most };
    LoadPlan { connections, shortage, extent: Extent::DurationNs(10 * SECOND), ..open(5_000.0) }
}

/// Requests that fall into a stall of those 50,000.
fn held() -> u64 {
    5_000
}

fn quantile_ms(histogram: &proofload_measure::LatencyHistogram, q: f64) -> f64 {
    histogram.quantile_ns(q).unwrap() as f64 / 1e6
}

#[test]
fn what_is_dropped_is_counted_and_leaves_the_latencies_of_the_others_honest() {
    let result = load(&stalled(64, Overflow::Drop, None), &stalling());
    let (answered, unsent) = (count(&result, Outcome::Answered), count(&result, Outcome::Unsent));
    // Sixty-four of the thousand of each stall are on their way; the others find no connection.
    let truth = held() - 5 * 64;
    assert!(unsent.abs_diff(truth) <= 5, "{unsent} of {truth}");
    assert_eq!(answered + unsent, 50_000);
    assert_eq!((result.snapshot.dropped, result.snapshot.intended()), (unsent, 50_000));
    // The requests that were sent left on time and took as long as the server did.
    assert!(result.snapshot.send_delay.quantile_ns(1.0).unwrap() < 1_000);
    let slow = |share: f64| quantile_ms(&result.snapshot.response_time, 1.0 - share);
    assert!(slow(330.0 / answered as f64) < 1.0);
    assert!(slow(310.0 / answered as f64) > 180.0);
    assert_eq!(result.findings, [], "it was asked for");
}

#[test]
fn connections_grow_while_none_is_free_and_then_all_of_a_stall_is_seen_by_the_server() {
    let world = stalling();
    let result = load(&stalled(64, Overflow::Queue, Some(1_200)), &world);
    assert_eq!(count(&result, Outcome::Answered), 50_000);
    for histogram in [&result.snapshot.response_time, &result.snapshot.service_time] {
        assert!((quantile_ms(histogram, 0.99) - 180.0).abs() <= 1.8);
        assert!((quantile_ms(histogram, 0.999) - 198.0).abs() <= 1.98);
    }
    let connections = result.connections;
    assert_eq!((connections.began, connections.most), (64, 1_200));
    // A thousand fall into a stall, and one connection or two are busy already.
    assert!((1_000..1_010).contains(&connections.peak), "{connections:?}");
    assert_eq!(world.served().accepted, u64::from(connections.peak));
    assert_eq!(result.findings, []);
}

#[test]
fn growth_ends_at_the_limit_whatever_the_workers_and_never_begins_without_need() {
    for (workers, overflow) in [(1, Overflow::Drop), (3, Overflow::Queue), (7, Overflow::Drop)] {
        let world = stalling();
        let result = load(&LoadPlan { workers, ..stalled(64, overflow, Some(300)) }, &world);
        assert_eq!((result.connections.began, result.connections.peak), (64, 300), "{workers} {overflow:?}");
        assert_eq!(world.served().accepted, 300);
        assert_eq!(result.snapshot.intended(), 50_000);
        let dropped = if overflow == Overflow::Drop { held() - 5 * 300 } else { 0 };
        let unsent = count(&result, Outcome::Unsent);
        assert!(unsent.abs_diff(dropped) <= 5 * u64::from(workers), "{workers}: {unsent} of {dropped}");
        assert_eq!(result.snapshot.dropped, unsent);
    }
    let calm = LoadPlan { extent: Extent::DurationNs(SECOND), ..stalled(64, Overflow::Queue, Some(300)) };
    let result = load(&calm, &World::new(Server::default(), 1));
    assert_eq!((result.connections.began, result.connections.peak, result.connections.most), (64, 64, 300));
}

#[test]
fn connections_grow_for_the_target_that_lacks_them() {
    let mix = vec![entry(3, 0, 0), entry(1, 1, 0)];
    let plan = LoadPlan { mix, targets: vec![target(), target()], ..stalled(8, Overflow::Queue, Some(208)) };
    let result = load(&plan, &stalling());
    // Seven hundred and fifty, and two hundred and fifty, of each stall: both come to their limits.
    assert_eq!(result.connections.peak, 208);
    assert_eq!(count(&result, Outcome::Answered), 50_000);
}

#[test]
fn the_time_to_open_a_connection_is_part_of_the_response_time_of_whoever_waited_for_it() {
    // A handshake of 10 ms and an exchange of 10 ms: a thousand a second need ten connections or some more.
    let link = Link { latency_ns: 5 * MS, ..Link::default() };
    let shortage = Shortage { most_connections: Some(64), ..Shortage::default() };
    let plan = LoadPlan { connections: 1, shortage, discard_ns: 0, ..open(1_000.0) };
    let result = load(&plan, &World::new(Server::default(), 1).with_link(link));
    assert_eq!(count(&result, Outcome::Answered), 1_000);
    let (response, service) = (&result.snapshot.response_time, &result.snapshot.service_time);
    assert!(quantile_ms(response, 1.0) > 19.9, "{}", quantile_ms(response, 1.0));
    assert!(quantile_ms(service, 1.0) < 10.2, "{}", quantile_ms(service, 1.0));
    assert!((11..=25).contains(&result.connections.peak), "{:?}", result.connections);
    assert_eq!(result.findings, [], "the delay is not of the generator's making");
}

#[test]
fn a_server_that_refuses_makes_no_storm_of_connections() {
    let world = World::new(Server { faults: vec![(Fault::Refuse, 1.0)], ..Server::default() }, 1);
    let shortage = Shortage { most_connections: Some(4_000), ..Shortage::default() };
    let plan = LoadPlan { connections: 4, shortage, drain_ns: 100 * MS, ..open(5_000.0) };
    let result = load(&plan, &world);
    // One more each tenth of a second, and each that there is tries ten times a second.
    assert!(result.connections.peak <= 16, "{:?}", result.connections);
    assert!(world.served().refused < 300, "{}", world.served().refused);
}

#[test]
fn a_server_that_cannot_take_the_load_is_no_fault_of_the_generator_and_times_are_lower_ends() {
    let server = Server { service: Service::Constant(100 * MS), ..Server::default() };
    let plan = |overflow| LoadPlan {
        connections: 4,
        drain_ns: 100 * MS,
        shortage: Shortage { overflow, most_connections: None },
        ..open(1_000.0)
    };
    let result = load(&plan(Overflow::Queue), &World::new(server.clone(), 1));
    let unsent = count(&result, Outcome::Unsent);
    assert!(unsent > 900);
    assert_eq!(result.findings, []);
    let half = result.snapshot.response_time.quantile_beside(&result.snapshot.unended, 0.5).unwrap();
    assert!(half.at_least && half.value > 500 * MS, "{half:?}");
    let result = load(&plan(Overflow::Drop), &World::new(server, 1));
    assert_eq!((result.snapshot.dropped, &result.findings[..]), (count(&result, Outcome::Unsent), &[][..]));
    assert!(result.snapshot.dropped > 900);
}

/// A generator that stops for 200 ms, in the middle of ten seconds.
fn interrupted(server: Server) -> World {
    let stall = Some(Stall { every_ns: 10 * SECOND, for_ns: 200 * MS });
    World::new(server, 1).with_machine(Machine { stall, ..Machine::default() })
}

#[test]
fn what_the_generator_slept_through_is_not_dropped_for_want_of_a_connection() {
    let result = load(&stalled(64, Overflow::Drop, None), &interrupted(Server::default()));
    let unsent = count(&result, Outcome::Unsent);
    assert_eq!((result.snapshot.intended(), count(&result, Outcome::Answered) + unsent), (50_000, 50_000));
    // A thousand were due while all connections were free; it sent as many late as there are connections.
    assert!(unsent.abs_diff(1_000 - 64) <= 5, "{unsent}");
    assert!(result.snapshot.dropped <= 2, "{}", result.snapshot.dropped);
    let [Finding::NotOffered { intended, behind }] = result.findings[..] else {
        panic!("{:?}", result.findings)
    };
    let p99 = result.snapshot.response_time.quantile_beside(&result.snapshot.unended, 0.99).unwrap();
    assert!(p99.at_least && p99.value > 95 * MS, "{p99:?}: half of them waited longer");
    assert_eq!((intended, unsent - result.snapshot.dropped), (50_000, behind));
    assert!(behind.abs_diff(1_000 - 64) <= 5, "{behind}");
}

#[test]
fn a_generator_that_does_not_look_cannot_say_that_no_connection_was_free() {
    // Two connections of 5 ms each carry 400 of the 1,000 a second; hardly ever is one free.
    let busy = |extent_ns| LoadPlan {
        profile: open(1_000.0).profile,
        extent: Extent::DurationNs(extent_ns),
        ..stalled(2, Overflow::Drop, None)
    };
    let server = Server { service: Service::Constant(5 * MS), ..Server::default() };
    let calm = load(&busy(10 * SECOND), &World::new(server.clone(), 1));
    assert_eq!((&calm.findings[..], calm.snapshot.dropped), (&[][..], count(&calm, Outcome::Unsent)));
    let result = load(&busy(10 * SECOND), &interrupted(server));
    let blamed = count(&result, Outcome::Unsent) - result.snapshot.dropped;
    // It was to look every tenth of a second, whatever came.
    assert!((100..=200).contains(&blamed), "{blamed}");
    let found = result.findings.iter().any(|finding| match finding {
        Finding::NotOffered { behind, .. } => *behind == blamed,
        _ => false,
    });
    assert!(found, "{:?}", result.findings);
}

#[test]
fn a_generator_that_is_a_little_late_drops_as_one_that_is_not() {
    // Each answer costs it 5 µs, as long as from one send to the next: many ticks are late, none by much.
    let machine = Machine { handle_cost_ns: 5_000, ..Machine::default() };
    let server = Server { service: Service::Constant(300_000), ..Server::default() };
    let plan = LoadPlan { profile: open(200_000.0).profile, ..stalled(16, Overflow::Drop, None) };
    let plan = LoadPlan { extent: Extent::DurationNs(SECOND), ..plan };
    let result = load(&plan, &World::new(server, 1).with_machine(machine));
    assert!(result.snapshot.dropped > 100_000, "{}", result.snapshot.dropped);
    assert_eq!(result.snapshot.dropped, count(&result, Outcome::Unsent));
}

#[test]
fn coalesced_sends_are_dropped_by_the_end_of_their_time_and_not_before() {
    // Each answer takes 600 µs: with two connections a third send within that finds none, but the millisecond in
    // which it may leave later finds one again.
    let server = Server { service: Service::Constant(560_000), ..Server::default() };
    let plan = |coalesce_ns| LoadPlan {
        profile: Profile::Open { rate_per_s: 3_000.0, arrival: Arrival::Constant, coalesce_ns },
        connections: 2,
        shortage: Shortage { overflow: Overflow::Drop, most_connections: None },
        ..closed()
    };
    let patient = load(&plan(2 * MS), &World::new(server.clone(), 1));
    assert!(patient.snapshot.dropped < 30, "{}", patient.snapshot.dropped);
    let slow = Server { service: Service::Constant(2 * MS), ..server };
    let exact = load(&plan(0), &World::new(slow, 1));
    assert!(exact.snapshot.dropped > 1_500, "{}", exact.snapshot.dropped);
}

#[test]
fn a_shortage_that_cannot_be_is_refused_before_anything_starts() {
    let refused = |plan: &LoadPlan, world: &World| run_in(plan, &Watch::default(), world).unwrap_err();
    let drop = Shortage { overflow: Overflow::Drop, most_connections: Some(4) };
    let error = refused(&LoadPlan { shortage: drop, ..closed() }, &stalling());
    assert!(matches!(&error, EngineError::Plan(_)), "{error}");
    for what in ["only an open loop", "4 are fewer than the 8"] {
        assert!(error.to_string().contains(what), "{error}");
    }
    // The limit must fit, not only the beginning.
    let machine = Machine { descriptors: Some(1_000), ..Machine::default() };
    let plan = stalled(64, Overflow::Queue, Some(2_000));
    let error = refused(&plan, &stalling().with_machine(machine));
    assert!(matches!(error, EngineError::Descriptors { needed: 2_065, limit: 1_000 }), "{error}");
}
