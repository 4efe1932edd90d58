//! What RMI is to the engine.

use super::{GOOD_CODES, Limits, RETURNED, Rmi, THROWN, describe};
use crate::speak::Speak;
use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

impl Speak for Rmi {
    const GOOD_CODES: RangeInclusive<u16> = GOOD_CODES;

    fn with_defaults(_in_flight: u32) -> Self {
        Rmi::new(Limits::default())
    }

    #[inline]
    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        Rmi::start(self, request, filling, id, out)
    }

    #[inline]
    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        Rmi::start_as_encoded(self, request, id)
    }

    #[inline]
    fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        Rmi::handle_bytes(self, now_ns, input, out, events)
    }

    fn code_name(code: u16) -> Option<&'static str> {
        match code {
            RETURNED => Some("returned"),
            THROWN => Some("threw an exception"),
            _ => None,
        }
    }

    fn describe(sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        Some(describe(sent, bytes))
    }

    fn open(&mut self, _now_ns: u64, out: &mut Outbox) {
        Rmi::open(self, out);
    }

    fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        Rmi::handle_timeout(self, now_ns, out);
    }

    #[inline]
    fn next_deadline(&self) -> Option<u64> {
        Rmi::next_deadline(self)
    }

    #[inline]
    fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        Rmi::cancel(self, id)
    }

    #[inline]
    fn handle_close(&mut self, close: Close, events: &mut Events) {
        Rmi::handle_close(self, close, events);
    }

    fn renew(&mut self) {
        Rmi::renew(self);
    }

    #[inline]
    fn state(&self) -> State {
        Rmi::state(self)
    }
}
