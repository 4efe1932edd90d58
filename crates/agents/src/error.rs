//! What can go wrong between agents and their coordinator.

use proofload_language::{say, word};
use std::io;

/// Why an agent ended before its coordinator let it go.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Nobody listened there for as long as was waited.
    #[error("{}", say!("agents-nobody-there", at, seconds, last))]
    NobodyThere {
        at: String,
        seconds: u64,
        /// What the last attempt ended with.
        last: String,
    },
    #[error("{}", say!("agents-token", at, what))]
    Token { at: String, what: String },
    /// The coordinator does not want this agent.
    #[error("{}", say!("agents-agent-refused", why = .0))]
    Refused(String),
    /// The connection broke, or nothing came for too long.
    #[error("{}", say!("agents-coordinator-lost", why = .0))]
    Lost(String),
    /// The operating system refused something.
    #[error("{}", say!("labelled", label = what, what = source))]
    System { what: &'static str, source: io::Error },
}

/// Why agents could not be gathered.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// Some did not come in time.
    #[error("{}", say!("agents-missing", came, wanted, seconds, here, missing))]
    Missing {
        came: u32,
        /// How many were waited for.
        wanted: u32,
        seconds: u64,
        /// Agents that came; `None` without any.
        here: Option<String>,
        missing: String,
    },
    /// One left before all were there, or did not answer.
    #[error("{0}")]
    Lost(String),
    /// It was asked to end while it waited.
    #[error("{}", word!("agents-stopped"))]
    Stopped,
    /// No number of agents that can be.
    #[error("{}", say!("agents-count", agents = .0, most = MOST_AGENTS))]
    Count(u32),
    /// The token is too easily guessed, or cannot be read.
    #[error("{0}")]
    Token(String),
    /// The operating system refused something.
    #[error("{}", say!("labelled", label = what, what = source))]
    System { what: String, source: io::Error },
}

/// Most agents of one coordinator: each needs a descriptor there.
pub const MOST_AGENTS: u32 = 10_000;
