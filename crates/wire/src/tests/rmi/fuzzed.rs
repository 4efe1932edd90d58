//! Code that the fuzz target of RMI runs on each input, and the tests on fixtures and random bytes.

use super::laws;
use proofload_wire::rmi::{Limits, ObjectId, describe, encode, lookup, parse_lookup, ping};
use proofload_wire::{Call, Close, Event, Request, Session};

/// Bytes of the handshake's answer in the laws.
const GREETED: usize = 16;

fn request(how: u8) -> Request {
    let call = |ty: &str| Call { method: "m".to_owned(), return_type: ty.to_owned(), ..Call::default() };
    let encoded = match how & 7 {
        0 => Ok(ping()),
        1 => lookup("x"),
        2 => encode(&call("void"), &ObjectId::default()),
        3 => encode(&call("long"), &ObjectId::default()),
        _ => encode(&call("java.lang.Object"), &ObjectId::default()),
    };
    let request = encoded.expect("the request is right");
    if how & 8 != 0 { Request { keep_body: 60, ..request } } else { request }
}

/// The client's session: the first bytes of `input` choose the request, the limits, the splits and how the connection
/// ends; the rest is what the server sends.
pub fn client(input: &[u8]) {
    let Some(([how, seed], bytes)) = input.split_first_chunk::<2>() else { return };
    let request = request(*how);
    let small = Limits { depth_max: 8, classes_max: 2, bytes_max: 40 };
    let limits = if how & 16 != 0 { small } else { Limits::default() };
    let close = [Close::Fin, Close::Reset, Close::TlsTruncated, Close::Local][usize::from(how >> 5 & 3)];
    let make = || Session::rmi(limits);

    let whole = laws::outcome(make(), &request, [bytes], close);
    laws::ends_exactly_once(&whole, &[laws::ID]);
    let mut dice = u32::from(*seed);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| 1);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| laws::roll(&mut dice));
    within(&whole, limits, bytes.len());
    let is_value = |event: &Event| match event {
        Event::Answered { code: 1, body: Some(body), .. } => laws::is_value(body),
        _ => true,
    };
    // Of a lookup the bytes are kept.
    assert!(how & 7 == 1 || whole.iter().all(is_value), "{whole:?}");
    handshake_and_exchanges(make(), &request, bytes, close, u32::from(*seed));
    for sent in [false, true] {
        let _ = describe(sent, bytes);
    }
    let _ = parse_lookup(bytes);
}

/// Asserts that events lie within the received bytes and within the limits.
fn within(events: &[Event], limits: Limits, received: usize) {
    for event in events {
        match event {
            Event::Malformed { at, .. } => {
                assert!(*at < (GREETED + received) as u64, "{event:?} of {received} bytes")
            }
            Event::Answered { body_bytes, body, code, .. } => {
                assert!(*body_bytes <= 2 * limits.bytes_max.min(received as u64), "{event:?}");
                assert!((1..=2).contains(code), "{event:?}");
                assert!(body.as_ref().is_none_or(|body| body.len() <= 64 * 1024), "{event:?}");
            }
            _ => {}
        }
    }
}

/// The handshake is part of the bytes, and an exchange is started whenever the session is ready; each must end exactly
/// once.
fn handshake_and_exchanges(session: Session, request: &Request, bytes: &[u8], close: Close, seed: u32) {
    let greeting = if seed & 1 == 0 { laws::greeting(&session) } else { b"" };
    let bytes = [greeting, bytes].concat();
    laws::one_after_another(session, request, &bytes, close, seed);
}
