//! What connections pass through: a proxy, TLS; and what handshakes came of it.

use super::Durations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What connections to a server pass through, as it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transport {
    /// How TLS is spoken; absent for plain text.
    pub tls: Option<TlsTerms>,
    /// The HTTP proxy that makes the tunnels, `host:port`; empty for none. Its credentials are not recorded.
    #[serde(default)]
    pub proxy: String,
    /// What is spoken, where that is not HTTP/1.1: `AJP/1.3`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
}

/// How TLS is spoken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsTerms {
    /// Whom the server must prove to be; also the name that it is told (SNI), unless it is an address.
    pub server_name: String,
    /// Versions that may be spoken: `1.2`, `1.3`.
    pub versions: Vec<String>,
    /// Protocols offered (ALPN), the best first; empty offers none.
    pub alpn: Vec<String>,
    /// Whether the server's certificate was not checked at all: anybody could have been the server.
    #[serde(default)]
    pub insecure: bool,
    /// Whether new connections may resume the sessions of earlier ones.
    pub resumption: bool,
    /// Whose word is taken for the server's certificate: a file with its number of certificates, or the system's;
    /// empty when it is not checked.
    pub trusts: String,
    /// Whether a client certificate is at hand for servers that ask for one.
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
    /// What they settled on, each kind once; of the warm-up before the window as well.
    pub negotiated: Vec<Negotiated>,
}

/// What client and server settled on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Negotiated {
    /// Version of TLS: `1.3`.
    pub version: String,
    /// Cipher suite, as IANA names it.
    pub cipher_suite: String,
    /// Protocol (ALPN); empty when none was picked.
    pub alpn: String,
}
