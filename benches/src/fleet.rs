//! Loads that agents carry out, or play back, and what that takes.

use crate::usage::{own_tcp_bytes, thread_cpu_ns};
use anyhow::{Context, ensure};
use proofload_engine::{Arrival, Extent, KeepAlive, LoadPlan, MixEntry, Profile, Timeouts};
use proofload_host::clock;
use proofload_remote::agents::{AgentPool, Listener, Terms};
use proofload_wire::http1::RequestSpec;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A second, in nanoseconds.
pub const SECOND_NS: u64 = 1_000_000_000;
/// Any port of this machine.
pub const ANYWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Time limit for agents to join; those that play back record first.
const WAIT: Duration = Duration::from_secs(90);

/// An open loop of `rate_per_s` requests a second, one thread of each share. Sends within a millisecond go together, so
/// that no worker spins.
///
/// # Errors
/// If the request cannot be made, which would be a fault of ours.
pub fn plan(server: SocketAddr, rate_per_s: f64, connections: u32, seconds: u64) -> anyhow::Result<LoadPlan> {
    let spec = RequestSpec::get("localhost", "/");
    let request = Arc::new(spec.encode()?);
    let closing_request = Arc::new(RequestSpec { close: true, ..spec }.encode()?);
    let (expect, follow) = Default::default();
    Ok(LoadPlan {
        targets: vec![server.into()],
        mix: vec![MixEntry { weight: 1, target: 0, request, closing_request, expect, follow, digest: None }],
        profile: Profile::Open { rate_per_s, arrival: Arrival::Constant, coalesce_ns: 1_000_000 },
        connections,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(seconds * SECOND_NS),
        drain_ns: SECOND_NS,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    })
}

/// Waits for `agents` agents.
///
/// # Errors
/// If they do not come.
pub fn gather(listener: Listener, agents: u32) -> anyhow::Result<AgentPool> {
    Ok(listener.gather(&Terms { agents, wait: WAIT, tolerated: 0 }, &AtomicBool::new(false), &mut |_| {})?)
}

/// The address of a server by its URL.
///
/// # Errors
/// If it has none.
pub fn address(url: &str) -> anyhow::Result<SocketAddr> {
    let text = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    text.replace("localhost", "127.0.0.1").parse().with_context(|| format!("{url}: no address"))
}

/// Use of some processes and of the connections of this one, so far.
#[derive(Debug)]
struct Look {
    at_ns: u64,
    cpu_ns: [u64; 3],
    bytes: [u64; 2],
}

impl Look {
    fn now(pids: &[u32]) -> anyhow::Result<Look> {
        let mut cpu_ns = [0; 3];
        for pid in pids {
            for (at, ns) in thread_cpu_ns(*pid)?.into_iter().enumerate() {
                cpu_ns[at.min(2)] += ns;
            }
        }
        Ok(Look { at_ns: clock::monotonic_ns(), cpu_ns, bytes: own_tcp_bytes()? })
    }
}

/// Use of one agent in a second, on average over all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// CPU time of its first thread, of its second, and of all others, in microseconds. The first speaks to the coordinator, the second
    /// hands over what the others, the workers, saw.
    pub cpu_us: [f64; 3],
    /// Bytes that it receives, and sends.
    pub bytes: [f64; 2],
}

impl Used {
    /// Between two instants.
    ///
    /// # Errors
    /// If a process is gone, or the first instant has passed.
    pub fn between(pids: &[u32], from_ns: u64, to_ns: u64) -> anyhow::Result<Used> {
        let late_ns = clock::monotonic_ns().saturating_sub(from_ns);
        ensure!(late_ns < SECOND_NS, "{late_ns} ns late: the machine is too busy");
        let sleep = |until_ns: u64| {
            let left_ns = until_ns.saturating_sub(clock::monotonic_ns());
            std::thread::sleep(Duration::from_nanos(left_ns));
        };
        sleep(from_ns);
        let before = Look::now(pids)?;
        sleep(to_ns);
        let after = Look::now(pids)?;
        let of_all = pids.len() as f64 * (after.at_ns - before.at_ns) as f64 / 1e9;
        let each = |after: u64, before: u64| after.saturating_sub(before) as f64 / of_all;
        Ok(Used {
            cpu_us: [0, 1, 2].map(|at| each(after.cpu_ns[at], before.cpu_ns[at]) / 1e3),
            bytes: [0, 1].map(|at| each(after.bytes[at], before.bytes[at])),
        })
    }

    /// As words.
    pub fn text(&self) -> String {
        self.cpu_us
            .iter()
            .chain(&self.bytes)
            .map(|figure| format!("{figure:.2}"))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_where_its_url_says() {
        for url in ["http://127.0.0.1:80/", "http://localhost:80", "127.0.0.1:80"] {
            assert_eq!(address(url).unwrap(), SocketAddr::from(([127, 0, 0, 1], 80)));
        }
        assert!(address("http://").is_err());
    }

    #[test]
    fn what_is_used_is_that_of_one_process_and_one_second() {
        let now_ns = clock::monotonic_ns();
        let used = Used::between(&[std::process::id()], now_ns, now_ns + SECOND_NS / 20).unwrap();
        assert!(used.cpu_us.iter().all(|us| (0.0..1e7).contains(us)), "{used:?}");
        assert_eq!(used.text().split(' ').count(), 5);
    }
}
