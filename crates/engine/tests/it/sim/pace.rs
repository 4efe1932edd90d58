//! Start of exchanges, their connections, and the end of a load.

use super::*;
use proofload_engine::{Distribution, EngineError};
use proofload_testkit::sim::{Server, Service, Stall};
use std::sync::atomic::Ordering;

fn quick() -> World {
    World::new(Server::default(), 1)
}

#[test]
fn an_open_loop_sends_every_tick_of_its_timetable_whatever_the_workers() {
    for workers in [1, 2, 3, 7] {
        for arrival in [Arrival::Constant, Arrival::Poisson] {
            let profile = Profile::Open { rate_per_s: 3_000.0, arrival, coalesce_ns: 0 };
            let plan = LoadPlan { profile, workers, connections: 70, ..closed() };
            let result = load(&plan, &quick());
            let intended = result.snapshot.intended();
            assert_eq!(count(&result, Outcome::Answered), intended);
            match arrival {
                Arrival::Constant => assert_eq!(intended, 3_000),
                Arrival::Poisson => assert!(intended.abs_diff(3_000) < 4 * 55, "{intended}"),
            }
            let alone = load(&LoadPlan { workers: 1, ..plan }, &quick());
            assert_eq!(alone.snapshot.intended(), intended, "{workers} workers");
        }
    }
}

#[test]
fn shares_of_a_load_add_up_to_the_whole() {
    let whole = LoadPlan {
        connections: 50,
        extent: Extent::Requests { count: 1_001, cap_ns: 9 * SECOND },
        ..closed()
    };
    for plan in [whole.clone(), LoadPlan { profile: open(2_000.0).profile, ..whole }] {
        let counts = (0..3).map(|k| load(&LoadPlan { share: (k, 3), workers: 2, ..plan.clone() }, &quick()));
        assert_eq!(counts.map(|result| result.snapshot.intended()).sum::<u64>(), 1_001);
    }
}

#[test]
fn a_count_of_requests_is_met_exactly() {
    for (connections, workers, count_wanted) in [(1, 1, 1), (8, 1, 1_000), (9, 4, 1_003), (64, 3, 2)] {
        for profile in [closed().profile, open(5_000.0).profile] {
            let extent = Extent::Requests { count: count_wanted, cap_ns: 60 * SECOND };
            let plan = LoadPlan { connections, workers, extent, discard_ns: 10 * MS, profile, ..closed() };
            let world = quick();
            let result = load(&plan, &world);
            assert_eq!(count(&result, Outcome::Answered), count_wanted, "{plan:?}");
            assert_eq!(result.snapshot.intended(), count_wanted);
            assert_eq!(world.served().requests, count_wanted + result.snapshot.discarded.total());
            assert!(!result.stopped_early);
        }
    }
}

/// Each takes a millisecond. A collector that sleeps until it happens to look again would take half a second longer.
#[test]
fn what_a_load_handed_over_is_collected_as_soon_as_it_ends() {
    let begun = std::time::Instant::now();
    for _ in 0..40 {
        let extent = Extent::Requests { count: 5, cap_ns: SECOND };
        let result = load(&LoadPlan { extent, ..closed() }, &quick());
        assert_eq!(count(&result, Outcome::Answered), 5);
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

#[test]
fn the_window_of_a_count_ends_with_its_last_exchange() {
    let extent = Extent::Requests { count: 800, cap_ns: 60 * SECOND };
    let result = load(&LoadPlan { extent, ..closed() }, &quick());
    // 8 connections, 100 exchanges each of 50 µs service and 40 µs of way.
    let ideal = 100.0 * 90e-6;
    assert!((result.snapshot.seconds() - ideal).abs() < 0.02 * ideal, "{}", result.snapshot.seconds());
}

#[test]
fn a_count_that_the_cap_cuts_off_says_so() {
    let extent = Extent::Requests { count: 1_000_000, cap_ns: 100 * MS };
    for profile in [closed().profile, open(5_000.0).profile] {
        let result = load(&LoadPlan { extent, profile, ..closed() }, &quick());
        assert!(result.stopped_early);
        assert!(result.snapshot.intended() < 1_000_000);
    }
}

#[test]
fn a_closed_loop_pauses_between_exchanges_for_the_think_time() {
    let plan =
        LoadPlan { profile: Profile::Closed { think_ns: (10 * MS).into() }, connections: 10, ..closed() };
    let result = load(&plan, &quick());
    // Each of ten connections asks every 10.09 ms.
    let ideal = 10.0 * 1_000.0 / 10.09;
    assert!((result.snapshot.answered_in_window as f64 - ideal).abs() <= 10.0);
    // Think time is not part of the response time.
    assert!(result.snapshot.response_time.quantile_ns(1.0).unwrap() < 100_000);
    assert_eq!(result.findings, []);
}

/// Distributions of 10 ms on average.
fn pauses() -> [Distribution; 4] {
    let sigma = 0.8f64;
    let median = (10e6 / (sigma * sigma / 2.0).exp()) as u64;
    [
        Distribution::Uniform { low: 5 * MS, high: 15 * MS },
        Distribution::Exponential { mean: 10 * MS },
        Distribution::LogNormal { median, sigma },
        Distribution::List([MS, MS, 28 * MS].into()),
    ]
}

#[test]
fn pauses_that_differ_have_their_mean_and_are_no_part_of_response_time() {
    for think_ns in pauses() {
        let plan = LoadPlan {
            profile: Profile::Closed { think_ns: think_ns.clone() },
            connections: 40,
            discard_ns: 0,
            extent: Extent::DurationNs(5 * SECOND),
            ..closed()
        };
        let result = load(&plan, &quick());
        // Each of forty connections asks every 10.09 ms on average; from the first second on, for places begin in
        // the midst of a pause.
        let ideal = 40.0 * 1_000.0 / 10.09f64;
        for (second, answered) in result.per_second.iter().enumerate() {
            // Of about 4,000 gaps whose spread is at most 1.3 times their mean: four standard deviations.
            let allowed = 4.0 * 1.3 * ideal.sqrt();
            assert!((*answered as f64 - ideal).abs() < allowed, "{think_ns:?}: {answered} in {second}");
        }
        assert!(result.snapshot.response_time.quantile_ns(1.0).unwrap() < 100_000, "{think_ns:?}");
        assert_eq!(result.findings, [], "{think_ns:?}");
    }
}

#[test]
fn a_seed_gives_the_same_pauses_whatever_the_workers_and_the_answers() {
    // Each user asks three times, so the load ends with the longest way of any user: three answers and the two
    // pauses of its own. Answers that take longer by 5 ms move it by three times that, exactly.
    for think_ns in pauses() {
        let last = |workers: u32, service_ns: u64, seed: u64| {
            let world = World::new(Server { service: Service::Constant(service_ns), ..Server::default() }, 1);
            let plan = LoadPlan {
                profile: Profile::Users { ramp_ns: SECOND, loops: 3, think_ns: think_ns.clone() },
                connections: 30,
                extent: Extent::Requests { count: 90, cap_ns: 60 * SECOND },
                workers,
                seed,
                ..closed()
            };
            let result = load(&plan, &world);
            assert_eq!(count(&result, Outcome::Answered), 90);
            (result.snapshot.seconds() * 1e9).round() as u64
        };
        let first = last(1, MS, 1);
        // What a worker itself takes differs a little.
        assert!(last(3, MS, 1).abs_diff(first) < MS / 10, "{think_ns:?}");
        assert!(last(1, 6 * MS, 1).abs_diff(first + 15 * MS) < MS / 10, "{think_ns:?}");
        // With a list the same sum may come twice.
        let others = (2..6).filter(|seed| last(1, MS, *seed).abs_diff(first) > MS / 10).count();
        assert!(others >= 1, "{think_ns:?}");
    }
}

#[test]
fn a_slow_answer_puts_off_what_its_connection_asks_next_and_no_other() {
    // In 10 s five stalls of 200 ms: while the server stalls no answer comes, and what a place intends next is
    // counted from its answer. So at most one exchange of each connection waits for each stall.
    let stall = Stall { every_ns: 2 * SECOND, for_ns: 200 * MS };
    let world = World::new(Server { stall: Some(stall), ..Server::default() }, 1);
    let profile = Profile::Closed { think_ns: Distribution::Exponential { mean: 10 * MS } };
    let result = load(
        &LoadPlan { profile, connections: 40, extent: Extent::DurationNs(10 * SECOND), ..closed() },
        &world,
    );
    let times = &result.snapshot.response_time;
    let of_slowest = |rank: f64| times.quantile_ns(1.0 - rank / times.count() as f64).unwrap();
    assert!(
        of_slowest(150.0) > 50 * MS && of_slowest(210.0) < 50 * MS,
        "{} {}",
        of_slowest(150.0),
        of_slowest(210.0)
    );
    assert!(result.snapshot.send_delay.quantile_ns(1.0).unwrap() < MS);
}

#[test]
fn a_closed_loop_tells_the_silences_that_it_hides_and_other_loads_tell_none() {
    let stall = Stall { every_ns: 2 * SECOND, for_ns: 200 * MS };
    let stalled = |plan: &LoadPlan, stall| {
        let server = Server { stall, service: Service::Constant(2 * MS), ..Server::default() };
        let world = World::new(server, 1);
        load(&LoadPlan { connections: 4, extent: Extent::DurationNs(10 * SECOND), ..plan.clone() }, &world)
            .silences
    };
    for workers in [1, 2] {
        let plan = LoadPlan { workers, ..closed() };
        let found = stalled(&plan, Some(stall)).expect("a closed loop without think time");
        assert!((4..=5).contains(&found.count), "{found:?}");
        let near = |found: u64, expected: u64| found.abs_diff(expected) < 5 * MS;
        assert!(near(found.longest_ns, 200 * MS) && near(found.typical_ns, 200 * MS), "{found:?}");
        assert!(near(found.period_ns.expect("they are regular"), 2 * SECOND), "{found:?}");
        assert_eq!(stalled(&plan, None).map(|found| (found.count, found.longest_ns)), Some((0, 0)));
    }
    let thinks = Profile::Closed { think_ns: Distribution::Exponential { mean: 10 * MS } };
    assert_eq!(stalled(&LoadPlan { profile: thinks, ..closed() }, Some(stall)), None);
}

#[test]
fn without_keep_alive_each_exchange_has_its_own_connection_and_the_server_closes_first() {
    let world = quick();
    let result = load(&LoadPlan { keep_alive: KeepAlive::Off, ..closed() }, &world);
    let served = world.served();
    assert_eq!(served.accepted, served.requests);
    let snapshot = &result.snapshot;
    assert_eq!(snapshot.closed_by_us, 0);
    assert!(snapshot.closed_by_peer.abs_diff(snapshot.answered_in_window) <= 8);
    // Connecting is part of response time, and not of service time.
    let p50 = |histogram: &proofload_measure::LatencyHistogram| histogram.quantile_ns(0.5).unwrap();
    assert!(p50(&snapshot.response_time).abs_diff(130_000) < 1_000);
    assert!(p50(&snapshot.service_time).abs_diff(90_000) < 1_000);
    assert_eq!(result.findings, []);
}

#[test]
fn a_server_that_does_not_close_is_waited_for_a_tenth_of_a_second() {
    let world = World::new(Server { never_closes: true, ..Server::default() }, 1);
    let plan = LoadPlan { keep_alive: KeepAlive::Off, connections: 1, ..closed() };
    let result = load(&plan, &world);
    assert_eq!(result.snapshot.closed_by_peer, 0);
    assert_eq!(count(&result, Outcome::Answered), 10);
    assert!(result.snapshot.closed_by_us.abs_diff(10) <= 1);
}

#[test]
fn every_so_many_exchanges_the_connection_is_a_new_one() {
    let world = quick();
    let extent = Extent::Requests { count: 1_000, cap_ns: 60 * SECOND };
    load(&LoadPlan { keep_alive: KeepAlive::Every(5), connections: 4, extent, ..closed() }, &world);
    assert_eq!(world.served().accepted, 200);
}

#[test]
fn all_connections_of_an_open_loop_are_opened_and_used() {
    let world = quick();
    let result = load(&LoadPlan { connections: 300, ..open(1_000.0) }, &world);
    assert_eq!(world.served().accepted, 300);
    assert!(result.snapshot.send_delay.quantile_ns(1.0).unwrap() < 1_000);
}

#[test]
fn a_closed_loop_deals_connections_and_an_open_loop_deals_requests_by_weight() {
    let mix = vec![entry(3, 0, 0), entry(1, 1, 0), entry(2, 0, 200)];
    let targets = vec![target(), target()];
    for plan in [brief(), open(6_000.0)] {
        let plan = LoadPlan { mix: mix.clone(), targets: targets.clone(), connections: 60, ..plan };
        let result = load(&plan, &quick());
        let snapshot = &result.snapshot;
        let posts = mix[2].request.bytes.len() as u64;
        let gets = mix[0].request.bytes.len() as u64;
        let sent = snapshot.sent();
        // Bytes sent tell how many of the longer requests there were: a third, within four deviations.
        let longer = (snapshot.bytes_sent - sent * gets) as f64 / (posts - gets) as f64;
        let third = sent as f64 / 3.0;
        assert!((longer - third).abs() < 4.0 * (sent as f64 * 2.0 / 9.0).sqrt() + 60.0, "{longer} of {sent}");
    }
}

#[test]
fn the_same_seed_gives_the_same_load_and_another_seed_another() {
    let profile = Profile::Open { rate_per_s: 2_000.0, arrival: Arrival::Poisson, coalesce_ns: 0 };
    let plan = LoadPlan { profile, ..closed() };
    let server = Server { service: Service::Exponential(MS), ..Server::default() };
    let seen = |seed: u64| load(&LoadPlan { seed, ..plan.clone() }, &World::new(server.clone(), 9)).snapshot;
    assert_eq!(seen(5), seen(5));
    assert_ne!(seen(5), seen(6));
}

#[test]
fn what_was_due_and_never_sent_is_unsent_and_what_is_in_flight_at_the_end_is_unanswered() {
    // The stall begins after 650 ms and outlasts the load and its drain.
    let stall = Stall { every_ns: 1_300 * MS, for_ns: 650 * MS };
    let world = World::new(Server { stall: Some(stall), ..Server::default() }, 1);
    let plan = LoadPlan { connections: 4, drain_ns: 100 * MS, ..open(1_000.0) };
    let result = load(&plan, &world);
    assert_eq!(count(&result, Outcome::Unanswered), 4);
    assert_eq!(result.snapshot.outcomes.errors(), 4, "an error, as any that has no answer");
    assert!(count(&result, Outcome::Unsent).abs_diff(346) <= 8);
    // All that had no end waited until the drain did, the last of it for that alone.
    let unended = &result.snapshot.unended;
    assert_eq!(unended.count(), 4 + count(&result, Outcome::Unsent));
    let waited_ns = |q| unended.quantile_ns(q).unwrap_or(0);
    assert!((100 * MS..102 * MS).contains(&waited_ns(0.0)), "{unended:?}");
    assert!((440 * MS..460 * MS).contains(&waited_ns(1.0)), "{unended:?}");
    assert_eq!(result.snapshot.intended(), 1_000);
    assert_eq!(result.snapshot.sent() + count(&result, Outcome::Unsent), 1_000);
}

#[test]
fn a_server_that_takes_its_time_is_waited_for_as_long_as_it_took_before() {
    let server = Server { service: Service::Constant(400 * MS), ..Server::default() };
    let plan = LoadPlan { connections: 4, drain_ns: 100 * MS, ..closed() };
    let result = load(&plan, &World::new(server, 1));
    assert_eq!((count(&result, Outcome::Answered), count(&result, Outcome::Unanswered)), (12, 0));
}

#[test]
fn what_is_discarded_is_not_on_the_books_but_not_forgotten() {
    let plan = LoadPlan { discard_ns: 500 * MS, ..open(1_000.0) };
    let result = load(&plan, &quick());
    assert_eq!(result.snapshot.intended(), 1_000);
    assert_eq!(result.snapshot.discarded.get(Outcome::Answered), 500);
    assert_eq!(result.per_second, [1_000]);
    assert_eq!(result.window_start_ns, result.snapshot.window.start_ns);
}

#[test]
fn the_series_counts_each_second_on_its_own() {
    let plan = LoadPlan { extent: Extent::DurationNs(2_500 * MS), ..open(1_000.0) };
    let result = load(&plan, &quick());
    assert_eq!(result.per_second.len(), 3);
    assert_eq!(result.per_second.iter().sum::<u64>(), result.snapshot.answered_in_window);
    assert!(result.per_second[1].abs_diff(1_000) <= 1 && result.per_second[2].abs_diff(500) <= 1);
}

#[test]
fn a_load_that_was_stopped_before_it_began_ends_at_once_and_cleanly() {
    let watch = Watch::default();
    watch.stop.store(true, Ordering::Relaxed);
    let result = run_in(&LoadPlan { workers: 2, ..open(1_000.0) }, &watch, &quick()).unwrap();
    assert!(result.stopped_early);
    assert_eq!(result.snapshot.intended(), 0);
    assert_eq!(result.snapshot.seconds(), 0.0);
}

#[test]
fn the_watch_has_seen_everything_at_the_end() {
    let watch = Watch::default();
    let result = run_in(&LoadPlan { workers: 2, ..closed() }, &watch, &quick()).unwrap();
    let answered = count(&result, Outcome::Answered);
    assert_eq!(watch.answered.load(Ordering::Relaxed), answered);
    assert!(watch.p99_ns.load(Ordering::Relaxed) > 0);
}

#[test]
fn coalescing_fires_sends_together_and_no_later_than_allowed() {
    let profile = Profile::Open { rate_per_s: 10_000.0, arrival: Arrival::Constant, coalesce_ns: MS };
    let result = load(&LoadPlan { profile, connections: 64, ..closed() }, &quick());
    assert_eq!(count(&result, Outcome::Answered), 10_000);
    let delay = result.snapshot.send_delay.quantile_ns(1.0).unwrap();
    assert!((MS / 2..=MS + MS / 10).contains(&delay), "{delay}");
    assert_eq!(result.findings, []);
}

#[test]
fn all_problems_of_a_plan_come_in_one_message_before_anything_starts() {
    let plan = LoadPlan {
        connections: 0,
        workers: 0,
        extent: Extent::DurationNs(0),
        keep_alive: KeepAlive::Every(0),
        profile: Profile::Open { rate_per_s: f64::NAN, arrival: Arrival::Poisson, coalesce_ns: 0 },
        mix: vec![entry(0, 7, 0)],
        share: (2, 2),
        ..closed()
    };
    let Err(EngineError::Plan(message)) = run_in(&plan, &Watch::default(), &quick()) else { panic!() };
    for word in ["connections", "workers", "extent", "keep-alive", "rate", "weight", "target 7", "share"] {
        assert!(message.contains(word), "{word} is not in {message}");
    }
}

#[test]
fn every_worker_needs_a_connection_to_every_target() {
    let mix = vec![entry(1, 0, 0), entry(1, 1, 0)];
    let plan = LoadPlan { targets: vec![target(), target()], mix, connections: 3, workers: 2, ..closed() };
    let error = run_in(&plan, &Watch::default(), &quick()).unwrap_err();
    assert!(error.to_string().contains("too few"), "{error}");
}
