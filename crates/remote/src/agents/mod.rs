//! One load by several processes. **Agents** dial a **coordinator**, receive a number each, and carry out their share
//! of every load that it gives them; it merges their results, second by second, and judges the whole
//! ([ADR 28](../../../docs/adr/0028-agents-are-workers-elsewhere.md)).
//!
//! Both sides prove that they have the same token before a byte of ours is read. Nothing listens unless it is
//! requested.

mod agent;
mod gather;
mod link;
mod member;
mod members;
mod message;
mod pool;
mod progress;
mod runtime;
mod token;

pub use agent::{Engine, Joining, agent, index_from};
pub use gather::{Listener, MOST_AGENTS, Terms};
pub use member::{Clock, Member};
pub use message::VERSION;
pub use pool::AgentPool;
pub use token::Token;

#[cfg(test)]
mod tests;
