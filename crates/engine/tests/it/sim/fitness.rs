//! Each self-check finds its planted failure, and is silent without one.

use super::*;
use proofload_engine::{Answers, ConnectionOrder, Finding, GeneratorSettings};
use proofload_testkit::sim::{Link, Machine, Server, Service};

fn slow_machine(handle_cost_ns: u64) -> World {
    let machine = Machine { handle_cost_ns, ..Machine::default() };
    let server = Server { service: Service::Constant(5_000), ..Server::default() };
    World::new(server, 1).with_machine(machine)
}

#[test]
fn a_generator_that_is_slower_than_its_server_is_client_limited() {
    let result = load(&LoadPlan { connections: 64, ..closed() }, &slow_machine(20_000));
    let bound = result.findings.iter().any(|f| matches!(f, Finding::CpuBound { busy, .. } if *busy > 0.95));
    assert!(bound, "{:?}", result.findings);
}

#[test]
fn a_saturated_server_is_no_client_limit() {
    // One thread of 20 µs against a generator that works 15 µs for each exchange: busy to three quarters.
    let server = Server { service: Service::Constant(20_000), threads: 1, ..Server::default() };
    let machine = Machine { handle_cost_ns: 10_000, send_cost_ns: 5_000, ..Machine::default() };
    let world = World::new(server, 1).with_machine(machine);
    let result = load(&LoadPlan { connections: 64, ..closed() }, &world);
    assert_eq!(result.findings, []);
    let throughput = result.snapshot.throughput_per_s().unwrap();
    assert!((throughput - 50_000.0).abs() < 500.0, "{throughput}");
    assert!(result.generator.busy[0] > 0.7, "{:?}", result.generator.busy);
}

#[test]
fn an_open_loop_that_works_most_of_the_time_is_client_limited() {
    let plan = LoadPlan { connections: 64, ..open(40_000.0) };
    assert_eq!(load(&plan, &slow_machine(10_000)).findings, []);
    let result = load(&plan, &slow_machine(20_000));
    assert!(result.findings.iter().any(|f| matches!(f, Finding::CpuBound { .. })), "{:?}", result.findings);
}

#[test]
fn a_machine_that_wakes_late_shows_as_send_delay() {
    let mut world = World::new(Server::default(), 1);
    world.machine.wakes_late_ns = 300_000;
    for profile in [open(1_000.0).profile, Profile::Closed { think_ns: (5 * MS).into() }] {
        let result = load(&LoadPlan { profile, ..closed() }, &world);
        let late = result.findings.iter().find_map(|finding| match finding {
            Finding::SendDelay { p90_ns, allowed_ns } => Some((*p90_ns, *allowed_ns)),
            _ => None,
        });
        let (p90_ns, allowed_ns) = late.unwrap();
        assert!(p90_ns.abs_diff(300_000) < 1_000 && allowed_ns < 100_000, "{p90_ns} {allowed_ns}");
    }
}

#[test]
fn littles_law_holds_with_thinking_errors_and_closing_in_the_mix() {
    use proofload_testkit::sim::Fault;
    let faults = vec![(Fault::Error, 0.1), (Fault::ResetAfter, 0.1), (Fault::CloseAnnounced, 0.2)];
    let server = Server { service: Service::Exponential(30 * MS), faults, ..Server::default() };
    for (think_ns, keep_alive) in [(0, KeepAlive::On), (5 * MS, KeepAlive::Every(3)), (0, KeepAlive::Off)] {
        let plan = LoadPlan {
            profile: Profile::Closed { think_ns: think_ns.into() },
            keep_alive,
            discard_ns: 100 * MS,
            connections: 20,
            workers: 2,
            ..closed()
        };
        let world = World::new(server.clone(), 7).with_link(Link { jitter_ns: 50_000, ..Link::default() });
        let result = load(&plan, &world);
        assert_eq!(result.findings, [], "{keep_alive:?}");
        assert!(count(&result, Outcome::Rejected) > 0);
    }
}

#[test]
fn answers_taken_together_wait_for_the_last_of_them() {
    let delay_ns = |answers| {
        let settings = GeneratorSettings { answers, ..GeneratorSettings::default() };
        let result = load(&LoadPlan { connections: 16, settings, ..closed() }, &slow_machine(10_000));
        assert!(result.snapshot.outcomes.get(Outcome::Answered) > 10_000);
        result.snapshot.send_delay.quantile_ns(0.5).unwrap()
    };
    // Ten microseconds for each of the answers that are read before the next request leaves.
    let (at_once, together) = (delay_ns(Answers::OneByOne), delay_ns(Answers::Together));
    assert!(at_once < 1_000, "{at_once}");
    assert!((50_000..200_000).contains(&together), "{together}");
}

#[test]
fn shuffled_connections_carry_the_same_load() {
    let settings =
        GeneratorSettings { connections: ConnectionOrder::Shuffled, ..GeneratorSettings::default() };
    for plan in [brief(), open(1_000.0)] {
        let shuffled = load(&LoadPlan { settings, ..plan.clone() }, &slow_machine(100));
        let numbered = load(&plan, &slow_machine(100));
        let answered = |result: &LoadResult| result.snapshot.outcomes.get(Outcome::Answered) as f64;
        assert!((answered(&shuffled) / answered(&numbered) - 1.0).abs() < 0.01);
    }
}
