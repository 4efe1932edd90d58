//! The reference server: an HTTP/1.1 server whose behaviour is known exactly, to test programs that measure
//! servers.
//!
//! It takes a chosen time for each answer, stalls on a schedule, breaks a chosen share of exchanges in chosen
//! ways, logs when requests arrived by its own clock, and counts its work kind by kind, including the
//! [`proofload_measure::Outcome`] that a truthful client must have come to for each request. It knows nothing
//! about its clients.
//!
//! - [`Config`] describes its behaviour, with the flags that map to it; [`ServiceTime`], [`Size`], [`Stall`]
//!   and [`Faults`] read their textual forms.
//! - [`serve`] serves until a [`Stop`] is requested; [`run`] until SIGTERM or SIGINT;
//!   [`Running`] serves on a thread of its own.
//! - `GET /__counts` shows the counts as JSON at any time, `GET /__ready` answers `ready`. Neither counts
//!   itself, takes service time, or fails.
//! - [`Fault::expected_outcome`] is the table of faults and outcomes.
//!
//! - With a [`TlsConfig`] it speaks TLS, also as null server; it counts handshakes and breaks a chosen share of
//!   connections ([`TlsFault`]). `/__counts` and `/__ready` may then be asked for without TLS too.
//!
//! Requests on one connection are answered in order, one at a time; a pipelined request begins when the one
//! before it is answered. A client that hangs up, or only shuts its sending side, while its answer is in
//! the making gets none: the request is counted in [`Counts::client_left`]. All instants are nanoseconds of
//! the monotonic clock.

#![allow(clippy::new_without_default, reason = "parts are public for tests alone")]

mod arrivals;
mod clock;
mod config;
mod connection;
mod counts;
mod decide;
mod dice;
mod ending;
mod error;
mod fault;
mod intake;
mod null;
mod parse;
mod reply;
mod server;
mod service;
mod serving;
mod shared;
mod stall;
mod stop;
mod timers;
mod tls;
mod worker;

pub use arrivals::{Arrival, read_arrivals};
pub use config::{CONNECTIONS_MAX, Config, SERVERS_MAX, WORKERS_MAX};
pub use counts::Counts;
pub use dice::Dice;
pub use error::ReferenceError;
pub use fault::{Fault, Faults};
pub use server::{Report, Running, Server, run, serve};
pub use service::{Delay, SERVICE_MAX_NS, SIZE_MAX, ServiceTime, Size};
pub use stall::Stall;
pub use stop::Stop;
pub use tls::{Identity, Made, TlsConfig, TlsFault, TlsFaults, TlsVersion};

/// Parts of which tests make a server in virtual time; no interface.
#[doc(hidden)]
pub mod parts {
    pub use crate::arrivals::{Log, LogFile};
    pub use crate::counts::{Cells, Count};
    pub use crate::decide::Decider;
    pub use crate::ending::Ending;
    pub use crate::intake::{Asked, Intake, Taken, Target};
    pub use crate::reply::{After, Form, Reply};
}
