//! Bodies that are read while they are sent, over real sockets: the server has every byte, whatever carries them.

use crate::drivers::drivers;
use proofload_engine::transport::{Tls, Transport};
use proofload_engine::{
    DriverChoice, Expect, Extent, KeepAlive, LoadPlan, LoadResult, MixEntry, Profile, Target, Timeouts, Watch,
};
use proofload_measure::Outcome;
use proofload_testkit::sim::run;
use proofload_testkit::tls::{Authority, Good, ServerSide, Speaks};
use proofload_wire::http1::{RequestSpec, Template};
use proofload_wire::{Source, Streamed};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

const MS: u64 = 1_000_000;

/// Lengths around what is read at once, and around what a worker sends before others have their turn.
const LENGTHS: [u64; 7] = [1, 65_000, 65_535, 65_536, 65_537, 262_145, 700_001];

/// A byte of every body, by its position.
fn byte(at: u64) -> u8 {
    (at % 251) as u8 ^ (at >> 16) as u8
}

/// A body of that length; if `breaks`, it becomes shorter while it is sent.
#[derive(Debug)]
struct Pattern {
    bytes: u64,
    breaks: bool,
}

impl Source for Pattern {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        if self.breaks && at > 0 {
            return Err(io::Error::other("body.bin has become shorter"));
        }
        (at..).zip(into).for_each(|(at, into)| *into = byte(at));
        Ok(())
    }
}

/// Reads requests and answers 200 to each whose body is right, 500 to the others.
fn serve(mut stream: TcpStream, mut tls: Option<ServerSide>) -> io::Result<()> {
    let (mut raw, mut plain) = (vec![0; 1 << 16], Vec::new());
    let mut body: Option<(u64, u64, bool)> = None;
    loop {
        let came = stream.read(&mut raw)?;
        if came == 0 {
            return Ok(());
        }
        match &mut tls {
            Some(tls) => plain.extend(tls.receive(&raw[..came]).map_err(io::Error::other)?),
            None => plain.extend_from_slice(&raw[..came]),
        }
        loop {
            let Some((at, length, right)) = &mut body else {
                let Some(end) = plain.windows(4).position(|four| four == b"\r\n\r\n") else { break };
                let head = String::from_utf8_lossy(&plain[..end]).to_ascii_lowercase();
                let (_, rest) = head.split_once("content-length: ").expect("a length");
                let digits = rest.split("\r\n").next().expect("a line");
                body = Some((0, digits.parse().expect("a number"), true));
                plain.drain(..end + 4);
                continue;
            };
            let taken = plain.len().min((*length - *at) as usize);
            *right &= (*at..).zip(&plain[..taken]).all(|(at, came)| *came == byte(at));
            *at += taken as u64;
            plain.drain(..taken);
            if at < length {
                break;
            }
            let answer =
                format!("HTTP/1.1 {} X\r\nContent-Length: 0\r\n\r\n", if *right { 200 } else { 500 });
            body = None;
            if let Some(tls) = &mut tls {
                tls.send(answer.as_bytes());
            } else {
                stream.write_all(answer.as_bytes())?;
            }
        }
        if let Some(tls) = &mut tls {
            stream.write_all(&tls.out())?;
        }
    }
}

/// A server, with TLS and what a client needs for that; it ends with the process.
fn server(secured: bool) -> (SocketAddr, Option<Tls>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let authority = Authority::default();
    let config = Speaks::default().config(&authority.server(&["localhost"], Good::Now));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let tls = secured.then(|| ServerSide::new(&config));
            thread::spawn(move || serve(stream, tls));
        }
    });
    (address, secured.then(|| Tls::new("localhost", vec![authority.certificate.clone()])))
}

fn plan((address, tls): (SocketAddr, Option<Tls>), driver: DriverChoice, bodies: &[Streamed]) -> LoadPlan {
    let entry = |body: &Streamed| {
        let template = Template { streamed: vec![(0, body.clone())], ..Template::default() };
        let spec = |close| RequestSpec { method: "POST".into(), close, ..RequestSpec::get("localhost", "/") };
        let encode = |close| Arc::new(spec(close).encode_with(&template).unwrap());
        let (request, closing_request) = (encode(false), encode(true));
        let (expect, follow) = (Expect::default(), Default::default());
        MixEntry { weight: 1, target: 0, request, closing_request, expect, follow, digest: None }
    };
    let transport = Transport { proxy: None, tls: tls.map(Arc::new) };
    LoadPlan {
        targets: vec![Target { transport, ..address.into() }],
        mix: bodies.iter().map(entry).collect(),
        profile: Profile::Closed { think_ns: 0.into() },
        connections: 3,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts { connect_ns: 20_000 * MS, response_ns: 20_000 * MS },
        discard_ns: 0,
        extent: Extent::Requests { count: 21, cap_ns: 60_000 * MS },
        drain_ns: 20_000 * MS,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        shortage: Default::default(),
        driver,
        settings: Default::default(),
    }
}

fn only(result: &LoadResult, outcome: Outcome) {
    let seen: Vec<_> = result.snapshot.outcomes.iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(seen, [(outcome, 21)], "{:?}", result.bad_answers);
}

#[test]
fn every_byte_arrives_over_each_driver_with_and_without_tls() {
    let bodies = LENGTHS.map(|bytes| Streamed::new(Pattern { bytes, breaks: false }));
    for driver in drivers() {
        for secured in [false, true] {
            for keep_alive in [KeepAlive::On, KeepAlive::Off] {
                let plan = LoadPlan { keep_alive, ..plan(server(secured), driver, &bodies) };
                let result = run(&plan, &Watch::default()).unwrap();
                only(&result, Outcome::Answered);
                let least = LENGTHS.iter().min().unwrap() * 21;
                assert!(result.snapshot.bytes_sent > least, "{driver:?} {secured}");
            }
        }
    }
}

#[test]
fn a_body_that_changes_while_it_is_sent_is_our_side_s_doing_and_is_told() {
    let bodies = [Streamed::new(Pattern { bytes: 1 << 20, breaks: true })];
    for driver in drivers() {
        for secured in [false, true] {
            let result = run(&plan(server(secured), driver, &bodies), &Watch::default()).unwrap();
            only(&result, Outcome::Internal);
            assert_eq!(result.bad_answers[0].what, "body.bin has become shorter");
            assert_eq!(result.snapshot.outcomes.own_errors(), 21);
        }
    }
}
