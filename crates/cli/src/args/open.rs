//! Options of an open loop, unchecked.

use super::heading;
use clap::Args;

/// Options of an open loop, other than its rate.
#[derive(Debug, Clone, Args)]
pub struct OpenArgs {
    /// Open loop: open more connections, up to N in all, while all of them are busy
    #[arg(long, value_name = "N", help_heading = heading::LOAD, hide_short_help = true)]
    pub max_connections: Option<u32>,
    /// Open loop: what happens to a request when all connections are busy. queue: it waits, and its latency counts from
    /// when it should have been sent; drop: it is not sent, but counted [default: queue]
    #[arg(long, value_name = "queue|drop", help_heading = heading::LOAD, hide_short_help = true)]
    pub overflow: Option<String>,
    /// Open loop: send requests that are due within this time together, to save CPU time; at most 100ms [default: 0s, each
    /// in time]
    #[arg(long, value_name = "TIME", help_heading = heading::LOAD, hide_short_help = true)]
    pub coalesce: Option<String>,
}
