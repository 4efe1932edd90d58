//! Bytes that each fault puts on the wire.

use crate::live::client::{Client, GET, start, wait_until};
use proofload_measure::Outcome;
use proofload_reference::{Config, Counts, Fault, Faults, Running, Size};
use std::io::Read;
use std::time::{Duration, Instant};

fn always(fault: Fault) -> Running {
    let faults = Faults::NONE.with(fault, 1.0);
    start(Config { faults, size: Size::Constant(200), ..Config::default() })
}

fn ended(server: Running, fault: Fault) -> Counts {
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.fault(fault), counts.requests), (1, 1), "{counts:?}");
    assert_eq!(counts.expected.get(fault.expected_outcome(false)), 1, "{counts:?}");
    counts
}

fn whole() -> Vec<u8> {
    let server = start(Config { size: Size::Constant(200), ..Config::default() });
    let mut client = Client::connect(server.address());
    client.send(GET);
    let answer = client.answer(false).unwrap();
    [answer.head.into_bytes(), answer.body].concat()
}

#[test]
fn a_reset_before_the_answer_comes_without_a_byte() {
    let server = always(Fault::ResetBefore);
    let mut client = Client::connect(server.address());
    client.send(GET);
    assert_eq!(client.rest(), (vec![], true));
    let counts = ended(server, Fault::ResetBefore);
    assert_eq!((counts.reset_by_server, counts.answered), (1, 0));
}

#[test]
fn a_reset_within_the_answer_comes_behind_some_of_it() {
    let whole = whole();
    for seed in 1..=10 {
        let faults = Faults::NONE.with(Fault::ResetWithin, 1.0);
        let server = start(Config { faults, seed, size: Size::Constant(200), ..Config::default() });
        let mut client = Client::connect(server.address());
        client.send(GET);
        let (part, reset) = client.rest();
        assert!(reset && !part.is_empty() && part.len() < whole.len() && whole.starts_with(&part));
        ended(server, Fault::ResetWithin);
    }
}

#[test]
fn a_reset_on_a_used_connection_is_expected_as_such() {
    // The first seed under which the first request is answered and the second one reset.
    let faults = Faults::NONE.with(Fault::ResetBefore, 0.5);
    let draws = |seed, request| faults.draw(&mut proofload_reference::Dice::for_request(seed, 1, request));
    let seed = (1..100).find(|&seed| draws(seed, 1).is_none() && draws(seed, 2).is_some()).unwrap();
    let server = start(Config { faults, seed, ..Config::default() });
    let mut client = Client::connect(server.address());
    assert_eq!(client.get().unwrap().status, 200);
    assert_eq!(client.get().err(), Some(Outcome::ResetReused));
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.expected.get(Outcome::Answered), counts.expected.get(Outcome::ResetReused)), (1, 1));
}

#[test]
fn a_reset_after_the_answer_leaves_the_answer_whole() {
    let server = always(Fault::ResetAfter);
    let mut client = Client::connect(server.address());
    client.send(GET);
    let answer = client.answer(false).unwrap();
    assert!(answer.closes() && answer.body.len() == 200);
    assert_eq!(client.rest(), (vec![], true));
    let counts = ended(server, Fault::ResetAfter);
    assert_eq!((counts.reset_by_server, counts.answered), (1, 1));
}

#[test]
fn an_answer_that_was_not_read_before_the_reset_can_still_be_read() {
    let server = always(Fault::ResetAfter);
    let mut client = Client::connect(server.address());
    client.send(GET);
    wait_until("the reset", || server.counts().reset_by_server == 1);
    assert_eq!(client.answer(false).unwrap().body.len(), 200);
}

#[test]
fn a_short_body_ends_in_a_fin() {
    let server = always(Fault::ShortBody);
    let mut client = Client::connect(server.address());
    client.send(GET);
    let (part, reset) = client.rest();
    let whole = whole();
    assert!(!reset && part.len() < whole.len() && whole.starts_with(&part));
    assert_eq!(ended(server, Fault::ShortBody).closed_by_server, 1);
}

#[test]
fn a_surplus_comes_with_the_answer() {
    let server = always(Fault::Surplus);
    let mut client = Client::connect(server.address());
    let answer = client.get().unwrap();
    assert!(!answer.closes() && answer.body.len() == 200);
    assert_eq!(client.surplus(), b"bytes that nobody asked for\r\n");
    ended(server, Fault::Surplus);
}

#[test]
fn status_500_is_a_whole_answer_and_the_connection_goes_on() {
    let server = always(Fault::Status500);
    let mut client = Client::connect(server.address());
    let statuses: Vec<u16> = (0..2).map(|_| client.get().unwrap().status).collect();
    assert_eq!(statuses, [500, 500]);
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.fault(Fault::Status500), counts.expected.get(Outcome::Rejected)), (2, 2));
}

#[test]
fn a_drip_comes_byte_by_byte_and_whole() {
    let faults = Faults::parse("drip=1,drip_every=2ms").unwrap();
    let server = start(Config { faults, size: Size::Constant(200), ..Config::default() });
    let mut client = Client::connect(server.address());
    let began = Instant::now();
    client.send(GET);
    let mut dripped = vec![0; whole().len()];
    client.socket.read_exact(&mut dripped).unwrap();
    // 64 bytes one by one have 63 gaps, and the rest comes after one more.
    assert!(began.elapsed() >= Duration::from_millis(64 * 2));
    assert_eq!(dripped, whole());
    assert_eq!(client.get().unwrap().body.len(), 200);
    assert_eq!(server.stop().unwrap().counts.expected.get(Outcome::Answered), 2);
}

#[test]
fn silence_lasts_until_the_client_hangs_up() {
    let server = always(Fault::Silence);
    let mut client = Client::connect(server.address());
    client.socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert_eq!(client.get().err(), Some(Outcome::Timeout));
    // A busy machine may not have come to read the request yet.
    wait_until("the request was read", || server.counts().requests == 1);
    drop(client);
    let counts = ended(server, Fault::Silence);
    assert_eq!((counts.client_left, counts.answered, counts.cut_by_stop), (0, 0, 0));
}

#[test]
fn heads_are_harmed_too() {
    let expected = [(Fault::ShortBody, Outcome::ClosedEarly), (Fault::ResetWithin, Outcome::ResetFresh)];
    for (fault, outcome) in expected {
        let server = always(fault);
        let mut client = Client::connect(server.address());
        client.send(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!(client.answer(true).err(), Some(outcome), "{}", fault.name());
        ended(server, fault);
    }
}
