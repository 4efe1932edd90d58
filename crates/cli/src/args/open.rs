//! How an open loop sends, raw.

use clap::Args;

/// How an open loop sends, beside when.
#[derive(Debug, Clone, Args)]
pub struct OpenArgs {
    /// Open loop: open more connections, up to so many, while requests that are due find none free
    #[arg(long, value_name = "N")]
    pub max_connections: Option<u32>,
    /// Open loop: what becomes of a request that finds no free connection: queue (it waits and keeps its intended
    /// time; the default) or drop (it is not sent, and counted)
    #[arg(long, value_name = "queue|drop")]
    pub overflow: Option<String>,
    /// Open loop: how late requests may be sent together to save CPU time (0s, the default, is exact; at most
    /// 100ms)
    #[arg(long, value_name = "TIME")]
    pub coalesce: Option<String>,
}
