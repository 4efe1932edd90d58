//! Bodies that are read while they are sent: one for all connections, and none of it in memory.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Debug;
use std::io;
use std::sync::Arc;

/// Source of the bytes of such a body.
pub trait Source: Debug + Send + Sync {
    /// Their number, which never changes.
    fn bytes(&self) -> u64;

    /// Fills `into` with those from byte `at` on.
    ///
    /// # Errors
    /// They are not what they were any more, or cannot be read: a sentence that names them.
    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()>;
}

/// A part of a request that is read from its source for each exchange. It goes to other processes with its bytes.
#[derive(Clone, Debug)]
pub struct Streamed(Arc<dyn Source>);

impl Streamed {
    /// A body from that source.
    pub fn new(source: impl Source + 'static) -> Self {
        Streamed(Arc::new(source))
    }

    /// Length in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Fills `into` with the bytes from byte `at` on.
    ///
    /// # Errors
    /// Those of [`Source::read`].
    pub fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read(at, into)
    }
}

impl PartialEq for Streamed {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0), Arc::as_ptr(&other.0))
    }
}

impl Eq for Streamed {}

impl Serialize for Streamed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = vec![0; self.bytes() as usize];
        self.read(0, &mut bytes).map_err(serde::ser::Error::custom)?;
        bytes.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Streamed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<u8>::deserialize(deserializer).map(Streamed::new)
    }
}

/// In memory, as it came from another process.
impl Source for Vec<u8> {
    fn bytes(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..)?.get(..into.len()));
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}
