//! Errors before and while the server serves.

use proofload_language::tr;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Reason why the reference server could not be configured, started or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// A textual value could not be read.
    #[error("{}", tr!("reference-bad-value", what, value = format!("{value:?}"), wrong, expected))]
    BadValue {
        /// Purpose of the value.
        what: &'static str,
        value: String,
        /// Fault of the value.
        wrong: String,
        expected: &'static str,
    },
    /// Settings that cannot be served, or not together; the text names what to change.
    #[error("{0}")]
    Contradiction(&'static str),
    /// The address cannot be listened on.
    #[error("{}", tr!("reference-listen", address = address.to_string(), source))]
    Listen { address: SocketAddr, source: std::io::Error },
    /// The process may not open enough descriptors for the connections that it must hold.
    #[error("{}", tr!("reference-descriptors", needed, allowed))]
    Descriptors { needed: u64, allowed: u64 },
    /// A file for arrivals or counts cannot be written.
    #[error("{}", tr!("reference-file", path, source))]
    File { path: PathBuf, source: std::io::Error },
    /// A certificate or key cannot be used.
    #[error("{}", tr!("reference-tls", path, wrong))]
    Tls {
        /// The file, or the directory of files.
        path: PathBuf,
        /// Fault of the value.
        wrong: String,
    },
    /// The kernel refused something that an event loop cannot do without.
    #[error("{}", tr!("reference-kernel", what, source))]
    Kernel { what: &'static str, source: std::io::Error },
    /// A file is not a log of arrivals.
    #[error("{}", tr!("reference-not-arrivals", path, wrong))]
    NotArrivals { path: PathBuf, wrong: &'static str },
}

impl ReferenceError {
    pub(crate) fn tls(path: &std::path::Path, wrong: impl std::fmt::Display) -> Self {
        ReferenceError::Tls { path: path.to_owned(), wrong: wrong.to_string() }
    }

    pub(crate) fn kernel(what: &'static str, source: impl Into<std::io::Error>) -> Self {
        ReferenceError::Kernel { what, source: source.into() }
    }
}
