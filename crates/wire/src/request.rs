//! Requests as they are sent.

use crate::Placeholders;
use serde::{Deserialize, Serialize};

/// A request, encoded once and sent many times.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Request {
    /// The bytes as they go over the wire, without the values that are filled in.
    pub bytes: Vec<u8>,
    /// Parts that are filled in for each exchange.
    pub places: Placeholders,
    /// True if its connection carries no exchange after it.
    pub closes: bool,
    /// Bytes of the answer's body to keep for a content check; 0 counts them only.
    pub keep_body: usize,
    /// True if the session must write it for each exchange: it numbers it, or keeps a part back until the peer asks for
    /// that.
    pub by_session: bool,
    /// Note for the protocol, which reads the answer by it.
    pub expectation: Expectation,
}

impl Request {
    /// True if every exchange sends the same bytes, all of them at once.
    #[inline]
    pub fn goes_as_encoded(&self) -> bool {
        self.places.is_empty() && !self.by_session
    }

    /// True if an answer comes. For an exchange without one the session reports nothing, and does not carry it: it ends
    /// when the kernel has taken its bytes.
    #[inline]
    pub fn expects_answer(&self) -> bool {
        self.expectation != NO_ANSWER
    }
}

/// Note of a protocol on its own requests; it means something to that protocol's session alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Expectation(pub(crate) u32);

/// No answer comes, in any protocol.
pub(crate) const NO_ANSWER: Expectation = Expectation(u32::MAX);
