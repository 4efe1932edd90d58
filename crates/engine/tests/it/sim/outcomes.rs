//! Outcome of an exchange for each possible failure.

use super::*;
use proofload_engine::{BadAnswer, Finding};
use proofload_testkit::sim::{Fault, Link, Server};

/// Loads a server that always does that.
fn always(fault: Fault, plan: &LoadPlan) -> (LoadResult, World) {
    let world = World::new(Server { faults: vec![(fault, 1.0)], ..Server::default() }, 3);
    (load(plan, &world), world)
}

fn bad(result: &LoadResult, outcome: Outcome) -> &BadAnswer {
    result.bad_answers.iter().find(|bad| bad.outcome == outcome).unwrap()
}

/// Everything must have ended in that one way.
fn only(result: &LoadResult, outcome: Outcome) {
    let all = result.snapshot.intended();
    assert!(all > 0);
    assert_eq!(count(result, outcome), all, "{:?}", result.snapshot.outcomes);
}

#[test]
fn a_port_that_refuses_is_tried_ten_times_a_second_by_each_connection() {
    let (result, _) = always(Fault::Refuse, &closed());
    only(&result, Outcome::ConnectRefused);
    assert!(result.snapshot.intended().abs_diff(80) <= 8, "{}", result.snapshot.intended());
    assert_eq!(bad(&result, Outcome::ConnectRefused).what, "127.0.0.1:80 refused the connection");
    assert_eq!(result.findings, []);
}

#[test]
fn an_open_loop_at_a_dead_port_goes_on_and_counts() {
    let plan = LoadPlan { drain_ns: 50 * MS, ..open(1_000.0) };
    let (result, _) = always(Fault::Refuse, &plan);
    assert_eq!(result.snapshot.intended(), 1_000);
    let refused = count(&result, Outcome::ConnectRefused);
    assert!(refused.abs_diff(80) <= 16, "{refused}");
    assert_eq!(count(&result, Outcome::Unsent), 1_000 - refused);
}

#[test]
fn a_host_that_does_not_answer_runs_into_the_connect_time_out() {
    let (result, _) = always(Fault::SilentConnect, &closed());
    only(&result, Outcome::ConnectTimeout);
}

#[test]
fn a_server_that_does_not_answer_runs_into_the_response_time_out_and_costs_the_connection() {
    let (result, world) =
        always(Fault::Silence, &LoadPlan { extent: Extent::DurationNs(4 * SECOND), ..closed() });
    only(&result, Outcome::Timeout);
    assert_eq!(world.served().accepted, world.served().silent);
    assert_eq!(count(&result, Outcome::Timeout), 8 * 4);
    assert_eq!(bad(&result, Outcome::Timeout).what, "no whole answer within 1 s");
}

#[test]
fn an_abandoned_load_waits_for_no_answer() {
    let timeouts = Timeouts { response_ns: 60 * SECOND, ..closed().timeouts };
    let waited_ns = |watch: Watch| {
        let server = Server { faults: vec![(Fault::Silence, 1.0)], ..Server::default() };
        let result = run_in(&LoadPlan { timeouts, ..closed() }, &watch, &World::new(server, 3)).unwrap();
        only(&result, Outcome::Unanswered);
        result.snapshot.unended.quantile_ns(1.0).unwrap()
    };
    assert!(waited_ns(Watch::default()) > 10 * SECOND);
    assert!(waited_ns(Watch { abandoned: true.into(), ..Watch::default() }) < 2 * SECOND);
}

#[test]
fn a_reset_on_the_first_exchange_is_told_from_a_later_one() {
    let (result, _) = always(Fault::ResetBefore, &brief());
    only(&result, Outcome::ResetFresh);
    let (result, world) = always(Fault::ResetAfter, &brief());
    // The answer is good; the reset hits the exchange that was sent at once after it.
    assert_eq!(count(&result, Outcome::Answered), world.served().answered);
    assert_eq!(count(&result, Outcome::ResetReused), world.served().lost_to_reset);
    assert_eq!(count(&result, Outcome::ResetFresh), 0);
    assert!(count(&result, Outcome::ResetReused) > 0);
}

#[test]
fn a_reset_or_an_end_within_the_answer_is_no_answer() {
    only(&always(Fault::ResetWithin, &brief()).0, Outcome::ResetFresh);
    only(&always(Fault::CloseWithin, &brief()).0, Outcome::ClosedEarly);
    let (result, _) = always(Fault::CloseBefore, &brief());
    only(&result, Outcome::ClosedEarly);
    assert!(bad(&result, Outcome::ClosedEarly).what.contains("closed before answer 1"));
}

#[test]
fn an_end_that_was_announced_costs_nothing() {
    let (result, world) = always(Fault::CloseAnnounced, &brief());
    only(&result, Outcome::Answered);
    assert_eq!(world.served().accepted, world.served().requests + 8 - 8);
    assert_eq!(result.snapshot.closed_by_us, 0);
}

#[test]
fn an_end_that_was_not_announced_costs_the_exchange_that_was_on_its_way() {
    let (result, world) = always(Fault::CloseAfter, &brief());
    assert_eq!(count(&result, Outcome::Answered), world.served().answered);
    assert_eq!(count(&result, Outcome::ClosedEarly), world.served().lost_to_close);
}

#[test]
fn an_error_page_is_rejected_with_its_code_and_kept() {
    let (result, world) = always(Fault::Error, &brief());
    only(&result, Outcome::Rejected);
    let codes: Vec<(u16, u64)> = result.snapshot.codes.iter().collect();
    assert_eq!(codes, [(500, world.served().errors)]);
    assert_eq!(result.snapshot.answered_in_window, 0);
    let kept = bad(&result, Outcome::Rejected);
    assert_eq!((kept.what.as_str(), kept.mix_entry), ("status 500, expected 200 to 399", 0));
    assert!(kept.received.starts_with(b"HTTP/1.1 500"));
}

#[test]
fn bytes_that_are_no_http_are_malformed_and_kept() {
    let (result, _) = always(Fault::Garbage, &brief());
    only(&result, Outcome::Malformed);
    assert!(bad(&result, Outcome::Malformed).received.starts_with(b"SSH-2.0"));
}

#[test]
fn an_answer_that_comes_byte_by_byte_is_whole_and_its_first_byte_comes_first() {
    let (result, _) = always(Fault::Drip(10_000), &brief());
    only(&result, Outcome::Answered);
    let snapshot = &result.snapshot;
    let (first, whole) =
        (snapshot.first_byte.summary().p50_ns.unwrap(), snapshot.service_time.summary().p50_ns.unwrap());
    assert!(whole > first + MS, "{first} {whole}");
    // A bad one is kept from its beginning, though it came in pieces.
    let mut plan = brief();
    plan.mix[0].expect.bytes = Some(7..=7);
    let (result, _) = always(Fault::Drip(10_000), &plan);
    only(&result, Outcome::Mismatch);
    let kept = bad(&result, Outcome::Mismatch);
    assert_eq!(kept.what, "a body of 100 bytes, expected 7");
    assert!(kept.received.starts_with(b"HTTP/1.1 200 OK\r\nContent-Length: 100"));
    assert!(kept.received.ends_with(b"0123"));
}

#[test]
fn content_is_checked_on_every_answer() {
    let mut plan = brief();
    plan.mix[0].expect = Expect {
        status: vec![200..=200],
        bytes: Some(100..=100),
        text: vec![b"89abcdef01".to_vec()],
        ..Expect::default()
    };
    only(&load(&plan, &World::new(Server::default(), 1)), Outcome::Answered);
    plan.mix[0].expect.text = vec![b"absent".to_vec()];
    let result = load(&plan, &World::new(Server::default(), 1));
    only(&result, Outcome::BeyondLimit);
    assert_eq!(
        bad(&result, Outcome::BeyondLimit).what.split(',').next(),
        Some("\"absent\" is not in the first 64 bytes of a body of 100")
    );
    let exchanges = count(&result, Outcome::BeyondLimit);
    assert_eq!(
        result.findings,
        [Finding::BeyondLimit { exchanges }],
        "who does not look cannot say what there is"
    );
    Arc::make_mut(&mut plan.mix[0].request).keep_body = 100;
    only(&load(&plan, &World::new(Server::default(), 1)), Outcome::Mismatch);
    plan.mix[0].expect.status = vec![201..=201];
    only(&load(&plan, &World::new(Server::default(), 1)), Outcome::Rejected);
}

#[test]
fn a_kept_answer_has_a_limit() {
    let world =
        World::new(Server { faults: vec![(Fault::Error, 1.0)], body_bytes: 100_000, ..Server::default() }, 1);
    let world = world.with_link(Link { segment_max: 900, ..Link::default() });
    let result = load(&LoadPlan { extent: Extent::DurationNs(MS), ..closed() }, &world);
    assert_eq!(bad(&result, Outcome::Rejected).received.len(), 4096);
}

#[test]
fn ports_that_run_out_are_the_generators_fault() {
    let mut world = World::new(Server { never_closes: true, ..Server::default() }, 1);
    world.machine.ports = 40;
    let plan = LoadPlan { keep_alive: KeepAlive::Off, ..closed() };
    let result = load(&plan, &world);
    assert!(count(&result, Outcome::LocalExhausted) > 0);
    let [Finding::Ports { exhausted, opened, .. }] = result.findings[..] else {
        panic!("{:?}", result.findings)
    };
    assert_eq!(exhausted, count(&result, Outcome::LocalExhausted));
    assert_eq!(opened, 40);
    assert!(bad(&result, Outcome::LocalExhausted).what.contains("no local port"));
}

#[test]
fn descriptors_that_run_out_are_the_generators_fault() {
    let mut world = World::new(Server::default(), 1);
    world.machine.sockets_max = 5;
    let result = load(&closed(), &world);
    assert!(count(&result, Outcome::LocalExhausted) > 0 && count(&result, Outcome::Answered) > 0);
    assert!(
        matches!(result.findings[..], [Finding::Descriptors { exhausted: 1.. }]),
        "{:?}",
        result.findings
    );
}
