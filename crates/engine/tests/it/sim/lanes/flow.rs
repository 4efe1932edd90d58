//! Calls in flight, their order, and the other messages on the wire.

use super::*;
use proofload_engine::KeepAlive;
use proofload_testkit::sim::Link;

/// A link that takes requests slowly: `send_room` bytes each 20 µs.
fn narrow(world: World, send_room: usize) -> World {
    world.with_link(Link { send_room, ..Link::default() })
}

#[test]
fn as_many_are_in_flight_as_there_are_lanes_and_never_more() {
    for (connections, in_flight) in [(1, 1), (1, 10), (3, 5), (8, 2)] {
        let provider = Provider::new(|_| vec![(10 * MS, HELLO)]);
        let result = load(&dubbo_plan(connections, in_flight), &provider.world());
        let seen = provider.seen();
        assert_eq!(seen.most as u32, connections * in_flight);
        assert_eq!(seen.most_on_one as u32, in_flight);
        assert_eq!(seen.connections as u32, connections);
        assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
        let expected = f64::from(connections * in_flight) * 1e9 / (10.04 * 1e6);
        let throughput = result.snapshot.throughput_per_s().unwrap();
        assert!((throughput / expected - 1.0).abs() < 0.03, "{throughput} {expected}");
        assert_eq!(result.findings, []);
    }
}

#[test]
fn each_answer_goes_to_its_exchange_whatever_their_order() {
    // The wait and the text differ by the call, and each entry of the mix expects its own text.
    let answer = |call: &Call<'_>| {
        let slow = call.frame.windows(5).any(|window| window == b"slow!");
        let wait_ns = (1 + call.number as u64 * 7 % 20) * MS;
        vec![(wait_ns, if slow { Act::Text("slow!") } else { Act::Text("quick") })]
    };
    let provider = Provider::new(answer);
    let entry = |text: &str| {
        let mut entry = call(text.into(), &dubbo::Options::default());
        entry.request = Arc::new(Request { keep_body: 64, ..(*entry.request).clone() });
        entry.closing_request = Arc::new(Request { keep_body: 64, ..(*entry.closing_request).clone() });
        let expect = Expect { text: vec![text.as_bytes().to_vec()], ..Expect::default() };
        MixEntry { expect, ..entry }
    };
    let plan = LoadPlan { mix: vec![entry("slow!"), entry("quick")], ..dubbo_plan(2, 10) };
    let result = load(&plan, &provider.world());
    assert_eq!(outcomes(&result), [(Outcome::Answered, provider.seen().calls as u64)]);
    assert!(provider.seen().calls > 1_500);
}

#[test]
fn an_open_loop_uses_all_lanes_and_spreads_what_is_little() {
    let plan = |rate_per_s| LoadPlan { profile: open(rate_per_s).profile, ..dubbo_plan(2, 10) };
    // 20 at once is what the lanes can carry: 400 a second of 50 ms.
    let provider = Provider::new(|_| vec![(50 * MS - 40_000, HELLO)]);
    let result = load(&plan(396.0), &provider.world());
    assert_eq!(provider.seen().most, 20);
    assert_eq!(outcomes(&result), [(Outcome::Answered, 396)]);
    assert_eq!(result.findings, []);
    let slowest = result.snapshot.response_time.summary().max_ns.unwrap();
    assert!(slowest < 60 * MS, "{slowest}");
    // Twice as many wait for lanes, and none is lost.
    let provider = Provider::new(|_| vec![(50 * MS, HELLO)]);
    let result = load(&plan(800.0), &provider.world());
    assert_eq!((provider.seen().most, provider.seen().most_on_one), (20, 10));
    assert_eq!(outcomes(&result), [(Outcome::Answered, 800)]);
    // One at a time goes to both connections in turn.
    let provider = Provider::new(|_| vec![(MS, HELLO)]);
    load(&plan(100.0), &provider.world());
    assert_eq!((provider.seen().most, provider.seen().on.as_slice()), (1, [50, 50].as_slice()));
}

#[test]
fn heartbeats_of_the_server_are_answered_and_counted() {
    let beats = |call: &Call<'_>| match call.number % 10 {
        0 => vec![(5 * MS, Act::Beat), (10 * MS, HELLO)],
        _ => vec![(10 * MS, HELLO)],
    };
    for in_flight in [1, 10] {
        let provider = Provider::new(beats);
        let result = load(&dubbo_plan(2, in_flight), &provider.world());
        let seen = provider.seen();
        let sent = seen.on.iter().map(|calls| calls.div_ceil(10)).sum::<usize>();
        assert_eq!((seen.beats_answered, result.snapshot.control), (sent, sent as u64));
        assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
    }
}

/// Calls with pauses of 200 s.
fn pausing(connections: u32, in_flight: u32) -> LoadPlan {
    LoadPlan {
        profile: Profile::Closed { think_ns: (200 * SECOND).into() },
        extent: Extent::DurationNs(1_000 * SECOND),
        timeouts: Timeouts { response_ns: 1_000 * SECOND, ..closed().timeouts },
        drain_ns: 10_000 * SECOND,
        ..dubbo_plan(connections, in_flight)
    }
}

#[test]
fn an_idle_connection_sends_heartbeats_and_stays() {
    for (in_flight, one_way) in [(1, false), (2, false), (1, true), (2, true)] {
        let provider = Provider::new(|_| vec![(MS, HELLO)]);
        let options = dubbo::Options { one_way, ..Default::default() };
        let plan = LoadPlan { mix: vec![call("x".into(), &options)], ..pausing(1, in_flight) };
        let result = load(&plan, &provider.world());
        let seen = provider.seen();
        assert_eq!(outcomes(&result), [(Outcome::Answered, (seen.calls + seen.one_way) as u64)]);
        assert_eq!((seen.connections, result.snapshot.closed_by_us), (1, 0));
        // At least every 80 s, the time in which a look at the connection may come too early.
        assert!((8..=18).contains(&seen.beats), "{} for {in_flight}, {one_way}", seen.beats);
    }
}

#[test]
fn a_server_that_takes_no_more_before_the_first_call_costs_no_call() {
    for in_flight in [1, 2] {
        let provider = Provider::new(|_| vec![(MS, HELLO)]).parting();
        // The second connection gets its first call after 250 s.
        let plan = LoadPlan { profile: open(0.004).profile, ..pausing(2, in_flight) };
        let result = load(&plan, &provider.world());
        assert_eq!(outcomes(&result), [(Outcome::Answered, 4)]);
        assert!(provider.seen().connections > 2, "{}", provider.seen().connections);
    }
}

#[test]
fn a_server_that_is_silent_is_left_by_the_sessions_own_rule() {
    let provider = Provider::new(|_| Vec::new()).mute();
    let plan = calls(6, LoadPlan { profile: closed().profile, ..pausing(1, 3) });
    let result = load(&plan, &provider.world());
    assert_eq!(outcomes(&result), [(Outcome::Timeout, 6)]);
    let what = "the server was silent for so long that the connection counts as dead";
    assert_eq!(bad(&result, Outcome::Timeout), what);
    assert_eq!((provider.seen().on.as_slice(), result.snapshot.closed_by_us), ([3, 3].as_slice(), 2));
    let waited = result.snapshot.unended.summary().max_ns.unwrap_or(0);
    assert!(waited == 0 || waited > 170 * SECOND, "{waited}");
}

#[test]
fn large_requests_arrive_whole_through_a_small_send_room_and_all_lanes_get_their_turn() {
    let provider = Provider::new(|_| vec![(MS, HELLO)]);
    let text = "x".repeat(200_000);
    let mix = vec![call(text.as_str().into(), &dubbo::Options::default())];
    let length = mix[0].request.bytes.len() + 4;
    // 10 MB in flight at 4 kB each 20 µs: a request takes a millisecond to be sent.
    let plan = calls(500, LoadPlan { mix, ..dubbo_plan(1, 10) });
    let result = load(&plan, &narrow(provider.world(), 4_000));
    let seen = provider.seen();
    assert_eq!(outcomes(&result), [(Outcome::Answered, 500)]);
    assert!(seen.lengths.iter().all(|found| *found == length), "{:?}", seen.lengths);
    assert_eq!(seen.of_lane.len(), 10);
    assert!(seen.of_lane.values().all(|calls| (45..=55).contains(calls)), "{:?}", seen.of_lane);
    assert_eq!(result.snapshot.bytes_sent, 500 * length as u64);
    assert_eq!(result.findings, [], "waiting for the socket is not the generator's doing");
}

#[test]
fn no_value_is_lost_where_requests_wait_for_room() {
    let provider = Provider::new(|_| vec![(MS, HELLO)]);
    let text = "x".repeat(100_000);
    let mut plan = counting(dubbo_plan(2, 10));
    // The large ones fill the connection before the ones that draw.
    plan.mix.push(call(text.as_str().into(), &dubbo::Options::default()));
    let result = load(&calls(400, plan), &narrow(provider.world(), 4_000));
    assert_eq!(outcomes(&result), [(Outcome::Answered, 400)]);
    let seen = provider.seen();
    let mut drawn: Vec<usize> = seen.drawn.iter().filter_map(|text| text.parse().ok()).collect();
    drawn.sort_unstable();
    assert!(drawn.len() > 100);
    assert_eq!(drawn, (0..drawn.len()).collect::<Vec<_>>());
}

#[test]
fn littles_law_holds_with_several_in_flight_and_thinking() {
    for (send_room, think_ns) in [(0, 0), (0, 5 * MS), (300, 0), (100, 0)] {
        let provider = Provider::new(|call| match call.number % 7 {
            0 => vec![(3 * MS, Act::Throw)],
            number => vec![(number as u64 * MS, HELLO)],
        });
        let profile = Profile::Closed { think_ns: think_ns.into() };
        let plan = LoadPlan { profile, ..dubbo_plan(4, 10) };
        let result = load(&plan, &narrow(provider.world(), send_room));
        assert_eq!(result.findings, [], "{send_room} {think_ns}");
        let check = result.checks.iter().find(|check| check.kind == proofload_engine::CheckKind::LittlesLaw);
        let found = check.unwrap().found.unwrap();
        assert!(found < 0.02, "{found} {send_room} {think_ns}");
    }
}

#[test]
fn refusals_are_told_and_counted_by_their_codes() {
    let provider = Provider::new(|call| match call.number % 4 {
        0 => vec![(MS, Act::Throw)],
        1 => vec![(MS, Act::Status(100))],
        _ => vec![(MS, HELLO)],
    });
    let result = load(&calls(400, dubbo_plan(2, 10)), &provider.world());
    assert_eq!(outcomes(&result), [(Outcome::Answered, 200), (Outcome::Rejected, 200)]);
    assert_eq!(result.snapshot.codes.iter().collect::<Vec<_>>(), [(1, 100), (20, 200), (100, 100)]);
    let what = bad(&result, Outcome::Rejected);
    assert!(what.contains("java.lang.Exception: busy"), "{what}");
}

#[test]
fn without_keep_alive_each_call_has_a_connection_of_its_own() {
    let provider = Provider::new(|_| vec![(MS, HELLO)]);
    let plan = LoadPlan { keep_alive: KeepAlive::Off, ..dubbo_plan(2, 1) };
    let result = load(&plan, &provider.world());
    let seen = provider.seen();
    assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
    assert_eq!(seen.connections, seen.calls);
    // The server does not know that it is to close, and is not waited for.
    assert!(seen.calls > 1_500, "{}", seen.calls);
    assert_eq!(result.findings, []);
    let plan = LoadPlan { keep_alive: KeepAlive::Every(5), ..dubbo_plan(2, 1) };
    let provider = Provider::new(|_| vec![(MS, HELLO)]);
    load(&calls(100, plan), &provider.world());
    assert!(provider.seen().on.iter().all(|calls| *calls <= 5), "{:?}", provider.seen().on);
    assert_eq!(provider.seen().calls, 100);
}

#[test]
fn several_in_flight_are_refused_where_they_cannot_be() {
    let refused = |plan: LoadPlan| {
        let provider = Provider::new(|_| vec![(MS, HELLO)]);
        run_in(&plan, &Watch::default(), &provider.world()).unwrap_err().to_string()
    };
    let one_by_one = "in flight: a protocol of this load answers one request after the other on a connection; raise the \
                      connections instead";
    let http = LoadPlan { in_flight: 2, ..closed() };
    assert!(refused(http.clone()).ends_with(one_by_one), "{}", refused(http));
    let kept =
        "in flight: several exchanges on a connection need a fixed number of connections that are kept";
    for keep_alive in [KeepAlive::Off, KeepAlive::Every(3)] {
        let found = refused(LoadPlan { keep_alive, ..dubbo_plan(2, 2) });
        assert!(found.ends_with(kept), "{found}");
    }
    let shortage = proofload_engine::Shortage { most_connections: Some(9), ..Default::default() };
    let growing = LoadPlan { profile: open(10.0).profile, shortage, ..dubbo_plan(2, 2) };
    assert!(refused(growing.clone()).ends_with(kept), "{}", refused(growing));
    let users = "in flight: users, and stages of a closed loop, have one exchange on each connection";
    let think_ns = proofload_engine::Distribution::Constant(0);
    let profile = Profile::Users { ramp_ns: 0, loops: 2, think_ns: think_ns.clone() };
    let found = refused(calls(4, LoadPlan { profile, ..dubbo_plan(2, 2) }));
    assert!(found.ends_with(users), "{found}");
    let stages = vec![proofload_engine::Stage::Line { for_ns: SECOND, from: 0.0, to: 2.0 }];
    let found = refused(LoadPlan { profile: Profile::ClosedStages { stages, think_ns }, ..dubbo_plan(2, 2) });
    assert!(found.ends_with(users), "{found}");
    let found = refused(dubbo_plan(2, 0));
    assert!(found.ends_with("in flight: 0; at least 1 is needed"), "{found}");
}
