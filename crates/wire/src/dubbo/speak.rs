//! What Dubbo is to the engine.

use super::{Dubbo, GOOD_CODES, Limits, code_name, describe};
use crate::speak::Speak;
use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

impl Speak for Dubbo {
    const GOOD_CODES: RangeInclusive<u16> = GOOD_CODES;
    const MULTIPLEXES: bool = true;

    fn with_defaults(in_flight: u32) -> Self {
        Dubbo::new(Limits::default(), in_flight)
    }

    #[inline]
    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        Dubbo::start(self, request, filling, id, out)
    }

    #[inline]
    fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        Dubbo::handle_bytes(self, now_ns, input, out, events)
    }

    fn code_name(code: u16) -> Option<&'static str> {
        code_name(code)
    }

    fn describe(sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        Some(describe(sent, bytes))
    }

    fn open(&mut self, now_ns: u64, _out: &mut Outbox) {
        Dubbo::open(self, now_ns);
    }

    fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        Dubbo::handle_timeout(self, now_ns, out);
    }

    #[inline]
    fn next_deadline(&self) -> Option<u64> {
        Dubbo::next_deadline(self)
    }

    #[inline]
    fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        Dubbo::cancel(self, id)
    }

    #[inline]
    fn handle_close(&mut self, close: Close, events: &mut Events) {
        Dubbo::handle_close(self, close, events);
    }

    fn renew(&mut self) {
        Dubbo::renew(self);
    }

    #[inline]
    fn state(&self) -> State {
        Dubbo::state(self)
    }
}
