//! Code that the fuzz target of AJP runs on each input, and the tests on a corpus and on random bytes.

use super::laws;
use proofload_wire::ajp::{Attributes, Options, PACKET_BYTES_MIN, describe, encode};
use proofload_wire::http1::{RequestSpec, Template};
use proofload_wire::{Close, Event, Request, Session};

/// The session: the first bytes of `input` choose the request, the limits, the splits and how the connection ends; the
/// rest is what the container sends.
pub fn client(input: &[u8]) {
    let Some(([how, seed], bytes)) = input.split_first_chunk::<2>() else { return };
    for line in describe(how & 1 != 0, bytes) {
        assert!(line.len() < 4096, "a line of {} bytes", line.len());
    }
    let request = request(*how);
    let body_max = if how & 8 != 0 { 20 } else { u64::from(u32::MAX) };
    let close = [Close::Fin, Close::Reset, Close::TlsTruncated, Close::Local][usize::from(how >> 4 & 3)];
    let make = || Session::ajp(Options { body_max, ping: false });

    let whole = laws::outcome(make(), &request, [bytes], close);
    laws::ends_exactly_once(&whole, &[laws::ID]);
    let mut dice = u32::from(*seed);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| 1);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| laws::roll(&mut dice));
    within(&whole, &request, body_max, bytes.len());
    let ping = how & 64 != 0;
    several_exchanges(Session::ajp(Options { body_max, ping }), &request, bytes, close, u32::from(*seed));
}

fn request(how: u8) -> Request {
    let method = if how & 1 != 0 { "HEAD" } else { "POST" };
    let body = vec![b'x'; if how & 128 != 0 { 2000 } else { 0 }];
    let spec = RequestSpec { method: method.to_owned(), body, ..RequestSpec::get("h", "/") };
    let attributes = Attributes { packet_bytes: PACKET_BYTES_MIN, ..Attributes::default() };
    Request {
        closes: how & 2 != 0,
        keep_body: if how & 4 != 0 { 5 } else { 0 },
        ..encode(&spec, &Template::default(), &attributes).expect("the request is right")
    }
}

/// Asserts that events lie within the received bytes and within the limits.
fn within(events: &[Event], request: &Request, body_max: u64, received: usize) {
    for event in events {
        match event {
            Event::Malformed { at, .. } => assert!(*at < received as u64, "{event:?} of {received} bytes"),
            Event::Answered { body_bytes, body, code, .. } => {
                assert!(*body_bytes <= body_max.min(received as u64), "{event:?}");
                assert!((100..1000).contains(code), "{event:?}");
                let kept = (request.keep_body > 0).then(|| (request.keep_body as u64).min(*body_bytes));
                assert_eq!(body.as_ref().map(|body| body.len() as u64), kept, "{event:?}");
            }
            _ => {}
        }
    }
}

/// Several exchanges, one after the other: what is sent must be packets.
fn several_exchanges(session: Session, request: &Request, bytes: &[u8], close: Close, seed: u32) {
    let driven = laws::one_after_another(session, request, bytes, close, seed);
    let mut sent = &driven.sent[..];
    while let Some(([0x12, 0x34, high, low], after)) = sent.split_first_chunk::<4>() {
        let size = usize::from(u16::from_be_bytes([*high, *low]));
        assert!(size + 4 <= PACKET_BYTES_MIN as usize, "a packet of {size} bytes was sent");
        sent = after.get(size..).expect("packets are sent whole");
    }
    assert!(sent.is_empty(), "{} bytes were sent that are no packet", sent.len());
}
