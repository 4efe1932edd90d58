//! Dubbo: recorded frames, replies good and bad, connections, limits, cost, and whatever bytes.

mod calls;
mod connection;
mod cost;
mod described;
mod encoded;
mod fuzzed;
mod multiplexed;
mod random;
mod replies;

use super::laws;
use crate::dubbo::{Limits, Options, Serialization, encode};
use crate::{Request, Session};

/// The recorded frame of that name.
fn frame(name: &str) -> Vec<u8> {
    let line = include_str!("fixtures/frames.txt")
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    hex(line.unwrap_or_else(|| panic!("no frame {name}")))
}

/// The names of all recorded frames with that ending.
fn names(ending: &str) -> impl Iterator<Item = &'static str> {
    let names = include_str!("fixtures/frames.txt").lines().filter_map(|line| line.split(' ').next());
    names.filter(move |name| name.ends_with(ending))
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.split_whitespace().collect::<String>();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// A frame with another number.
fn numbered(frame: &[u8], id: u64) -> Vec<u8> {
    [&frame[..4], &id.to_be_bytes(), &frame[12..]].concat()
}

/// A reply to the first exchange of a connection, when that is [`laws::ID`].
fn reply(serialization: Serialization, status: u8, body: &[u8]) -> Vec<u8> {
    let head = [0xda, 0xbb, serialization.number(), status];
    let id = u64::from(laws::ID.0).to_be_bytes();
    [&head, id.as_slice(), &(body.len() as u32).to_be_bytes(), body].concat()
}

fn session() -> Session {
    Session::dubbo(Limits::default(), 4)
}

fn request() -> Request {
    let options = Options { serialization: Serialization::FastJson, ..Options::default() };
    encode(&calls::echo_string(), &options).expect("it can be written")
}
