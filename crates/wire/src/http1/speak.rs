//! What HTTP/1.1 is to the engine.

use super::{GOOD_CODES, Http1, Limits};
use crate::speak::Speak;
use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

impl Speak for Http1 {
    const GOOD_CODES: RangeInclusive<u16> = GOOD_CODES;

    fn with_defaults(_in_flight: u32) -> Self {
        Http1::new(Limits::default())
    }

    #[inline]
    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        Http1::start(self, request, filling, id, out)
    }

    #[inline]
    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        Http1::start_as_encoded(self, request, id)
    }

    #[inline]
    fn handle_bytes(&mut self, _now_ns: u64, input: &[u8], _out: &mut Outbox, events: &mut Events) -> usize {
        Http1::handle_bytes(self, input, events)
    }

    #[inline]
    fn carry_max(&self) -> usize {
        Http1::carry_max(self)
    }

    #[inline]
    fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        Http1::cancel(self, id)
    }

    #[inline]
    fn handle_close(&mut self, close: Close, events: &mut Events) {
        Http1::handle_close(self, close, events);
    }

    fn renew(&mut self) {
        Http1::renew(self);
    }

    #[inline]
    fn state(&self) -> State {
        Http1::state(self)
    }
}
