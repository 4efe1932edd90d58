//! Bytes on the wire when no fault is injected.

use crate::live::client::{Client, GET, PATIENCE, number, start};
use proofload_measure::Outcome;
use proofload_reference::{Config, ServiceTime, Size, Stall};
use std::time::{Duration, Instant};

#[test]
fn get_head_and_post_are_answered_on_one_connection() {
    let server = start(Config { size: Size::Constant(100), ..Config::default() });
    let mut client = Client::connect(server.address());
    let get = client.get().unwrap();
    assert_eq!((get.status, get.body.len(), get.closes()), (200, 100, false));
    client.send(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
    let head = client.answer(true).unwrap();
    assert!(head.status == 200 && head.head.contains("Content-Length: 100\r\n"));
    client.send(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    let post = client.answer(false).unwrap();
    assert_eq!((post.status, &post.body), (200, &get.body));
    assert!(client.surplus().is_empty());
    drop(client);
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.requests, counts.answered, counts.accepted), (3, 3, 1));
    assert_eq!(counts.expected.get(Outcome::Answered), 3);
}

#[test]
fn other_methods_are_refused_and_counted_as_rejected() {
    let server = start(Config::default());
    let mut client = Client::connect(server.address());
    client.send(b"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = client.answer(false).unwrap();
    assert!(answer.status == 405 && answer.head.contains("Allow: GET, HEAD, POST\r\n"));
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.methods_refused, counts.expected.get(Outcome::Rejected)), (1, 1));
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    for service in ["none", "uniform:1us..2ms"] {
        let service = ServiceTime::parse(service).unwrap();
        let server = start(Config { size: Size::Uniform(0, 5000), service, ..Config::default() });
        // One at a time first: the sizes belong to the request's number on its connection.
        let sizes: Vec<usize> = {
            let mut client = Client::connect(server.address());
            (0..50).map(|_| client.get().unwrap().body.len()).collect()
        };
        let again = start(Config { size: Size::Uniform(0, 5000), service, ..Config::default() });
        let mut client = Client::connect(again.address());
        client.send(&GET.repeat(50));
        let pipelined: Vec<usize> = (0..50).map(|_| client.answer(false).unwrap().body.len()).collect();
        assert_eq!(pipelined, sizes);
    }
}

#[test]
fn the_close_is_announced_and_done_when_either_side_asks_for_it() {
    let server = start(Config { close_after: Some(3), ..Config::default() });
    let mut client = Client::connect(server.address());
    let closes: Vec<bool> = (0..3).map(|_| client.get().unwrap().closes()).collect();
    assert_eq!(closes, [false, false, true]);
    assert_eq!(client.rest(), (vec![], false));
    let mut client = Client::connect(server.address());
    client.send(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(client.answer(false).unwrap().closes());
    assert_eq!(client.rest(), (vec![], false));
    let mut client = Client::connect(server.address());
    client.send(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert!(client.answer(false).unwrap().head.contains("Connection: keep-alive\r\n"));
    client.send(b"GET / HTTP/1.0\r\n\r\n");
    assert!(client.answer(false).unwrap().closes());
    assert_eq!(client.rest(), (vec![], false));
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.closed_by_server, counts.closed_by_client), (3, 0));
}

#[test]
fn a_client_that_waits_for_leave_to_send_its_body_gets_it() {
    let server = start(Config { size: Size::Constant(3), ..Config::default() });
    let mut client = Client::connect(server.address());
    client.send(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    let mut leave = [0; 25];
    std::io::Read::read_exact(&mut client.socket, &mut leave).unwrap();
    assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.send(b"hi");
    assert_eq!(client.answer(false).unwrap().body, b"abc");
}

#[test]
fn oversized_heads_and_nonsense_are_refused_and_closed() {
    let server = start(Config::default());
    let long = [b"GET / HTTP/1.1\r\nHost: x\r\nA: ".as_slice(), &[b'a'; 20_000], b"\r\n\r\n"].concat();
    for (bytes, status) in [(long.as_slice(), 431), (b"nonsense\r\n\r\n", 400)] {
        let mut client = Client::connect(server.address());
        client.send(bytes);
        assert_eq!(client.answer(false).unwrap().status, status);
        assert_eq!(client.rest(), (vec![], false));
    }
    let counts = server.stop().unwrap().counts;
    assert_eq!((counts.bad_requests, counts.requests), (2, 0));
}

#[test]
fn large_bodies_arrive_whole_at_a_slow_reader() {
    let server = start(Config { size: Size::Constant(5_000_000), ..Config::default() });
    let mut client = Client::connect(server.address());
    let body = client.get().unwrap().body;
    assert_eq!(body.len(), 5_000_000);
    assert!(body.chunks(64).all(|line| line == &body[..64]));
    let counts = server.stop().unwrap().counts;
    assert!(counts.answered == 1 && counts.bytes_sent > 5_000_000);
}

#[test]
fn an_answer_never_comes_before_its_service_time() {
    let service = ServiceTime::parse("const:20ms").unwrap();
    let server = start(Config { service, ..Config::default() });
    let mut client = Client::connect(server.address());
    for _ in 0..3 {
        let began = Instant::now();
        client.get().unwrap();
        assert!(began.elapsed() >= Duration::from_millis(20));
    }
}

#[test]
fn a_queue_of_one_server_serves_one_request_at_a_time() {
    let service = ServiceTime::parse("const:10ms").unwrap();
    let server = start(Config { service, servers: Some(1), ..Config::default() });
    let mut clients: Vec<Client> = (0..5).map(|_| Client::connect(server.address())).collect();
    let began = Instant::now();
    clients.iter_mut().for_each(|client| client.send(GET));
    clients.iter_mut().for_each(|client| drop(client.answer(false).unwrap()));
    assert!(began.elapsed() >= Duration::from_millis(50));
}

#[test]
fn spins_cost_the_cpu_time_they_were_told_to() {
    let server = start(Config { service: ServiceTime::parse("spin:1ms").unwrap(), ..Config::default() });
    let mut client = Client::connect(server.address());
    (0..20).for_each(|_| drop(client.get().unwrap()));
    let counts = server.stop().unwrap().counts;
    assert!(counts.spin_cpu_ns >= 20_000_000 && counts.spin_wall_ns >= 20_000_000, "{counts:?}");
}

#[test]
fn no_answer_leaves_during_a_stall_and_requests_are_logged_meanwhile() {
    let path = std::env::temp_dir().join(format!("proofload-stall-{}", std::process::id()));
    let stall = Some(Stall::parse("50ms/100ms").unwrap());
    let server = start(Config { stall, arrivals: Some(path.clone()), ..Config::default() });
    let mut client = Client::connect(server.address());
    let mut waits = Vec::new();
    let long = |waits: &Vec<Duration>| waits.iter().filter(|wait| wait.as_millis() >= 30).count();
    let began = Instant::now();
    while long(&waits) < 4 && began.elapsed() < PATIENCE {
        let sent = Instant::now();
        client.get().unwrap();
        waits.push(sent.elapsed());
    }
    drop(client);
    let report = server.stop().unwrap();
    let arrivals = proofload_reference::read_arrivals(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(arrivals.len(), waits.len());
    assert_eq!(report.counts.arrivals_logged, waits.len() as u64);
    // A request that arrived within a stall waited at least until its end.
    let held = arrivals.iter().zip(&waits).filter_map(|(arrival, wait)| {
        let into = (arrival.at_ns - report.counts.started_ns) % 100_000_000;
        let in_stall = arrival.at_ns - report.counts.started_ns >= 100_000_000 && into < 50_000_000;
        in_stall.then(|| (Duration::from_nanos(50_000_000 - into), *wait))
    });
    let held: Vec<_> = held.collect();
    assert!(!held.is_empty(), "none of {}", waits.len());
    assert!(held.iter().all(|(due, wait)| wait >= due), "{held:?}");
}

#[test]
fn the_counts_are_served_and_do_not_count_themselves() {
    let server = start(Config { workers: 3, ..Config::default() });
    let mut load: Vec<Client> = (0..7).map(|_| Client::connect(server.address())).collect();
    for client in &mut load {
        client.get().unwrap();
        client.get().unwrap();
    }
    let ask = |path: &str| {
        let mut client = Client::connect(server.address());
        client.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes());
        String::from_utf8(client.answer(false).unwrap().body).unwrap()
    };
    assert_eq!(ask("/__ready"), "ready\n");
    for round in 0..2 {
        let json = ask("/__counts");
        assert_eq!((number(&json, "requests"), number(&json, "accepted")), (14, 7), "{json}");
        assert_eq!(number(&json, "control"), 2 + round, "{json}");
        let expected = json.split("expected_outcomes").nth(1).unwrap();
        assert_eq!(number(expected, "answered"), 14, "{json}");
    }
}
