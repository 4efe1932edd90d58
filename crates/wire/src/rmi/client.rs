//! The session of one connection: the handshake, then one call at a time.

use super::encode::{OBJECT, PING, REMOTE, endpoint};
use super::{GREETING, Limits, RETURNED, THROWN, UID_LEN, message};
use crate::java::{self, STREAM_HEADER, Walker, tag};
use crate::speak::Speak;
use crate::{
    Cancelled, Close, Event, Events, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State,
};
use std::ops::RangeInclusive;

/// A connection that idled this long is pinged; without answer for three times as long it is dead.
pub const IDLE_NS: u64 = 15_000_000_000;

/// Longest host name that a server may see us by.
const HOST_MAX: u16 = 1024;

/// Number of refusals of which the server's text is reported.
const TOLD_MAX: u32 = 16;

/// Most bytes of a refusal's text.
const WORDS_MAX: usize = 300;

/// Bytes of an exception that are kept to find its message; traces of deep stacks take some ten thousand.
const EXCEPTION_KEPT: usize = 64 * 1024;

/// Part of what the server sends that the next byte belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The answer to our greeting.
    #[default]
    Greeting,
    HostLength,
    Host(u16),
    Port,
    /// The first byte of a message.
    Message,
    /// The header of its stream.
    Header,
    /// The tag of a block.
    Block,
    /// The block's length, in that many bytes.
    BlockLength(usize),
    /// Rest of a block.
    InBlock(u32),
    Value,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    id: ExchangeId,
    expects: u32,
    /// The code of a primitive result's type.
    type_code: u8,
    keep: usize,
    closes: bool,
    began: bool,
}

/// The session of one RMI connection.
///
/// `FirstByte` means the first byte of the return message. The bytes of an answer are those of the value: its stream
/// without header, or a primitive. A looked-up object's are kept as they came.
#[derive(Debug, Default)]
pub struct Rmi {
    /// Bytes consumed since the connection began.
    received: u64,
    flight: Option<Flight>,
    part: Phase,
    /// Bytes of a number that is not whole yet.
    held: [u8; 4],
    held_len: usize,
    /// The name that the server sees us by.
    host: Vec<u8>,
    /// Kind of return of the answer, then its identifier.
    head: [u8; 1 + UID_LEN],
    /// Number of bytes that came of the answer's head, and of a primitive behind it.
    in_block: usize,
    /// Apart, for it is large beside the sessions of other protocols.
    walker: Box<Walker>,
    code: u16,
    body_bytes: u64,
    kept: Vec<u8>,
    /// The beginning of an exception.
    exception: Vec<u8>,
    /// Number of refusals; goes on from connection to connection.
    refusals: u32,
    /// Instant at which the last answer ended, or the ping was sent that is not answered yet.
    idle_since: u64,
    pinged: bool,
    /// True if the server gave up a value that it had begun: it closes the connection then.
    drains: bool,
    dead: bool,
}

/// Fault of the byte at hand.
type Wrong = MalformedKind;

impl Rmi {
    pub(crate) fn new(limits: Limits) -> Self {
        Rmi { walker: Box::new(Walker::new(limits)), ..Rmi::default() }
    }

    /// Takes one part, or as much of it as came. Of wrong bytes the last one taken shows it.
    fn step(
        &mut self,
        now_ns: u64,
        input: &[u8],
        pos: &mut usize,
        out: &mut Outbox,
        events: &mut Events,
    ) -> Result<(), Wrong> {
        match self.part {
            Phase::Host(left) => self.host(&input[*pos..], pos, left),
            Phase::Header => self.header(input[*pos], pos)?,
            Phase::InBlock(left) => self.block(now_ns, input, pos, left, out, events)?,
            Phase::Value => self.value(now_ns, input, pos, out, events)?,
            part => {
                let wanted = wanted(part);
                let taken = (wanted - self.held_len).min(input.len() - *pos);
                self.held[self.held_len..self.held_len + taken].copy_from_slice(&input[*pos..*pos + taken]);
                self.held_len += taken;
                *pos += taken;
                if self.held_len == wanted {
                    self.held_len = 0;
                    self.numbered(part, now_ns, out, events)?;
                }
            }
        }
        Ok(())
    }

    /// A part of few bytes, which are all held.
    fn numbered(
        &mut self,
        part: Phase,
        now_ns: u64,
        out: &mut Outbox,
        events: &mut Events,
    ) -> Result<(), Wrong> {
        let [first, second, ..] = self.held;
        self.part = match part {
            Phase::Greeting if first == message::PROTOCOL_ACK => Phase::HostLength,
            Phase::HostLength => match u16::from_be_bytes([first, second]) {
                0 => Phase::Port,
                len if len > HOST_MAX => return Err(MalformedKind::Length),
                len => Phase::Host(len),
            },
            Phase::Port => {
                let mut sent = true;
                endpoint(&self.host, |piece| sent &= out.push_control(piece));
                self.dead |= !sent;
                self.idle_since = now_ns;
                Phase::Message
            }
            Phase::Message => return self.message(first, now_ns, events),
            Phase::Block if first == tag::BLOCK => Phase::BlockLength(1),
            Phase::Block if first == tag::LONG_BLOCK => Phase::BlockLength(4),
            Phase::BlockLength(1) if first > 0 => Phase::InBlock(u32::from(first)),
            Phase::BlockLength(4) => match u32::from_be_bytes(self.held) {
                0 => return Err(MalformedKind::Other),
                len => Phase::InBlock(len),
            },
            _ => return Err(MalformedKind::Other),
        };
        Ok(())
    }

    fn host(&mut self, came: &[u8], pos: &mut usize, left: u16) {
        let taken = came.len().min(usize::from(left));
        self.host.extend_from_slice(&came[..taken]);
        *pos += taken;
        let left = left - taken as u16;
        self.part = if left == 0 { Phase::Port } else { Phase::Host(left) };
    }

    /// The first byte of a message.
    fn message(&mut self, first: u8, now_ns: u64, events: &mut Events) -> Result<(), Wrong> {
        if self.pinged && first == message::PING_ACK {
            (self.pinged, self.idle_since) = (false, now_ns);
            events.push(Event::Control);
            return Ok(());
        }
        let Some(flight) = &mut self.flight else { return Err(MalformedKind::Surplus) };
        flight.began = true;
        let Flight { id, expects, .. } = *flight;
        (self.code, self.body_bytes, self.in_block) = (RETURNED, 0, 0);
        let wanted = if expects == PING { message::PING_ACK } else { message::RETURN };
        // Answers come in order: that to a ping of ours comes before.
        if first != wanted || self.pinged {
            return Err(MalformedKind::Other);
        }
        events.push(Event::FirstByte { id });
        if expects == PING {
            self.finish(now_ns, events);
        } else {
            self.part = Phase::Header;
        }
        Ok(())
    }

    fn header(&mut self, byte: u8, pos: &mut usize) -> Result<(), Wrong> {
        *pos += 1;
        if byte != STREAM_HEADER[self.held_len] {
            return Err(MalformedKind::Other);
        }
        self.held_len += 1;
        if self.held_len == STREAM_HEADER.len() {
            (self.held_len, self.part) = (0, Phase::Block);
        }
        Ok(())
    }

    /// Bytes of a block: how the call returned, the answer's identifier, and a primitive.
    fn block(
        &mut self,
        now_ns: u64,
        input: &[u8],
        pos: &mut usize,
        mut left: u32,
        out: &mut Outbox,
        events: &mut Events,
    ) -> Result<(), Wrong> {
        let expects = self.flight.map_or(0, |flight| flight.expects);
        while left > 0 && *pos < input.len() {
            let byte = input[*pos];
            *pos += 1;
            left -= 1;
            if self.in_block == 0 {
                self.code = match u16::from(byte) {
                    code @ (RETURNED | THROWN) => code,
                    _ => return Err(MalformedKind::Other),
                };
                if self.code == THROWN {
                    self.exception.clear();
                }
            }
            if let Some(head) = self.head.get_mut(self.in_block) {
                *head = byte;
            } else if self.in_block < self.block_wanted(expects) {
                self.keep(&[byte]);
            } else {
                return Err(MalformedKind::Surplus);
            }
            self.in_block += 1;
        }
        self.part = Phase::InBlock(left);
        if left == 0 {
            self.block_ended(now_ns, expects, out, events);
        }
        Ok(())
    }

    /// Number of bytes that come in blocks before the answer, or its object.
    fn block_wanted(&self, expects: u32) -> usize {
        let primitive = if self.code == RETURNED && expects < OBJECT { expects as usize } else { 0 };
        self.head.len() + primitive
    }

    fn block_ended(&mut self, now_ns: u64, expects: u32, out: &mut Outbox, events: &mut Events) {
        if self.in_block < self.block_wanted(expects) {
            self.part = Phase::Block;
        } else if self.code == RETURNED && expects < OBJECT {
            self.end(now_ns, out, events);
        } else {
            self.walker.begin();
            self.part = Phase::Value;
        }
    }

    fn value(
        &mut self,
        now_ns: u64,
        input: &[u8],
        pos: &mut usize,
        out: &mut Outbox,
        events: &mut Events,
    ) -> Result<(), Wrong> {
        let rest = &input[*pos..];
        match self.walker.feed(rest) {
            Ok(fed) => {
                self.keep(&rest[..fed.consumed]);
                *pos += fed.consumed;
                if fed.done && self.walker.aborted() {
                    if self.drains {
                        return Err(MalformedKind::Other);
                    }
                    (self.code, self.drains) = (THROWN, true);
                    self.exception.clear();
                    self.walker.begin();
                } else if fed.done {
                    self.end(now_ns, out, events);
                }
                Ok(())
            }
            Err(broken) => {
                *pos += broken.at + 1;
                Err(broken.kind)
            }
        }
    }

    /// Counts bytes of the value, and keeps what is asked for.
    #[inline]
    fn keep(&mut self, bytes: &[u8]) {
        self.body_bytes += bytes.len() as u64;
        let (kept, most) = if self.code == THROWN {
            (&mut self.exception, if self.refusals < TOLD_MAX { EXCEPTION_KEPT } else { 0 })
        } else {
            (&mut self.kept, self.flight.map_or(0, |flight| flight.keep))
        };
        let room = most.saturating_sub(kept.len()).min(bytes.len());
        kept.extend_from_slice(&bytes[..room]);
    }

    /// The answer to a call is whole.
    fn end(&mut self, now_ns: u64, out: &mut Outbox, events: &mut Events) {
        if self.code == RETURNED && self.flight.is_some_and(|flight| flight.expects == REMOTE) {
            self.dead |= !out.push_control(&[message::DGC_ACK]) || !out.push_control(&self.head[1..]);
        }
        self.finish(now_ns, events);
    }

    /// The value that was kept, as JSON; its memory is used again.
    fn told(&mut self, json: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let told = json(&self.kept);
        self.kept.clear();
        told
    }

    fn finish(&mut self, now_ns: u64, events: &mut Events) {
        (self.part, self.idle_since) = (Phase::Message, now_ns);
        let Some(Flight { id, expects, type_code, keep, closes, .. }) = self.flight.take() else { return };
        // The server does not know that it is to close.
        self.dead |= closes;
        let body = if self.code == THROWN {
            self.kept.clear();
            self.refusals = self.refusals.saturating_add(1);
            (self.refusals <= TOLD_MAX).then(|| words(&std::mem::take(&mut self.exception)))
        } else {
            (keep > 0).then(|| match expects {
                // Its reference is looked for in it.
                REMOTE => std::mem::take(&mut self.kept),
                OBJECT => self.told(|kept| java::json(kept, keep)),
                _ => self.told(|kept| java::primitive_json(type_code, kept, keep)),
            })
        };
        events.push(Event::Answered { id, code: self.code, body_bytes: self.body_bytes, body });
    }
}

impl Speak for Rmi {
    const GOOD_CODES: RangeInclusive<u16> = super::GOOD_CODES;

    fn with_defaults(_in_flight: u32) -> Self {
        Rmi::new(Limits::default())
    }

    fn code_name(code: u16) -> Option<&'static str> {
        match code {
            RETURNED => Some("returned"),
            THROWN => Some("threw an exception"),
            _ => None,
        }
    }

    fn describe(sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        Some(super::describe(sent, bytes))
    }

    fn open(&mut self, _now_ns: u64, out: &mut Outbox) {
        self.dead |= !out.push_control(GREETING);
    }

    #[inline]
    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        if out.is_full() {
            return Err(Full);
        }
        self.start_as_encoded(request, id)?;
        out.push_exchange(id, &[]);
        request.places.write(&request.bytes, filling, |piece| out.push_more(piece));
        Ok(())
    }

    #[inline]
    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        if self.state() != State::Ready(1) {
            return Err(Full);
        }
        let [expects, type_code, ..] = request.expectation.0.to_le_bytes();
        let (keep, closes) = (request.keep_body, request.closes);
        self.flight = Some(Flight { id, expects: u32::from(expects), type_code, keep, closes, began: false });
        Ok(())
    }

    /// Takes everything: nothing must be handed in again.
    fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        let mut pos = 0;
        while pos < input.len() && !self.dead {
            let before = pos;
            if let Err(kind) = self.step(now_ns, input, &mut pos, out, events) {
                self.dead = true;
                let id = self.flight.take().map(|flight| flight.id);
                let at = self.received + pos.max(before + 1) as u64 - 1;
                events.push(Event::Malformed { id, at, kind });
            }
        }
        self.received += pos as u64;
        input.len()
    }

    fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        if self.next_deadline().is_none_or(|deadline| now_ns < deadline) {
            return;
        }
        if self.pinged {
            self.dead = true;
            return;
        }
        self.dead |= !out.push_control(&[message::PING]);
        (self.pinged, self.idle_since) = (true, now_ns);
    }

    fn next_deadline(&self) -> Option<u64> {
        let patience = if self.pinged { 3 * IDLE_NS } else { IDLE_NS };
        (self.state() == State::Ready(1)).then(|| self.idle_since.saturating_add(patience))
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
        (self.received, self.flight, self.part) = (0, None, Phase::Greeting);
        (self.held_len, self.pinged, self.drains, self.dead) = (0, false, false, false);
        self.host.clear();
        self.kept.clear();
    }

    #[inline]
    fn state(&self) -> State {
        match (self.dead, self.part, &self.flight) {
            (true, _, _) => State::Dead,
            (_, Phase::Greeting | Phase::HostLength | Phase::Host(_) | Phase::Port, _) => State::Opening,
            _ if self.drains => State::Draining,
            (_, _, Some(flight)) if flight.closes => State::Draining,
            (_, _, Some(_)) => State::Ready(0),
            (_, _, None) => State::Ready(1),
        }
    }
}

/// Message of an exception, cut at the last character within the limit.
fn words(exception: &[u8]) -> Vec<u8> {
    let mut words = java::thrown(exception).unwrap_or_else(|| "an exception that is no object".to_owned());
    words.truncate(words.floor_char_boundary(WORDS_MAX));
    words.into_bytes()
}

fn wanted(part: Phase) -> usize {
    match part {
        Phase::HostLength => 2,
        Phase::Port => 4,
        Phase::BlockLength(len) => len,
        _ => 1,
    }
}
