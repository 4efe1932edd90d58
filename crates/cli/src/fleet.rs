//! `--agents`: the load of this command by several processes of this machine.

use crate::args::{FleetArgs, ToleranceArgs};
use crate::around::Surroundings;
use crate::exit::{Exit, leave};
use crate::mistakes::wrong;
use crate::run::say;
use proofload_engine::{EngineError, Generator};
use proofload_host::signals;
use proofload_language::tr;
use proofload_remote::agents::AgentPool;
use proofload_remote::{Placement, RemoteError};
use std::net::Ipv4Addr;
use std::sync::atomic::AtomicBool;

/// Starts `agents` agents, children of this process, and waits until they are there. `tolerated` of them may be lost.
pub fn start(agents: u32, tolerated: u32, stop: &AtomicBool) -> Result<AgentPool, RemoteError> {
    let placement = Placement::here(std::env::current_exe()?, agents);
    placement.gather(Ipv4Addr::LOCALHOST.into(), tolerated, stop, &mut |_| {})
}

/// Has loads carried out by the agents of this machine that are asked for, or by this process. What was measured while more of them
/// were lost than are tolerated is invalid.
pub fn with_agents<T>(
    args: &FleetArgs,
    quiet: bool,
    execute: impl FnOnce(&dyn Generator) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let tolerated = tolerated(&args.tolerance, args.agents)?;
    let Some(agents) = args.agents else { return execute(&*Surroundings::here().generator) };
    let pool = start(agents, tolerated, &*signals::install()?)?;
    let ended = execute(&pool);
    say_losses(&pool, quiet);
    unless_lost(&pool, ended)
}

/// End of something, which is invalid where more agents were lost than are tolerated.
pub fn unless_lost<T>(pool: &AgentPool, ended: anyhow::Result<T>) -> anyhow::Result<T> {
    match pool.lost() {
        Some(lost) => Err(leave(Exit::Invalid, ended.err().map_or(lost, |error| error.to_string()))),
        None => ended,
    }
}

/// Number of `agents` agents that may be lost.
pub fn tolerated(args: &ToleranceArgs, agents: Option<u32>) -> anyhow::Result<u32> {
    args.of(agents).map_err(|mistake| wrong("--tolerate-lost", mistake))
}

/// Reports the agents that were lost, where the load went on without them.
pub fn say_losses(pool: &AgentPool, quiet: bool) {
    let losses = if quiet || pool.lost().is_some() { Vec::new() } else { pool.losses() };
    for lost in losses {
        say(false, &tr!("agents-went-on", lost));
    }
}

/// A load that could not be carried out, or not to its end: a load that lost an agent is not a measurement.
pub fn failed(error: EngineError) -> anyhow::Error {
    let exit = if matches!(error, EngineError::Share(_)) { Exit::Invalid } else { Exit::Usage };
    leave(exit, error)
}
