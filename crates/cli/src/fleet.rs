//! `--agents`: the load of this command by several processes of this machine.

use crate::args::{FleetArgs, ToleranceArgs};
use crate::around::Surroundings;
use crate::exit::{Exit, leave};
use crate::mistakes::wrong;
use crate::run::say;
use proofload_agents::{Arrival, Fleet, FleetError, Listener, LocalAgents, Terms, Token};
use proofload_engine::{EngineError, Generator};
use proofload_host::signals;
use proofload_language::say;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long children of this process may take to come.
const LOCAL_WAIT: Duration = Duration::from_secs(30);

/// Agents that are children of this process.
pub struct Local {
    // Dropped in this order: they are told goodbye, then they end.
    fleet: Fleet,
    _children: LocalAgents,
}

impl Local {
    /// Starts so many, and waits until they are there. So many of them may be lost.
    pub fn start(agents: u32, tolerated: u32, stop: &AtomicBool) -> anyhow::Result<Local> {
        let token = Token::fresh().map_err(refused)?;
        let listener = Listener::open(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), &token).map_err(refused)?;
        let program = std::env::current_exe()?;
        let children = LocalAgents::start(&program, agents, listener.address(), &token).map_err(refused)?;
        let terms = Terms { agents, wait: LOCAL_WAIT, tolerated };
        let fleet = listener.gather(&terms, stop, &mut |_| {}).map_err(refused)?;
        Ok(Local { fleet, _children: children })
    }

    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }
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
    let local = Local::start(agents, tolerated, &*signals::install()?)?;
    let ended = execute(local.fleet());
    say_losses(local.fleet(), quiet);
    unless_lost(local.fleet(), ended)
}

/// What is said of somebody who dials.
pub fn arrived(arrival: &Arrival) -> String {
    let (Arrival::Joined { who, .. } | Arrival::Left { who, .. } | Arrival::Refused { who, .. }) = arrival;
    let (host, address) = (who.host.clone(), who.address.to_string());
    let who = match who.index {
        Some(index) => say!("agents-numbered", index, host, address),
        None => say!("agents-unnumbered", host, address),
    };
    match arrival {
        Arrival::Joined { came, of, .. } => say!("agents-joined", who, came, of),
        Arrival::Left { why, .. } => say!("agents-left", who, why),
        Arrival::Refused { why, .. } => say!("agents-refused", who, why),
    }
}

/// How something ended, which is invalid where more agents were lost than are tolerated.
pub fn unless_lost<T>(fleet: &Fleet, ended: anyhow::Result<T>) -> anyhow::Result<T> {
    match fleet.lost() {
        Some(lost) => Err(leave(Exit::Invalid, ended.err().map_or(lost, |error| error.to_string()))),
        None => ended,
    }
}

/// How many of so many agents may be lost.
pub fn tolerated(args: &ToleranceArgs, agents: Option<u32>) -> anyhow::Result<u32> {
    args.of(agents).map_err(|mistake| wrong("--tolerate-lost", mistake))
}

/// Says which agents were lost, where the load went on without them.
pub fn say_losses(fleet: &Fleet, quiet: bool) {
    let losses = if quiet || fleet.lost().is_some() { Vec::new() } else { fleet.losses() };
    for lost in losses {
        say(false, &say!("agents-went-on", lost));
    }
}

/// Agents that could not be gathered: nothing was measured.
pub fn refused(error: FleetError) -> anyhow::Error {
    let exit = match error {
        FleetError::Stopped => Exit::Interrupted,
        FleetError::Missing { .. } | FleetError::Lost(_) => Exit::FailedStart,
        FleetError::Count(_) | FleetError::Token(_) | FleetError::System { .. } => Exit::Usage,
    };
    leave(exit, error)
}

/// A load that could not be carried out, or not to its end: one that an agent was lost of is no measurement.
pub fn failed(error: EngineError) -> anyhow::Error {
    let exit = if matches!(error, EngineError::Share(_)) { Exit::Invalid } else { Exit::Usage };
    leave(exit, error)
}
