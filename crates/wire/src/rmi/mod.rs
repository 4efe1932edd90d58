//! Java RMI over JRMP (Java Remote Method Invocation Specification, chapter 10): calls, the registry's lookup, leases,
//! and the client's session.
//!
//! A connection begins with a handshake in which each side names itself; then calls go one after the other
//! (StreamProtocol). Arguments and results are streams of Java's object serialization, so an answer ends where its
//! value ends and does not contain its length. Only protocol version 2 with StreamProtocol is spoken: no proxies over
//! HTTP, no multiplexing.
//!
//! RMI writes streams of protocol version 1, in which only an externalizable object's own class knows where the object
//! ends. Results with such objects are malformed here, unless they are of `java.time`.
//!
//! A server closes the connection without a word when an argument's class has another `serialVersionUID` than its own
//! (OpenJDK 17 and 25).

mod client;
mod describe;
mod encode;
mod lookup;

use std::ops::RangeInclusive;

pub use crate::java::Limits;
pub use client::{IDLE_NS, Rmi};
pub use describe::describe;
pub use encode::{
    CallError, LEASE_MS, ObjectId, Uid, Vm, dirty, encode, lookup, method_descriptor, method_hash, ping,
};
pub use lookup::{LookupError, Remote, parse_lookup};

/// Code of an answer that returns normally.
pub const RETURNED: u16 = 1;

/// Code of an answer that throws, and of one whose value the server could not write to its end.
pub const THROWN: u16 = 2;

/// Codes that count as success.
pub(crate) const GOOD_CODES: RangeInclusive<u16> = RETURNED..=RETURNED;

/// The magic number, protocol version 2, and the choice of StreamProtocol.
pub(crate) const GREETING: &[u8; 7] = b"JRMI\x00\x02\x4b";

/// The first byte of each message.
pub(crate) mod message {
    pub const PROTOCOL_ACK: u8 = 0x4e;
    pub const NOT_SUPPORTED: u8 = 0x4f;
    pub const CALL: u8 = 0x50;
    pub const RETURN: u8 = 0x51;
    pub const PING: u8 = 0x52;
    pub const PING_ACK: u8 = 0x53;
    pub const DGC_ACK: u8 = 0x54;
}

/// Bytes of the identifier that each answer has, and of an object's within its virtual machine.
pub(crate) const UID_LEN: usize = 14;
