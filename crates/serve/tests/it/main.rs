//! The pages and the exporters from outside: bytes over a socket.

#![allow(clippy::disallowed_methods, reason = "tests may")]

mod metrics;
mod ui;
