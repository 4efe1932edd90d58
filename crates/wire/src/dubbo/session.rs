//! The session of one connection: many exchanges at once, heartbeats in between.

use super::frame::{HEADER, Header, MAGIC};
use super::reply::Reply;
use super::request::HEAD;
use super::table::Table;
use super::{BODY_MAX_DEFAULT, GOOD_CODES, Limits, STATUS_OK, Serialization};
use crate::hessian::Wrong;
use crate::http1::lines::Fault;
use crate::speak::Speak;
use crate::{
    Cancelled, Close, Event, Events, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State,
};
use std::ops::RangeInclusive;

/// Number of a session's refusals of which the server's text is reported.
const REFUSALS_TOLD: u32 = 16;

/// Answers to cancelled exchanges that a connection may still owe; with one more it is given up.
const OWED_MAX: usize = 64 * 1024;

/// Offset of the number in a header.
const NUMBER_AT: u64 = 4;

/// Largest event that is told from others; heartbeats and `READONLY` are smaller in every serialization.
const EVENT_MAX: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Flight {
    /// The upper half of its number on the wire, which no other exchange of the connection has.
    counter: u32,
    keep_body: usize,
    /// True once it is known that its reply has begun.
    began: bool,
}

/// Kind of the frame whose body comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Reply(ExchangeId),
    /// A reply to a cancelled exchange.
    Late(ExchangeId),
    /// An event, or a request, of the peer.
    Event,
    /// The answer to a heartbeat.
    Heartbeat,
}

/// The session of one Dubbo connection.
///
/// On the wire an exchange's number is its [`ExchangeId`] below a counter, so that the late reply to a cancelled exchange
/// is told from the reply to another that has taken over its id. The number is known with the twelfth byte of a reply,
/// and `FirstByte` is told with it.
///
/// The bytes of an answer, for `body_bytes`, are those of its frame's body, the kind of the reply included. As many as the value
/// that is kept may have are read for it.
///
/// If bytes break the protocol, all exchanges in flight end: the one whose reply they are in (the eldest, if they are
/// in none) as `Malformed`, the others before it as `ClosedEarly` by [`Close::Local`]. If the peer was silent too long,
/// the session is dead while exchanges are in flight; `handle_close` ends them.
#[derive(Debug, Default)]
pub struct Dubbo {
    limits: Limits,
    in_flight: u32,
    flights: Table<Flight>,
    /// Cancelled exchanges whose replies may still come, by their counter.
    owed: Table<ExchangeId>,
    counter: u32,
    /// Serialization of the request that was started last, for heartbeats.
    serialization: Serialization,
    /// Bytes consumed since the connection began.
    received: u64,
    head: [u8; HEADER],
    head_len: usize,
    frame: Option<Frame>,
    header: Header,
    /// Bytes of the body that are still to come.
    left: u32,
    /// Apart, for it is large beside the sessions of other protocols.
    reply: Box<Reply>,
    kept: Vec<u8>,
    keep: usize,
    event: Vec<u8>,
    refusals: u32,
    read_at: u64,
    written_at: u64,
    /// True if anything was written since the last tick.
    wrote: bool,
    tick_at: Option<u64>,
    drains: bool,
    /// True if the request that was started last is the connection's last one.
    closes: bool,
    dead: bool,
}

impl Dubbo {
    pub(crate) fn new(limits: Limits, in_flight: u32) -> Self {
        Dubbo { limits, in_flight: in_flight.max(1), ..Dubbo::default() }
    }

    /// Interval of the checks for an idle connection: a third of the time after which a heartbeat is due.
    fn tick(&self) -> Option<u64> {
        (self.limits.heartbeat_ns > 0).then(|| (self.limits.heartbeat_ns / 3).max(1))
    }

    /// With the last counter the connection ends: a second round could be confused with the first.
    fn next_counter(&mut self) -> u32 {
        let counter = self.counter;
        self.counter = counter.saturating_add(1);
        self.drains |= self.counter == u32::MAX;
        counter
    }

    /// Bytes of a header; with its last one the frame begins.
    fn take_head(&mut self, input: &[u8], events: &mut Events) -> Result<usize, Fault> {
        let (before, taken) = (self.head_len, input.len().min(HEADER - self.head_len));
        let begin = self.received - before as u64;
        self.head[before..before + taken].copy_from_slice(&input[..taken]);
        self.head_len += taken;
        for (at, &byte) in self.head.iter().enumerate().take(self.head_len.min(2)).skip(before) {
            if byte != MAGIC[at] {
                return Err(Fault { at: begin + at as u64, kind: MalformedKind::Packet });
            }
        }
        if before < HEAD && self.head_len >= HEAD {
            self.begins(begin, events)?;
        }
        if self.head_len == HEADER {
            self.head_len = 0;
            self.header = Header::of(&self.head);
            if self.header.length > self.limits.body_max {
                let negative = self.header.length > BODY_MAX_DEFAULT;
                let kind = if negative { MalformedKind::Length } else { MalformedKind::BodyTooLong };
                return Err(Fault { at: begin + HEAD as u64, kind });
            }
            self.frame = Some(self.frame_of(self.header));
            self.left = self.header.length;
            self.body_begins();
        }
        Ok(taken)
    }

    /// The number is known: whose reply this is. The frame began at byte `begin`.
    fn begins(&mut self, begin: u64, events: &mut Events) -> Result<(), Fault> {
        let header = Header::of(&self.head);
        if header.is_request() || header.is_event() {
            return Ok(());
        }
        let (counter, id) = wire_parts(header.id);
        match self.flights.get_mut(&id.0).filter(|flight| flight.counter == counter) {
            Some(flight) => {
                flight.began = true;
                events.push(Event::FirstByte { id });
                Ok(())
            }
            None if self.owed.get(&counter) == Some(&id) => Ok(()),
            None => Err(Fault { at: begin + NUMBER_AT, kind: MalformedKind::Surplus }),
        }
    }

    fn frame_of(&self, header: Header) -> Frame {
        let (counter, id) = wire_parts(header.id);
        match (header.is_request(), header.is_event()) {
            (true, _) => Frame::Event,
            (false, true) => Frame::Heartbeat,
            (false, false) if self.owed.get(&counter) == Some(&id) => Frame::Late(id),
            (false, false) => Frame::Reply(id),
        }
    }

    fn body_begins(&mut self) {
        self.kept.clear();
        self.event.clear();
        if let Some(Frame::Reply(id)) = self.frame {
            self.keep = self.flights.get(&id.0).map_or(0, |flight| flight.keep_body);
            let keeps_said = self.refusals < REFUSALS_TOLD;
            self.reply.begin(self.header.status, self.header.serialization(), keeps_said);
        }
    }

    fn take_body(&mut self, frame: Frame, input: &[u8]) -> Result<usize, Fault> {
        let taken = input.len().min(self.left as usize);
        let piece = &input[..taken];
        match frame {
            Frame::Reply(_) => {
                let begin = self.received;
                let fault = |Wrong { at }, kind| Fault { at: begin + at as u64, kind };
                if let Err(wrong) = self.reply.feed(piece) {
                    let beyond = self.reply.is_beyond();
                    let kind = if beyond { MalformedKind::TooDeep } else { MalformedKind::Other };
                    return Err(fault(wrong, kind));
                }
                let room = self.keep.saturating_sub(self.kept.len()).min(taken);
                self.kept.extend_from_slice(&piece[..room]);
                let last = taken as u32 == self.left;
                if last && self.reply.end().is_none() {
                    // The value goes on behind the frame's last byte.
                    return Err(fault(Wrong { at: taken.saturating_sub(1) }, MalformedKind::Other));
                }
            }
            Frame::Event => {
                let room = EVENT_MAX.saturating_sub(self.event.len()).min(taken);
                self.event.extend_from_slice(&piece[..room]);
            }
            Frame::Late(_) | Frame::Heartbeat => {}
        }
        self.left -= taken as u32;
        Ok(taken)
    }

    fn frame_ended(&mut self, frame: Frame, out: &mut Outbox, events: &mut Events) {
        self.frame = None;
        match frame {
            Frame::Reply(id) => self.answered(id, events),
            Frame::Late(id) => {
                self.owed.remove(&wire_parts(self.header.id).0);
                events.push(Event::Late { id });
            }
            Frame::Event => self.event_came(out, events),
            Frame::Heartbeat => {}
        }
    }

    fn answered(&mut self, id: ExchangeId, events: &mut Events) {
        let Some(code) = self.reply.end() else {
            // A body of no bytes, which no reply has.
            return self.fail(self.received.saturating_sub(1), MalformedKind::Other, events);
        };
        self.flights.remove(&id.0);
        let body = if GOOD_CODES.contains(&code) {
            let whole = self.kept.len() as u64 == u64::from(self.header.length);
            (self.keep > 0).then(|| self.reply.value(&self.kept, whole, self.keep))
        } else {
            self.refusals = self.refusals.saturating_add(1);
            (self.refusals <= REFUSALS_TOLD).then(|| self.reply.refusal().into_bytes())
        };
        events.push(Event::Answered { id, code, body_bytes: u64::from(self.header.length), body });
        // The server does not know that it is to close.
        self.dead |= self.closes && self.flights.is_empty();
    }

    /// A heartbeat is answered with what it carried, the null of its serialization.
    fn event_came(&mut self, out: &mut Outbox, events: &mut Events) {
        let header = self.header;
        events.push(Event::Control);
        let whole = self.event.len() == header.length as usize;
        if header.is_event() && header.wants_reply() && whole {
            let flags = super::frame::EVENT | header.serialization();
            let reply = Header { flags, status: STATUS_OK, ..header };
            if !out.push_control(&reply.bytes()) || !out.push_control(&self.event) {
                return self.fail(self.received.saturating_sub(1), MalformedKind::Unread, events);
            }
            self.wrote = true;
        }
        self.drains |= header.is_event() && whole && is_readonly(header.serialization(), &self.event);
    }

    /// Ends all exchanges in flight, the eldest first.
    fn close_flights(&mut self, close: Close, events: &mut Events) {
        let closed = self.flights.drain().map(|(id, flight)| {
            (flight.counter, Event::ClosedEarly { id: ExchangeId(id), close, began: flight.began })
        });
        let mut closed: Vec<_> = closed.collect();
        closed.sort_by_key(|(counter, _)| *counter);
        events.extend(closed.into_iter().map(|(_, event)| event));
    }

    #[cold]
    fn fail(&mut self, at: u64, kind: MalformedKind, events: &mut Events) {
        self.dead = true;
        let eldest = || self.flights.iter().min_by_key(|(_, flight)| flight.counter);
        let id = match self.frame {
            Some(Frame::Reply(id)) => Some(id),
            _ => self.begun().or_else(|| eldest().map(|(id, _)| ExchangeId(*id))),
        };
        if let Some(id) = id {
            self.flights.remove(&id.0);
        }
        self.close_flights(Close::Local, events);
        events.push(Event::Malformed { id, at, kind });
    }

    /// The exchange whose reply's number is known while its header still comes.
    fn begun(&self) -> Option<ExchangeId> {
        let header = Header::of(&self.head);
        let (counter, id) = wire_parts(header.id);
        let flight = self.flights.get(&id.0)?;
        (flight.began && flight.counter == counter).then_some(id)
    }
}

impl Speak for Dubbo {
    const GOOD_CODES: RangeInclusive<u16> = GOOD_CODES;
    const MULTIPLEXES: bool = true;

    fn with_defaults(in_flight: u32) -> Self {
        Dubbo::new(Limits::default(), in_flight)
    }

    fn code_name(code: u16) -> Option<&'static str> {
        super::code_name(code)
    }

    fn describe(sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        Some(super::describe(sent, bytes))
    }

    fn open(&mut self, now_ns: u64, _out: &mut Outbox) {
        (self.read_at, self.written_at) = (now_ns, now_ns);
        self.tick_at = self.tick().map(|tick| now_ns.saturating_add(tick));
    }

    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        let ready = matches!(self.state(), State::Ready(1..)) && !out.is_full();
        if !ready || request.bytes.len() < HEAD || self.flights.contains_key(&id.0) {
            return Err(Full);
        }
        let counter = self.next_counter();
        let number = wire_id(counter, id);
        out.push_exchange(id, &[]);
        let mut left_of_head = HEAD;
        request.places.write(&request.bytes, filling, |piece| {
            // The encoded head has zeros where the number goes.
            if left_of_head == HEAD && piece.len() >= HEAD {
                out.push_more(&piece[..4]);
                out.push_more(&number.to_be_bytes());
                out.push_more(&piece[HEAD..]);
                left_of_head = 0;
            } else {
                out.push_more(piece);
            }
        });
        self.wrote = true;
        self.closes = request.closes;
        self.drains |= request.closes;
        if let Some(serialization) = Serialization::of_number(request.bytes[2] & 0x1f) {
            self.serialization = serialization;
        }
        if request.expects_answer() {
            self.flights.insert(id.0, Flight { counter, keep_body: request.keep_body, began: false });
        }
        Ok(())
    }

    fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        if !input.is_empty() {
            self.read_at = now_ns;
        }
        let mut pos = 0;
        while pos < input.len() && !self.dead {
            let rest = &input[pos..];
            let taken = match self.frame {
                None => self.take_head(rest, events),
                Some(frame) => self.take_body(frame, rest),
            };
            match taken {
                Ok(taken) => {
                    pos += taken;
                    self.received += taken as u64;
                    if let Some(frame) = self.frame.filter(|_| self.left == 0) {
                        self.frame_ended(frame, out, events);
                    }
                }
                Err(Fault { at, kind }) => self.fail(at, kind, events),
            }
        }
        input.len()
    }

    /// Checks for an idle connection. The start of an exchange comes without its time, so that bytes written since the
    /// last check count as written now; the heartbeat is late by a third at most.
    fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        let Some(tick_at) = self.tick_at.filter(|at| *at <= now_ns && !self.dead) else { return };
        let idle = self.limits.heartbeat_ns;
        if std::mem::take(&mut self.wrote) {
            self.written_at = now_ns;
        }
        let unread = now_ns.saturating_sub(self.read_at);
        if unread >= idle.saturating_mul(3) {
            self.dead = true;
            return;
        }
        if unread >= idle || now_ns.saturating_sub(self.written_at) >= idle {
            let null = self.serialization.null();
            let id = wire_id(self.next_counter(), ExchangeId(0));
            let header = Header::heartbeat(self.serialization.number(), id, null.len() as u32);
            self.dead |= !out.push_control(&header.bytes()) || !out.push_control(null);
            self.written_at = now_ns;
        }
        let tick = self.tick().unwrap_or(idle);
        self.tick_at = Some(tick_at.saturating_add(tick).max(now_ns.saturating_add(1)));
    }

    fn next_deadline(&self) -> Option<u64> {
        self.tick_at.filter(|_| !self.dead)
    }

    fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        let Some(flight) = self.flights.remove(&id.0) else { return Cancelled::Keep };
        if self.owed.len() >= OWED_MAX {
            self.dead = true;
            return Cancelled::CloseConnection;
        }
        self.owed.insert(flight.counter, id);
        if self.frame == Some(Frame::Reply(id)) {
            self.frame = Some(Frame::Late(id));
        }
        Cancelled::Keep
    }

    fn handle_close(&mut self, close: Close, events: &mut Events) {
        self.dead = true;
        self.close_flights(close, events);
    }

    fn renew(&mut self) {
        self.flights.clear();
        self.owed.clear();
        (self.counter, self.received, self.head_len, self.left) = (0, 0, 0, 0);
        (self.read_at, self.written_at, self.tick_at) = (0, 0, None);
        (self.wrote, self.drains, self.closes, self.dead) = (false, false, false, false);
        self.frame = None;
    }

    #[inline]
    fn state(&self) -> State {
        match (self.dead, self.drains) {
            (true, _) => State::Dead,
            (_, true) => State::Draining,
            _ => State::Ready(self.in_flight.saturating_sub(self.flights.len() as u32)),
        }
    }
}

fn wire_id(counter: u32, id: ExchangeId) -> u64 {
    u64::from(counter) << 32 | u64::from(id.0)
}

fn wire_parts(number: u64) -> (u32, ExchangeId) {
    ((number >> 32) as u32, ExchangeId(number as u32))
}

/// True if an event announces that the server takes no more requests: it is the text `R`.
fn is_readonly(serialization: u8, event: &[u8]) -> bool {
    match Serialization::of_number(serialization) {
        Some(Serialization::Hessian2) => event == b"\x01R",
        Some(Serialization::Native) => event.ends_with(b"\x83\x81R"),
        Some(Serialization::Java) => event.ends_with(b"t\0\x01R"),
        Some(Serialization::FastJson) => event.starts_with(b"\"R\""),
        Some(Serialization::FastJson2) => event == [0, 0, 0, 2, 0x4a, b'R'],
        None => false,
    }
}
