//! How an open loop sends, unchecked.

use clap::Args;

/// How an open loop sends, beside when.
#[derive(Debug, Clone, Args)]
pub struct OpenArgs {
    /// Open loop: open more connections, up to N in all, while due requests find none free
    #[arg(long, value_name = "N")]
    pub max_connections: Option<u32>,
    /// Open loop: what to do with a request that finds no free connection: queue it (it keeps its intended time) or
    /// drop it (not sent, but counted) [default: queue]
    #[arg(long, value_name = "queue|drop")]
    pub overflow: Option<String>,
    /// Open loop: how late requests may be sent together to save CPU time; at most 100ms [default: 0s, exact]
    #[arg(long, value_name = "TIME")]
    pub coalesce: Option<String>,
}
