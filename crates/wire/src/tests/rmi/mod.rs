//! Java RMI: requests as Java's client writes them, answers as its servers do, connections, limits, cost, whatever bytes.

mod answers;
mod connection;
mod fuzzed;
mod limits;
mod random;
mod requests;
mod told;

use super::java::unhex;
use super::laws;
use crate::rmi::{Limits, ObjectId, Uid, encode};
use crate::{Call, Event, MalformedKind, Request, Session, Value};

const JDK17: &str = include_str!("fixtures/jdk17.txt");
const JDK25: &str = include_str!("fixtures/jdk25.txt");

/// Bytes of the handshake's answer in the laws.
const GREETED: u64 = 16;

/// The answer of this name, of a file of named answers.
fn named(file: &str, name: &str) -> Vec<u8> {
    let line = file.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    unhex(line.unwrap_or_else(|| panic!("no answer {name}")))
}

/// The messages of a connection, a line each.
fn messages(file: &str) -> Vec<Vec<u8>> {
    file.lines().map(unhex).collect()
}

fn session() -> Session {
    Session::rmi(Limits::default())
}

/// The object of the connections to JDK 17.
fn object() -> ObjectId {
    let uid = Uid { unique: 0x744c_d204, time: 0x01a1_fbd7_0555, count: -0x7fff };
    ObjectId { num: 0xb83d_5990_1af0_d7d0_u64 as i64, uid }
}

fn call(method: &str, parameters: &[&str], result: &str, arguments: Vec<Value>) -> Request {
    let call = Call {
        method: method.to_owned(),
        parameter_types: parameters.iter().map(|ty| (*ty).to_owned()).collect(),
        return_type: result.to_owned(),
        arguments,
        ..Call::default()
    };
    encode(&call, &object()).expect("the arguments fit")
}

fn echo(text: &str) -> Request {
    call("echo", &["java.lang.String"], "java.lang.String", vec![text.into()])
}

fn first() -> Event {
    Event::FirstByte { id: laws::ID }
}

fn answered(code: u16, body_bytes: u64, body: Option<&[u8]>) -> Event {
    Event::Answered { id: laws::ID, code, body_bytes, body: body.map(<[u8]>::to_vec) }
}

fn malformed(at: u64, kind: MalformedKind) -> Event {
    Event::Malformed { id: Some(laws::ID), at, kind }
}
