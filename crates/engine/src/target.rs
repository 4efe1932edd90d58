//! Targets of a load, the transport of its connections, and the parameters that TLS agreed on.

use proofload_wire::Protocol;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Address {
    /// Numeric; names are resolved before the load.
    Tcp(SocketAddr),
    /// Path of a Unix socket, at most 107 bytes.
    Unix(PathBuf),
}

impl Address {
    /// The address of TCP; `None` for a Unix socket.
    pub fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Address::Tcp(address) => Some(*address),
            Address::Unix(_) => None,
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Address::Tcp(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Addresses of one server, in the order in which they are tried; its name may have several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Addresses {
    pub first: Address,
    /// At most [`Addresses::MAX`] with the first.
    pub others: Vec<Address>,
}

impl Addresses {
    pub const MAX: usize = 16;

    /// The first of these, each once; `None` of none.
    pub fn of(all: impl IntoIterator<Item = Address>) -> Option<Self> {
        let mut all = all.into_iter();
        let mut found = Addresses::from(all.next()?);
        for address in all {
            if found.iter().count() < Addresses::MAX && found.iter().all(|known| *known != address) {
                found.others.push(address);
            }
        }
        Some(found)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Address> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The first, where that is one of TCP; `None` for a Unix socket.
    pub fn tcp(&self) -> Option<SocketAddr> {
        self.first.tcp()
    }
}

impl<A: Into<Address>> From<A> for Addresses {
    fn from(only: A) -> Self {
        Addresses { first: only.into(), others: Vec::new() }
    }
}

impl fmt::Display for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        self.others.iter().try_for_each(|address| write!(f, ", {address}"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Target {
    /// Addresses to connect to: of the server, or of the proxy on the way to it.
    pub addresses: Addresses,
    /// Transport below the protocol on its connections.
    pub transport: Transport,
    /// Protocol of its connections; requests to it are encoded in it.
    pub protocol: Protocol,
}

impl Target {
    /// The same target at one of its addresses alone.
    pub(crate) fn at(&self, address: &Address) -> Target {
        let (transport, protocol) = (self.transport.clone(), self.protocol);
        Target { addresses: address.clone().into(), transport, protocol }
    }
}

impl<A: Into<Addresses>> From<A> for Target {
    /// Nothing but the connection, and the default protocol.
    fn from(addresses: A) -> Self {
        Target { addresses: addresses.into(), transport: Transport::default(), protocol: Protocol::default() }
    }
}

/// Layers that a connection passes through; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Transport {
    /// The HTTP proxy that listens at [`Target::addresses`].
    pub proxy: Option<Proxy>,
    /// TLS. Targets that share the value share sessions to resume, within each worker.
    pub tls: Option<Arc<Tls>>,
}

impl Transport {
    /// True if the protocol's bytes go over the connection as they are.
    pub fn is_plain(&self) -> bool {
        self.tunnel().is_none() && self.tls.is_none()
    }

    /// The proxy, where it is asked for a tunnel.
    pub(crate) fn tunnel(&self) -> Option<&Proxy> {
        self.proxy.as_ref().filter(|proxy| proxy.tunnels)
    }
}

/// Proxy on the way to a target.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Proxy {
    /// Host and port of the target, `example.org:443`; the proxy resolves the name.
    pub authority: String,
    /// True if it is asked for a tunnel (`CONNECT`), in which TLS, if any, is spoken. Without one it takes the requests
    /// themselves, which name the target and carry the authorization.
    pub tunnels: bool,
    /// Value of `Proxy-Authorization`.
    pub authorization: Option<Vec<u8>>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorization = self.authorization.as_ref().map(|_| "(hidden)");
        let mut shown = f.debug_struct("Proxy");
        shown.field("authority", &self.authority).field("tunnels", &self.tunnels);
        shown.field("authorization", &authorization).finish()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum TlsVersion {
    /// TLS 1.2.
    V1_2,
    /// TLS 1.3.
    V1_3,
}

impl TlsVersion {
    /// Its number, `1.3`.
    pub fn number(self) -> &'static str {
        match self {
            TlsVersion::V1_2 => "1.2",
            TlsVersion::V1_3 => "1.3",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tls {
    /// Identity that the server must have: a name, which is sent to it (SNI), or a numeric address, which is not.
    pub server_name: String,
    /// Allowed versions, at least one.
    pub versions: Vec<TlsVersion>,
    /// Protocols offered to the server, the best first (`http/1.1`); empty offers none.
    pub alpn: Vec<Vec<u8>>,
    /// Certificates of the authorities that are trusted, DER ([`crate::transport::pem::certificates`]). At least one if `verify`.
    pub roots: Vec<Vec<u8>>,
    /// Certificate that is shown to a server that asks for one.
    pub client: Option<ClientCertificate>,
    /// True if the server's certificate must be valid; without it any peer is accepted as the server.
    pub verify: bool,
    /// True if a new connection may resume the session of an earlier one, which spares the costly part of a handshake.
    /// Each worker keeps its own sessions.
    pub resumption: bool,
}

impl Tls {
    /// TLS 1.2 or 1.3 with a server of that name, which one of these authorities vouches for; sessions are resumed.
    pub fn new(server_name: impl Into<String>, roots: Vec<Vec<u8>>) -> Self {
        Tls {
            server_name: server_name.into(),
            versions: vec![TlsVersion::V1_2, TlsVersion::V1_3],
            alpn: vec![b"http/1.1".to_vec()],
            roots,
            client: None,
            verify: true,
            resumption: true,
        }
    }
}

/// Certificate of the client, and its key.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ClientCertificate {
    /// Our certificate, and those between it and an authority, DER.
    pub chain: Vec<Vec<u8>>,
    /// Its private key, DER (PKCS #8, PKCS #1 or SEC 1).
    pub key: Vec<u8>,
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCertificate").field("chain", &self.chain.len()).finish_non_exhaustive()
    }
}

/// A name from a list of ours. Serde would borrow a `&'static str` from what it reads.
pub(crate) type Name = &'static str;

/// Parameters that client and server agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Negotiated {
    pub version: TlsVersion,
    /// The cipher suite, as IANA names it: `TLS13_AES_256_GCM_SHA384`.
    #[serde(deserialize_with = "names::cipher_suite")]
    pub cipher_suite: Name,
    /// Index in [`Tls::alpn`] of the protocol that the server picked; `None` if it picked none.
    pub alpn: Option<u8>,
}

/// Parameters of handshakes, read from names that another process wrote.
mod names {
    use rustls::crypto::ring::ALL_CIPHER_SUITES;
    use serde::{Deserialize, Deserializer};

    pub(super) fn cipher_suite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut known = ALL_CIPHER_SUITES.iter().filter_map(|suite| suite.suite().as_str());
        Ok(known.find(|known| *known == name).unwrap_or("unknown"))
    }
}

/// A TLS handshake that came to a good end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// From the first byte of it that was sent to its end on this side.
    pub took_ns: u64,
    /// True if it resumed an earlier session.
    pub resumed: bool,
    pub negotiated: Negotiated,
}
