//! Loads with a shape: stages of a rate, stages of connections, users.

use super::*;
use proofload_engine::{EngineError, Stage, Trace};
use proofload_testkit::sim::{Fault, Machine, Server, Service};

fn quick() -> World {
    World::new(Server::default(), 1)
}

fn slow(service_ns: u64) -> World {
    World::new(Server { service: Service::Constant(service_ns), ..Server::default() }, 1)
}

fn stage(from: f64, to: f64, for_ns: u64) -> Stage {
    Stage::Line { from, to, for_ns }
}

fn length(stages: &[Stage]) -> Extent {
    Extent::DurationNs(stages.iter().map(Stage::for_ns).sum())
}

fn open_stages(stages: Vec<Stage>, arrival: Arrival) -> LoadPlan {
    let extent = length(&stages);
    let profile = Profile::OpenStages { stages, arrival, coalesce_ns: 0 };
    LoadPlan { profile, extent, connections: 70, ..closed() }
}

fn closed_stages(stages: Vec<Stage>, connections: u32) -> LoadPlan {
    let extent = length(&stages);
    LoadPlan {
        profile: Profile::ClosedStages { stages, think_ns: 0.into() },
        extent,
        connections,
        ..closed()
    }
}

fn users(users: u32, loops: u32, ramp_ns: u64, think_ns: u64) -> LoadPlan {
    LoadPlan {
        profile: Profile::Users { ramp_ns, loops, think_ns: think_ns.into() },
        extent: Extent::Requests { count: u64::from(users) * u64::from(loops), cap_ns: 600 * SECOND },
        connections: users,
        ..closed()
    }
}

#[test]
fn a_ramp_of_a_rate_sends_its_integral_whatever_the_workers() {
    let stages = vec![stage(0.0, 2_000.0, 2 * SECOND), stage(2_000.0, 2_000.0, SECOND)];
    for workers in [1, 3] {
        let result = load(&LoadPlan { workers, ..open_stages(stages.clone(), Arrival::Constant) }, &quick());
        assert_eq!(result.snapshot.intended(), 4_000);
        assert_eq!(count(&result, Outcome::Answered), 4_000);
        let [first, second, third] = result.per_second[..] else { panic!("{:?}", result.per_second) };
        assert!(first.abs_diff(500) <= 2 && second.abs_diff(1_500) <= 2 && third.abs_diff(2_000) <= 2);
        assert!(!result.stopped_early);
        assert_eq!(result.findings, []);
    }
    let random = load(&open_stages(stages, Arrival::Poisson), &quick());
    assert!(random.snapshot.intended().abs_diff(4_000) < 4 * 64, "{}", random.snapshot.intended());
}

#[test]
fn a_sine_of_a_rate_sends_its_integral_and_sends_it_when_it_is_high() {
    let wave = Stage::Sine { mean: 2_000.0, amplitude: 2_000.0, period_ns: 4 * SECOND, for_ns: 8 * SECOND };
    for workers in [1, 3] {
        let plan = LoadPlan { workers, ..open_stages(vec![wave], Arrival::Constant) };
        let result = load(&plan, &quick());
        assert_eq!(result.snapshot.intended(), 16_000);
        assert_eq!(count(&result, Outcome::Answered), 16_000);
        // A quarter of a wave: 2,000 and the excess above or the lack below, 2,000 * 4 / 2 pi.
        let above = 2_000.0 * 4.0 / std::f64::consts::TAU;
        for (second, sent) in result.per_second.iter().enumerate() {
            let ideal = 2_000.0 + if second % 4 < 2 { above } else { -above };
            assert!((*sent as f64 - ideal).abs() <= 3.0, "{:?}", result.per_second);
        }
        assert_eq!(result.findings, []);
    }
}

#[test]
fn connections_of_a_sine_come_and_go_with_its_waves() {
    let world = slow(10 * MS);
    let wave = Stage::Sine { mean: 10.0, amplitude: 5.0, period_ns: 12 * SECOND, for_ns: 24 * SECOND };
    for workers in [1, 3] {
        let result = load(&LoadPlan { workers, ..closed_stages(vec![wave], 15) }, &world);
        let at = |second: usize| result.per_second[second];
        // Near the crest there are 15 connections, in the trough 6: those whose number is below a value above 5.
        assert!(at(2).abs_diff(15 * 99) < 40 && at(14).abs_diff(15 * 99) < 40, "{:?}", result.per_second);
        assert!(at(8).abs_diff(6 * 99) < 40 && at(20).abs_diff(6 * 99) < 60, "{:?}", result.per_second);
        assert_eq!(result.findings, [], "Little's law holds while places join and leave");
        assert_eq!(result.snapshot.outcomes.errors(), 0);
    }
}

fn recorded(offsets_ms: &[u64], round_ms: u64, rounds: u32) -> LoadPlan {
    let offsets_ns: Vec<u64> = offsets_ms.iter().map(|ms| ms * MS).collect();
    let trace = Trace { offsets_ns: offsets_ns.into(), round_ns: round_ms * MS, rounds };
    let extent = Extent::DurationNs(trace.length_ns());
    LoadPlan { profile: Profile::OpenTrace { trace, coalesce_ns: 0 }, extent, ..closed() }
}

#[test]
fn a_trace_is_played_back_at_its_instants_round_after_round_whatever_the_workers() {
    for workers in [1, 2, 3] {
        let world = quick();
        let plan = LoadPlan { workers, ..recorded(&[0, 1, 2, 500, 1_999], 2_000, 3) };
        let result = load(&plan, &world);
        assert_eq!(result.snapshot.intended(), 15);
        assert_eq!(count(&result, Outcome::Answered), 15);
        assert_eq!(result.per_second, [4, 1, 4, 1, 4, 1]);
        assert!(!result.stopped_early);
        let cut = LoadPlan { extent: Extent::DurationNs(1_000 * MS), ..plan };
        let result = load(&cut, &quick());
        assert_eq!(result.snapshot.intended(), 4, "a shorter extent cuts it off");
    }
    let shares = (0..3).map(|k| {
        let plan = LoadPlan { share: (k, 3), connections: 9, ..recorded(&[0, 3, 4, 9, 12, 40, 41], 50, 5) };
        load(&plan, &quick()).snapshot.intended()
    });
    assert_eq!(shares.sum::<u64>(), 35);
}

#[test]
fn a_stall_does_not_move_the_instants_of_a_trace() {
    // One connection, answers after 100 ms: the second and the third wait, and their waiting is on the books.
    let plan = LoadPlan { connections: 1, ..recorded(&[0, 10, 20], 1_000, 1) };
    let result = load(&plan, &slow(100 * MS));
    let most = result.snapshot.response_time.quantile_ns(1.0).unwrap();
    assert!(most.abs_diff(280 * MS) < 3 * MS, "{most}");
    assert!(result.snapshot.service_time.quantile_ns(1.0).unwrap() < 102 * MS);
}

#[test]
fn a_series_of_stages_is_kept_for_its_whole_length() {
    let stages =
        vec![stage(10.0, 10.0, 100 * SECOND), stage(0.0, 0.0, 20 * SECOND), stage(20.0, 20.0, SECOND)];
    let result = load(&open_stages(stages, Arrival::Constant), &quick());
    assert_eq!(result.per_second.len(), 121);
    assert_eq!(result.per_second[119], 0);
    assert_eq!(result.per_second.iter().sum::<u64>(), 1_020);
}

#[test]
fn connections_of_stages_join_and_leave_with_them() {
    // Each exchange takes 10.04 ms, so a connection that takes part for a second asks about 99 times.
    let world = slow(10 * MS);
    let stages = vec![
        stage(0.0, 10.0, 10 * SECOND),
        stage(10.0, 10.0, 5 * SECOND),
        stage(10.0, 0.0, 10 * SECOND),
        stage(0.0, 0.0, SECOND),
        stage(4.0, 4.0, SECOND),
    ];
    for workers in [1, 3] {
        let result = load(&LoadPlan { workers, ..closed_stages(stages.clone(), 10) }, &world);
        let at = |second: usize| result.per_second[second];
        // In the ramp's fifth second there are five connections, at the top ten.
        assert!(at(4).abs_diff(5 * 99) < 25, "{:?}", result.per_second);
        assert!(at(12).abs_diff(10 * 99) < 15, "{:?}", result.per_second);
        assert!(at(19).abs_diff(6 * 99) < 25, "{:?}", result.per_second);
        assert!(at(25) <= 1 && at(26).abs_diff(4 * 99) < 10, "{:?}", result.per_second);
        assert_eq!(result.findings, [], "Little's law holds while places join and leave");
        assert_eq!(result.snapshot.outcomes.errors(), 0);
    }
    // Ten joined at first and four again.
    assert_eq!(world.served().accepted, 2 * 14);
}

#[test]
fn every_user_asks_so_often_on_a_connection_of_its_own_and_goes() {
    for workers in [1, 3] {
        let world = slow(5 * MS);
        let plan = LoadPlan { workers, ..users(50, 10, SECOND, 0) };
        let result = load(&plan, &world);
        assert_eq!(count(&result, Outcome::Answered), 500);
        assert_eq!(result.snapshot.intended(), 500);
        assert_eq!((world.served().accepted, world.served().requests), (50, 500));
        // The last user begins at 49/50 of the ramp and needs ten exchanges.
        assert!((result.snapshot.seconds() - 1.031).abs() < 0.01, "{}", result.snapshot.seconds());
        assert!(!result.stopped_early);
        assert_eq!(result.findings, []);
    }
}

#[test]
fn users_think_between_their_requests_and_a_failed_one_counts_as_asked() {
    let result = load(&users(10, 5, 0, 100 * MS), &quick());
    assert_eq!(count(&result, Outcome::Answered), 50);
    assert!((0.4..0.42).contains(&result.snapshot.seconds()), "{}", result.snapshot.seconds());
    let refusing = World::new(Server { faults: vec![(Fault::Refuse, 1.0)], ..Server::default() }, 1);
    let result = load(&users(10, 5, 0, 0), &refusing);
    assert_eq!(count(&result, Outcome::ConnectRefused), 50);
    assert!(!result.stopped_early, "every user has asked five times, to no avail");
    let resetting = World::new(Server { faults: vec![(Fault::ResetBefore, 0.3)], ..Server::default() }, 1);
    let result = load(&users(20, 10, SECOND, 0), &resetting);
    assert_eq!(result.snapshot.outcomes.total(), 200);
}

#[test]
fn a_late_generator_shows_in_a_shaped_load_too() {
    let machine = Machine { wakes_late_ns: 5 * MS, ..Machine::default() };
    let result = load(&users(400, 1, SECOND, 0), &quick().with_machine(machine));
    assert!(!result.findings.is_empty());
}

#[test]
fn shares_of_users_add_up_to_the_whole() {
    let plan = LoadPlan { workers: 2, ..users(53, 7, SECOND, 0) };
    let counts = (0..3).map(|k| load(&LoadPlan { share: (k, 3), ..plan.clone() }, &quick()));
    assert_eq!(counts.map(|result| count(&result, Outcome::Answered)).sum::<u64>(), 371);
}

#[test]
fn what_is_wrong_with_a_shape_is_told_before_it_starts() {
    let problems = |plan: LoadPlan| match run_in(&plan, &Watch::default(), &quick()) {
        Err(EngineError::Plan(message)) => message,
        other => panic!("{other:?}"),
    };
    let ramp = open_stages(vec![stage(0.0, 100.0, SECOND)], Arrival::Constant);
    let sine = |mean, amplitude, period_ns| {
        open_stages(vec![Stage::Sine { mean, amplitude, period_ns, for_ns: SECOND }], Arrival::Constant)
    };
    for (plan, word) in [
        (open_stages(vec![stage(0.0, 0.0, SECOND)], Arrival::Constant), "rate"),
        (open_stages(vec![stage(-1.0, 5.0, SECOND)], Arrival::Constant), "stage 1"),
        (open_stages(vec![stage(1.0, 5.0, 0)], Arrival::Constant), "stage 1"),
        (open_stages(Vec::new(), Arrival::Constant), "extent"),
        (LoadPlan { extent: Extent::DurationNs(SECOND / 2), ..ramp.clone() }, "length of the stages"),
        (LoadPlan { discard_ns: MS, ..ramp }, "discard"),
        (closed_stages(vec![stage(0.0, 9.0, SECOND)], 10), "9 at most"),
        (sine(5.0, 6.0, SECOND), "amplitude of 6"),
        (sine(5.0, f64::NAN, SECOND), "amplitude of NaN"),
        (sine(5.0, 5.0, 0), "period of 0"),
        (recorded(&[1, 1], 10, 1), "arrival 2"),
        (recorded(&[], 10, 1), "no arrival"),
        (recorded(&[1, 10], 10, 1), "ends before its last arrival"),
        (recorded(&[1], 10, 0), "0 rounds"),
        (LoadPlan { extent: Extent::DurationNs(SECOND), ..recorded(&[1], 10, 1) }, "length of the trace"),
        (users(10, 0, 0, 0), "loops"),
        (LoadPlan { extent: Extent::Requests { count: 7, cap_ns: SECOND }, ..users(10, 1, 0, 0) }, "10"),
    ] {
        let message = problems(plan);
        assert!(message.contains(word), "{word} is not in {message}");
    }
}
