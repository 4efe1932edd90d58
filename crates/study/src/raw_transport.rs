//! What editors see of TLS and proxies.

use schemars::JsonSchema;

/// How TLS is spoken with a server.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawTls {
    /// File (PEM) of the authorities to trust instead of the system's, relative to the study.
    #[schemars(default, regex(pattern = r"\S"))]
    ca: Option<String>,
    /// File (PEM) of a certificate to show to a server that asks for one, then its chain.
    #[schemars(default, regex(pattern = r"\S"))]
    cert: Option<String>,
    /// File (PEM) of its key.
    #[schemars(default, regex(pattern = r"\S"))]
    key: Option<String>,
    /// Take anybody for the server; the result says so.
    #[schemars(default)]
    insecure: Option<bool>,
    /// Speak only this version; both without.
    #[schemars(default, regex(pattern = r"^1\.[23]$"))]
    version: Option<String>,
    /// Protocol to offer.
    #[schemars(default, regex(pattern = r"^(http/1\.1|none)$"))]
    alpn: Option<String>,
    /// Name of the server, for its certificate and the handshake; the host of its address without, and
    /// `localhost` for a command.
    #[schemars(default, regex(pattern = r"^[A-Za-z0-9._:-]+$"))]
    server_name: Option<String>,
    /// Whether new connections may resume sessions of earlier ones; true without.
    #[schemars(default)]
    resumption: Option<bool>,
}

/// An HTTP proxy that is asked for tunnels.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawProxy {
    Address(
        #[schemars(regex(pattern = r"^[hH][tT][tT][pP]://"))]
        String,
    ),
    Full(RawProxyFull),
}

/// A proxy that wants to know who asks.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawProxyFull {
    /// Its address, with the port.
    #[schemars(regex(pattern = r"^[hH][tT][tT][pP]://"))]
    url: String,
    /// The user.
    #[schemars(default, regex(pattern = r"\S"))]
    user: Option<String>,
    /// The password; `${env.NAME}` keeps it out of the file.
    #[schemars(default, regex(pattern = r"\S"))]
    password: Option<String>,
}
