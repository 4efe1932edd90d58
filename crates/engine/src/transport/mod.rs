//! Layers between the kernel's sockets and the exchanges: a tunnel through a proxy, and TLS.
//!
//! A plan has their settings as plain values; the engine reads no files.

mod above;
mod explain;
mod layer;
mod net;
pub mod pem;
mod secured;
mod stream;
mod tls;
mod tunnel;

pub use crate::target::{ClientCertificate, Handshake, Negotiated, Proxy, Tls, TlsVersion, Transport};
pub use layer::Layer;
pub(crate) use layer::problems;
pub use net::SecuredNet;
pub use secured::Secured;
pub use tls::client_hello;
