//! Messages between agents and coordinator, in frames: the length of the rest in four bytes, the highest first, and the
//! message by postcard.

use proofload_engine::{LoadPlan, ShareResult};
use proofload_measure::SparseSnapshot;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// Version of the messages; both sides have to be of one executable's version, and of this.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/7");

const LENGTH_BYTES: usize = 4;
/// Longest frame: a plan with the rows of its feeders.
const MOST_BYTES: usize = 1 << 30;
/// Most bytes that are read at once.
const CHUNK: u64 = 1 << 20;

/// The first message of an agent. Its version comes first, so that it can be read in any version.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Hello {
    pub version: String,
    pub host: String,
    /// Boot of the machine that it is on; empty where that is not known.
    pub boot: String,
    /// CPUs that it may use.
    pub cpus: u32,
    /// The number that its environment, or its user, gives it.
    pub index: Option<u32>,
}

/// All other messages, those of the coordinator first.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Message {
    /// This agent is not wanted, and why; the first variant, for agents of any version.
    Refused(String),
    /// All agents are there; this one's number.
    Welcome {
        index: u32,
        agents: u32,
    },
    Ping,
    /// Loads to be carried out at once, the share in each.
    Load(Vec<LoadPlan>),
    /// Their first instant, by the agent's clock.
    Begin {
        at_ns: u64,
    },
    Stop,
    /// End them at once: their results are not wanted.
    Abandon,
    /// There is nothing more to do.
    Bye,
    /// Of either side.
    Heartbeat,
    /// Answer to a ping: when that came, and when this was made, by the agent's clock.
    Pong {
        received_ns: u64,
        answered_ns: u64,
    },
    /// The agent has the loads, and waits for their first instant.
    Ready,
    /// Snapshot of a load at the agent up to second `last`, on its own axis of time.
    Seen {
        stream: usize,
        last: u64,
        snapshot: Box<SparseSnapshot>,
    },
    /// All loads have ended.
    Ended(Vec<ShareResult>),
    /// They were not begun: its workers were ready only so long after the first instant.
    TooLate {
        late_ns: u64,
    },
    Failed(String),
}

/// A frame with that message.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = postcard::to_extend(message, vec![0; LENGTH_BYTES]).map_err(io::Error::other)?;
    let length = frame.len() - LENGTH_BYTES;
    if length > MOST_BYTES {
        let why = format!(
            "a message of {length} bytes; at most {MOST_BYTES} are possible: fewer or shorter feeder rows"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    frame[..LENGTH_BYTES].copy_from_slice(&(length as u32).to_be_bytes());
    Ok(frame)
}

/// Reads the bytes of a frame, however long it takes as long as some of it comes within every `silence`. Not to be given up
/// half-way.
pub(crate) async fn read_frame(
    from: &mut (impl AsyncRead + Unpin),
    silence: Duration,
) -> io::Result<Vec<u8>> {
    let mut length = [0; LENGTH_BYTES];
    timeout(silence, from.read_exact(&mut length)).await??;
    let length = u32::from_be_bytes(length) as usize;
    if length > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame that is too long"));
    }
    let mut bytes = Vec::new();
    // Memory is taken as bytes come, not as the length promises.
    while bytes.len() < length {
        let mut rest = (&mut *from).take(CHUNK.min((length - bytes.len()) as u64));
        if timeout(silence, rest.read_buf(&mut bytes)).await?? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(bytes)
}

/// The message of a frame; bytes after it are ignored: of a [`Hello`] of any version the first field is a message by
/// itself.
pub(crate) fn message<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    postcard::from_bytes(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// Writes a frame, all of it.
pub(crate) async fn write_frame(to: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> io::Result<()> {
    to.write_all(frame).await?;
    to.flush().await
}
