//! Looks up an object in a registry of Java RMI: a load needs its address and its number, which are others after each
//! start of its server.

#![allow(clippy::disallowed_methods, reason = "a registry of RMI is asked before the load")]

use proofload_engine::{Address, Addresses, Target};
use proofload_host::clock;
use proofload_study::{Passage, Speaks};
use proofload_wire::rmi::{self, Remote};
use proofload_wire::{Close, Event, ExchangeId, Filling, Outbox, Protocol, Session, State};
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Time-out of a registry.
const WITHIN: Duration = Duration::from_secs(5);
/// More than a request and the handshake take.
const OUTBOX_BYTES: usize = 64 * 1024;

/// Target and protocol of a load: those of the passage, unless that is a name in a registry, in which the object is
/// then looked up.
///
/// # Errors
/// The reason why the registry does not find it, and what to do.
pub fn reached(passage: &Passage, address: &Addresses, authority: &str) -> Result<(Target, Speaks), String> {
    let target = passage.target(address, authority);
    let Speaks::Rmi(name, None) = &passage.speaks else { return Ok((target, passage.speaks.clone())) };
    // The object has a port of its own, which neither leads to.
    let (Some(first), None) = (address.tcp(), &target.transport.proxy) else {
        return Err("objects of RMI are not reached by a proxy or a Unix socket; leave it out".to_string());
    };
    let untold =
        |registry, what| format!("the registry at {registry} does not tell where `{name}` is: {what}");
    let (registry, stream) = connected(address).map_err(|what| untold(first, what))?;
    let Remote { host, port, id } = look_up(stream, name).map_err(|what| untold(registry, what))?;
    let resolved = (host.as_str(), port).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    let Some(object) = of_registry(registry.ip(), &host, resolved) else {
        let at = registry.ip();
        return Err(format!(
            "the registry at {registry} says that `{name}` is at {host}:{port}, which is not its own host, and nothing \
             is sent there; start its server with -Djava.rmi.server.hostname={at}"
        ));
    };
    Ok((Target { addresses: object.into(), ..target }, Speaks::Rmi(name.clone(), Some(id))))
}

/// The address among them that is the registry's own host: a process that answers for a registry sends no load to
/// others. A name for this machine is one of the registry on it.
fn of_registry(registry: IpAddr, host: &str, resolved: Vec<SocketAddr>) -> Option<SocketAddr> {
    let is_name = host.parse::<IpAddr>().is_err();
    let is_here = |found: &&SocketAddr| is_name && registry.is_loopback() && found.ip().is_loopback();
    let same = resolved.iter().find(|found| found.ip().to_canonical() == registry.to_canonical());
    same.or_else(|| resolved.iter().find(is_here)).copied()
}

/// A connection to the first address that accepts one; else the reason why the first does not.
fn connected(addresses: &Addresses) -> Result<(SocketAddr, TcpStream), String> {
    let mut why = None;
    for at in addresses.iter().filter_map(Address::tcp) {
        match TcpStream::connect_timeout(&at, WITHIN) {
            Ok(stream) => return Ok((at, stream)),
            Err(error) => why = why.or(Some(error.to_string())),
        }
    }
    Err(why.unwrap_or_default())
}

fn look_up(mut stream: TcpStream, name: &str) -> Result<Remote, String> {
    let told = |error: std::io::Error| error.to_string();
    let until_ns = clock::monotonic_ns() + WITHIN.as_nanos() as u64;
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

/// The object in the events, if they include the end.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_names_its_own_host_or_none() {
        for (registry, host, resolved, expected) in [
            ("127.0.0.1", "127.0.0.1", &["127.0.0.1"][..], Some("127.0.0.1")),
            ("127.0.0.1", "127.0.0.7", &["127.0.0.7"], None),
            ("127.0.0.1", "::1", &["::1"], None),
            ("127.0.0.1", "localhost", &["::1", "127.0.0.1"], Some("127.0.0.1")),
            ("127.0.0.1", "this-machine", &["127.0.1.1"], Some("127.0.1.1")),
            ("127.0.0.1", "elsewhere", &["192.0.2.7"], None),
            ("127.0.0.1", "::ffff:127.0.0.1", &["::ffff:127.0.0.1"], Some("::ffff:127.0.0.1")),
            ("192.0.2.7", "192.0.2.7", &["192.0.2.7"], Some("192.0.2.7")),
            ("192.0.2.7", "its-name", &["198.51.100.1", "192.0.2.7"], Some("192.0.2.7")),
            ("192.0.2.7", "localhost", &["127.0.0.1"], None),
            ("192.0.2.7", "10.0.0.1", &["10.0.0.1"], None),
            ("192.0.2.7", "nowhere", &[], None),
        ] {
            let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
            let resolved = resolved.iter().map(|text| SocketAddr::new(ip(text), 1099)).collect();
            let found = of_registry(ip(registry), host, resolved).map(|found| found.ip());
            assert_eq!(found, expected.map(ip), "{registry} {host}");
        }
    }
}
