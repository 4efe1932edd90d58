//! Errors, by how a command ends with them.

use std::fmt::Display;
use std::io;

/// Failure of something elsewhere.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// An impossible request; nothing was started.
    #[error("{0}")]
    Usage(String),
    /// Something could not be started, or did not come in time.
    #[error("{0}")]
    FailedStart(String),
    /// It was ended from outside: no verdict can rest on it.
    #[error("{0}")]
    Invalid(String),
    /// The other side is gone, or the way to it.
    #[error("{0}")]
    Lost(String),
    /// Stopped by a signal.
    #[error("{0}")]
    Stopped(String),
}

impl RemoteError {
    pub(crate) fn usage(error: impl Display) -> RemoteError {
        RemoteError::Usage(error.to_string())
    }

    /// Exit code of a command that ends with it.
    pub fn exit_code(&self) -> u8 {
        match self {
            RemoteError::Lost(_) => 1,
            RemoteError::Usage(_) => 2,
            RemoteError::FailedStart(_) => 3,
            RemoteError::Invalid(_) => 12,
            RemoteError::Stopped(_) => 130,
        }
    }
}

impl From<io::Error> for RemoteError {
    fn from(error: io::Error) -> RemoteError {
        match error.kind() {
            io::ErrorKind::Interrupted => RemoteError::Stopped(error.to_string()),
            _ => RemoteError::FailedStart(error.to_string()),
        }
    }
}
