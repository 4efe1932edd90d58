//! Flags of the reference server.

use super::heading;
use clap::Args;
use std::path::PathBuf;

/// `proofload reference-server`.
#[derive(Debug, Clone, Args)]
pub struct ReferenceArgs {
    /// Port to listen on; 0 picks a free one and prints it
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub workers: usize,
    /// Service time: none, const:2ms, exp:500us, uniform:1ms..3ms, or spin:40us of CPU time
    #[arg(long, value_name = "TIME", default_value = "none")]
    pub service: String,
    /// Short for --service spin:TIME
    #[arg(long, value_name = "TIME", conflicts_with = "service")]
    pub spin: Option<String>,
    /// Serve at most N requests at a time, first come first served [default: no limit]
    #[arg(long, value_name = "N")]
    pub servers: Option<usize>,
    /// Body size: 1024, 4KiB or uniform:100..10KiB
    #[arg(long, value_name = "SIZE", default_value = "1024")]
    pub size: String,
    /// Stalls: with 200ms/2s it sends nothing for 200 ms every 2 s
    #[arg(long, value_name = "LENGTH/PERIOD")]
    pub stall: Option<String>,
    /// Faults with their probabilities: reset_before=0.01,status_500=1%,...
    #[arg(long, value_name = "LIST")]
    pub faults: Option<String>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Do the least possible work: find the ends of requests, send a prebuilt answer
    #[arg(long, hide_short_help = true)]
    pub null: bool,
    /// Close each connection after N answers
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub close_after: Option<u64>,
    /// TLS options.
    #[command(flatten)]
    pub tls: ReferenceTlsArgs,
    /// Maximum number of connections; refuse more
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub connections_max: Option<usize>,
    /// Log the arrival time of every request to this file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub arrivals: Option<PathBuf>,
    /// Write request counts to this file at the end
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub counts: Option<PathBuf>,
}

/// TLS options.
#[derive(Debug, Clone, Args)]
pub struct ReferenceTlsArgs {
    /// Use TLS with a self-signed authority: creates ca.pem, cert.pem, key.pem, client.pem and client-key.pem in DIR
    /// unless they exist
    #[arg(long, value_name = "DIR", conflicts_with = "tls_cert", help_heading = heading::TLS, hide_short_help = true)]
    pub tls_self_signed: Option<PathBuf>,
    /// Use TLS with this certificate, followed by its chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = heading::TLS, hide_short_help = true)]
    pub tls_cert: Option<PathBuf>,
    /// Key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = heading::TLS, hide_short_help = true)]
    pub tls_key: Option<PathBuf>,
    /// TLS version [default: both]
    #[arg(long, value_name = "1.2|1.3", help_heading = heading::TLS, hide_short_help = true)]
    pub tls_version: Option<String>,
    /// Require client certificates issued by the CAs in this file
    #[arg(long, value_name = "FILE", help_heading = heading::TLS, hide_short_help = true)]
    pub tls_client_ca: Option<PathBuf>,
    /// Disable session resumption: every handshake is full
    #[arg(long, help_heading = heading::TLS, hide_short_help = true)]
    pub tls_no_resumption: bool,
    /// TLS faults with their probabilities: garbage=0.01, refuse, hang_up, stall, no_close_notify
    #[arg(long, value_name = "LIST", help_heading = heading::TLS, hide_short_help = true)]
    pub tls_faults: Option<String>,
}
