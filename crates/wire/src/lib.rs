//! Bytes to exchanges and back, for every protocol. No I/O, no clock, no threads: bytes and instants
//! are handed in, bytes and events come out. Instants are nanoseconds (`now_ns`).

#![forbid(unsafe_code)]

pub mod ajp;
mod call;
mod coding;
pub mod dubbo;
mod exchange;
mod form;
pub mod hessian;
pub mod http1;
pub mod java;
pub mod json;
mod outbox;
mod placeholders;
mod request;
pub mod rmi;
pub mod rpc;
mod scan;
mod session;
mod speak;
mod spoken;
mod streamed;
mod utf;

pub use call::{Call, Field, Object, Text, Value, descriptor};
pub use coding::{Decoded, Undecoded, decoded};
pub use exchange::{Cancelled, Close, Event, Events, ExchangeId, Full, MalformedKind, State};
pub use http1::Credentials;
pub use outbox::Outbox;
pub use placeholders::{Filling, Placeholders, Replacement, Values};
pub use request::{Expectation, Request};
pub use session::{Protocol, Session};
pub use spoken::{Spoken, spoken};
pub use streamed::{Source, Streamed};

// The laws name this crate as the fuzz targets do, which include them from outside.
#[cfg(test)]
extern crate self as proofload_wire;

#[cfg(test)]
mod tests;
