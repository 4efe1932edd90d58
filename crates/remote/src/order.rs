//! Messages between a command and the coordinator that it starts elsewhere, over that process's standard input and output: a line
//! of JSON each; behind an order the files, behind the last answer the record.
//!
//! The input is the life line: when it ends, the requester is gone, and everything is ended there.

use crate::agents::VERSION;
use proofload_language::Language;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Longest line of either side.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Lines of the command behind its order: its heartbeat, the end of all, and that the record is kept there now: only then it may go
/// here.
pub(crate) const ALIVE: &str = "alive";
pub(crate) const STOP: &str = "stop";
pub(crate) const KEPT: &str = "kept";

/// A run that is carried out elsewhere.
pub struct RemoteRun {
    /// The arguments of this command.
    pub arguments: Vec<String>,
    /// The study's files, packed.
    pub files: Vec<u8>,
    pub take_in: TakeIn,
}

/// Keeps a packed record at home, and returns its path.
pub type TakeIn = Arc<dyn Fn(&mut dyn Read) -> Result<PathBuf, String> + Send + Sync>;

/// A run, as it is ordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Version of the executable that orders it; another is refused.
    pub version: String,
    /// Fingerprint of that executable, where it was copied there: another is refused, too.
    pub fingerprint: Option<String>,
    /// The token that agents have.
    pub token: String,
    /// Number of agents that will come.
    pub agents: u32,
    /// Longest time that they may take, seconds.
    pub wait_s: u64,
    /// Address at which servers listen and agents dial; found out there when there is none.
    pub address: Option<IpAddr>,
    /// The arguments of `proofload run`, the study's file as it lies among the files.
    pub arguments: Vec<String>,
    /// The working directory in which they were given.
    pub directory: String,
    /// Tag of the language of messages.
    pub language: String,
    /// Length of the archive that follows the line, bytes.
    pub files_bytes: u64,
}

impl Order {
    pub(crate) fn of(run: &RemoteRun, token: &str, agents: u32, wait: Duration) -> Order {
        Order {
            version: VERSION.to_owned(),
            fingerprint: None,
            token: token.to_owned(),
            agents,
            wait_s: wait.as_secs(),
            address: None,
            arguments: run.arguments.clone(),
            directory: proofload_host::working_directory(),
            language: Language::spoken().tag().to_owned(),
            files_bytes: run.files.len() as u64,
        }
    }
}

/// An answer of the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Answer {
    /// Its heartbeat.
    Alive,
    /// Agents are waited for there; records are kept below this folder.
    Listening { at: SocketAddr, keeps_in: String },
    Ended {
        exit: u8,
        message: String,
        /// Length of the record's archive that follows the line; 0 where nothing was recorded.
        record_bytes: u64,
    },
}

/// Writes a message.
///
/// # Errors
/// The other side is gone.
pub(crate) fn write_line(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message).map_err(io::Error::other)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// Reads a message; `None` when the other side is gone.
///
/// # Errors
/// A line that is something else; the error is that line.
pub(crate) fn read_line<T: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let read = serde_json::from_slice(&line);
    let shown = || String::from_utf8_lossy(&line[..line.len().min(200)]).trim().to_owned();
    read.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, shown()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn an_order_and_its_files_come_as_they_were_said() {
        let order = Order {
            version: "1".into(),
            fingerprint: Some("f".into()),
            token: "t\n".into(),
            agents: 2,
            wait_s: 60,
            address: Some([10, 0, 0, 1].into()),
            arguments: vec!["run".into(), "study/a b.yaml".into()],
            directory: "/home/me".into(),
            language: "en".into(),
            files_bytes: 3,
        };
        let mut said = Vec::new();
        write_line(&mut said, &order).unwrap();
        said.extend(b"abc");
        let mut heard = BufReader::with_capacity(2, &said[..]);
        assert_eq!(read_line(&mut heard).unwrap(), Some(order));
        let mut files = String::new();
        heard.read_to_string(&mut files).unwrap();
        assert_eq!(files, "abc");
    }

    #[test]
    fn the_end_of_the_line_is_told_from_nonsense() {
        assert_eq!(read_line::<Answer>(&mut &b""[..]).unwrap(), None);
        let banner = read_line::<Answer>(&mut &b"Welcome to lab1\n"[..]).unwrap_err();
        assert!(banner.to_string().contains("Welcome to lab1"));
        assert!(read_line::<Answer>(&mut &b"{\"ended\""[..]).is_err());
    }
}
