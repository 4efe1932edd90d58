//! The session of one HTTP/1.x connection: one exchange at a time.

use super::Limits;
use super::body::{Body, Chunked, Sink};
use super::fields::Fields;
use super::held::Held;
use super::kept::Kept;
use super::lines::{Fault, Lines, Next, behind_plain_line, letters_len};
use super::request::{HEAD_ONLY, HOLDS_BODY};
use crate::scan::{Fed, count_work};
use crate::speak::Speak;
use crate::{
    Cancelled, Close, Event, Events, ExchangeId, Filling, Full, MalformedKind, Outbox, Request, State,
};
use std::ops::RangeInclusive;

/// Beginning of a status line, up to the version's last digit.
const VERSION: &[u8] = b"HTTP/1.";

/// The status line of most answers.
const USUAL_STATUS: &[u8] = b"HTTP/1.1 200 OK\r\n";

/// Index of the status's first digit in its line.
const STATUS_AT: usize = 9;

/// Part of an answer that the next byte belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AnswerPart {
    #[default]
    Status,
    Fields,
    Body,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    id: ExchangeId,
    head_only: bool,
    closes: bool,
    /// True once any byte of the answer was seen, interim answers included.
    began: bool,
    /// True once the answer itself has begun. A plain head does not set it.
    answers: bool,
    /// True while the request's body is kept back.
    holds: bool,
}

/// The session of one HTTP/1.x connection.
///
/// `FirstByte` means the final answer: interim answers (1xx) are skipped. Which of the two an answer is
/// shows in the first digit of its status, its tenth byte, so the event comes with that byte.
#[derive(Debug, Default)]
pub struct Http1 {
    limits: Limits,
    /// Bytes consumed since the connection began.
    received: u64,
    flight: Option<Flight>,
    part: AnswerPart,
    lines: Lines,
    status: u16,
    fields: Fields,
    body: Body,
    sink: Sink,
    /// True if the connection can carry no other exchange.
    drains: bool,
    dead: bool,
    /// The body of a request that is kept back, on connections that had one.
    held: Option<Box<Held>>,
    pub(crate) kept: Kept,
}

impl Http1 {
    pub(crate) fn new(limits: Limits) -> Self {
        Http1 { limits, ..Http1::default() }
    }

    #[inline]
    fn expect_answer(&mut self, request: &Request, id: ExchangeId) {
        let Request { closes, keep_body, expectation, .. } = *request;
        let head_only = expectation.0 & HEAD_ONLY != 0;
        self.flight = Some(Flight { id, head_only, closes, began: false, answers: false, holds: false });
        self.part = AnswerPart::Status;
        self.lines = Lines::default();
        self.sink.begin(keep_body);
        if self.kept.any || keep_body > 0 {
            self.kept.clear();
        }
    }

    /// Sends the head of a request alone. Its body follows when the server wants it, or after [a second](super::held::CONTINUE_NS).
    #[cold]
    fn hold(&mut self, request: &Request, filling: &Filling<'_>, out: &mut Outbox) {
        self.held.get_or_insert_default().begin(request, filling, out);
        if let Some(flight) = &mut self.flight {
            flight.holds = true;
        }
    }

    /// Sends the body that is kept back, unless the answer has begun.
    #[cold]
    fn release(&mut self, out: &mut Outbox) {
        let Some(held) = &mut self.held else { return };
        held.until_ns = None;
        let Some(flight) = &mut self.flight else { return };
        let answers = match self.part {
            AnswerPart::Status => flight.answers,
            AnswerPart::Fields => self.status >= 200,
            AnswerPart::Body => true,
        };
        if flight.holds && !answers {
            flight.holds = false;
            held.release(out);
        }
    }

    /// Keeps the whole body of the answer to the request that was started last, whatever that asks for. What came is to
    /// be taken away after each call that takes bytes.
    pub(crate) fn keep_all(&mut self) {
        self.sink.keep = usize::MAX;
        self.kept.codings.clear();
    }

    /// The bytes of an unfinished body that are kept.
    pub(crate) fn take_kept(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sink.kept)
    }

    /// An empty buffer for bytes of a body.
    pub(crate) fn give_kept(&mut self, buffer: Vec<u8>) {
        self.sink.kept = buffer;
    }

    /// Keeps the Location of each answer, up to [`super::LOCATION_MAX`], in a buffer that is used again.
    pub fn keep_location(&mut self) {
        self.kept.keep_location();
    }

    /// Location of the latest answer, if it is kept and the answer has it once, whole.
    pub fn location(&self) -> Option<&[u8]> {
        self.kept.location()
    }

    /// Keeps the values of Set-Cookie of each answer, up to 16 KiB, in a buffer that is used again.
    pub fn keep_set_cookies(&mut self) {
        self.kept.keep_set_cookies();
    }

    /// Keeps the values of WWW-Authenticate of each answer, up to 16 KiB, in a buffer that is used again.
    pub fn keep_challenges(&mut self) {
        self.kept.keep_challenges();
    }

    /// The values of WWW-Authenticate of the latest answer, if they are kept.
    pub fn challenges(&self) -> impl Iterator<Item = &[u8]> {
        self.kept.challenges()
    }

    /// The values of Set-Cookie of the latest answer, if they are kept.
    pub fn set_cookies(&self) -> impl Iterator<Item = &[u8]> {
        self.kept.set_cookies()
    }

    /// Content-Encoding of the latest answer; empty without one, and where nothing of the body was kept.
    pub fn codings(&self) -> &[u8] {
        &self.kept.codings
    }

    /// Takes a body that came whole behind its head, if nothing of it is kept; the bytes taken.
    #[inline]
    fn plain_body(&mut self, came: usize, events: &mut Events) -> usize {
        match self.body {
            Body::Length(left) if left == came as u64 && self.sink.keep == 0 => {
                self.sink.count = left;
                self.finish(events);
                came
            }
            _ => 0,
        }
    }

    /// Decodes part by part from `pos` on; returns how far it came.
    fn decode(&mut self, input: &[u8], mut pos: usize, out: &mut Outbox, events: &mut Events) -> usize {
        while pos < input.len() && !self.dead {
            let rest = &input[pos..];
            match self.step(rest, self.received + pos as u64, events) {
                Ok(fed) => {
                    pos += fed.consumed;
                    if self.part == AnswerPart::Status && self.status == 100 {
                        self.release(out);
                    }
                    if fed.done {
                        self.finish(events);
                    } else if fed.consumed == 0 {
                        break;
                    }
                }
                Err(fault) => self.fail(fault, events),
            }
        }
        if self.dead { input.len() } else { pos }
    }

    #[cold]
    fn fail(&mut self, fault: Fault, events: &mut Events) {
        self.dead = true;
        let id = self.flight.take().map(|flight| flight.id);
        events.push(Event::Malformed { id, at: fault.at, kind: fault.kind });
    }

    /// Decodes one part of an answer; `done` means that the answer is whole.
    #[inline]
    fn step(&mut self, input: &[u8], at: u64, events: &mut Events) -> Result<Fed, Fault> {
        let Some(flight) = &mut self.flight else {
            return Err(Fault { at, kind: MalformedKind::Surplus });
        };
        match self.part {
            AnswerPart::Status => {
                let window = self.lines.window(input, self.limits.head_max);
                if begins_final(window, self.lines.scanned(), at)? {
                    events.push(Event::FirstByte { id: flight.id });
                    flight.answers = true;
                }
                self.status_line(input, at)
            }
            AnswerPart::Fields => self.field_lines(input, at),
            AnswerPart::Body => self.body.feed(input, at, &self.limits, &mut self.sink),
        }
    }

    /// Reads a head that came whole and is written as almost all are, in one pass; the length of it. `None` when it
    /// must be read line by line: nothing that matters then has changed.
    #[inline]
    fn plain_head(&mut self, input: &[u8]) -> Option<usize> {
        let begins = self.part == AnswerPart::Status && self.lines.is_fresh();
        if !begins || self.dead || self.kept.any {
            return None;
        }
        let (old, status, mut rest) = match input.strip_prefix(USUAL_STATUS) {
            Some(rest) => (false, 200, rest),
            None => plain_status(input)?,
        };
        self.fields = Fields::new(old);
        let end = self.received + input.len() as u64;
        let body = loop {
            let name_len = letters_len(rest);
            if name_len == 0 || rest.get(name_len) != Some(&b':') {
                break rest.strip_prefix(b"\r\n")?;
            }
            rest = self.fields.plain_line(rest, name_len, end)?;
        };
        let pos = input.len() - body.len();
        count_work(pos);
        if pos > self.limits.head_max || (self.fields.is_coded && self.sink.keep > 0) {
            return None;
        }
        self.status = status;
        Some(pos)
    }

    #[inline]
    fn status_line(&mut self, input: &[u8], at: u64) -> Result<Fed, Fault> {
        match self.lines.next(input, self.limits.head_max) {
            Next::Line { text, len } => {
                let (old, status) = status_line(&input[..text], at)?;
                self.status = status;
                self.fields = Fields::new(old);
                self.part = AnswerPart::Fields;
                Ok(Fed { consumed: len, done: false })
            }
            Next::More => Ok(Fed { consumed: 0, done: false }),
            Next::Control(stop) => {
                status_line(&input[..stop], at)?;
                Err(Fault { at: at + stop as u64, kind: MalformedKind::StatusLine })
            }
            Next::TooLong(stop) => Err(Fault { at: at + stop as u64, kind: MalformedKind::HeadTooLong }),
        }
    }

    #[inline]
    fn field_lines(&mut self, input: &[u8], at: u64) -> Result<Fed, Fault> {
        let fed = self.lines.each(input, at, self.limits.head_max, |line, at| {
            self.fields.line(line, at)?;
            if self.kept.any || self.sink.keep > 0 {
                self.kept.line(line, self.sink.keep > 0);
            }
            Ok(())
        })?;
        Ok(Fed { done: fed.done && self.head_ended()?, ..fed })
    }

    /// Decides the end of the body (RFC 9112 section 6.3); true if there is none.
    #[inline]
    fn head_ended(&mut self) -> Result<bool, Fault> {
        if self.status < 200 {
            // `lines` goes on counting, so that interim answers without end exceed the head's limit.
            self.part = AnswerPart::Status;
            self.kept.clear();
            return Ok(false);
        }
        self.drains |= !self.fields.persists();
        let head_only = self.flight.is_some_and(|flight| flight.head_only);
        if head_only || matches!(self.status, 204 | 304) {
            return Ok(true);
        }
        self.part = AnswerPart::Body;
        match self.fields.length {
            _ if self.fields.chunked => self.body = Body::Chunked(Chunked::default()),
            Some((0, _)) => return Ok(true),
            Some((length, at)) if length > self.limits.body_max => {
                return Err(Fault { at, kind: MalformedKind::BodyTooLong });
            }
            Some((length, _)) => self.body = Body::Length(length),
            None => {
                self.drains = true;
                self.body = Body::UntilClose;
            }
        }
        Ok(false)
    }

    /// Reports that the answer is whole.
    #[inline]
    fn finish(&mut self, events: &mut Events) {
        let Some(flight) = self.flight.take() else { return };
        self.drains |= flight.closes;
        // The body was announced: the server may take what comes next for it.
        self.dead |= flight.holds;
        let body = (self.sink.keep > 0).then(|| std::mem::take(&mut self.sink.kept));
        events.push(Event::Answered { id: flight.id, code: self.status, body_bytes: self.sink.count, body });
    }
}

impl Speak for Http1 {
    const GOOD_CODES: RangeInclusive<u16> = super::GOOD_CODES;

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
        if self.state() != State::Ready(1) || out.is_full() {
            return Err(Full);
        }
        out.push_exchange(id, &[]);
        self.expect_answer(request, id);
        match request.expectation.0 & HOLDS_BODY {
            0 => request.places.write_to(&request.bytes, filling, out),
            _ => self.hold(request, filling, out),
        }
        Ok(())
    }

    #[inline]
    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        if self.state() != State::Ready(1) {
            return Err(Full);
        }
        self.expect_answer(request, id);
        Ok(())
    }

    fn handle_bytes(&mut self, _now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        let mut pos = 0;
        if let Some(flight) = &mut self.flight {
            flight.began |= !input.is_empty();
            let id = flight.id;
            if let Some(len) = self.plain_head(input) {
                events.push(Event::FirstByte { id });
                pos = len;
                match self.head_ended() {
                    Ok(true) => self.finish(events),
                    Ok(false) => pos += self.plain_body(input.len() - pos, events),
                    Err(fault) => self.fail(fault, events),
                }
            }
        }
        if pos < input.len() {
            pos = self.decode(input, pos, out, events);
        }
        self.received += pos as u64;
        pos
    }

    fn carry_max(&self) -> usize {
        self.limits.head_max
    }

    fn handle_timeout(&mut self, _now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        self.release(out);
    }

    #[inline]
    fn next_deadline(&self) -> Option<u64> {
        self.held.as_ref()?.until_ns
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
        let until_close = self.part == AnswerPart::Body && matches!(self.body, Body::UntilClose);
        if self.flight.is_some() && until_close && close == Close::Fin {
            self.finish(events);
        } else if let Some(flight) = self.flight.take() {
            events.push(Event::ClosedEarly { id: flight.id, close, began: flight.began });
        }
        self.dead = true;
    }

    fn renew(&mut self) {
        let (kept, held) = (std::mem::take(&mut self.kept), self.held.take());
        *self = Http1 { kept, held, ..Http1::new(self.limits) };
        self.kept.clear();
        if let Some(held) = &mut self.held {
            held.forget();
        }
    }

    #[inline]
    fn state(&self) -> State {
        match (self.dead, self.drains, &self.flight) {
            (true, _, _) => State::Dead,
            (_, true, _) => State::Draining,
            (_, _, Some(flight)) if flight.closes => State::Draining,
            (_, _, Some(_)) => State::Ready(0),
            (_, _, None) => State::Ready(1),
        }
    }
}

/// Version (true for 1.0), status, and bytes behind the line, of a final answer whose status line has the usual form.
fn plain_status(input: &[u8]) -> Option<(bool, u16, &[u8])> {
    let (line, rest) = input.split_first_chunk::<{ STATUS_AT + 4 }>()?;
    let [.., minor, b' ', hundreds @ b'2'..=b'9', tens, ones, b' '] = line else { return None };
    let plain =
        line[..VERSION.len()] == *VERSION && [minor, tens, ones].iter().all(|digit| digit.is_ascii_digit());
    let [hundreds, tens, ones] = [hundreds, tens, ones].map(|digit| u16::from(digit.wrapping_sub(b'0')));
    plain.then_some((*minor == b'0', hundreds * 100 + tens * 10 + ones, behind_plain_line(rest)?))
}

/// True if the byte that makes this a final answer for certain is among the bytes of `line` from `from` on. Wrong bytes
/// are reported as soon as they are seen, so that a server which speaks something else, without line ends, is not taken
/// for a slow one.
fn begins_final(line: &[u8], from: usize, at: u64) -> Result<bool, Fault> {
    let prefix = &line[..line.len().min(STATUS_AT + 1)];
    let Some(unseen) = prefix.get(from..) else { return Ok(false) };
    count_work(unseen.len());
    for (&byte, offset) in unseen.iter().zip(from..) {
        let right = match offset {
            0..=6 => byte == VERSION[offset],
            8 => byte == b' ',
            _ => byte.is_ascii_digit(),
        };
        if !right {
            return Err(Fault { at: at + offset as u64, kind: MalformedKind::StatusLine });
        }
    }
    Ok(from <= STATUS_AT && prefix.get(STATUS_AT).is_some_and(|&digit| digit != b'1'))
}

/// True for version 1.0, and the status (RFC 9112 section 4). The space after the status may be missing if no reason
/// follows: servers are known to leave it out.
fn status_line(line: &[u8], at: u64) -> Result<(bool, u16), Fault> {
    let fault = |offset: usize, kind| Fault { at: at + offset as u64, kind };
    begins_final(line, 0, at)?;
    if line.len() <= STATUS_AT {
        return Err(fault(line.len(), MalformedKind::StatusLine));
    }
    let mut status = 0;
    for offset in STATUS_AT..STATUS_AT + 3 {
        match line.get(offset) {
            Some(digit @ b'0'..=b'9') => status = status * 10 + u16::from(digit - b'0'),
            _ => return Err(fault(offset, MalformedKind::StatusLine)),
        }
    }
    if !matches!(line.get(STATUS_AT + 3), None | Some(b' ')) {
        return Err(fault(STATUS_AT + 3, MalformedKind::StatusLine));
    }
    match status {
        0..=99 => Err(fault(STATUS_AT, MalformedKind::StatusLine)),
        101 => Err(fault(STATUS_AT, MalformedKind::Other)),
        _ => Ok((line[VERSION.len()] == b'0', status)),
    }
}
