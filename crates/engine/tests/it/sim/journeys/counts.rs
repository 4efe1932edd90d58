//! Whatever goes wrong, every step and every journey is counted once, as what the server knows it to be.

use super::*;
use crate::sim::shares::asked;
use crate::sim::totals::{FAULTS, agree, keep_alives, links, servers};
use proofload_engine::{Launch, Overflow, Shortage, Stage, launch};
use proptest::prelude::*;

/// A piece of a journey, between its first step and its last one.
#[derive(Clone, Debug)]
enum Piece {
    Ask(usize),
    Pause(u64),
    Pace(u64),
    Repeat(u32, Vec<usize>),
    Choose(Vec<(u32, usize)>),
    AskAll(Vec<usize>, usize),
}

fn pieces() -> impl Strategy<Value = Piece> {
    let entry = || 1usize..3;
    let several = || proptest::collection::vec(entry(), 1..4);
    prop_oneof![
        entry().prop_map(Piece::Ask),
        (0u64..20).prop_map(Piece::Pause),
        (0u64..20).prop_map(Piece::Pace),
        (0u32..4, several()).prop_map(|(times, entries)| Piece::Repeat(times, entries)),
        proptest::collection::vec((1u32..5, entry()), 1..3).prop_map(Piece::Choose),
        (several(), 1usize..4).prop_map(|(entries, at_once)| Piece::AskAll(entries, at_once)),
    ]
}

/// Asks entry 0, takes the pieces, and asks entry 3.
fn made(pieces: &[Piece], weight: u32) -> Journey {
    let mut steps = vec![Step::Ask(0)];
    for piece in pieces {
        match piece {
            Piece::Ask(entry) => steps.push(Step::Ask(*entry)),
            Piece::Pause(ms) => steps.push(Step::Pause((ms * MS).into())),
            Piece::Pace(ms) => steps.push(Step::Pace((ms * MS).into())),
            Piece::Repeat(times, entries) => {
                let head = steps.len();
                steps.push(Step::Repeat { times: *times, to: head + entries.len() + 2 });
                steps.extend(entries.iter().map(|entry| Step::Ask(*entry)));
                steps.push(Step::Jump(head));
            }
            Piece::Choose(ways) => {
                let first = steps.len() + 1;
                let end = first + 2 * ways.len();
                steps.push(Step::Choose(
                    (first..).step_by(2).zip(ways).map(|(at, (weight, _))| (*weight, at)).collect(),
                ));
                ways.iter().for_each(|(_, entry)| steps.extend([Step::Ask(*entry), Step::Jump(end)]));
            }
            Piece::AskAll(entries, at_once) => {
                steps.push(Step::AskAll { entries: entries.clone(), at_once: *at_once });
            }
        }
    }
    steps.push(Step::Ask(3));
    Journey { weight, ..journey(steps) }
}

/// Profiles with the extents that they want.
fn profiles() -> impl Strategy<Value = (Profile, Extent)> {
    let brief = Extent::DurationNs(60 * MS);
    let stages = vec![Stage::Line { from: 0.0, to: 900.0, for_ns: 40 * MS }, Stage::hold(300.0, 20 * MS)];
    prop_oneof![
        Just((Profile::Closed { think_ns: 0.into() }, brief)),
        (1u64..20).prop_map(move |ms| (Profile::Closed { think_ns: (ms * MS).into() }, brief)),
        (50f64..2_000.0).prop_map(move |rate_per_s| {
            (Profile::Open { rate_per_s, arrival: Arrival::Poisson, coalesce_ns: 0 }, brief)
        }),
        Just((Profile::OpenStages { stages, arrival: Arrival::Poisson, coalesce_ns: 0 }, brief)),
        // Up to all connections, which the test knows.
        Just((Profile::ClosedStages { stages: vec![], think_ns: 0.into() }, brief)),
        (0u64..30, 1u32..4).prop_map(|(ramp, loops)| {
            let extent = Extent::Requests { count: u64::from(loops), cap_ns: 1_000 * SECOND };
            (Profile::Users { ramp_ns: ramp * MS, loops, think_ns: 0.into() }, extent)
        }),
    ]
}

/// All of a part, in the window and out of it.
fn all(result: &LoadResult, part: usize) -> u64 {
    let part = &result.snapshot.parts[part];
    part.outcomes.total() + part.discarded.total()
}

fn all_of(result: &LoadResult, part: usize, outcome: Outcome) -> u64 {
    let part = &result.snapshot.parts[part];
    part.outcomes.get(outcome) + part.discarded.get(outcome)
}

/// Every count of journeys that begin with entry 0 and end with entry 3.
fn reconcile(result: &LoadResult, world: &World, journeys: usize) {
    let snapshot = &result.snapshot;
    let sum = |of: &dyn Fn(usize) -> u64, parts: std::ops::Range<usize>| parts.map(of).sum::<u64>();
    let of_journeys = 4..4 + journeys;
    let unsent = sum(&|part| all_of(result, part, Outcome::Unsent), of_journeys.clone());
    let arrived = sum(&|part| all(result, part), of_journeys.clone()) - unsent;
    let complete = sum(&|part| all_of(result, part, Outcome::Answered), of_journeys);
    let steps = sum(&|part| all(result, part), 0..4);
    assert_eq!(all(result, 0), arrived, "whoever arrives takes the first step, and leaves in one way");
    assert_eq!(all_of(result, 3, Outcome::Answered), complete, "whoever takes the last step has completed");
    let failed = steps - sum(&|part| all_of(result, part, Outcome::Answered), 0..4);
    assert!(
        failed >= arrived - complete && (failed == 0) == (arrived == complete),
        "{failed} {arrived} {complete}"
    );
    // Users who never came are not among the steps, but among all that was intended.
    let whole = snapshot.outcomes.total() + snapshot.discarded.total();
    assert_eq!(steps + unsent, whole);
    for outcome in Outcome::ALL.into_iter().filter(|outcome| *outcome != Outcome::Unsent) {
        let of_steps = sum(&|part| all_of(result, part, outcome), 0..4);
        let of_whole = snapshot.outcomes.get(outcome) + snapshot.discarded.get(outcome);
        assert_eq!(of_steps, of_whole, "{outcome:?}");
    }
    let answered = snapshot.parts[..4].iter().map(|part| part.answered_in_window).sum::<u64>();
    assert_eq!(answered, snapshot.answered_in_window);
    let measured = snapshot.parts[..4].iter().map(|part| part.response_time.count()).sum::<u64>();
    assert_eq!(measured, snapshot.response_time.count());
    for (entry, path) in [(0, "/login"), (1, "/1"), (2, "/2"), (3, "/3")] {
        assert_eq!(all_of(result, entry, Outcome::Answered), served(world, path), "{path}");
    }
    agree(result, world);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn steps_and_journeys_reconcile_kind_by_kind(
        pieces in proptest::collection::vec((proptest::collection::vec(pieces(), 0..5), 1u32..4), 1..3),
        (profile, extent) in profiles(),
        drops: bool,
        keep_alive in keep_alives(),
        server in servers(),
        link in links(),
        connections in 3u32..20,
        workers in 1u32..4,
        discard_ns in prop_oneof![Just(0), Just(15 * MS)],
        seed: u64,
    ) {
        let journeys: Vec<Journey> = pieces.iter().map(|(pieces, weight)| made(pieces, *weight)).collect();
        let (count, is_open) = (journeys.len(), !profile.is_closed());
        let profile = match profile {
            Profile::ClosedStages { think_ns, .. } => {
                let most = f64::from(connections);
                let up = Stage::Line { from: 0.0, to: most, for_ns: 40 * MS };
                Profile::ClosedStages { stages: vec![up, Stage::hold(most / 2.0, 20 * MS)], think_ns }
            }
            other => other,
        };
        let overflow = if drops && is_open { Overflow::Drop } else { Overflow::Queue };
        let extent = match extent {
            Extent::Requests { count, cap_ns } => Extent::Requests { count: count * u64::from(connections), cap_ns },
            brief => brief,
        };
        let plan = LoadPlan {
            discard_ns: if profile.is_shaped() { 0 } else { discard_ns },
            profile, extent, keep_alive, connections, workers, seed,
            shortage: Shortage { overflow, most_connections: None },
            timeouts: Timeouts { connect_ns: 300 * MS, response_ns: 5 * SECOND },
            drain_ns: 100_000 * SECOND,
            ..closed()
        };
        let plan = on(journeys, plan);
        let world = World::new(Server { redirects: vec![], ..server }, seed).with_link(link);
        let result = load(&plan, &world);
        let unsent = result.snapshot.outcomes.get(Outcome::Unsent);
        prop_assert_eq!(unsent, result.snapshot.dropped);
        prop_assert!(unsent == 0 || overflow == Overflow::Drop);
        if let (Extent::Requests { count: journeys, .. }, false) = (plan.extent, is_open) {
            prop_assert_eq!((4..4 + count).map(|part| all(&result, part)).sum::<u64>(), journeys);
        }
        reconcile(&result, &world, count);
    }

    #[test]
    fn the_seconds_of_journeys_add_up_to_the_result(
        pieces in proptest::collection::vec(pieces(), 0..5),
        (rate_per_s, is_open) in (20f64..200.0, any::<bool>()),
        workers in 1u32..4,
        seed: u64,
    ) {
        let profile = Profile::Open { rate_per_s, arrival: Arrival::Poisson, coalesce_ns: 0 };
        let profile = if is_open { profile } else { closed().profile };
        let extent = Extent::DurationNs(2 * SECOND);
        let plan = LoadPlan { profile, extent, workers, seed, connections: 9, discard_ns: 300 * MS, ..closed() };
        let plan = on(vec![made(&pieces, 1)], plan);
        let server = Server { service: Service::Exponential(9 * MS), faults: vec![(Fault::Error, 0.1)], ..Server::default() };
        let mut told = Vec::new();
        let mut tell = |stretch: &proofload_engine::Stretch<'_>| told.push(stretch.snapshot.clone());
        let watch = Watch::default();
        let plans = [plan];
        let begun = Launch { each_second: Some(&mut tell), ..Launch::new(&plans, &watch) };
        let result = launch(begun.through(&World::new(server, seed))).unwrap().remove(0);
        let mut sum = told.pop().unwrap();
        told.iter().for_each(|second| sum.merge(second));
        prop_assert_eq!(&sum, &result.snapshot);
    }
}

#[test]
fn thirty_thousand_journeys_with_every_fault_reconcile() {
    let faults = FAULTS.into_iter().map(|fault| (fault, 0.004)).collect();
    let world = World::new(Server { faults, ..Server::default() }, 11);
    let extent = Extent::Requests { count: 30_000, cap_ns: 100_000 * SECOND };
    let pieces = [
        Piece::Repeat(2, vec![1, 2]),
        Piece::Pause(3),
        Piece::Choose(vec![(3, 1), (1, 2)]),
        Piece::AskAll(vec![1, 2, 2], 2),
        Piece::Pace(4),
    ];
    let journeys = vec![made(&pieces, 2), made(&pieces[..2], 1), made(&[], 1)];
    let plan = LoadPlan { connections: 100, workers: 2, extent, drain_ns: 1_000 * SECOND, ..closed() };
    let result = load(&on(journeys, plan), &world);
    assert_eq!((4..7).map(|part| all(&result, part)).sum::<u64>(), 30_000);
    assert!(
        (4..7).all(|part| all_of(&result, part, Outcome::Timeout) > 0),
        "faults of every kind reach every journey"
    );
    reconcile(&result, &world, 3);
}

#[test]
fn shares_and_workers_of_journeys_are_together_those_of_one() {
    let pieces = [
        Piece::Choose(vec![(3, 1), (1, 2)]),
        Piece::Repeat(2, vec![1]),
        Piece::Pause(3),
        Piece::Choose(vec![(1, 1), (1, 2)]),
        Piece::Pace(40),
    ];
    let mut walk = made(&pieces, 2);
    for step in &mut walk.steps {
        if let Step::Pause(time) = step {
            *time = proofload_engine::Distribution::Exponential { mean: 20 * MS };
        }
    }
    let journeys = vec![walk, made(&pieces[..2], 1)];
    let half = Extent::DurationNs(SECOND / 2);
    let users = Profile::Users { ramp_ns: SECOND / 4, loops: 3, think_ns: (40 * MS).into() };
    let stages =
        vec![Stage::Line { from: 20.0, to: 200.0, for_ns: SECOND / 4 }, Stage::hold(100.0, SECOND / 4)];
    let open = |arrival| Profile::Open { rate_per_s: 150.0, arrival, coalesce_ns: 0 };
    for (profile, extent, discard_ns) in [
        (open(Arrival::Constant), half, 0),
        (open(Arrival::Poisson), half, 100 * MS),
        (Profile::OpenStages { stages, arrival: Arrival::Poisson, coalesce_ns: 0 }, half, 0),
        (users, Extent::Requests { count: 180, cap_ns: 100 * SECOND }, 0),
    ] {
        let plan = LoadPlan { profile, extent, discard_ns, connections: 60, ..closed() };
        let plan = on(journeys.clone(), plan);
        let whole = asked(&plan, 1, 1);
        assert!(whole.asked.len() > 200, "{} {:?}", whole.asked.len(), plan.profile);
        for (shares, workers) in [(1, 3), (2, 1), (2, 2), (3, 1)] {
            let parts = asked(&plan, shares, workers);
            assert_eq!(parts.asked, whole.asked, "{shares} {workers} {:?}", plan.profile);
            assert_eq!(parts.sum, whole.sum, "{shares} {workers} {:?}", plan.profile);
        }
    }
}

#[test]
fn every_worker_has_a_seat_for_its_users() {
    let plan = on(
        vec![journey(vec![Step::Ask(0)])],
        LoadPlan { connections: 5, workers: 3, share: (1, 2), ..open(90.0) },
    );
    let error = run_in(&plan, &Watch::default(), &World::new(Server::default(), 1)).unwrap_err();
    assert!(error.to_string().contains("connections: 5 users at once are too few for 6 workers"), "{error}");
    let plan = LoadPlan { connections: 6, ..plan };
    let result = load(&plan, &World::new(Server::default(), 1));
    assert_eq!((part(&result, 4, Outcome::Answered), count(&result, Outcome::Unsent)), (45, 0));
}
