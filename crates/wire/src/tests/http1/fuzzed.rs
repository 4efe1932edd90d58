//! Code that the fuzz targets of HTTP/1.1 run on each input, and the tests on a corpus and on random bytes.

use super::laws;
use proofload_wire::http1::server::{BodyLength, RequestParser, ServerError};
use proofload_wire::http1::{Limits, RequestSpec};
use proofload_wire::{Close, Event, Request, Session};

/// The client's session: the first bytes of `input` choose the request, the limits, the splits and how
/// the connection ends; the rest is what the server sends.
pub fn client(input: &[u8]) {
    let Some(([how, seed], bytes)) = input.split_first_chunk::<2>() else { return };
    let method = if how & 1 != 0 { "HEAD" } else { "GET" };
    let spec = RequestSpec { method: method.to_owned(), ..RequestSpec::get("h", "/") };
    let request = Request {
        closes: how & 2 != 0,
        keep_body: if how & 4 != 0 { 5 } else { 0 },
        ..spec.encode().expect("the request is right")
    };
    let limits = if how & 8 != 0 { Limits { head_max: 48, body_max: 20 } } else { Limits::default() };
    let close = [Close::Fin, Close::Reset, Close::TlsTruncated, Close::Local][usize::from(how >> 4 & 3)];
    let make = || Session::http1(limits);

    let whole = laws::outcome(make(), &request, [bytes], close);
    laws::ends_exactly_once(&whole, &[laws::ID]);
    let mut dice = u32::from(*seed);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| 1);
    laws::same_in_pieces_of(make, &request, bytes, close, &whole, |_| laws::roll(&mut dice));
    within(&whole, &request, limits, bytes.len());
    laws::one_after_another(make(), &request, bytes, close, u32::from(*seed));
}

/// Asserts that events lie within the received bytes and within the limits.
fn within(events: &[Event], request: &Request, limits: Limits, received: usize) {
    for event in events {
        match event {
            Event::Malformed { at, .. } => assert!(*at < received as u64, "{event:?} of {received} bytes"),
            Event::Answered { body_bytes, body, code, .. } => {
                assert!(*body_bytes <= limits.body_max.min(received as u64), "{event:?}");
                assert!((200..1000).contains(code), "{event:?}");
                let kept = (request.keep_body > 0).then(|| (request.keep_body as u64).min(*body_bytes));
                assert_eq!(body.as_ref().map(|body| body.len() as u64), kept, "{event:?}");
            }
            _ => {}
        }
    }
}

/// The server's parser: whole and byte by byte give the same requests and the same error.
pub fn server(input: &[u8]) {
    let Some((how, bytes)) = input.split_first() else { return };
    let limits = if how & 1 != 0 { Limits { head_max: 48, body_max: 20 } } else { Limits::default() };
    let whole = requests(limits, bytes, bytes.len().max(1));
    assert_eq!(requests(limits, bytes, 1), whole, "{:?}", bytes.escape_ascii().to_string());
    assert_eq!(requests(limits, bytes, 3), whole, "{:?}", bytes.escape_ascii().to_string());
}

/// Targets and body lengths of the requests in `bytes`, handed in by pieces of `piece` bytes.
fn requests(limits: Limits, bytes: &[u8], piece: usize) -> (Vec<(Vec<u8>, u64)>, Option<ServerError>) {
    let mut parser = RequestParser::new(limits);
    let (mut found, mut carry, mut in_body) = (Vec::new(), Vec::new(), false);
    for piece in bytes.chunks(piece) {
        carry.extend_from_slice(piece);
        loop {
            match step(&mut parser, &carry, &mut in_body, &mut found) {
                Ok(0) => break,
                Ok(consumed) => drop(carry.drain(..consumed)),
                Err(error) => return (found, Some(error)),
            }
        }
        assert!(carry.len() <= limits.head_max, "{} bytes left", carry.len());
    }
    (found, None)
}

/// One call of the parser; returns the number of bytes that it consumed.
fn step(
    parser: &mut RequestParser,
    carry: &[u8],
    in_body: &mut bool,
    found: &mut Vec<(Vec<u8>, u64)>,
) -> Result<usize, ServerError> {
    if *in_body {
        let progress = parser.body(carry)?;
        *in_body = !progress.done;
        // How far a body was when a later byte broke it depends on the split, rightly.
        if let Some((_, length)) = found.last_mut().filter(|_| progress.done) {
            *length = progress.body_bytes;
        }
        return Ok(progress.consumed);
    }
    let Some(head) = parser.head(carry)? else { return Ok(0) };
    found.push((carry[head.target].to_vec(), 0));
    *in_body = head.body != BodyLength::None;
    Ok(head.consumed)
}
