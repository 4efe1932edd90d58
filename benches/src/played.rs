//! Agents that only play back what one of them saw, so that a thousand of them fit one CPU: the connections, the protocol and the
//! snapshots are real, and what a coordinator has to do is what it has to do for real agents.

use crate::fleet::{SECOND_NS, plan};
use anyhow::{Context, anyhow, ensure};
use proofload_engine::{EngineError, Launch, ShareResult, Stretch, Watch, execute_share};
use proofload_host::clock;
use proofload_measure::Snapshot;
use proofload_remote::RemoteError;
use proofload_remote::agents::{Joining, Token, agent};
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Requests a second of each stream that is recorded.
const RATE_PER_S: f64 = 1_000.0;
const CONNECTIONS: u32 = 16;
/// An agent that played back has a thread or two with little on their stacks.
const STACK_BYTES: usize = 512 * 1024;

/// Recording of an agent's load.
struct Recording {
    /// Second by second, of each stream; what came after the last one is the last.
    seconds: Vec<Vec<Snapshot>>,
    /// Final message of the agent, as it is sent.
    shares: Vec<u8>,
}

/// There is one: an engine is a function, and has nothing of its own.
static RECORDING: OnceLock<Recording> = OnceLock::new();

/// Shared secret of agents and coordinator. It protects nothing here.
///
/// # Errors
/// None, as long as it is long enough.
pub fn token() -> anyhow::Result<Token> {
    Token::new(&"nobody is kept away ".repeat(2)).context("the token is too short")
}

/// Records `streams` streams for `seconds` seconds, then plays them back to the coordinator as `agents` agents.
///
/// # Errors
/// If the load cannot be carried out, or an agent is not wanted or loses the coordinator.
pub fn play(
    at: SocketAddr,
    agents: u32,
    streams: usize,
    server: SocketAddr,
    seconds: u64,
) -> anyhow::Result<()> {
    let recording = record(streams, server, seconds)?;
    RECORDING.set(recording).map_err(|_| anyhow!("recorded twice"))?;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut playing = Vec::new();
        for index in 0..agents {
            let (token, stop) = (token()?, &stop);
            let wait = Duration::from_secs(30);
            let joining = Joining { at: at.to_string(), token, index: Some(index), wait };
            let one = move || agent(played, &joining, stop, &mut |_| {});
            playing.push(thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, one)?);
        }
        let join = |one: thread::ScopedJoinHandle<'_, Result<(), RemoteError>>| {
            one.join().map_err(|_| anyhow!("an agent panicked"))?.map_err(anyhow::Error::from)
        };
        // All are waited for, even if one fails.
        playing.into_iter().map(join).collect::<Vec<_>>().into_iter().collect()
    })
}

fn record(streams: usize, server: SocketAddr, seconds: u64) -> anyhow::Result<Recording> {
    let plans = vec![plan(server, RATE_PER_S, CONNECTIONS, seconds)?; streams];
    let mut seen = vec![Vec::new(); streams];
    let mut tell = |stretch: &Stretch<'_>| seen[stretch.stream].push(stretch.snapshot.clone());
    let shares =
        execute_share(Launch { each_second: Some(&mut tell), ..Launch::new(&plans, &Watch::default()) })?;
    let answered = seen.iter().flatten().map(|snapshot| snapshot.answered_in_window).sum::<u64>();
    let wanted = RATE_PER_S as u64 * seconds * streams as u64;
    ensure!(answered * 10 > wanted * 9, "only {answered} of {wanted} were answered while it recorded");
    ensure!(seen.iter().all(|seconds| seconds.len() > 1), "no second was recorded by itself");
    Ok(Recording { seconds: seen, shares: postcard::to_stdvec(&shares)? })
}

/// The engine of such an agent: the seconds that were recorded, again and again, each when it is over.
fn played(how: Launch<'_>) -> Result<Vec<ShareResult>, EngineError> {
    let Launch { plans, watch, .. } = how;
    let fault = |what: &str| EngineError::Plan(what.to_owned());
    let recording = RECORDING.get().ok_or_else(|| fault("nothing was recorded"))?;
    let longest_ns = plans.iter().map(|plan| plan.extent.longest_ns()).max().unwrap_or(0);
    let seconds = longest_ns / SECOND_NS;
    let start_ns = how.start_ns.unwrap_or_else(clock::monotonic_ns);
    let Some(tell) = how.each_second else { return Err(fault("nobody listens")) };
    for last in 0..=seconds {
        let over_ns = start_ns + (last + 1).min(seconds) * SECOND_NS;
        thread::sleep(Duration::from_nanos(over_ns.saturating_sub(clock::monotonic_ns())));
        if watch.stop.load(Ordering::Relaxed) {
            return Err(fault("ended early"));
        }
        for (stream, recorded) in recording.seconds.iter().enumerate() {
            let whole = recorded.len() - 1;
            let at = if last == seconds { whole } else { last as usize % whole };
            // Its window is that of the recording: as long, and its time does not matter here.
            tell(&Stretch { stream, first: last, last, quantiles: None, snapshot: &recorded[at] });
        }
    }
    postcard::from_bytes(&recording.shares).map_err(|error| fault(&error.to_string()))
}
