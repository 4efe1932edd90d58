//! Transport of connections: a proxy, TLS; and the handshakes.

use super::Durations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Proxy and TLS of connections to a server, as requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transport {
    /// TLS settings; absent for plain text.
    pub tls: Option<TlsTerms>,
    /// The HTTP proxy on the way, `host:port`; empty for none. Its credentials are not recorded.
    #[serde(default)]
    pub proxy: String,
    /// True if the proxy is sent the requests in absolute form; otherwise it is asked for tunnels (CONNECT).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forwards: bool,
    /// Hosts that were not to be reached through the proxy, where some were named; with an empty `proxy` this server is one
    /// of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub no_proxy: String,
    /// Protocol, where that is not HTTP/1.1: `AJP/1.3`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
}

/// TLS settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsTerms {
    /// Name that the server must prove; also sent to it (SNI), unless it is an address.
    pub server_name: String,
    /// Versions that may be spoken: `1.2`, `1.3`.
    pub versions: Vec<String>,
    /// Protocols offered (ALPN), the best first; empty offers none.
    pub alpn: Vec<String>,
    /// True if the server's certificate was not checked at all: any machine could have posed as the server.
    #[serde(default)]
    pub insecure: bool,
    /// True if new connections may resume the sessions of earlier ones.
    pub resumption: bool,
    /// Trust anchors for the server's certificate: a file with its number of certificates, or the system's; empty
    /// when it is not checked.
    pub trusts: String,
    /// True if a client certificate is at hand for servers that ask for one.
    #[serde(default)]
    pub client_certificate: bool,
    /// The files of certificates that were read (`ca`, `cert`), with their SHA-256.
    pub digests: BTreeMap<String, String>,
}

/// TLS handshakes within the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Handshakes {
    /// Those that began a new session, with their times from the first byte sent to the end on the client's side.
    pub full: Durations,
    /// Those that resumed an earlier session.
    pub resumed: Durations,
    /// Negotiated parameters, each combination once; of the warm-up before the window as well.
    pub negotiated: Vec<Negotiated>,
}

/// Connections to one address of a server, from the first dial on: before the window as well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddressUse {
    /// `127.0.0.1:8080`, or `unix:` with a path.
    pub address: String,
    /// Connections that it accepted.
    pub connections: u64,
    /// Dials that it refused.
    pub refused: u64,
    /// Dials without an answer: within 250 ms where another address was left, else within the time-out of connecting.
    pub timed_out: u64,
    /// Dials that failed otherwise.
    pub failed: u64,
    /// Exchanges that ended on its connections, and the requests within them that a redirect or a challenge followed.
    pub exchanges: u64,
}

/// Parameters that client and server negotiated.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Negotiated {
    /// Version of TLS: `1.3`.
    pub version: String,
    /// Cipher suite, as IANA names it.
    pub cipher_suite: String,
    /// Protocol (ALPN); empty when none was picked.
    pub alpn: String,
}
