//! The null server.

use crate::live::client::{Client, GET, number, start};
use proofload_measure::Outcome;
use proofload_reference::{Config, Size};
use std::io::Write;

fn null() -> Config {
    Config { null: true, ..Config::default() }
}

#[test]
fn every_request_gets_the_prebuilt_answer_however_it_arrives() {
    let server = start(null());
    let mut client = Client::connect(server.address());
    let first = client.get().unwrap();
    assert_eq!((first.status, first.body.len()), (200, 1024));
    client.send(&GET.repeat(100));
    assert!((0..100).all(|_| client.answer(false).unwrap().body == first.body));
    for byte in GET {
        client.send(&[*byte]);
    }
    assert_eq!(client.answer(false).unwrap().body, first.body);
    assert!(client.surplus().is_empty());
    drop(client);
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.requests, counts.answered, counts.expected.get(Outcome::Answered)), (102, 102, 102));
    assert_eq!(counts.bytes_received, 102 * GET.len() as u64);
}

#[test]
fn a_client_that_does_not_read_gets_all_answers_in_the_end() {
    let server = start(Config { size: Size::Constant(60_000), ..null() });
    let mut client = Client::connect(server.address());
    let mut writer = client.socket.try_clone().unwrap();
    let sender = std::thread::spawn(move || (0..2000).for_each(|_| writer.write_all(GET).unwrap()));
    assert!((0..2000).all(|_| client.answer(false).unwrap().body.len() == 60_000));
    sender.join().unwrap();
    assert_eq!(server.stop().unwrap().counts.answered, 2000);
}

#[test]
fn it_can_close_after_each_answer() {
    let server = start(Config { close_after: Some(1), ..null() });
    for _ in 0..3 {
        let mut client = Client::connect(server.address());
        client.send(&GET.repeat(2));
        assert!(client.answer(false).unwrap().closes());
        assert_eq!(client.rest(), (vec![], false));
    }
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.answered, counts.closed_by_server), (3, 3));
}

#[test]
fn its_counts_can_be_asked_for() {
    let server = start(null());
    let mut load = Client::connect(server.address());
    (0..5).for_each(|_| drop(load.get().unwrap()));
    let mut client = Client::connect(server.address());
    client.send(b"GET /__counts HTTP/1.1\r\nHost: x\r\n\r\n");
    let json = String::from_utf8(client.answer(false).unwrap().body).unwrap();
    assert_eq!((number(&json, "requests"), number(&json, "control")), (5, 1), "{json}");
}
