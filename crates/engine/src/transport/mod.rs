//! What lies between the kernel's sockets and the exchanges: a tunnel through a proxy, and TLS.
//!
//! A plan says so as plain values; the engine reads no files.

mod above;
mod explain;
mod layer;
mod net;
pub mod pem;
mod secured;
mod stream;
mod tls;
mod tunnel;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::target::{ClientCertificate, Handshake, Negotiated, Proxy, Tls, TlsVersion, Transport};
pub(crate) use layer::{Layer, problems};
pub(crate) use secured::Secured;
