//! HTTP/1.1: answers good and bad, connections, limits, cost, requests, the server's parser, and
//! whatever bytes.

mod answers;
mod connection;
mod continues;
mod cost;
mod fuzzed;
mod limits;
mod random;
mod requests;
mod server;

use super::laws;
use crate::http1::{Limits, RequestSpec};
use crate::{Event, MalformedKind, Request, Session};

fn get() -> Request {
    RequestSpec::get("localhost:8080", "/").encode().expect("the request is right")
}

fn head() -> Request {
    let spec = RequestSpec { method: "HEAD".to_owned(), ..RequestSpec::get("localhost:8080", "/") };
    spec.encode().expect("the request is right")
}

fn session() -> Session {
    Session::http1(Limits::default())
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
