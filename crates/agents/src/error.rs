//! What can go wrong between agents and their coordinator.

use std::io;

/// Why an agent ended before its coordinator let it go.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Nobody listened there for as long as was waited.
    #[error(
        "nobody answers at {at} for {seconds} s ({last}): start `proofload coordinator` there, or correct --join"
    )]
    NobodyThere {
        /// Where.
        at: String,
        /// How long was tried.
        seconds: u64,
        /// What the last attempt ended with.
        last: String,
    },
    /// The handshake failed.
    #[error("{at} does not know our token ({what}): give both sides the same --token-file")]
    Token {
        /// Where.
        at: String,
        /// What TLS says.
        what: String,
    },
    /// The coordinator does not want this agent.
    #[error("the coordinator refuses this agent: {0}")]
    Refused(String),
    /// The connection broke, or nothing came for too long.
    #[error("the coordinator is gone ({0}): what was under way here has ended")]
    Lost(String),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        source: io::Error,
    },
}

/// Why agents could not be gathered.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// Some did not come in time.
    #[error(
        "{came} of {wanted} agents joined within {seconds} s{here}; missing: {missing}; their own output says why, or give \
         --wait more time"
    )]
    Missing {
        /// How many came.
        came: u32,
        /// How many were waited for.
        wanted: u32,
        /// How long.
        seconds: u64,
        /// Who came, with a colon before it; empty where nobody did.
        here: String,
        /// Which numbers are free.
        missing: String,
    },
    /// One left before all were there, or did not answer.
    #[error("{0}")]
    Lost(String),
    /// It was asked to end while it waited.
    #[error("ended while waiting for agents")]
    Stopped,
    /// No number of agents that can be.
    #[error("agents: {0}; 1 to {MOST_AGENTS} are possible")]
    Count(u32),
    /// The token is too easily guessed, or cannot be read.
    #[error("{0}")]
    Token(String),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What it said.
        source: io::Error,
    },
}

/// Most agents of one coordinator: each needs a descriptor there.
pub const MOST_AGENTS: u32 = 10_000;
