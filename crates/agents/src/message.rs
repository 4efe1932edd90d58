//! What agents and coordinator say to each other, in frames: the length of the rest in four bytes, the highest first, and the
//! message by postcard.

use proofload_engine::{LoadPlan, ShareResult};
use proofload_measure::SparseSnapshot;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// Which messages are meant; both sides have to be of one executable's version, and of this.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/4");

/// How many bytes say how long a frame is.
pub(crate) const LENGTH_BYTES: usize = 4;
/// Longest frame: a plan with the rows of its feeders.
const MOST_BYTES: usize = 1 << 30;

/// The first message of an agent. Its version comes first, so that it can be read whatever follows.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Hello {
    pub version: String,
    pub host: String,
    /// Which start of which machine it is on; empty where that is not known.
    pub boot: String,
    /// CPUs that it may use.
    pub cpus: u32,
    /// The number that its environment, or its user, gives it.
    pub index: Option<u32>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum FromAgent {
    Alive,
    /// When a [`ToAgent::Ping`] came, and when this answer was made, by its clock.
    Pong {
        heard_ns: u64,
        said_ns: u64,
    },
    /// It has the loads, and waits for their first instant.
    Ready,
    /// What it saw of a load up to second `last`, on its own axis of time.
    Seen {
        stream: usize,
        last: u64,
        snapshot: Box<SparseSnapshot>,
    },
    /// All loads have ended, or could not be carried out.
    Ended(Result<Vec<ShareResult>, Failure>),
}

/// Why an agent's share of a load came to nothing.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Failure {
    /// Its workers were ready only so long after the first instant.
    TooLate {
        late_ns: u64,
    },
    Other(String),
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum ToAgent {
    /// It does not want this agent, and why; the first variant, for agents of any version.
    Refused(String),
    /// All are there; this is its number.
    Welcome {
        index: u32,
        agents: u32,
    },
    Alive,
    Ping,
    /// Loads to be carried out at once, the share in each.
    Load(Vec<LoadPlan>),
    /// Their first instant, by the agent's clock.
    Begin {
        at_ns: u64,
    },
    Stop,
    /// End them at once: what they come to is not wanted.
    Abandon,
    /// There is nothing more to do.
    Bye,
}

/// A frame with that message.
pub(crate) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let frame = postcard::to_extend(message, vec![0; LENGTH_BYTES]).map_err(io::Error::other)?;
    with_length(frame)
}

fn with_length(mut frame: Vec<u8>) -> io::Result<Vec<u8>> {
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

/// Most bytes that are read at once.
const CHUNK: u64 = 1 << 20;

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

/// The message of a frame.
pub(crate) fn message<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    postcard::from_bytes(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// The version that a [`Hello`] begins with, whatever follows it.
pub(crate) fn version_of(hello: &[u8]) -> io::Result<String> {
    let (version, _) = postcard::take_from_bytes(hello)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    Ok(version)
}

/// Writes a frame, all of it.
pub(crate) async fn write_frame(to: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> io::Result<()> {
    to.write_all(frame).await?;
    to.flush().await
}
