//! Configuration of the server.

use crate::{Faults, ReferenceError, ServiceTime, Size, Stall, TlsConfig, TlsFaults};
use proofload_language::tr;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// Most worker threads that can be asked for.
pub const WORKERS_MAX: usize = 64;

/// Connections held at once unless the configuration has another limit.
pub const CONNECTIONS_MAX: usize = 15_000;

/// Most parallel servers of the queue.
pub const SERVERS_MAX: usize = 1024;

/// Largest body of the null server's prebuilt answer.
const NULL_BODY_MAX: u64 = 64 * 1024;

/// Behaviour of the reference server. [`Config::default`] answers 200 with 1 KiB at once, for ever.
///
/// As flags of `proofload reference-server` (text on the left of the table, field on the right):
///
/// | flag | value | meaning | field |
/// | --- | --- | --- | --- |
/// | `--port` | 0 to 65535 | port to listen on; 0 lets the kernel choose | `port` |
/// | `--bind` | IP address | address to listen on, `127.0.0.1` unless given | `bind` |
/// | `--workers` | 1 to 64 | threads; connections are dealt to them in turn | `workers` |
/// | `--service` | `none`, `const:2ms`, `exp:500us`, `uniform:1ms..3ms`, `spin:200us`, `spin:50us+exp:1ms` | service time | `service`, by [`ServiceTime::parse`] |
/// | `--spin` | duration | short for `--service spin:…` | `service.spin_ns` |
/// | `--servers` | 1 to 1024 | queue with that many servers, first come first served; without it every request is served at once | `servers` |
/// | `--size` | `1024`, `4KiB`, `uniform:100..10KiB` | bytes of an answer's body | `size`, by [`Size::parse`] |
/// | `--stall` | `200ms/2s` | answer nothing for 200 ms every 2 s | `stall`, by [`Stall::parse`] |
/// | `--faults` | `reset_before=0.01,status_500=1%,…` | faults by probability | `faults`, by [`Faults::parse`] |
/// | `--seed` | number | of everything random | `seed` |
/// | `--null` | – | as cheap as a server can be: finds the ends of requests, sends a prebuilt answer | `null` |
/// | `--close-after` | at least 1 | close each connection after that many answers (1 is keep-alive off) | `close_after` |
/// | `--tls-self-signed` | directory | speak TLS with a certificate of its own making, kept there | `tls.identity` |
/// | `--tls-cert`, `--tls-key` | files | speak TLS with this certificate and key, in PEM | `tls.identity` |
/// | `--tls-version` | `1.2`, `1.3` | the only version spoken | `tls.version` |
/// | `--tls-client-ca` | file | ask clients for a certificate of these CAs | `tls.client_ca` |
/// | `--tls-no-resumption` | – | every handshake is a full one | `tls.resumption` |
/// | `--tls-faults` | `garbage=0.01,stall=1%,…` | faults around the requests of a connection | `tls.faults`, by [`TlsFaults::parse`] |
/// | `--connections-max` | at least 1 | turn further connections away | `connections_max` |
/// | `--arrivals` | file | log of arrivals, see [`crate::read_arrivals`] | `arrivals` |
/// | `--counts` | file | where the final counts go, as JSON | `counts` |
///
/// With one server, Poisson arrivals at rate λ and exponential service at rate μ > λ this is the M/M/1
/// queue: the time in the system is exponential with rate μ − λ, so its q-quantile is −ln(1 − q) / (μ − λ).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub bind: IpAddr,
    /// Port to listen on; 0 lets the kernel choose.
    pub port: u16,
    pub workers: usize,
    /// CPU time and wait of each request.
    pub service: ServiceTime,
    /// Servers of the first-come-first-served queue; `None` serves every request at once.
    pub servers: Option<usize>,
    /// Bytes of an answer's body.
    pub size: Size,
    pub stall: Option<Stall>,
    /// Injected faults, and their probabilities.
    pub faults: Faults,
    /// Seed of service times, sizes and faults.
    pub seed: u64,
    /// Only find the ends of requests and send a prebuilt answer. Bodies of requests are not understood.
    pub null: bool,
    /// Answers per connection before the server closes it.
    pub close_after: Option<u64>,
    /// TLS settings; `None` is plain text.
    pub tls: Option<TlsConfig>,
    /// Connections held at once; further ones are closed as they come. `None` is [`CONNECTIONS_MAX`], or what
    /// the hard limit on descriptors allows.
    pub connections_max: Option<usize>,
    /// File for the log of arrivals.
    pub arrivals: Option<PathBuf>,
    /// File for the final counts, as JSON.
    pub counts: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            workers: 1,
            service: ServiceTime::NONE,
            servers: None,
            size: Size::Constant(1024),
            stall: None,
            faults: Faults::NONE,
            seed: 1,
            null: false,
            close_after: None,
            tls: None,
            connections_max: None,
            arrivals: None,
            counts: None,
        }
    }
}

impl Config {
    /// Finds what cannot be done, or not together.
    ///
    /// # Errors
    /// [`ReferenceError::Contradiction`] with the first such thing.
    pub fn check(&self) -> Result<(), ReferenceError> {
        let refuse = |what: &'static str| Err(ReferenceError::Contradiction(what));
        if !(1..=WORKERS_MAX).contains(&self.workers) {
            return refuse(tr!("reference-workers"));
        }
        if self.connections_max == Some(0) {
            return refuse(tr!("reference-no-connection"));
        }
        if self.close_after == Some(0) {
            return refuse(tr!("reference-close-after"));
        }
        if let Some(servers) = self.servers {
            if !(1..=SERVERS_MAX).contains(&servers) {
                return refuse(tr!("reference-servers"));
            }
            if self.workers > 1 {
                return refuse(tr!("reference-queue"));
            }
        }
        if self.null {
            if self.service != ServiceTime::NONE || self.servers.is_some() {
                return refuse(tr!("reference-null-time"));
            }
            if self.stall.is_some() || !self.faults.is_none() {
                return refuse(tr!("reference-null-faults"));
            }
            if self.tls.as_ref().is_some_and(|tls| tls.faults != TlsFaults::NONE) {
                return refuse(tr!("reference-null-tls"));
            }
            if self.close_after.is_some_and(|n| n > 1) {
                return refuse(tr!("reference-null-close"));
            }
            // The prebuilt answers of one receive go out together, so they must fit in memory.
            if !matches!(self.size, Size::Constant(size) if size <= NULL_BODY_MAX) {
                return refuse(tr!("reference-null-size"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_can_be_served_and_contradictions_cannot() {
        assert_eq!(Config::default().check().map_err(|e| e.to_string()), Ok(()));
        let base = Config::default;
        let bad = [
            Config { workers: 0, ..base() },
            Config { workers: 65, ..base() },
            Config { connections_max: Some(0), ..base() },
            Config { close_after: Some(0), ..base() },
            Config { servers: Some(0), ..base() },
            Config { servers: Some(1), workers: 2, ..base() },
            Config { null: true, service: ServiceTime::parse("spin:1us").unwrap(), ..base() },
            Config { null: true, stall: Some(Stall::parse("1ms/1s").unwrap()), ..base() },
            Config { null: true, faults: Faults::parse("drip=0.1").unwrap(), ..base() },
            Config { null: true, close_after: Some(2), ..base() },
            Config { null: true, size: Size::Uniform(1, 2), ..base() },
            Config { null: true, size: Size::Constant(1 << 20), ..base() },
        ];
        for config in bad {
            assert!(config.check().is_err(), "{config:?}");
        }
    }
}
