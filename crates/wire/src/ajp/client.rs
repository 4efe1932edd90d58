//! The session of one AJP connection: one exchange at a time.

use super::codes::{CPING, TO_CONTAINER};
use super::kept::Kept;
use super::packets::{Item, Kind, Reader};
use super::{Note, Options};
use crate::http1::body::Sink;
use crate::http1::kept::Kept as KeptHead;
use crate::http1::lines::Fault;
use crate::speak::Speak;
use crate::{
    Cancelled, Close, Event, Events, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State,
};
use std::ops::RangeInclusive;

#[derive(Clone, Copy, Debug)]
struct Flight {
    id: ExchangeId,
    head_only: bool,
    closes: bool,
    /// True once any byte from the container was seen, demands for the request's body included.
    began: bool,
    /// True once the answer's head has begun.
    headed: bool,
}

/// The session of one AJP connection.
///
/// `FirstByte` comes with the byte that shows a packet to be the answer's head, its fifth. A container that answers
/// before it has asked for the whole body of a request never gets the rest: only what it asks for is sent.
#[derive(Debug, Default)]
pub struct Ajp {
    options: Options,
    /// Bytes consumed since the connection began.
    received: u64,
    reader: Reader,
    flight: Option<Flight>,
    status: u16,
    sink: Sink,
    kept: Kept,
    /// True while the answer to a ping is awaited.
    opening: bool,
    /// True if the connection can carry no other exchange.
    drains: bool,
    dead: bool,
}

impl Ajp {
    pub(crate) fn new(options: Options) -> Self {
        Ajp { options, opening: options.ping, ..Ajp::default() }
    }

    #[inline]
    fn expect_answer(&mut self, request: &Request, id: ExchangeId) {
        let Request { closes, keep_body, expectation, .. } = *request;
        let Note { head_only, .. } = expectation.into();
        self.flight = Some(Flight { id, head_only, closes, began: false, headed: false });
        self.sink.begin(keep_body);
        self.reader.coded = keep_body > 0;
        if self.reader.kept.any || keep_body > 0 {
            self.reader.kept.clear();
        }
    }

    /// Parts of the latest answer's head.
    pub(crate) fn kept(&self) -> &KeptHead {
        &self.reader.kept
    }

    pub(crate) fn kept_mut(&mut self) -> &mut KeptHead {
        &mut self.reader.kept
    }

    #[cold]
    fn fail(&mut self, fault: Fault, events: &mut Events) {
        self.dead = true;
        let id = self.flight.take().map(|flight| flight.id);
        events.push(Event::Malformed { id, at: fault.at, kind: fault.kind });
    }

    /// Reads up to the next item and acts on it; the bytes read.
    #[inline]
    fn step(&mut self, input: &[u8], at: u64, out: &mut Outbox, events: &mut Events) -> Result<usize, Fault> {
        if self.flight.is_none() && !self.opening {
            return Err(Fault { at, kind: MalformedKind::Surplus });
        }
        let (taken, item) = self.reader.next(input, at)?;
        if let Some(item) = item {
            self.act(item, out, events).map_err(|kind| Fault { at, kind })?;
        }
        Ok(taken)
    }

    #[inline]
    fn act(&mut self, item: Item<'_>, out: &mut Outbox, events: &mut Events) -> Result<(), MalformedKind> {
        match item {
            Item::Packet(kind) => self.packet(kind, events),
            Item::Status(status) => {
                self.status = status;
                Ok(())
            }
            Item::Chunk(0) => Ok(()),
            Item::Chunk(_) if self.has_no_body() => Err(MalformedKind::Surplus),
            Item::Chunk(bytes)
                if u64::from(bytes) > self.options.body_max.saturating_sub(self.sink.count) =>
            {
                Err(MalformedKind::BodyTooLong)
            }
            Item::Chunk(_) => Ok(()),
            Item::Data(bytes) => {
                self.sink.take(bytes);
                Ok(())
            }
            Item::Asked(most) => self.kept.send(usize::from(most), out),
            Item::Ended(reuse) => {
                let cut = self.reader.length().is_some_and(|length| length != self.sink.count);
                if cut && !self.has_no_body() {
                    return Err(MalformedKind::ContentLength);
                }
                self.drains |= !reuse;
                self.finish(events);
                Ok(())
            }
        }
    }

    /// Checks that a packet of this kind may come now.
    fn packet(&mut self, kind: Kind, events: &mut Events) -> Result<(), MalformedKind> {
        match (&mut self.flight, kind) {
            (None, Kind::Pong) if self.opening => self.opening = false,
            (Some(flight), Kind::Head) if !flight.headed => {
                flight.headed = true;
                events.push(Event::FirstByte { id: flight.id });
            }
            (Some(flight), Kind::Chunk | Kind::End) if flight.headed => {}
            (Some(_), Kind::Ask) => {}
            _ => return Err(MalformedKind::Packet),
        }
        Ok(())
    }

    fn has_no_body(&self) -> bool {
        matches!(self.status, 204 | 304) || self.flight.is_some_and(|flight| flight.head_only)
    }

    /// Reports that the answer is whole.
    #[inline]
    fn finish(&mut self, events: &mut Events) {
        let Some(flight) = self.flight.take() else { return };
        // The server does not know that it is to close.
        self.dead |= flight.closes;
        let body = (self.sink.keep > 0).then(|| std::mem::take(&mut self.sink.kept));
        events.push(Event::Answered { id: flight.id, code: self.status, body_bytes: self.sink.count, body });
    }
}

impl Speak for Ajp {
    const GOOD_CODES: RangeInclusive<u16> = crate::http1::GOOD_CODES;

    fn with_defaults(_in_flight: u32) -> Self {
        Ajp::new(Options::default())
    }

    fn describe(sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        Some(super::describe(sent, bytes))
    }

    fn open(&mut self, _now_ns: u64, out: &mut Outbox) {
        if self.options.ping {
            let [high, low] = TO_CONTAINER;
            self.dead |= !out.push_control(&[high, low, 0, 1, CPING]);
        }
    }

    #[inline]
    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        if self.state() != State::Ready(1) || out.is_full() {
            return Err(Full);
        }
        out.push_exchange(id, &[]);
        self.kept.begin(request, filling, out);
        self.expect_answer(request, id);
        Ok(())
    }

    #[inline]
    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        if self.state() != State::Ready(1) {
            return Err(Full);
        }
        self.kept.forget();
        self.expect_answer(request, id);
        Ok(())
    }

    fn handle_bytes(&mut self, _now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        if let Some(flight) = &mut self.flight {
            flight.began |= !input.is_empty();
        }
        let mut pos = 0;
        while pos < input.len() && !self.dead {
            match self.step(&input[pos..], self.received + pos as u64, out, events) {
                Ok(taken) => pos += taken,
                Err(fault) => self.fail(fault, events),
            }
        }
        self.received += input.len() as u64;
        input.len()
    }

    fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        if self.flight.is_none_or(|flight| flight.id != id) {
            return Cancelled::Keep;
        }
        self.flight = None;
        self.dead = true;
        Cancelled::CloseConnection
    }

    fn handle_close(&mut self, close: Close, events: &mut Events) {
        if let Some(flight) = self.flight.take() {
            events.push(Event::ClosedEarly { id: flight.id, close, began: flight.began });
        }
        self.dead = true;
    }

    fn renew(&mut self) {
        let (kept, mut reader) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.reader));
        reader.renew();
        *self = Ajp { kept, reader, ..Ajp::new(self.options) };
    }

    #[inline]
    fn state(&self) -> State {
        match &self.flight {
            _ if self.dead => State::Dead,
            _ if self.opening => State::Opening,
            _ if self.drains => State::Draining,
            Some(flight) if flight.closes => State::Draining,
            Some(_) => State::Ready(0),
            None => State::Ready(1),
        }
    }
}
