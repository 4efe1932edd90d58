//! Loads a local port and prints what was seen: `load PORT CONNECTIONS SECONDS [RATE | close | keep [CA.pem]]`; with
//! the certificate of an authority over TLS, as `localhost`.

#![allow(clippy::print_stdout, reason = "it prints what it saw")]

use proofload_engine::transport::{Tls, pem};
use proofload_engine::{
    Arrival, Expect, Extent, KeepAlive, Launch, LoadPlan, MixEntry, Profile, Target, Timeouts, Watch, launch,
};
use proofload_wire::http1::RequestSpec;
use std::error::Error;
use std::sync::Arc;

fn target(port: &str, authority: Option<&String>) -> Result<Target, Box<dyn Error>> {
    let mut target = Target::from(std::net::SocketAddr::from(([127, 0, 0, 1], port.parse()?)));
    if let Some(authority) = authority {
        let roots = pem::certificates(&std::fs::read(authority)?)?;
        target.transport.tls = Some(Arc::new(Tls::new("localhost", roots)));
    }
    Ok(target)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, port, connections, seconds, rest @ ..] = arguments.as_slice() else {
        return Err("usage: load PORT CONNECTIONS SECONDS [RATE | close | keep [CA.pem]]".into());
    };
    let spec = RequestSpec {
        method: "GET".to_owned(),
        target: "/".to_owned(),
        authority: format!("127.0.0.1:{port}"),
        headers: Vec::new(),
        body: Vec::new(),
        close: false,
        keep_body: 0,
    };
    let closing = RequestSpec { close: true, ..spec.clone() };
    let rate = rest.first().and_then(|rate| rate.parse::<f64>().ok());
    let plan = LoadPlan {
        targets: vec![target(port, rest.get(1))?],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: Arc::new(spec.encode()?),
            closing_request: Arc::new(closing.encode()?),
            expect: Expect::default(),
            follow: Default::default(),
            digest: None,
        }],
        profile: match rate {
            Some(rate_per_s) => Profile::Open { rate_per_s, arrival: Arrival::Constant, coalesce_ns: 0 },
            None => Profile::Closed { think_ns: 0.into() },
        },
        connections: connections.parse()?,
        in_flight: 1,
        keep_alive: if rest.first().is_some_and(|word| word == "close") {
            KeepAlive::Off
        } else {
            KeepAlive::On
        },
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs((seconds.parse::<f64>()? * 1e9) as u64),
        drain_ns: 1_000_000_000,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    };
    let result = launch(Launch::new(&[plan], &Watch::default()))?.remove(0);
    let snapshot = &result.snapshot;
    println!("answered/s {:.0}", snapshot.throughput_per_s().unwrap_or(0.0));
    for (outcome, count) in snapshot.outcomes.iter().filter(|(_, count)| *count > 0) {
        println!("{} {count}", outcome.name());
    }
    println!("response {:?}", snapshot.response_time.summary());
    println!("service {:?}", snapshot.service_time.summary());
    println!("send delay {:?}", snapshot.send_delay.summary());
    println!("connects {:?}", snapshot.connects.summary());
    println!("full handshakes {:?}", snapshot.handshakes_full.summary());
    println!("resumed handshakes {:?}", snapshot.handshakes_resumed.summary());
    println!("{:?}", result.negotiated);
    println!("closed by us {} by peer {}", snapshot.closed_by_us, snapshot.closed_by_peer);
    println!("{:?}", result.generator);
    println!("per second {:?}", result.per_second);
    println!("findings {:?}", result.findings);
    println!("bad {:?}", result.bad_answers);
    Ok(())
}
