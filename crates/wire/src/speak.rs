//! Trait that every protocol implements.

use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

/// A protocol as the engine sees it; implemented once for each, in its folder. The defaults are those of a protocol
/// with neither a handshake, nor messages of its own accord, nor timeouts, which carries one exchange at a time.
pub(crate) trait Speak {
    /// Codes of answers that count as success when no other is expected.
    const GOOD_CODES: RangeInclusive<u16>;
    /// The code of an answer that exceeds a limit of ours.
    const BEYOND_CODE: Option<u16> = None;
    /// True if a connection carries several exchanges at once.
    const MULTIPLEXES: bool = false;

    /// A session with the usual limits, of at most `in_flight` exchanges at once.
    fn with_defaults(in_flight: u32) -> Self;

    fn code_name(_code: u16) -> Option<&'static str> {
        None
    }

    fn describe(_sent: bool, _bytes: &[u8]) -> Option<Vec<String>> {
        None
    }

    fn open(&mut self, _now_ns: u64, _out: &mut Outbox) {}

    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full>;

    /// Only requests that go as they are encoded come here.
    fn start_as_encoded(&mut self, _request: &Request, _id: ExchangeId) -> Result<(), Full> {
        Err(Full)
    }

    fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize;

    fn carry_max(&self) -> usize {
        0
    }

    fn handle_timeout(&mut self, _now_ns: u64, _out: &mut Outbox, _events: &mut Events) {}

    fn next_deadline(&self) -> Option<u64> {
        None
    }

    fn cancel(&mut self, id: ExchangeId, out: &mut Outbox) -> Cancelled;

    fn handle_close(&mut self, close: Close, events: &mut Events);

    fn renew(&mut self);

    fn state(&self) -> State;
}
