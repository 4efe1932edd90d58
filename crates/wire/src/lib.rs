//! Bytes to exchanges and back, for every protocol. No I/O, no clock, no threads: bytes and instants
//! are handed in, bytes and events come out. Instants are nanoseconds (`now_ns`).

#![forbid(unsafe_code)]

pub mod http1;
mod outbox;
mod session;

pub use outbox::Outbox;
pub use session::{
    Cancelled, Close, Event, Events, ExchangeId, Full, MalformedKind, Request, Session, State,
};

#[cfg(test)]
mod tests;
