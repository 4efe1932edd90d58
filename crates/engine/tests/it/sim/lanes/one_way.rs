//! Calls to which no answer comes.

use super::*;
use proofload_testkit::sim::{Link, Machine};

fn one_way(text: &str) -> MixEntry {
    call(text.into(), &dubbo::Options { one_way: true, ..Default::default() })
}

/// A world whose sends take 10 µs: without that, what ends when it is sent takes no time.
fn costly(world: World) -> World {
    world.with_machine(Machine { send_cost_ns: 10_000, ..Machine::default() })
}

#[test]
fn a_call_without_an_answer_ends_when_it_is_sent_and_the_next_does_not_crowd_out_the_rest() {
    for (connections, in_flight) in [(1, 1), (2, 3)] {
        let provider = Provider::new(|_| vec![(MS, HELLO)]);
        let plan = LoadPlan { mix: vec![one_way("x")], ..dubbo_plan(connections, in_flight) };
        let result = load(&plan, &costly(provider.world()));
        let seen = provider.seen();
        assert_eq!(outcomes(&result), [(Outcome::Answered, seen.one_way as u64)]);
        assert!(seen.one_way.abs_diff(100_000) < 2_000, "{}", seen.one_way);
        assert_eq!(seen.of_lane.len() as u32, in_flight);
    }
}

#[test]
fn calls_with_and_without_an_answer_share_a_connection_of_little_room() {
    for send_room in [50, 300, 4_000] {
        let provider = Provider::new(|_| vec![(MS, HELLO)]);
        let text = "x".repeat(2_000);
        let mix = vec![one_way("a"), one_way(&text), call("b".into(), &dubbo::Options::default())];
        let plan = calls(3_000, LoadPlan { mix, ..dubbo_plan(2, 8) });
        let world = costly(provider.world()).with_link(Link { send_room, ..Link::default() });
        let result = load(&plan, &world);
        let seen = provider.seen();
        assert_eq!(outcomes(&result), [(Outcome::Answered, 3_000)]);
        assert_eq!(seen.calls + seen.one_way, 3_000);
        assert!(seen.one_way > 1_500 && seen.calls > 500, "{} {}", seen.one_way, seen.calls);
    }
}

#[test]
fn one_whose_rest_goes_with_the_next_call_ends_then() {
    // The first is cut short, and the socket takes bytes again before the load is told.
    let text = "x".repeat(2_000);
    let link = Link { send_room: 2_000, latency_ns: 50 * MS, drains_ns: 5_000, ..Link::default() };
    for next in [call("b".into(), &dubbo::Options::default()), one_way("b")] {
        let provider = Provider::new(|_| vec![(300 * MS, HELLO)]);
        let plan = calls(2, LoadPlan { mix: vec![next, one_way(&text)], ..dubbo_plan(1, 2) });
        let result = load(&plan, &costly(provider.world()).with_link(link));
        assert_eq!(outcomes(&result), [(Outcome::Answered, 2)]);
        let (quicker, seen) = (result.snapshot.response_time.summary().p50_ns, provider.seen());
        assert_eq!((seen.calls + seen.one_way, seen.lengths[0] > 2_000), (2, true), "{:?}", seen.lengths);
        assert!(quicker.is_some_and(|took_ns| took_ns < 150 * MS), "{quicker:?}");
    }
}

#[test]
fn those_not_sent_when_the_connection_ends_end_as_the_others_do() {
    for (act, outcome) in [(Act::Fin, Outcome::ClosedEarly), (Act::Reset, Outcome::ResetReused)] {
        let ends = act.clone();
        let provider = Provider::new(move |call| match call.number {
            20 => vec![(0, ends.clone())],
            _ => vec![(MS, HELLO)],
        });
        let text = "x".repeat(20_000);
        let mix = vec![one_way(&text), call("b".into(), &dubbo::Options::default())];
        let plan = calls(2_000, LoadPlan { mix, ..dubbo_plan(1, 8) });
        let world = costly(provider.world()).with_link(Link { send_room: 1_000, ..Link::default() });
        let result = load(&plan, &world);
        assert_eq!(count(&result, Outcome::Internal), 0);
        assert_eq!(
            count(&result, Outcome::Answered) + count(&result, outcome),
            2_000,
            "{:?}",
            outcomes(&result)
        );
        // More than the calls with an answer.
        assert!(count(&result, outcome) > 50, "{:?}", outcomes(&result));
    }
}

#[test]
fn those_not_sent_when_nothing_is_in_flight_and_the_protocol_is_broken_leave_their_lanes_free() {
    // Most of the time only calls without an answer are on the connection, of which its session knows nothing.
    let provider = Provider::new(|call| match call.number {
        3 => vec![(0, HELLO), (1_000, Act::Raw(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()))],
        _ => vec![(0, HELLO)],
    });
    let text = "x".repeat(20_000);
    let rare = call("b".into(), &dubbo::Options::default());
    let mix = vec![MixEntry { weight: 20, ..one_way(&text) }, rare];
    let plan = calls(2_000, LoadPlan { mix, ..dubbo_plan(1, 4) });
    let world = costly(provider.world()).with_link(Link { send_room: 1_000, ..Link::default() });
    let result = load(&plan, &world);
    let ended = count(&result, Outcome::Answered) + count(&result, Outcome::Malformed);
    assert_eq!((ended, result.snapshot.intended()), (2_000, 2_000), "{:?}", outcomes(&result));
    assert!(count(&result, Outcome::Malformed) > 30 && provider.seen().connections > 15);
}
