//! Messages between Proofload and its keeper: one JSON object a line, over the keeper's standard input and output.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Longest line either side reads; a longer one ends the conversation.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// Orders of Proofload to the keeper.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Order {
    Spawn(Spawn),
    /// End a process and all it left behind.
    Stop {
        id: u64,
        grace_ns: u64,
    },
    /// Remove this directory too when everything ends.
    Adopt {
        path: PathBuf,
    },
    /// End everything, remove the temporary files, leave.
    End,
}

/// A process to be started.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spawn {
    /// Chosen by Proofload, never used twice.
    pub id: u64,
    pub args: Vec<String>,
    /// Start from an empty environment.
    pub clear_environment: bool,
    pub environment: BTreeMap<String, String>,
    pub directory: PathBuf,
    /// CPUs it may use; empty leaves them as the keeper's.
    pub cpus: Vec<usize>,
    /// Standard output and error are appended here; absolute.
    pub log: PathBuf,
    /// It is killed when it, with all below it, has more resident memory than this to itself.
    pub memory_max_bytes: Option<u64>,
    /// A longer log is cut in its middle.
    pub log_bytes_max: Option<u64>,
    /// Values that may not stay in the log.
    pub secrets: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Report {
    /// The run's temporary directory exists.
    Ready,
    /// It could not be made.
    Refused {
        why: String,
    },
    Spawned {
        id: u64,
        pid: u32,
        start_ticks: u64,
    },
    /// Not started.
    Failed {
        id: u64,
        why: String,
    },
    /// The started process itself ended.
    Exited {
        id: u64,
        exit: Exit,
    },
    /// It had more memory than it may, and is killed.
    OverMemory {
        id: u64,
        used_bytes: u64,
    },
    /// Nothing of it lives any more, but for `left`.
    Stopped {
        id: u64,
        killed: Vec<u32>,
        left: Vec<u32>,
    },
    /// Everything ended; `left` names what could not be ended or removed.
    Ended {
        left: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself, with this status.
    Code(i32),
    Signal(i32),
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit status {code}"),
            Exit::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "signal {number} ({name})"),
                None => write!(f, "signal {number}"),
            },
        }
    }
}

/// The names of signals that end servers.
fn signal_name(number: i32) -> Option<&'static str> {
    match number {
        libc::SIGHUP => Some("HUP"),
        libc::SIGINT => Some("INT"),
        libc::SIGILL => Some("ILL"),
        libc::SIGABRT => Some("ABRT"),
        libc::SIGBUS => Some("BUS"),
        libc::SIGFPE => Some("FPE"),
        libc::SIGKILL => Some("KILL"),
        libc::SIGSEGV => Some("SEGV"),
        libc::SIGPIPE => Some("PIPE"),
        libc::SIGTERM => Some("TERM"),
        _ => None,
    }
}

/// One message as a line.
pub(crate) fn to_line<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message).map_err(io::Error::other)?;
    line.push(b'\n');
    if line.len() > LINE_BYTES_MAX {
        return Err(io::Error::other(format!("a message of {} bytes, limit {LINE_BYTES_MAX}", line.len())));
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_its_line() {
        let order = Order::Spawn(Spawn {
            id: 7,
            args: vec!["a b".into(), "line\nbreak".into()],
            directory: "/tmp".into(),
            log: "/tmp/log".into(),
            cpus: vec![1],
            ..Spawn::default()
        });
        let line = to_line(&order).unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one line for one message");
        let Order::Spawn(spawn) = serde_json::from_slice(&line).unwrap() else { panic!("another order") };
        assert_eq!((spawn.id, spawn.args[1].as_str(), spawn.cpus[0]), (7, "line\nbreak", 1));
    }

    #[test]
    fn an_oversized_order_is_refused_before_it_is_sent() {
        let order = Order::Adopt { path: "x".repeat(LINE_BYTES_MAX).into() };
        assert!(to_line(&order).unwrap_err().to_string().contains("limit"));
    }
}
