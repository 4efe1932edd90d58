//! Means of testing that are never shipped: peers on the loopback address, one that plays scripts and one
//! that answers HTTP.

#![forbid(unsafe_code)]

mod http;
mod peer;

pub use http::HttpPeer;
pub use peer::{Deaf, Ending, Lasting, Play, ScriptedPeer, Step, deaf_address, refusing_address};
