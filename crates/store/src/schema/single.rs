//! Load of a single measurement: enough to make it again.

use super::LoadPoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The load of a single measurement, which has no plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SingleLoad {
    /// Intended load: rate and arrivals, connections, pauses, reuse, shape. Of a trace its shape names the file with
    /// its SHA-256, speed and number of rounds.
    pub point: LoadPoint,
    /// Requests, one line for each address.
    pub workload: Vec<String>,
    /// Seed of everything random, given or not.
    pub seed: u64,
    /// Driver that carried the bytes: `epoll`, `io_uring`.
    pub driver: String,
    /// Threads that were asked for.
    pub workers: u32,
    /// Load before the window that was not counted.
    pub discard_ns: u64,
    /// Length of the window that was asked for; 0 where the load ends by a count or has a shape of its own.
    pub window_ns: u64,
    /// Number of requests that was asked for; 0 where there was none.
    pub requests: u64,
    /// Time allowed to connect.
    pub connect_timeout_ns: u64,
    /// Time allowed from sending to the end of the answer.
    pub response_timeout_ns: u64,
    /// The command line, program name left out, credentials redacted.
    pub arguments: Vec<String>,
    /// The working directory in which it was given.
    pub working_directory: String,
}
