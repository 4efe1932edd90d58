//! The one contract that all protocols meet.
//!
//! The engine owns the socket; a [`Session`] owns the protocol's state of one connection. Bytes that
//! the session did not consume are handed in again by the caller together with what followed them.

use crate::{Filling, Outbox, Places};
use std::ops::RangeInclusive;

/// Names an exchange on its connection; chosen by the caller, unique among those in flight there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u32);

/// A request, encoded once and sent many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The bytes as they go over the wire, without the values that are filled in.
    pub bytes: Vec<u8>,
    /// What is filled in for each exchange.
    pub places: Places,
    /// Whether its connection carries no exchange after it.
    pub closes: bool,
    /// How many bytes of the answer's body to keep for a content check; 0 counts them only.
    pub keep_body: usize,
    /// The protocol that it is encoded in, with what that protocol must know to read the answer.
    pub protocol: Protocol,
}

/// The protocols. What each knows of a request means something to its own session and layers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// HTTP/1.1 and 1.0.
    Http1(crate::http1::Details),
}

impl Protocol {
    /// Codes of answers that count as success when no other is expected.
    pub fn good_codes(&self) -> RangeInclusive<u16> {
        match self {
            Protocol::Http1(_) => crate::http1::GOOD_CODES,
        }
    }

    /// Whether requests of both can go over the same connection.
    pub fn is_same_as(&self, other: &Protocol) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The session cannot carry another exchange now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// What to do with the connection after an exchange on it was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It can go on; a late answer will be dropped and counted.
    Keep,
    /// It must be closed, for a late answer could be taken for another's.
    CloseConnection,
}

/// How the connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// The peer sent FIN.
    Fin,
    /// The peer sent RST, or the kernel gave the connection up.
    Reset,
    /// The TLS stream ended without `close_notify`.
    TlsTruncated,
    /// We closed it.
    Local,
}

/// What a session can carry now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A handshake is under way.
    Opening,
    /// This many more exchanges can be started.
    Ready(u32),
    /// Nothing more may be started; what is in flight may end. With nothing in flight: close it.
    Draining,
    /// Close it.
    Dead,
}

/// Why bytes broke the protocol.
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
    /// Bytes after the answer that nobody asked for.
    Surplus,
    /// Any other breach.
    Other,
}

/// What became of an exchange, or of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The first byte of an exchange's answer was seen; at most once for each exchange. Messages before the answer
    /// itself (1xx of HTTP) do not count.
    FirstByte {
        /// Which exchange.
        id: ExchangeId,
    },
    /// The answer is whole.
    Answered {
        /// Which exchange.
        id: ExchangeId,
        /// The answer's code, as its protocol has it: the status of HTTP.
        code: u16,
        /// Bytes of the body after transfer decoding.
        body_bytes: u64,
        /// The first `keep_body` bytes of the body, when the request asked for them.
        body: Option<Vec<u8>>,
    },
    /// The connection ended before the answer was whole.
    ClosedEarly {
        /// Which exchange.
        id: ExchangeId,
        /// How the connection ended.
        close: Close,
        /// Whether any byte of this answer had been seen.
        began: bool,
    },
    /// The bytes of this exchange's answer broke the protocol; the connection is dead.
    Malformed {
        /// The exchange that was being decoded; `None` when no exchange was in flight.
        id: Option<ExchangeId>,
        /// Offset of the first wrong byte, counted from the first byte ever received on the connection.
        at: u64,
        /// What was wrong.
        kind: MalformedKind,
    },
    /// The peer sent a message of its own accord.
    Control,
    /// An answer to a cancelled exchange was dropped.
    Late {
        /// Which exchange.
        id: ExchangeId,
    },
}

/// A list of events, reused between calls.
pub type Events = Vec<Event>;

/// The protocol state of one connection. An enum, so that the engine's hot path has no virtual calls.
#[derive(Debug)]
#[non_exhaustive]
pub enum Session {
    /// HTTP/1.1 and 1.0.
    Http1(crate::http1::Http1),
}

impl Session {
    /// A session of that protocol, with the protocol's usual limits.
    pub fn new(protocol: &Protocol) -> Session {
        match protocol {
            Protocol::Http1(_) => Session::http1(crate::http1::Limits::default()),
        }
    }

    /// A session of HTTP/1.1 (RFC 9112); each message must keep within `limits`.
    pub fn http1(limits: crate::http1::Limits) -> Session {
        Session::Http1(crate::http1::Http1::new(limits))
    }

    /// The connection is established; a session that has a handshake begins it here.
    #[inline]
    pub fn open(&mut self, _now_ns: u64, _out: &mut Outbox) {
        match self {
            Session::Http1(_) => {}
        }
    }

    /// Starts an exchange: its request, filled in, goes to `out`.
    ///
    /// # Errors
    /// [`Full`] when the state is not `Ready` with room for one more, or `out` is over its high-water
    /// mark; nothing has changed then.
    #[inline]
    pub fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        match (self, &request.protocol) {
            (Session::Http1(http1), Protocol::Http1(details)) => {
                http1.start(request, details, filling, id, out)
            }
        }
    }

    /// Starts an exchange whose request goes over the wire as it is encoded. The caller has to send the returned
    /// bytes, all of them, before anything else.
    ///
    /// # Errors
    /// [`Full`] when the state is not `Ready` with room for one more; nothing has changed then.
    #[inline]
    pub fn start_as_encoded<'a>(&mut self, request: &'a Request, id: ExchangeId) -> Result<&'a [u8], Full> {
        let started = match (self, &request.protocol) {
            (Session::Http1(http1), Protocol::Http1(details)) => http1.start_as_encoded(request, details, id),
        };
        started.map(|()| request.bytes.as_slice())
    }

    /// Takes bytes that came from the peer and says how many were consumed. The caller keeps the rest,
    /// at most [`carry_max`](Self::carry_max) bytes, and hands it in again in front of what follows;
    /// it is not examined again then. How the bytes are split over calls makes no difference to the
    /// events. A dead session consumes everything and says nothing.
    #[inline]
    pub fn handle_bytes(
        &mut self,
        _now_ns: u64,
        input: &[u8],
        _out: &mut Outbox,
        events: &mut Events,
    ) -> usize {
        match self {
            Session::Http1(http1) => http1.handle_bytes(input, events),
        }
    }

    /// Most bytes that [`handle_bytes`](Self::handle_bytes) leaves unconsumed.
    #[inline]
    pub fn carry_max(&self) -> usize {
        match self {
            Session::Http1(http1) => http1.carry_max(),
        }
    }

    /// The instant that [`next_deadline`](Self::next_deadline) named has come.
    #[inline]
    pub fn handle_timeout(&mut self, _now_ns: u64, _out: &mut Outbox, _events: &mut Events) {
        match self {
            Session::Http1(_) => {}
        }
    }

    /// When the session wants [`handle_timeout`](Self::handle_timeout) called, if ever.
    #[inline]
    pub fn next_deadline(&self) -> Option<u64> {
        match self {
            Session::Http1(_) => None,
        }
    }

    /// Gives an exchange up; there will be no event of its end. An id that is not in flight changes nothing.
    #[inline]
    pub fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        match self {
            Session::Http1(http1) => http1.cancel(id),
        }
    }

    /// The connection ended; each exchange in flight gets its last event. The session is
    /// dead then.
    #[inline]
    pub fn handle_close(&mut self, close: Close, events: &mut Events) {
        match self {
            Session::Http1(http1) => http1.handle_close(close, events),
        }
    }

    /// Begins anew, on another connection, as if just made. What a layer asked it to keep of answers it goes on
    /// keeping, in the same buffers.
    pub fn renew(&mut self) {
        match self {
            Session::Http1(http1) => http1.renew(),
        }
    }

    /// What the session can carry now.
    #[inline]
    pub fn state(&self) -> State {
        match self {
            Session::Http1(http1) => http1.state(),
        }
    }
}
