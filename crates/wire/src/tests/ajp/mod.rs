//! AJP/1.3: requests, answers good and bad, uploads, connections, cost, readable lines, and whatever bytes.

mod answers;
mod connection;
mod cost;
mod describe;
mod fuzzed;
mod random;
mod recorded;
mod requests;
mod uploads;
mod values;

use super::laws;
use crate::ajp::{Attributes, Options, encode};
use crate::http1::{RequestSpec, Template};
use crate::{Event, MalformedKind, Request, Session};

const HOST: &str = "localhost:8009";

fn encoded(spec: &RequestSpec) -> Request {
    encode(spec, &Template::default(), &Attributes::default()).expect("the request is right")
}

fn get() -> Request {
    encoded(&RequestSpec::get(HOST, "/"))
}

fn head() -> Request {
    encoded(&RequestSpec { method: "HEAD".to_owned(), ..RequestSpec::get(HOST, "/") })
}

fn post(body: Vec<u8>) -> RequestSpec {
    RequestSpec { method: "POST".to_owned(), body, ..RequestSpec::get(HOST, "/") }
}

fn session() -> Session {
    Session::ajp(Options::default())
}

fn first() -> Event {
    Event::FirstByte { id: laws::ID }
}

fn answered(code: u16, body_bytes: u64) -> Event {
    Event::Answered { id: laws::ID, code, body_bytes, body: None }
}

fn malformed(at: u64, kind: MalformedKind) -> Event {
    Event::Malformed { id: Some(laws::ID), at, kind }
}

/// A packet from the container.
fn packet(content: &[u8]) -> Vec<u8> {
    [b"AB", &(content.len() as u16).to_be_bytes()[..], content].concat()
}

/// A string of the protocol.
fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes(), &[0]].concat()
}

/// Status and headers; a header's name is what is given, its value a string.
fn headers(status: u16, headers: &[(&[u8], &str)]) -> Vec<u8> {
    let mut content = [&[4][..], &status.to_be_bytes(), &string("OK"), &[0, headers.len() as u8]].concat();
    for (name, value) in headers {
        content.extend_from_slice(name);
        content.extend_from_slice(&string(value));
    }
    packet(&content)
}

/// A piece of the body, with the NUL behind it that containers send.
fn chunk(bytes: &[u8]) -> Vec<u8> {
    packet(&[&[3][..], &(bytes.len() as u16).to_be_bytes(), bytes, &[0]].concat())
}

/// A demand for the request's body.
fn ask(bytes: u16) -> Vec<u8> {
    packet(&[&[6][..], &bytes.to_be_bytes()].concat())
}

const END: &[u8] = b"AB\0\x02\x05\x01";
const END_AND_CLOSE: &[u8] = b"AB\0\x02\x05\x00";
const PING: &[u8] = b"\x12\x34\0\x01\x0a";
const PONG: &[u8] = b"AB\0\x01\x09";
