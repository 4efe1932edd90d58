//! Why there is no page.

use std::io;

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// The port is not to be had.
    #[error(
        "cannot listen on 127.0.0.1:{port}: {source}; choose another --port, or leave it out for a free one"
    )]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The kernel gives no random numbers.
    #[error("the system gives no random numbers for the token in the address: {0}")]
    Random(getrandom::Error),
    /// The runtime does not start.
    #[error("cannot wait for requests: {0}")]
    Runtime(io::Error),
}
