//! Means of testing that are never shipped: a TCP peer that plays scripts on the loopback address.

#![forbid(unsafe_code)]

mod peer;

pub use peer::{Ending, Play, ScriptedPeer, Step, refusing_address};
