//! Events of exchanges and connections, in the terms of every protocol.

/// Names an exchange on its connection; chosen by the caller, unique among those in flight there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u32);

/// The session cannot carry another exchange now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Future of the connection after an exchange on it was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It can go on; a late answer will be dropped and counted.
    Keep,
    /// It must be closed, for a late answer could be taken for another's.
    CloseConnection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    Fin,
    /// The peer sent RST, or the kernel gave the connection up.
    Reset,
    /// The TLS stream ended without `close_notify`.
    TlsTruncated,
    Local,
}

/// Number of exchanges that a session can carry now, or why none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A handshake is under way.
    Opening,
    /// This many more exchanges can be started.
    Ready(u32),
    /// Nothing more may be started; exchanges in flight may end. With nothing in flight: close it.
    Draining,
    Dead,
}

/// Kind of a breach of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedKind {
    /// Not a status line.
    StatusLine,
    /// Not a header line.
    HeaderLine,
    /// Length headers that contradict each other, or are not numbers.
    ContentLength,
    /// A transfer coding that cannot be undone.
    TransferEncoding,
    /// A chunk's size line or end is wrong.
    Chunk,
    /// The head, the trailers or a chunk's size line exceed their limit.
    HeadTooLong,
    /// The body exceeds its limit.
    BodyTooLong,
    /// Values nested deeper, or of more classes, than are read.
    TooDeep,
    /// Unsolicited bytes after the answer.
    Surplus,
    /// Not a packet of the protocol, or one that may not come there.
    Packet,
    /// A length that does not fit into what it is in.
    Length,
    /// The peer asks again and again, and does not read what it is told.
    Unread,
    Other,
}

impl MalformedKind {
    /// The bytes may be right, and exceed a limit of this crate.
    pub fn is_own_limit(self) -> bool {
        matches!(self, MalformedKind::HeadTooLong | MalformedKind::BodyTooLong | MalformedKind::TooDeep)
    }
}

/// News of an exchange, or of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The first byte of an exchange's answer was seen; at most once for each exchange. Messages before the answer
    /// itself (1xx of HTTP) do not count.
    FirstByte { id: ExchangeId },
    Answered {
        id: ExchangeId,
        /// The answer's code, as its protocol has it: the status of HTTP.
        code: u16,
        /// Bytes of the body after transfer decoding.
        body_bytes: u64,
        /// The first `keep_body` bytes of the body, if the request asked for them. Of a reply to a call: its value as
        /// JSON in UTF-8, where that takes more bytes its beginning and `…`; empty where its serialization is not
        /// read. Of a call that the server refused: the server's own text.
        body: Option<Vec<u8>>,
    },
    /// The connection ended before the answer was whole.
    ClosedEarly {
        id: ExchangeId,
        close: Close,
        /// True if any byte of this answer had been seen.
        began: bool,
    },
    /// The bytes of this exchange's answer broke the protocol; the connection is dead.
    Malformed {
        /// The exchange that was being decoded; `None` when no exchange was in flight.
        id: Option<ExchangeId>,
        /// Offset of the first wrong byte, counted from the first byte ever received on the connection.
        at: u64,
        kind: MalformedKind,
    },
    /// The peer sent a message of its own accord.
    Control,
    /// An answer to a cancelled exchange was dropped.
    Late { id: ExchangeId },
}

/// A list of events, reused between calls.
pub type Events = Vec<Event>;
