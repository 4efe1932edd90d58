//! Means of testing that are never shipped: peers on the loopback address, one that plays scripts, one
//! that answers HTTP, and one that does so over TLS; a validator of JSON.

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "scripted peers are for tests")]

mod hostile;
mod http;
mod peer;
mod proxy;
mod schema;
#[cfg(feature = "sim")]
pub mod sim;
pub mod tls;

pub use hostile::HOSTILE;
pub use http::HttpPeer;
pub use peer::{
    Deaf, Ending, Lasting, Play, Refusing, ScriptStep, ScriptedPeer, deaf_address, refusing_address,
};
pub use proxy::TunnelProxy;
pub use schema::schema_complaints;
