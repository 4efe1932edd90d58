//! Beginning, crowding and ending.

use crate::live::client::{Client, GET, start, wait_until};
use proofload_reference::{Config, ReferenceError, Running, ServiceTime, Stop, serve};
use std::io::Read;

fn threads_of(port: u16) -> usize {
    let name = format!("ref-{port}");
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|comm| comm.trim_end() == name || comm.starts_with(&format!("{name}-"))).count()
}

#[test]
fn a_thousand_connections_are_served_at_once() {
    let server = start(Config { workers: 2, ..Config::default() });
    let mut clients: Vec<Client> = (0..1000).map(|_| Client::connect(server.address())).collect();
    for _ in 0..2 {
        clients.iter_mut().for_each(|client| client.send(GET));
        assert!(clients.iter_mut().all(|client| client.answer(false).unwrap().status == 200));
    }
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.accepted, counts.answered, counts.turned_away), (1000, 2000, 0));
}

#[test]
fn connections_over_the_limit_are_turned_away_and_counted() {
    let server = start(Config { connections_max: Some(2), ..Config::default() });
    let mut held: Vec<Client> = (0..2).map(|_| Client::connect(server.address())).collect();
    held.iter_mut().for_each(|client| drop(client.get().unwrap()));
    let mut third = Client::connect(server.address());
    assert_eq!(third.socket.read(&mut [0; 1]).unwrap(), 0);
    drop(held);
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.accepted, counts.turned_away), (2, 1));
}

#[test]
fn a_stop_leaves_no_thread_no_port_and_counts_what_it_cut() {
    let service = ServiceTime::parse("const:60s").unwrap();
    let server = start(Config { workers: 3, service, ..Config::default() });
    let address = server.address();
    let mut client = Client::connect(address);
    client.send(GET);
    wait_until("the request was read", || server.counts().requests == 1);
    assert!(threads_of(address.port()) >= 3);
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.requests, counts.cut_by_stop, counts.answered), (1, 1, 0));
    // A thread that was joined is listed until the kernel has buried it.
    wait_until("no thread is left", || threads_of(address.port()) == 0);
    assert_eq!(client.socket.read(&mut [0; 1]).map_err(|e| e.kind()).unwrap_or(0), 0);
    let again = Running::start(Config { port: address.port(), ..Config::default() }).unwrap();
    assert_eq!(Client::connect(again.address()).get().unwrap().status, 200);
}

#[test]
fn a_client_that_leaves_early_is_counted_and_gets_nothing() {
    let service = ServiceTime::parse("const:60s").unwrap();
    let server = start(Config { service, ..Config::default() });
    let mut client = Client::connect(server.address());
    client.send(GET);
    wait_until("the request was read", || server.counts().requests == 1);
    drop(client);
    wait_until("the hang-up was noticed", || server.counts().client_left == 1);
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.client_left, counts.closed_by_client, counts.cut_by_stop), (1, 1, 0));
}

#[test]
fn a_stop_asked_for_before_the_start_ends_at_once_and_writes_the_counts() {
    let path = std::env::temp_dir().join(format!("proofload-counts-{}", std::process::id()));
    let stop = Stop::new().unwrap();
    stop.request();
    let report = serve(Config { counts: Some(path.clone()), ..Config::default() }, &stop).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(written, report.counts.to_json() + "\n");
    assert!(report.counts.now_ns >= report.counts.started_ns);
}

#[test]
fn a_port_that_is_taken_is_named_with_the_remedy() {
    let server = start(Config::default());
    let error = Running::start(Config { port: server.address().port(), ..Config::default() }).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, ReferenceError::Listen { .. }), "{text}");
    assert!(text.contains(&server.address().to_string()) && text.contains("--port"), "{text}");
}
