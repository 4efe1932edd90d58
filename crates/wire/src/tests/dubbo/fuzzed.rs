//! Code that the fuzz target of Dubbo runs on each input, and the tests on a corpus and on random bytes.

use super::laws::{self, Driven};
use proofload_wire::dubbo::{Limits, Options, Serialization, describe, encode};
use proofload_wire::{Call, Close, Event, ExchangeId, Request, Session};

const EXCHANGES: u32 = 3;

/// The first bytes of `input` choose limits, the splits and how the connection ends; the rest is what the server sends.
pub fn client(input: &[u8]) {
    let Some(([how, seed], bytes)) = input.split_first_chunk::<2>() else { return };
    let keep_body = if how & 1 != 0 { 60 } else { 0 };
    let request = Request { keep_body, ..request() };
    let body_max = if how & 2 != 0 { 20 } else { Limits::default().body_max };
    let limits = Limits { body_max, ..Limits::default() };
    let close = [Close::Fin, Close::Reset, Close::TlsTruncated, Close::Local][usize::from(how >> 4 & 3)];
    let make = || Session::dubbo(limits, EXCHANGES);

    let whole = laws::outcome(make(), &request, [bytes], close);
    laws::ends_exactly_once(&whole, &[laws::ID]);
    let mut dice = u32::from(*seed);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| 1);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| laws::roll(&mut dice));
    within(&whole, keep_body, body_max, bytes.len());
    several_exchanges(make(), &request, bytes, close, u32::from(*seed));
    let lines = describe(how & 4 != 0, bytes);
    assert!(lines.iter().map(String::len).sum::<usize>() < 1 << 18, "{} lines", lines.len());
}

fn request() -> Request {
    let call = Call { interface: "I".to_owned(), method: "m".to_owned(), ..Call::default() };
    let options = Options { serialization: Serialization::FastJson, ..Options::default() };
    encode(&call, &options).expect("the call is right")
}

/// Asserts that events lie within the received bytes and within the limits.
fn within(events: &[Event], keep_body: usize, body_max: u32, received: usize) {
    for event in events {
        match event {
            Event::Malformed { at, .. } => assert!(*at < received as u64, "{event:?} of {received} bytes"),
            Event::Answered { body_bytes, body, code, .. } => {
                assert!(*body_bytes <= u64::from(body_max).min(received as u64), "{event:?}");
                let most = if *code == 20 { keep_body } else { 300 };
                assert!(body.as_ref().is_none_or(|body| body.len() <= most), "{event:?}");
            }
            _ => {}
        }
    }
}

/// Several exchanges, whose numbers are 0, 0x1_0000_0001 and so on; each must end exactly once.
fn several_exchanges(session: Session, request: &Request, bytes: &[u8], close: Close, seed: u32) {
    let mut driven = Driven::new(session);
    let started: Vec<_> = (0..EXCHANGES).map(ExchangeId).collect();
    started.iter().for_each(|id| driven.start(request, *id));
    let (mut dice, mut rest) = (seed, bytes);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(laws::roll(&mut dice).min(rest.len()));
        driven.receive(piece);
        rest = after;
    }
    driven.close(close);
    laws::ends_exactly_once(&driven.events, &started);
}
