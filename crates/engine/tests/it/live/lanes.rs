//! Several calls in flight on a connection, by every driver of the kernel's sockets.

use super::{load, only, plan};
use crate::drivers::drivers;
use proofload_engine::{LoadPlan, MixEntry, Target};
use proofload_measure::Outcome;
use proofload_wire::{Call, Protocol, Request, dubbo};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Calls on the connection at a time.
const IN_FLIGHT: usize = 10;

/// Calls of one load.
const CALLS: usize = 2_000;

/// A provider of Dubbo for one connection: it waits for [`IN_FLIGHT`] calls, then answers them, the last one first. It
/// yields how many it has answered.
fn provider() -> io::Result<(SocketAddr, JoinHandle<io::Result<usize>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    Ok((address, std::thread::spawn(move || serve(listener.accept()?.0))))
}

fn serve(mut stream: TcpStream) -> io::Result<usize> {
    let (mut answered, mut waiting) = (0, Vec::new());
    let mut head = [0; 16];
    while stream.read_exact(&mut head).is_ok() {
        let body = u32::from_be_bytes([head[12], head[13], head[14], head[15]]);
        io::copy(&mut (&stream).take(u64::from(body)), &mut io::sink())?;
        waiting.push(head);
        if waiting.len() < IN_FLIGHT {
            continue;
        }
        answered += waiting.len();
        // A value, the text "ok", for the number of each call.
        let reply = |head: [u8; 16]| [&[0xda, 0xbb, 2, 20], &head[4..12], b"\0\0\0\x04\x91\x02ok"].concat();
        let replies: Vec<u8> = waiting.drain(..).rev().flat_map(reply).collect();
        stream.write_all(&replies)?;
    }
    Ok(answered)
}

#[test]
fn ten_calls_are_in_flight_on_one_connection_and_each_gets_its_reply() {
    let call = Call {
        interface: "lab.Echo".to_owned(),
        method: "echo".to_owned(),
        parameter_types: vec!["java.lang.String".to_owned()],
        arguments: vec!["x".into()],
        ..Call::default()
    };
    let request = dubbo::encode(&call, &dubbo::Options::default()).unwrap();
    let closing_request = Arc::new(Request { closes: true, ..request.clone() });
    let request = Arc::new(request);
    for driver in drivers() {
        let (address, served) = provider().unwrap();
        let base = plan(address, CALLS as u64);
        let entry = MixEntry {
            request: Arc::clone(&request),
            closing_request: Arc::clone(&closing_request),
            ..base.mix[0].clone()
        };
        let result = load(&LoadPlan {
            targets: vec![Target { protocol: Protocol::Dubbo, ..address.into() }],
            mix: vec![entry],
            connections: 1,
            in_flight: IN_FLIGHT as u32,
            driver,
            ..base
        });
        only(&result, Outcome::Answered, CALLS as u64);
        assert_eq!(served.join().unwrap().unwrap(), CALLS, "{driver:?}");
        // The provider takes one connection, which may have been opened before the load began: that is not of its window.
        assert!(result.snapshot.connects.count() <= 1, "{driver:?}");
        assert_eq!(result.snapshot.bytes_received, CALLS as u64 * 20);
    }
}
