//! One load by several processes. **Agents** dial a **coordinator**, are dealt a number each, and carry out their share of
//! every load that it gives them; it merges what they saw, second by second, and judges the whole
//! ([ADR 28](../../docs/adr/0028-agents-are-workers-elsewhere.md)).
//!
//! Both sides prove that they know the same token before a byte of ours is read. Nothing listens unless it is asked to.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start and time what they need"))]

mod agent;
mod crew;
mod deadline;
mod error;
mod fleet;
mod gather;
mod index;
mod link;
mod local;
mod losses;
mod member;
mod message;
mod progress;
mod runtime;
mod token;

pub use agent::{Engine, Joining, Notice, agent, agent_by};
pub use error::{AgentError, FleetError, MOST_AGENTS};
pub use fleet::Fleet;
pub use gather::{Arrival, Listener, Terms};
pub use index::index_from;
pub use local::LocalAgents;
pub use member::{Member, Who};
pub use message::VERSION;
pub use token::Token;

#[cfg(test)]
mod tests;
