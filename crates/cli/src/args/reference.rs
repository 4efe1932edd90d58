//! Flags of the reference server.

use clap::Args;
use std::path::PathBuf;

/// `proofload reference-server`.
#[derive(Debug, Clone, Args)]
pub struct ReferenceArgs {
    /// Port to listen on; 0 takes a free one and prints it
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub workers: usize,
    /// Service time: none, const:2ms, exp:500us, uniform:1ms..3ms, or spin:40us of CPU time
    #[arg(long, value_name = "TIME", default_value = "none")]
    pub service: String,
    /// Short for --service spin:TIME
    #[arg(long, value_name = "TIME", conflicts_with = "service")]
    pub spin: Option<String>,
    /// A queue with so many servers, first come first served; without it every request is served at once
    #[arg(long, value_name = "N")]
    pub servers: Option<usize>,
    /// Size of the body: 1024, 4KiB or uniform:100..10KiB
    #[arg(long, value_name = "SIZE", default_value = "1024")]
    pub size: String,
    /// Stalls: 200ms/2s answers nothing for 200 ms every 2 s
    #[arg(long, value_name = "LENGTH/PERIOD")]
    pub stall: Option<String>,
    /// Faults with their probabilities: reset_before=0.01,status_500=1%,...
    #[arg(long, value_name = "LIST")]
    pub faults: Option<String>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// As cheap as a server can be: finds the ends of requests, sends a prebuilt answer
    #[arg(long)]
    pub null: bool,
    /// Close each connection after so many answers
    #[arg(long, value_name = "N")]
    pub close_after: Option<u64>,
    /// TLS options.
    #[command(flatten)]
    pub tls: ReferenceTlsArgs,
    /// Turn further connections away
    #[arg(long, value_name = "N")]
    pub connections_max: Option<usize>,
    /// Log the arrival time of every request to this file
    #[arg(long, value_name = "FILE")]
    pub arrivals: Option<PathBuf>,
    /// Write the counts to this file at the end
    #[arg(long, value_name = "FILE")]
    pub counts: Option<PathBuf>,
}

/// How it speaks TLS.
#[derive(Debug, Clone, Args)]
pub struct ReferenceTlsArgs {
    /// Speak TLS with a certificate of its own making: writes ca.pem, cert.pem, key.pem, and client.pem with
    /// client-key.pem, into DIR unless they are there
    #[arg(long, value_name = "DIR", conflicts_with = "tls_cert")]
    pub tls_self_signed: Option<PathBuf>,
    /// Speak TLS with this certificate, then its chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its key in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Speak only this version of TLS; both without
    #[arg(long, value_name = "1.2|1.3")]
    pub tls_version: Option<String>,
    /// Ask clients for a certificate of the CAs in this file
    #[arg(long, value_name = "FILE")]
    pub tls_client_ca: Option<PathBuf>,
    /// Let no client resume a session: every handshake is a full one
    #[arg(long)]
    pub tls_no_resumption: bool,
    /// Connections broken around their requests, with probabilities: garbage=0.01, refuse, hang_up, stall,
    /// no_close_notify
    #[arg(long, value_name = "LIST")]
    pub tls_faults: Option<String>,
}
