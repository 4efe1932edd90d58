//! `--agents`: the load of this command by several processes of this machine.

use crate::exit::{Exit, leave};
use proofload_agents::{Fleet, FleetError, Listener, LocalAgents, Terms, Token};
use proofload_engine::EngineError;
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
    /// Starts so many, and waits until they are there.
    pub fn start(agents: u32, stop: &AtomicBool) -> anyhow::Result<Local> {
        let token = Token::fresh().map_err(refused)?;
        let listener = Listener::open(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), &token).map_err(refused)?;
        let program = std::env::current_exe()?;
        let children = LocalAgents::start(&program, agents, listener.address(), &token).map_err(refused)?;
        let terms = Terms { agents, wait: LOCAL_WAIT };
        let fleet = listener.gather(&terms, stop, &mut |_| {}).map_err(refused)?;
        Ok(Local { fleet, _children: children })
    }

    /// Who carries loads out.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
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
