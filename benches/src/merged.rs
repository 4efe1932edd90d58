//! Performance of a coordinator of many agents: lag, CPU, and growth of memory.

use crate::fleet::{ANYWHERE, SECOND_NS, gather, plan};
use crate::pairs::median;
use crate::usage::own_tcp_bytes;
use crate::{SUBJECT_CPU, child, played};
use anyhow::{Context, ensure};
use proofload_engine::{Generator, Launch, Stretch, Watch};
use proofload_host::clock::{self, CpuClock};
use proofload_host::process;
use proofload_remote::agents::{AgentPool, Listener};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::atomic::Ordering;

/// Settings of the load.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub agents: u32,
    pub streams: usize,
    /// Length of the load, and of the recording that is played back.
    pub seconds: u64,
    pub recorded: u64,
    /// Address of a server, for the recording.
    pub server: SocketAddr,
}

/// A second of the load, when its last stream was merged.
#[derive(Clone, Copy, Debug)]
struct Merged {
    at_ns: u64,
    /// Delay from its end until it was merged.
    lag_ms: f64,
    /// CPU time so far, of the coordinator and of all agents.
    cpu_ns: [u64; 2],
    rss_bytes: u64,
    bytes: [u64; 2],
}

/// Runs a coordinator in this process and its agents in another, and returns the result as a row of a table.
///
/// # Errors
/// If the load could not be carried out to its end.
pub fn merged(asked: &Asked) -> anyhow::Result<String> {
    let listener = Listener::open(ANYWHERE, &played::token()?)?;
    let mut players = Players(players(asked, listener.address())?);
    let pool = gather(listener, asked.agents)?;
    let seen = watched(asked, &pool, CpuClock::of(players.0.id()).context("the agents are gone")?)?;
    let within_ns = pool.members().iter().map(|member| member.clock.round_trip_ns / 2).max().unwrap_or(0);
    drop(pool);
    let ended = players.0.wait()?;
    ensure!(ended.success(), "the agents ended with {ended}");
    row(asked, &seen, within_ns)
}

/// The process of the agents; it does not outlive its coordinator.
struct Players(Child);

impl Drop for Players {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn players(asked: &Asked, at: SocketAddr) -> anyhow::Result<Child> {
    let Asked { agents, streams, recorded, server, .. } = asked;
    let mut command = child::on_cpu(SUBJECT_CPU, &std::env::current_exe()?);
    command.arg("played");
    for (flag, value) in [
        ("--at", at.to_string()),
        ("--agents", agents.to_string()),
        ("--streams", streams.to_string()),
        ("--seconds", recorded.to_string()),
        ("--server", server.to_string()),
    ] {
        command.arg(flag).arg(value);
    }
    child::ends_with_us(&mut command);
    child::in_own_session(&mut command);
    command.stdout(Stdio::null()).spawn().context("the agents could not be started")
}

/// Carries the load out.
fn watched(asked: &Asked, pool: &AgentPool, agents: CpuClock) -> anyhow::Result<Vec<Merged>> {
    let plans = vec![plan(asked.server, 1_000.0, asked.agents, asked.seconds)?; asked.streams];
    let watch = Watch::default();
    let mut seen: Vec<Merged> = Vec::new();
    let mut tell = |stretch: &Stretch<'_>| {
        if stretch.last >= asked.seconds || stretch.stream + 1 < asked.streams {
            return;
        }
        let at_ns = clock::monotonic_ns();
        let over_ns = watch.window_start_ns.load(Ordering::Relaxed) + (stretch.last + 1) * SECOND_NS;
        seen.push(Merged {
            at_ns,
            lag_ms: at_ns.saturating_sub(over_ns) as f64 / 1e6,
            cpu_ns: [clock::process_cpu_ns(), agents.read_ns().unwrap_or(0)],
            rss_bytes: process::rss_bytes(std::process::id()).unwrap_or(0),
            bytes: own_tcp_bytes().unwrap_or_default(),
        });
    };
    pool.launch(Launch { each_second: Some(&mut tell), ..Launch::new(&plans, &watch) })?;
    ensure!(seen.len() as u64 == asked.seconds, "{} of {} seconds were merged", seen.len(), asked.seconds);
    Ok(seen)
}

/// Head of the table that [`merged`] makes rows of.
pub const HEAD: &str = "\
| agents | streams | run | CPU share | the agents' own | lag p50, first half | second half | longest | resident at 25 % | 50 % | 100 % | MB/s in | out | clocks within |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn row(asked: &Asked, seen: &[Merged], within_ns: u64) -> anyhow::Result<String> {
    let (first, last) = (seen.first().context("no second")?, seen.last().context("no second")?);
    let wall_ns = (last.at_ns - first.at_ns) as f64;
    let share = |at: usize| (last.cpu_ns[at] - first.cpu_ns[at]) as f64 / wall_ns;
    let lags = |seen: &[Merged]| median(&seen.iter().map(|merged| merged.lag_ms).collect::<Vec<_>>());
    let (early, late) = seen.split_at(seen.len() / 2);
    let longest = seen.iter().map(|merged| merged.lag_ms).fold(0.0, f64::max);
    let mib =
        |percent: usize| seen[(seen.len() * percent / 100).max(1) - 1].rss_bytes as f64 / f64::from(1 << 20);
    let rate = |at: usize| last.bytes[at].saturating_sub(first.bytes[at]) as f64 / wall_ns * 1e3;
    let Asked { agents, streams, seconds, .. } = asked;
    Ok(format!(
        "| {agents} | {streams} | {seconds} s | {:.2} | {:.2} | {:.0} ms | {:.0} ms | {longest:.0} ms | {:.1} MiB | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} ms |",
        share(0),
        share(1),
        lags(early),
        lags(late),
        mib(25),
        mib(50),
        mib(100),
        rate(1),
        rate(0),
        within_ns as f64 / 1e6,
    ))
}
