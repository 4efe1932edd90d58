//! Address of the object that a registry names.

use super::{ObjectId, THROWN, Uid, message};
use crate::java::{self, Piece, Reader};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The host that its server reports for it.
    pub host: String,
    pub port: u16,
    /// The object on that port.
    pub id: ObjectId,
}

/// Reason for which no remote object is found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// The registry threw an exception, with this text.
    #[error("{0}")]
    Refused(String),
    /// The answer is not a reference that a plain client can follow.
    #[error("the registry answered with no reference to a remote object: {0}")]
    NotRemote(String),
}

/// The class whose objects write where the remote object is.
const REMOTE_OBJECT: &str = "java.rmi.server.RemoteObject";

/// Finds the remote object in the answer to a lookup: in the value that the session keeps as its body, or in the whole
/// message. Stubs that are proxies and stubs that were generated both hold a `RemoteObject`, which writes its reference as
/// `UnicastRef` or, with a socket factory or none, `UnicastRef2`.
///
/// # Errors
/// [`LookupError`].
pub fn parse_lookup(answer: &[u8]) -> Result<Remote, LookupError> {
    let value = answer.strip_prefix(&[message::RETURN]).unwrap_or(answer);
    let mut reader = Reader::new(value);
    while let Some(piece) = reader.element() {
        let Piece::Data(head) = &reader.pieces[piece] else { break };
        if head.first().copied().map(u16::from) == Some(THROWN) {
            let thrown = java::thrown(value).unwrap_or_default();
            return Err(LookupError::Refused(thrown));
        }
    }
    let not_remote = || LookupError::NotRemote(java::describe(value).into_iter().next().unwrap_or_default());
    let reference = reference(&reader).ok_or_else(not_remote)?;
    Cursor(&reference).remote().ok_or_else(not_remote)
}

/// Bytes that the first `RemoteObject` wrote in blocks.
fn reference(reader: &Reader<'_>) -> Option<Vec<u8>> {
    let blocks = reader.pieces.iter().filter_map(|piece| match piece {
        Piece::Object { blocks, .. } => Some(blocks),
        _ => None,
    });
    let remote = blocks.flatten().find(|block| reader.class(block.class).name == REMOTE_OBJECT)?;
    let data = remote.beyond.iter().filter_map(|piece| match &reader.pieces[*piece] {
        Piece::Data(bytes) => Some(bytes.as_slice()),
        _ => None,
    });
    Some(data.flatten().copied().collect())
}

/// Reads the fields of a reference.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn remote(&mut self) -> Option<Remote> {
        match self.text()?.as_str() {
            "UnicastRef" => {}
            // A flag for a socket factory, which is an object and comes between the blocks.
            "UnicastRef2" => drop(self.array::<1>()?),
            _ => return None,
        }
        let host = self.text()?;
        let port = u16::try_from(u32::from_be_bytes(self.array()?)).ok()?;
        let num = i64::from_be_bytes(self.array()?);
        let unique = i32::from_be_bytes(self.array()?);
        let time = i64::from_be_bytes(self.array()?);
        let count = i16::from_be_bytes(self.array()?);
        Some(Remote { host, port, id: ObjectId { num, uid: Uid { unique, time, count } } })
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn text(&mut self) -> Option<String> {
        let len = usize::from(u16::from_be_bytes(self.array()?));
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}
