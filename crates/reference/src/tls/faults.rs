//! Faults of a connection around its requests.
//!
//! | fault | on the wire |
//! | --- | --- |
//! | `garbage` | bytes that are not TLS in answer to the client's first message, then FIN |
//! | `refuse` | the alert `handshake_failure` in answer to the client's first message, then FIN |
//! | `hang_up` | FIN in answer to the client's first message |
//! | `stall` | nothing, ever; the client must hang up |
//! | `no_close_notify` | a handshake and answers as ever; FIN without `close_notify` when the server closes |
//!
//! At most one for each connection, drawn when the client's first message has come. The first four leave
//! no exchange: no request arrives, so none is counted.

use crate::ReferenceError;
use crate::dice::Dice;
use crate::parse::{Text, drawn, probability};
use proofload_language::tr;

/// One way of treating a connection badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TlsFault {
    /// Bytes that are not TLS.
    Garbage,
    Refuse,
    /// FIN instead of an answer.
    HangUp,
    Stall,
    /// A close that an attacker could have made.
    NoCloseNotify,
}

impl TlsFault {
    /// Every fault, in the order of the counts.
    pub const ALL: [TlsFault; 5] =
        [TlsFault::Garbage, TlsFault::Refuse, TlsFault::HangUp, TlsFault::Stall, TlsFault::NoCloseNotify];

    /// The name used in flags and counts.
    pub const fn name(self) -> &'static str {
        match self {
            TlsFault::Garbage => "garbage",
            TlsFault::Refuse => "refuse",
            TlsFault::HangUp => "hang_up",
            TlsFault::Stall => "stall",
            TlsFault::NoCloseNotify => "no_close_notify",
        }
    }

    /// The bytes that answer the client's first message; `None` when that is answered properly, or not.
    pub(super) const fn answer(self) -> Option<&'static [u8]> {
        match self {
            TlsFault::Garbage => Some(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
            // A record of alerts, TLS 1.2, two bytes: fatal, handshake_failure (RFC 8446, 6.2).
            TlsFault::Refuse => Some(&[21, 3, 3, 0, 2, 2, 40]),
            TlsFault::HangUp => Some(b""),
            TlsFault::Stall | TlsFault::NoCloseNotify => None,
        }
    }
}

/// Probability of each fault; at most one is injected per connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TlsFaults {
    probability: [f64; TlsFault::ALL.len()],
}

impl TlsFaults {
    pub const NONE: TlsFaults = TlsFaults { probability: [0.0; TlsFault::ALL.len()] };

    /// Reads a list such as `garbage=0.01,stall=1%`, or `none`.
    ///
    /// # Errors
    /// [`ReferenceError::BadValue`] if a name is unknown or given twice, a probability is not one, or all of
    /// them together exceed 1.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let value = Text { what: tr!("value-tls-faults"), text, expected: tr!("expected-tls-faults") };
        let mut faults = TlsFaults::NONE;
        for (name, given) in value.pairs()? {
            let fault = value.place_of(name, TlsFault::ALL.into_iter().map(TlsFault::name))?;
            faults.probability[fault] = probability(value.what, given)?;
        }
        value.check_sum(&faults.probability)?;
        Ok(faults)
    }

    /// Decides for one connection (from 1, in order of acceptance).
    pub(super) fn draw(&self, seed: u64, connection: u64) -> Option<TlsFault> {
        // Requests are numbered from 1.
        drawn(&self.probability, Dice::for_request(seed, connection, 0).unit()).map(|at| TlsFault::ALL[at])
    }
}
