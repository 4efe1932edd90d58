//! Errors of the page.

use proofload_language::tr;
use std::io;

/// Reason why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// The port is not to be had.
    #[error("{}", tr!("ui-cannot-listen", port = port.to_string(), source))]
    Listen {
        /// The port that was asked for.
        port: u16,
        source: io::Error,
    },
    /// The kernel gives no random numbers.
    #[error("{}", tr!("ui-no-random", source = .0.to_string()))]
    Random(getrandom::Error),
    /// The runtime does not start.
    #[error("{}", tr!("ui-cannot-wait", source = .0))]
    Runtime(io::Error),
}
