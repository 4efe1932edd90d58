//! The session of one AJP connection: one exchange at a time.

use super::codes::{CPING, TO_CONTAINER};
use super::packets::{Item, Kind, Reader};
use super::{BODY_FRAME, Note, Options};
use crate::http1::body::Sink;
use crate::http1::lines::Fault;
use crate::speak::Speak;
use crate::{
    Cancelled, Close, Event, Events, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State,
};
use std::ops::RangeInclusive;

/// How often a container may ask for more of a request's body after it was told that there is no more. The answers
/// wait in the outbox, which must not grow without bound while the container does not read.
const ASKED_IN_VAIN_MAX: u32 = 16;

/// The exchange in flight.
#[derive(Clone, Copy, Debug)]
struct Flight {
    id: ExchangeId,
    head_only: bool,
    closes: bool,
    /// Whether any byte from the container was seen, demands for the request's body included.
    began: bool,
    /// Whether the answer's head has begun.
    headed: bool,
}

/// The part of a request's body that waits until the container asks for it.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    sent: usize,
    /// Most bytes that fit into a packet.
    most: usize,
    asked_in_vain: u32,
}

/// The session of one AJP connection.
///
/// `FirstByte` comes with the byte that shows a packet to be the answer's head, its fifth. A container that answers
/// before it has asked for the whole body of a request never gets the rest: only what it asks for is sent.
#[derive(Debug)]
pub struct Ajp {
    options: Options,
    /// Bytes consumed since the connection began.
    received: u64,
    reader: Reader,
    flight: Option<Flight>,
    status: u16,
    sink: Sink,
    kept: Kept,
    /// Whether the answer to a ping is awaited.
    opening: bool,
    /// Whether the connection can carry another exchange.
    persists: bool,
    dead: bool,
}

impl Ajp {
    pub(crate) fn new(options: Options) -> Self {
        Ajp {
            options,
            received: 0,
            reader: Reader::new(),
            flight: None,
            status: 0,
            sink: Sink::default(),
            kept: Kept::default(),
            opening: options.ping,
            persists: true,
            dead: false,
        }
    }

    #[inline]
    fn expect_answer(&mut self, request: &Request, id: ExchangeId) {
        let Request { closes, keep_body, expectation, .. } = *request;
        let Note { head_only, .. } = expectation.into();
        self.flight = Some(Flight { id, head_only, closes, began: false, headed: false });
        self.sink.begin(keep_body);
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
                self.persists &= reuse;
                self.finish(events);
                Ok(())
            }
        }
    }

    /// Whether a packet of this kind may come now.
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
            out.push_control(&[high, low, 0, 1, CPING]);
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
        let now = self.kept.keep(request);
        out.push_exchange(id, &[]);
        request.places.write(&request.bytes[..now], filling, |piece| out.push_more(piece));
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
        let kept = std::mem::take(&mut self.kept);
        *self = Ajp { kept, ..Ajp::new(self.options) };
    }

    #[inline]
    fn state(&self) -> State {
        match &self.flight {
            _ if self.dead => State::Dead,
            _ if self.opening => State::Opening,
            _ if !self.persists => State::Draining,
            Some(flight) if flight.closes => State::Draining,
            Some(_) => State::Ready(0),
            None => State::Ready(1),
        }
    }
}

impl Kept {
    /// Forgets the bytes, keeps the memory.
    fn forget(&mut self) {
        self.bytes.clear();
        self.sent = 0;
        self.most = 0;
        self.asked_in_vain = 0;
    }

    /// Keeps back what of the request is not sent now; how many of its encoded bytes are.
    fn keep(&mut self, request: &Request) -> usize {
        self.forget();
        let Note { body_packet, .. } = request.expectation.into();
        // The first packet of the body is as large as all that follow may be, and says how large that is.
        let size = request.bytes.get(body_packet + 2..body_packet + 4).filter(|_| body_packet > 0);
        let Some(&[high, low]) = size else { return request.bytes.len() };
        let packet = TO_CONTAINER.len() + 2 + usize::from(u16::from_be_bytes([high, low]));
        let now = (body_packet + packet).min(request.bytes.len());
        self.most = packet.saturating_sub(BODY_FRAME);
        self.bytes.extend_from_slice(&request.bytes[now..]);
        now
    }

    /// Sends the next packet of the body, of at most `asked` bytes, or one that says that there is no more.
    fn send(&mut self, asked: usize, out: &mut Outbox) -> Result<(), MalformedKind> {
        let rest = &self.bytes[self.sent..];
        let piece = &rest[..rest.len().min(asked).min(self.most)];
        let [first, second] = TO_CONTAINER;
        if piece.is_empty() {
            self.asked_in_vain += 1;
            if self.asked_in_vain > ASKED_IN_VAIN_MAX {
                return Err(MalformedKind::Packet);
            }
            out.push_more(&[first, second, 0, 0]);
            return Ok(());
        }
        let ([high, low], [size, size_low]) =
            ((piece.len() as u16).to_be_bytes(), (piece.len() as u16 + 2).to_be_bytes());
        out.push_more(&[first, second, size, size_low, high, low]);
        out.push_more(piece);
        self.sent += piece.len();
        Ok(())
    }
}
