//! Sessions that shake hands, and those that ping.

use super::server::{Greets, RmiServer};
use super::*;
use proofload_engine::{KeepAlive, Overflow, Shortage};
use proofload_testkit::sim::Link;
use proofload_wire::rmi;

fn rmi_call() -> MixEntry {
    let spec = Spec {
        method: "echo".to_owned(),
        parameter_types: vec!["java.lang.String".to_owned()],
        return_type: "java.lang.String".to_owned(),
        arguments: vec!["hello".into()],
        ..Spec::default()
    };
    asking(rmi::encode(&spec, &rmi::ObjectId::default()).unwrap())
}

fn rmi_plan() -> LoadPlan {
    LoadPlan {
        targets: vec![Target { protocol: Protocol::Rmi, ..target() }],
        mix: vec![rmi_call()],
        ..closed()
    }
}

fn server(greets: &[Greets]) -> RmiServer {
    RmiServer::new(greets, rmi_call().request.bytes.len(), MS)
}

#[test]
fn calls_go_out_once_hands_are_shaken() {
    for (segment_max, send_room) in [(0, 0), (1, 0), (0, 1), (3, 4)] {
        let server = server(&[Greets::Well]);
        let link = Link { segment_max, send_room, ..Link::default() };
        let result = load(&rmi_plan(), &server.world().with_link(link));
        let seen = server.seen();
        assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
        assert_eq!((seen.connections, seen.shaken), (8, 8), "{segment_max} {send_room}");
        assert!(seen.calls > 500, "{}", seen.calls);
        assert_eq!(result.findings, []);
    }
}

#[test]
fn an_open_loop_and_one_without_keep_alive_shake_hands_too() {
    let server = server(&[Greets::Well]);
    let shortage = Shortage { overflow: Overflow::Queue, most_connections: Some(20) };
    let plan = LoadPlan { profile: open(6_000.0).profile, connections: 2, shortage, ..rmi_plan() };
    let result = load(&plan, &server.world());
    assert_eq!(outcomes(&result), [(Outcome::Answered, 6_000)]);
    let seen = server.seen();
    assert!((3..=20).contains(&seen.shaken) && seen.shaken == seen.connections, "{seen:?}");

    let server = RmiServer::new(&[Greets::Well], rmi_call().request.bytes.len(), MS);
    let result = load(&LoadPlan { keep_alive: KeepAlive::Off, ..rmi_plan() }, &server.world());
    let seen = server.seen();
    assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
    assert_eq!((seen.shaken, seen.connections), (seen.calls, seen.calls));
    assert!(seen.calls > 4_000, "{}", seen.calls);
    assert_eq!(result.findings, []);
    // There and back for the connection, and once more for the handshake.
    let took = result.snapshot.connects.summary();
    let (usual, most) = (took.p50_ns.unwrap(), took.max_ns.unwrap());
    assert!(usual.abs_diff(80_000) < 1_000 && most.abs_diff(80_000) < 1_000, "{usual} {most}");
}

#[test]
fn a_server_that_refuses_or_speaks_otherwise_is_malformed_and_left_alone_for_a_while() {
    for (greeting, what) in [
        (&b"\x4f"[..], "broke the protocol at byte 0 of the handshake: Other, \"O\""),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            "broke the protocol at byte 0 of the handshake: Other, \"HTTP/1.1 400 Bad Request\\r\\n\\r\\n\"",
        ),
        (b"\x4e\xff\xff", "broke the protocol at byte 2 of the handshake: Length, \"N\\xff\\xff\""),
    ] {
        let server = server(&[Greets::With(greeting)]);
        let result = load(&rmi_plan(), &server.world());
        let all = result.snapshot.intended();
        assert_eq!(outcomes(&result), [(Outcome::Malformed, all)]);
        assert_eq!(bad(&result, Outcome::Malformed), what);
        // Ten times a second by each of eight connections.
        assert!(all.abs_diff(80) <= 8, "{all}");
        assert_eq!(server.seen().calls, 0);
    }
}

#[test]
fn a_handshake_that_never_comes_runs_into_the_connect_time_out() {
    let server = server(&[Greets::Silent]);
    let result = load(&rmi_plan(), &server.world());
    let all = result.snapshot.intended();
    assert_eq!(outcomes(&result), [(Outcome::ConnectTimeout, all)]);
    assert_eq!(bad(&result, Outcome::ConnectTimeout), "127.0.0.1:80 did not shake hands in time");
    // Half a second, and a tenth of rest.
    assert!(all.abs_diff(16) <= 8, "{all}");
    assert_eq!(result.snapshot.connects.count(), 0, "they could never be used");
}

#[test]
fn a_connection_that_ends_within_the_handshake_is_no_answer() {
    for (greets, outcome, what) in [
        (Greets::Fin, Outcome::ConnectFailed, "closed the connection instead of shaking hands"),
        (Greets::Reset, Outcome::ResetFresh, "reset the connection instead of shaking hands"),
    ] {
        let server = server(&[greets]);
        let result = load(&rmi_plan(), &server.world());
        assert_eq!(outcomes(&result), [(outcome, result.snapshot.intended())]);
        assert_eq!(bad(&result, outcome), what);
        assert!(result.snapshot.intended().abs_diff(80) <= 8, "{}", result.snapshot.intended());
    }
}

#[test]
fn after_a_bad_handshake_the_next_dial_may_do() {
    for greets in [Greets::With(b"\x4f"), Greets::Silent, Greets::Fin, Greets::Reset] {
        for profile in [rmi_plan().profile, open(100.0).profile] {
            // Eight connections that are opened ahead, and eight that exchanges wait for.
            let mut all = vec![greets; 16];
            all.push(Greets::Well);
            let server = server(&all);
            let plan = LoadPlan { profile, extent: Extent::DurationNs(4 * SECOND), ..rmi_plan() };
            let result = load(&plan, &server.world());
            let answered = count(&result, Outcome::Answered);
            let failed = result.snapshot.intended() - answered;
            assert_eq!(answered, server.seen().calls as u64);
            assert!((1..=16).contains(&failed), "{greets:?} {:?}", outcomes(&result));
            assert_eq!(server.seen().shaken, server.seen().connections - 16);
        }
    }
}

#[test]
fn an_idle_connection_pings_and_is_left_when_nothing_comes_back() {
    for answers_pings in [true, false] {
        let server = server(&[Greets::Well]);
        let server = if answers_pings { server } else { server.mute() };
        let plan = LoadPlan {
            profile: Profile::Closed { think_ns: (100 * SECOND).into() },
            extent: Extent::DurationNs(1_000 * SECOND),
            connections: 1,
            ..rmi_plan()
        };
        let result = load(&plan, &server.world());
        let seen = server.seen();
        assert_eq!(outcomes(&result), [(Outcome::Answered, seen.calls as u64)]);
        assert_eq!(seen.calls, 10);
        if answers_pings {
            assert_eq!((seen.connections, result.snapshot.closed_by_us), (1, 0));
            assert_eq!(result.snapshot.control, seen.pings as u64);
            assert!((50..=70).contains(&seen.pings), "{}", seen.pings);
        } else {
            // Each is left 60 s after its last answer, and dialed when the next call is due.
            assert_eq!((seen.connections, seen.pings), (10, 10));
        }
    }
}
