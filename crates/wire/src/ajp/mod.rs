//! AJP/1.3, the protocol between a web server and a servlet container: the encoder of requests, the
//! session of a connection, and both directions in readable lines.
//!
//! Sources: the AJPv13 document of Apache Tomcat Connectors, and what Tomcat sends. Where they leave a choice:
//!
//! - A packet's size must be that of its content. Only behind a chunk of the body may there be one NUL, which the
//!   document does not have and containers send.
//! - A chunk without content is a flush; it is skipped.
//! - Null strings are taken as empty, except as a header's name.
//! - Content-Length of an answer must be the body's length when the answer ends: the framing alone would not show
//!   that a body was cut.
//! - An answer to HEAD, and a 204 or 304, has no body, whatever length it claims.
//! - Packets that come while no exchange is in flight are malformed and end the connection.

mod client;
mod codes;
mod describe;
mod kept;
mod packets;
mod request;

pub use client::Ajp;
pub use describe::describe;
pub use request::{
    Attributes, EncodeError, PACKET_BYTES_DEFAULT, PACKET_BYTES_MAX, PACKET_BYTES_MIN, encode,
};

use crate::Expectation;

/// Bytes of a packet that carries a part of a request's body, without that part.
const BODY_FRAME: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest body of an answer in bytes; a larger one is not read.
    pub body_max: u64,
    /// True if a new connection is checked with a ping to the container (CPing), before anything is started on it.
    pub ping: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { body_max: crate::http1::BODY_MAX_DEFAULT, ping: false }
    }
}

/// Flags of an encoded request, for the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Note {
    /// The largest packet where the session cuts the body into packets, because it needs several or changes; 0 otherwise.
    packet_bytes: u32,
    /// True if the answer has no body, independent of its head.
    head_only: bool,
}

impl From<Note> for Expectation {
    fn from(note: Note) -> Self {
        Expectation(note.packet_bytes << 1 | u32::from(note.head_only))
    }
}

impl From<Expectation> for Note {
    fn from(Expectation(bits): Expectation) -> Self {
        Note { packet_bytes: bits >> 1, head_only: bits & 1 != 0 }
    }
}
