//! Figures of journeys where the truth is known.

use super::*;
use proofload_engine::{Distribution, Finding, Overflow, Shortage};
use proofload_testkit::sim::{Machine, Stall};

/// Part of the mix or of the journeys: its mean response time, in milliseconds.
fn mean_ms(result: &LoadResult, part: usize) -> f64 {
    result.snapshot.parts[part].response_time.mean_ns().unwrap() / MS as f64
}

fn quantile_ms(result: &LoadResult, part: usize, q: f64) -> f64 {
    result.snapshot.parts[part].response_time.quantile_ns(q).unwrap() as f64 / MS as f64
}

fn near(found: f64, truth: f64, share: f64) {
    assert!((found - truth).abs() < share * truth, "{found}, not {truth} to {share}");
}

/// A walk of `/1` at the first server and `/2` at another one.
fn two_servers(plan: LoadPlan) -> LoadPlan {
    let plan = on(vec![journey(vec![Step::Ask(1), Step::Ask(2)])], plan);
    let other = std::net::SocketAddr::from(([127, 0, 0, 1], 81)).into();
    let mut mix = plan.mix.clone();
    mix[2].target = 1;
    LoadPlan { targets: vec![target(), other], mix, ..plan }
}

#[test]
fn a_step_with_one_server_waits_as_the_theory_says_and_the_others_do_not() {
    // M/M/1: users come at 500 a second, one thread serves 1000 a second: a mean of 2 ms.
    let profile = Profile::Open { rate_per_s: 500.0, arrival: Arrival::Poisson, coalesce_ns: 0 };
    let extent = Extent::DurationNs(40 * SECOND);
    let plan = two_servers(LoadPlan { profile, extent, connections: 400, ..closed() });
    let queue = Server { service: Service::Exponential(MS), threads: 1, ..Server::default() };
    let steady = Server { service: Service::Constant(3 * MS), ..Server::default() };
    let result = load(&plan, &World::new(steady, 3).with_other(81, queue, None));
    // Two times there and back, for the connection and for the request.
    let ways_ms = 0.08;
    near(mean_ms(&result, 2), 2.0 + ways_ms, 0.06);
    near(quantile_ms(&result, 2, 0.5), 2.0 * 2f64.ln() + ways_ms, 0.06);
    near(quantile_ms(&result, 2, 0.99), 2.0 * 100f64.ln() + ways_ms, 0.08);
    near(mean_ms(&result, 1), 3.0 + ways_ms, 0.001);
    near(quantile_ms(&result, 1, 0.999), 3.0 + ways_ms, 0.005);
    near(mean_ms(&result, 4), mean_ms(&result, 1) + mean_ms(&result, 2), 0.001);
    assert_eq!(result.findings, vec![]);
}

#[test]
fn a_stall_of_one_step_shows_in_its_figures_alone() {
    // 60 ms of every second, in which 6 of 100 users a second come: more than one of a hundred.
    let plan = LoadPlan { connections: 60, extent: Extent::DurationNs(10 * SECOND), ..open(100.0) };
    let stalls = Server { stall: Some(Stall { every_ns: SECOND, for_ns: 60 * MS }), ..Server::default() };
    let result = load(&two_servers(plan), &World::new(Server::default(), 3).with_other(81, stalls, None));
    let p99 = [1, 2, 4].map(|part| quantile_ms(&result, part, 0.99));
    assert!(p99[0] < 0.2 && p99[1] > 45.0 && p99[2] > 45.0, "{p99:?}");
    let median = [1, 2, 4].map(|part| quantile_ms(&result, part, 0.5));
    assert!(median.iter().all(|ms| *ms < 0.4), "{median:?}");
}

#[test]
fn users_who_find_no_seat_are_dropped_as_journeys_and_take_no_step() {
    // Journeys of 100 ms, one seat, 20 users a second: every other one finds it free.
    let shortage = Shortage { overflow: Overflow::Drop, most_connections: None };
    let walk = journey(vec![Step::Ask(1), Step::Ask(2)]);
    let slower = vec![("/1", Service::Constant(80 * MS))];
    let plan = LoadPlan { shortage, connections: 1, discard_ns: SECOND, ..open(20.0) };
    let result = load(&on(vec![walk], plan), &World::new(Server { slower, ..Server::default() }, 1));
    let snapshot = &result.snapshot;
    let (complete, unsent) = (part(&result, 4, Outcome::Answered), part(&result, 4, Outcome::Unsent));
    assert_eq!((complete, unsent, snapshot.dropped), (10, 10, 10));
    assert_eq!((snapshot.outcomes.get(Outcome::Unsent), snapshot.outcomes.total()), (10, 30));
    assert_eq!([1, 2].map(|entry| snapshot.parts[entry].outcomes.total()), [10, 10]);
    assert_eq!(snapshot.parts[4].discarded.total(), 20, "of the second before the window");
    assert!(quantile_ms(&result, 1, 1.0) < 81.0, "nobody waits");
}

#[test]
fn pauses_have_their_lengths_and_each_user_his_own() {
    let pauses = |time: Distribution| {
        let walk =
            vec![Step::Ask(1), Step::Pause(time.clone()), Step::Ask(2), Step::Pause(time), Step::Ask(3)];
        let plan = LoadPlan { connections: 1_000, extent: Extent::DurationNs(10 * SECOND), ..open(200.0) };
        let result = load(&on(vec![journey(walk)], plan), &World::new(Server::default(), 1));
        assert_eq!(part(&result, 4, Outcome::Answered), 2_000);
        assert_eq!(result.findings, vec![]);
        assert!(quantile_ms(&result, 2, 0.999) < 0.1, "a pause is no part of a step");
        // Three requests, the first of them with its connection.
        let steps_ms: f64 = (1..4).map(|entry| mean_ms(&result, entry)).sum();
        [mean_ms(&result, 4), quantile_ms(&result, 4, 0.5)].map(|ms| ms - steps_ms)
    };
    let [mean, median] = pauses(Distribution::Exponential { mean: 100 * MS });
    near(mean, 200.0, 0.05);
    // Of the sum of two that are drawn apart; it would be 138.6 if they were the same.
    near(median, 167.8, 0.06);
    let [mean, median] = pauses(Distribution::Uniform { low: 50 * MS, high: 250 * MS });
    near(mean, 300.0, 0.02);
    near(median, 300.0, 0.03);
    let [mean, median] = pauses((70 * MS).into());
    near(mean, 140.0, 0.001);
    near(median, 140.0, 0.005);
}

#[test]
fn a_pace_waits_for_what_is_left_of_it() {
    let pace = || Step::Pace((500 * MS).into());
    let walk = vec![Step::Ask(1), pace(), Step::Ask(2), pace(), Step::Ask(1), Step::Exit];
    for (service_ms, whole_ms) in [(1, 1_000 + 1), (499, 1_000 + 499), (700, 3 * 700)] {
        let slower = vec![("/", Service::Constant(service_ms * MS))];
        let plan = LoadPlan { connections: 100, ..open(20.0) };
        let server = Server { service: Service::Constant(0), slower, ..Server::default() };
        let result = load(&on(vec![journey(walk.clone())], plan), &World::new(server, 1));
        assert!(
            (mean_ms(&result, 4) - f64::from(whole_ms)).abs() < 1.0,
            "{service_ms}: {}",
            mean_ms(&result, 4)
        );
    }
}

#[test]
fn our_wait_for_a_server_to_close_is_no_time_of_a_journey() {
    let walk = vec![Step::Ask(1), Step::Pause((300 * MS).into()), Step::Ask(2)];
    let whole_ms = |never_closes: bool| {
        let plan = LoadPlan { connections: 100, keep_alive: KeepAlive::Off, ..open(20.0) };
        let server = Server { service: Service::Constant(10 * MS), never_closes, ..Server::default() };
        let result = load(&on(vec![journey(walk.clone())], plan), &World::new(server, 1));
        assert_eq!(part(&result, 4, Outcome::Answered), 20);
        mean_ms(&result, 4)
    };
    let (closes, never) = (whole_ms(false), whole_ms(true));
    assert!((320.0..322.0).contains(&closes) && (never - closes).abs() < 0.5, "{closes} ms, {never} ms");
}

#[test]
fn there_are_never_more_users_than_asked_for_and_hardly_ever_fewer() {
    let walk = journey(vec![Step::Ask(1), Step::Pause((20 * MS).into()), Step::Ask(2)]);
    let service = Service::Exponential(5 * MS);
    for (workers, keep_alive) in [(1, KeepAlive::On), (3, KeepAlive::On), (1, KeepAlive::Off)] {
        // Each is followed after a while, by when the server knows that he is gone.
        let profile = Profile::Closed { think_ns: MS.into() };
        let plan =
            on(vec![walk.clone()], LoadPlan { profile, connections: 12, workers, keep_alive, ..closed() });
        let world = World::new(Server { service, ..Server::default() }, 2);
        let result = load(&plan, &world);
        let served = world.served();
        // A worker's server counts its own. Without keep-alive a user who pauses has no connection.
        let most = u64::from(12 / workers);
        assert!(
            served.most_links <= most && (served.most_links == most || keep_alive == KeepAlive::Off),
            "{workers}"
        );
        let complete = part(&result, 3 + 1, Outcome::Answered);
        // By Little's law: users at once are journeys a second times their length.
        let users = complete as f64 * mean_ms(&result, 4) / 1_000.0;
        near(users, 12.0, 0.05);
        assert_eq!(result.findings, vec![]);
    }
}

#[test]
fn throughput_is_of_the_users_who_arrive_in_the_window_however_long_they_take() {
    // Users of 2 s: those who came in the discarded second are on their way all through the window.
    let walk = journey(vec![Step::Ask(1), Step::Pause((2 * SECOND).into()), Step::Ask(2)]);
    let plan = LoadPlan {
        connections: 50,
        discard_ns: SECOND,
        extent: Extent::DurationNs(3 * SECOND),
        ..open(10.0)
    };
    let result = load(&on(vec![walk], plan), &World::new(Server::default(), 1));
    let snapshot = &result.snapshot;
    assert_eq!((snapshot.answered_in_window, snapshot.throughput_per_s()), (60, Some(20.0)));
    assert_eq!((snapshot.outcomes.total(), snapshot.discarded.total()), (60, 20));
    let whole = &snapshot.parts[4];
    assert_eq!((whole.answered_in_window, whole.outcomes.total(), whole.discarded.total()), (30, 30, 10));
    assert_eq!([1, 2].map(|entry| snapshot.parts[entry].answered_in_window), [30, 30]);
}

#[test]
fn a_generator_that_wakes_late_after_pauses_says_so() {
    let walk = journey(vec![Step::Ask(1), Step::Pause((20 * MS).into()), Step::Ask(2)]);
    let plan = on(vec![walk], LoadPlan { extent: Extent::DurationNs(4 * SECOND), ..closed() });
    for (wakes_late_ns, is_late) in [(0, false), (5 * MS, true)] {
        let machine = Machine { wakes_late_ns, ..Machine::default() };
        let result = load(&plan, &World::new(Server::default(), 1).with_machine(machine));
        let found = result.findings.iter().any(|finding| matches!(finding, Finding::SendDelay { .. }));
        assert_eq!(found, is_late, "{:?}", result.findings);
    }
}
