//! TLS and proxy flags.

use super::heading;
use clap::Args;
use std::path::PathBuf;

/// TLS, for https URLs, and a proxy.
#[derive(Debug, Clone, Default, Args)]
pub struct TransportArgs {
    /// TLS: trust these authorities (PEM) instead of the system's
    #[arg(long, value_name = "FILE", conflicts_with = "insecure", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub cacert: Option<PathBuf>,
    /// TLS: client certificate, followed by its chain (PEM), or with its key (PKCS#12)
    #[arg(long, value_name = "FILE", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub cert: Option<PathBuf>,
    /// TLS: key of the client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub key: Option<PathBuf>,
    /// TLS: password of an encrypted key or PKCS#12 file, or @FILE
    #[arg(long, value_name = "PASSWORD|@FILE", requires = "cert", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub pass: Option<String>,
    /// TLS: skip certificate verification; recorded in the result
    #[arg(short = 'k', long, help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub insecure: bool,
    /// TLS: version [default: both]
    #[arg(long, value_name = "1.2|1.3", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub tls_version: Option<String>,
    /// TLS: ALPN protocol to offer
    #[arg(long, value_name = "http/1.1|none", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub alpn: Option<String>,
    /// TLS: server name to send and verify [default: the URL's host]
    #[arg(long, value_name = "NAME", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub sni: Option<String>,
    /// TLS: disable session resumption: every handshake is full
    #[arg(long, help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub no_resumption: bool,
    /// Protocol: secret=@FILE and packet_size= (AJP), serialization= (Dubbo), path= and name=; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub speaks: Vec<String>,
    /// Connect to these addresses instead of resolving the name (example.org:443:127.0.0.1); may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDRESS[,...]", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub resolve: Vec<String>,
    /// Connect through this HTTP proxy: http://user:password@host:port; HTTP_PROXY and the like are ignored
    ///
    /// It is sent requests of http:// in absolute form, and asked for a tunnel (CONNECT) for everything else.
    #[arg(long, value_name = "URL", conflicts_with = "unix", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub proxy: Option<String>,
    /// Credentials for the proxy: user:password or user:@FILE
    #[arg(long, value_name = "USER:PASSWORD", requires = "proxy", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub proxy_user: Option<String>,
    /// Ask the proxy for a tunnel (CONNECT) for http:// too
    #[arg(long, requires = "proxy", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub proxy_tunnel: bool,
    /// Reach these hosts without the proxy (localhost,corp.test,10.0.0.0/8, or *) [default: NO_PROXY]
    #[arg(long, value_name = "HOSTS", requires = "proxy", help_heading = heading::CONNECTIONS, hide_short_help = true)]
    pub no_proxy: Option<String>,
}
