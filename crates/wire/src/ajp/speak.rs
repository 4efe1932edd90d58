//! What AJP is to the engine.

use super::{Ajp, Options, describe};
use crate::http1::GOOD_CODES;
use crate::speak::Speak;
use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

impl Speak for Ajp {
    const GOOD_CODES: RangeInclusive<u16> = GOOD_CODES;

    fn with_defaults(_in_flight: u32) -> Self {
        Ajp::new(Options::default())
    }

    #[inline]
    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        Ajp::start(self, request, filling, id, out)
    }

    #[inline]
    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        Ajp::start_as_encoded(self, request, id)
    }

    #[inline]
    fn handle_bytes(&mut self, _now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        Ajp::handle_bytes(self, input, out, events)
    }

    fn open(&mut self, _now_ns: u64, out: &mut Outbox) {
        Ajp::open(self, out);
    }

    fn describe(sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        Some(describe(sent, bytes))
    }

    #[inline]
    fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        Ajp::cancel(self, id)
    }

    #[inline]
    fn handle_close(&mut self, close: Close, events: &mut Events) {
        Ajp::handle_close(self, close, events);
    }

    fn renew(&mut self) {
        Ajp::renew(self);
    }

    #[inline]
    fn state(&self) -> State {
        Ajp::state(self)
    }
}
