//! Asks a registry of Java RMI where an object is: a load needs its address and its number, which are others after each
//! start of its server.

#![allow(clippy::disallowed_methods, reason = "a registry of RMI is asked before the load")]

use proofload_engine::{Address, Target};
use proofload_host::clock;
use proofload_study::{Passage, Speaks};
use proofload_wire::rmi::{self, Remote};
use proofload_wire::{Close, Event, ExchangeId, Filling, Outbox, Protocol, Session, State};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a registry may take.
const WITHIN: Duration = Duration::from_secs(5);
/// More than a request and the handshake take.
const OUTBOX_BYTES: usize = 64 * 1024;

/// Where a load goes and what it must say there: what the passage says, unless that is a name in a registry, which is
/// asked here for the object.
///
/// # Errors
/// Why the registry does not tell, and what to do.
pub fn reached(passage: &Passage, address: &Address, authority: &str) -> Result<(Target, Speaks), String> {
    let target = passage.target(address, authority);
    let Speaks::Rmi(name, None) = &passage.speaks else { return Ok((target, passage.speaks.clone())) };
    // The object has a port of its own, which neither leads to.
    let (Some(registry), None) = (address.tcp(), &target.transport.proxy) else {
        return Err("objects of RMI are not reached by a proxy or a Unix socket; leave it out".to_string());
    };
    let Remote { host, port, id } = look_up(registry, name)
        .map_err(|what| format!("the registry at {registry} does not tell where `{name}` is: {what}"))?;
    let resolved = (host.as_str(), port).to_socket_addrs().ok().and_then(|mut found| {
        // A stub may name a host by which others reach it.
        found.find(|found| found.is_ipv4()).or_else(|| found.next())
    });
    let Some(object) = resolved else {
        return Err(format!(
            "`{name}` is said to be at {host}:{port}, which cannot be resolved; start its server with \
             -Djava.rmi.server.hostname=127.0.0.1"
        ));
    };
    Ok((Target { address: object.into(), ..target }, Speaks::Rmi(name.clone(), Some(id))))
}

fn look_up(registry: SocketAddr, name: &str) -> Result<Remote, String> {
    let told = |error: std::io::Error| error.to_string();
    let until_ns = clock::monotonic_ns() + WITHIN.as_nanos() as u64;
    let mut stream = TcpStream::connect_timeout(&registry, WITHIN).map_err(told)?;
    let request = rmi::lookup(name).map_err(|error| error.to_string())?;
    let (mut session, mut out) = (Session::new(Protocol::Rmi, 1), Outbox::new(OUTBOX_BYTES));
    let (mut events, mut carry, mut asked) = (Vec::new(), Vec::new(), false);
    session.open(0, &mut out);
    let mut buffer = [0; 4096];
    loop {
        if !asked && session.state() == State::Ready(1) {
            asked = true;
            let started = session.start(&request, &Filling::default(), ExchangeId(0), &mut out);
            started.map_err(|_| "its session takes no request".to_string())?;
        }
        stream.write_all(out.pending()).map_err(told)?;
        out.clear();
        if let Some(remote) = answered(&mut events)? {
            return Ok(remote);
        }
        let left = Duration::from_nanos(until_ns.saturating_sub(clock::monotonic_ns()));
        if left.is_zero() {
            return Err(format!("no answer within {} s", WITHIN.as_secs()));
        }
        stream.set_read_timeout(Some(left)).map_err(told)?;
        let came = stream.read(&mut buffer).map_err(told)?;
        if came == 0 {
            session.handle_close(Close::Fin, &mut events);
            return Err("it closed the connection; is it a registry?".to_string());
        }
        carry.extend_from_slice(&buffer[..came]);
        let consumed = session.handle_bytes(0, &carry, &mut out, &mut events);
        carry.drain(..consumed);
    }
}

/// What the events say, if they say the end.
fn answered(events: &mut Vec<Event>) -> Result<Option<Remote>, String> {
    for event in events.drain(..) {
        match event {
            Event::Answered { code: rmi::RETURNED, body, .. } => {
                let remote = rmi::parse_lookup(&body.unwrap_or_default());
                return remote.map(Some).map_err(|error| error.to_string());
            }
            Event::Answered { body, .. } => {
                return Err(String::from_utf8_lossy(&body.unwrap_or_default()).into_owned());
            }
            Event::Malformed { .. } => return Err("it speaks no RMI; check the port".to_string()),
            _ => {}
        }
    }
    Ok(None)
}
