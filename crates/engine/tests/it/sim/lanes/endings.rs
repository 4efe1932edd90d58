//! Exchanges in flight, those that wait, and the connection, when something ends.

use super::*;
use proofload_testkit::sim::Link;

/// The provider answers the first `good` calls of each connection, and then does this to the one whose number is `at`.
fn after(good: usize, at: usize, act: Act) -> Provider {
    Provider::new(move |call| match call.number {
        number if number < good => vec![(MS, HELLO)],
        number if number == at => vec![(2 * MS, act.clone())],
        _ => vec![(500 * MS, HELLO)],
    })
}

#[test]
fn a_lost_connection_ends_exactly_what_is_in_flight_on_it() {
    for (good, act, outcome) in [
        (0, Act::Fin, Outcome::ClosedEarly),
        (0, Act::Reset, Outcome::ResetFresh),
        (1, Act::Fin, Outcome::ClosedEarly),
        (1, Act::Reset, Outcome::ResetReused),
    ] {
        let provider = after(good, good + 6, act.clone());
        let result = load(&calls(30, dubbo_plan(1, 10)), &provider.world());
        // Each connection answers `good` calls, and is lost with ten in flight.
        let seen = provider.seen();
        let answered = count(&result, Outcome::Answered);
        assert_eq!(outcomes(&result).iter().map(|(_, count)| count).sum::<u64>(), 30);
        let lost = count(&result, outcome);
        assert_eq!(answered + lost, 30, "{act:?} {:?}", outcomes(&result));
        let whole = seen.on.iter().filter(|calls| **calls == good + 10).count() as u64;
        assert!(whole >= 2 && lost >= whole * 10, "{act:?} {:?} {:?}", seen.on, outcomes(&result));
        assert_eq!(result.snapshot.closed_by_peer, 0, "they are told as lost exchanges");
        let how = if act == Act::Fin { "closed" } else { "reset" };
        assert_eq!(bad(&result, outcome), format!("the connection was {how} before answer {}", good + 1));
    }
}

#[test]
fn one_answer_that_takes_too_long_leaves_the_others_alone_and_is_dropped_when_it_comes() {
    let provider = Provider::new(|call| match call.number {
        // Late, never, and all others in time.
        3 => vec![(1_500 * MS, HELLO)],
        4 => Vec::new(),
        5 => vec![(1_200 * MS, Act::Throw)],
        _ => vec![(10 * MS, HELLO)],
    });
    let plan = LoadPlan { extent: Extent::DurationNs(3 * SECOND), ..dubbo_plan(1, 10) };
    let result = load(&plan, &provider.world());
    let seen = provider.seen();
    assert_eq!(
        outcomes(&result),
        [(Outcome::Answered, seen.calls as u64 - 3), (Outcome::Timeout, 3)],
        "{:?}",
        result.bad_answers
    );
    assert_eq!(bad(&result, Outcome::Timeout), "no whole answer within 1 s");
    assert_eq!(seen.connections, 1);
    // Late answers belong to no exchange: neither codes nor times include them.
    assert_eq!(result.snapshot.codes.iter().collect::<Vec<_>>(), [(20, seen.calls as u64 - 3)]);
    // Seven lanes went on for the second in which three waited.
    assert!((2_600..2_900).contains(&seen.calls), "{}", seen.calls);
}

#[test]
fn an_answer_that_breaks_the_protocol_ends_all_in_flight() {
    for raw in
        [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"\xda\xbb\x02\x14\0\0\0\x63\0\0\0\x63\0\0\0\x01\x92"]
    {
        let provider = after(20, 25, Act::Raw(raw.to_vec()));
        let result = load(&calls(90, dubbo_plan(1, 10)), &provider.world());
        let lost = count(&result, Outcome::Malformed);
        assert_eq!(outcomes(&result), [(Outcome::Answered, 90 - lost), (Outcome::Malformed, lost)]);
        assert!(lost >= 20 && provider.seen().connections >= 3, "{lost} {:?}", provider.seen().on);
        assert_eq!(result.snapshot.closed_by_us, 3, "{:?}", provider.seen().on);
        let what = "the connection was given up, for other bytes on it broke the protocol, before answer 21";
        assert_eq!(bad(&result, Outcome::Malformed), what);
    }
}

#[test]
fn bytes_that_nobody_asked_for_cost_the_connection_and_no_call() {
    let twice = |call: &Call<'_>| {
        let number = call.number;
        let again = Act::Raw([&[0xda, 0xbb, 2, 20][..], &call.id(), &[0, 0, 0, 1, 0x92]].concat());
        if number == 4 { vec![(MS, HELLO), (3 * MS, again)] } else { vec![(MS, HELLO)] }
    };
    // With pauses nothing is in flight when the second answer comes.
    let provider = Provider::new(twice);
    let profile = Profile::Closed { think_ns: (50 * MS).into() };
    let result = load(&LoadPlan { profile, ..dubbo_plan(1, 4) }, &provider.world());
    let seen = provider.seen();
    assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
    assert!(seen.connections > 5 && seen.calls > 60, "{:?}", seen.on);
}

#[test]
fn calls_leave_a_server_that_takes_no_more_and_none_is_lost() {
    for profile in [closed().profile, open(900.0).profile] {
        let provider = Provider::new(|call| match call.number {
            50 => vec![(0, Act::ReadOnly), (8 * MS, HELLO)],
            _ => vec![(10 * MS, HELLO)],
        });
        let plan = LoadPlan { profile, ..dubbo_plan(1, 10) };
        let result = load(&plan, &provider.world());
        let seen = provider.seen();
        assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
        // Calls on their way when the server announced it arrived all the same.
        assert!(seen.on.iter().all(|calls| (0..=61).contains(calls)), "{:?}", seen.on);
        assert!(seen.connections >= 14, "{:?}", seen.on);
        let slowest = result.snapshot.response_time.summary().max_ns.unwrap();
        // Those that waited did so for the calls in flight, and not for the server to close.
        assert!(slowest < 40 * MS, "{slowest} {:?}", seen.on);
        assert_eq!(result.findings, []);
    }
}

#[test]
fn a_call_that_is_never_answered_does_not_hold_those_that_wait_for_its_drained_connection() {
    let provider = Provider::new(|call| match (call.connection, call.number) {
        (0, 0) => vec![(0, Act::ReadOnly)],
        _ => vec![(MS, HELLO)],
    });
    // Ticks go to the first lanes of both connections in turn, then to the second lanes.
    let plan = LoadPlan { profile: open(40.0).profile, ..dubbo_plan(1, 4) };
    let result = load(&plan, &provider.world());
    assert_eq!(count(&result, Outcome::Timeout), 1, "{:?}", outcomes(&result));
    assert_eq!(count(&result, Outcome::Answered), 39, "{:?}", outcomes(&result));
    assert_eq!(provider.seen().connections, 2);
}

#[test]
fn a_server_that_reads_nothing_runs_all_lanes_into_the_time_out() {
    let provider = Provider::new(|_| vec![(MS, HELLO)]);
    let text = "x".repeat(200_000);
    let plan = LoadPlan {
        mix: vec![call(text.as_str().into(), &dubbo::Options::default())],
        timeouts: Timeouts { connect_ns: 30 * SECOND, response_ns: SECOND },
        extent: Extent::DurationNs(60 * SECOND),
        ..dubbo_plan(1, 10)
    };
    // A thousand bytes each ten seconds.
    let link = Link { send_room: 1_000, latency_ns: 10 * SECOND, ..Link::default() };
    let result = load(&plan, &provider.world().with_link(link));
    let all = result.snapshot.intended();
    // The connection is established after 20 s, and each lane sends a new call each second.
    assert_eq!(outcomes(&result), [(Outcome::Timeout, all)]);
    assert!((380..=420).contains(&all), "{all}");
}
