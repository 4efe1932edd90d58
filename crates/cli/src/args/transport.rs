//! Flags of what connections pass through: TLS and a proxy.

use clap::Args;
use std::path::PathBuf;

/// TLS, for https addresses, and a proxy.
#[derive(Debug, Clone, Default, Args)]
pub struct TransportArgs {
    /// TLS: trust these authorities (PEM) instead of the system's
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,
    /// TLS: certificate to show to a server that asks for one, then its chain (PEM)
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// TLS: its key (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// TLS: take anybody for the server; the result says so
    #[arg(short = 'k', long)]
    pub insecure: bool,
    /// TLS: speak only this version; both without
    #[arg(long, value_name = "1.2|1.3")]
    pub tls_version: Option<String>,
    /// TLS: protocol to offer
    #[arg(long, value_name = "http/1.1|none")]
    pub alpn: Option<String>,
    /// TLS: name of the server, for its certificate and the handshake, instead of the address's host
    #[arg(long, value_name = "NAME")]
    pub sni: Option<String>,
    /// TLS: make every handshake a full one
    #[arg(long)]
    pub no_resumption: bool,
    /// Connect to this address instead of asking for a name (example.org:443:127.0.0.1); may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub resolve: Vec<String>,
    /// Ask this HTTP proxy for a tunnel (CONNECT), as in http://user:password@host:port; the environment is not read
    #[arg(long, value_name = "URL", conflicts_with = "unix")]
    pub proxy: Option<String>,
    /// Credentials for the proxy: user:password or user:@FILE
    #[arg(long, value_name = "USER:PASSWORD", requires = "proxy")]
    pub proxy_user: Option<String>,
}
