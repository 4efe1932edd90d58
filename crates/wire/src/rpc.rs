//! Calls over HTTP/1.1 whose answers tell in their body whether the call went well.

use crate::coding::{Undecoded, decoded};
use crate::http1::{Http1, Limits};
use crate::speak::Speak;
use crate::{Cancelled, Close, Event, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

/// The status with which calls are answered, and the code of an answer to a call that went well. A redirection, or another
/// success without an answer of the protocol, is none.
const GOOD: u16 = 200;

/// The code of an answer that reports a fault.
pub const FAULT: u16 = 1;

/// The code of a body that is not an answer of the protocol.
pub const NO_ANSWER: u16 = 2;

/// The code of a body that exceeds a limit of who reads it.
pub const BEYOND: u16 = 3;

/// Refusals of a session whose words are kept.
const TOLD_MAX: u32 = 16;

/// Most bytes of the message of a refusal.
const REFUSAL_MAX: usize = 300;

/// Bytes from the beginning of a body in which the words of a fault are looked for.
const SEARCHED_MAX: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer to a call that went well.
    Good,
    /// The answer to a call that did not.
    Fault,
    /// No answer, or not a whole one.
    Wrong,
    /// Nested deeper, or of more classes, than is read.
    Beyond,
}

/// Most bytes of a reply in a content coding, and most that it is decoded to; a longer one is [`BEYOND`].
const CODED_MAX: usize = 1 << 20;

/// Reads the body of an answer as its bytes come.
pub trait Answer {
    /// Begins with the body of the next answer.
    fn begin(&mut self);

    /// Takes the next bytes of the body.
    fn feed(&mut self, bytes: &[u8]);

    /// Verdict on the body, if it ends here.
    fn verdict(&self) -> Verdict;

    /// The value of an answer as JSON of at most `most` bytes, given the first bytes of the body.
    fn value(&self, beginning: &[u8], most: usize) -> Vec<u8>;

    /// Message of a fault, given the first bytes of the body.
    fn words(&self, beginning: &[u8]) -> Option<String>;

    /// A message of HTTP in lines that a person can read; `None` where it is text.
    fn describe(_message: &[u8]) -> Option<Vec<String>> {
        None
    }
}

/// A message of HTTP in lines: its head as it is, and its body as `body` tells it.
pub(crate) fn lines(message: &[u8], body: impl Fn(&[u8]) -> Vec<String>) -> Vec<String> {
    let end = message.windows(4).position(|four| four == b"\r\n\r\n").map_or(message.len(), |at| at + 4);
    let (head, rest) = message.split_at(end);
    let head = String::from_utf8_lossy(head);
    let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let whole = if is_chunked { joined(rest) } else { rest.to_vec() };
    if !whole.is_empty() {
        lines.extend(body(&whole));
    }
    lines
}

/// The chunks of a body, laid end to end as far as they can be read.
fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let digits = rest[..end].split(|byte| *byte == b';').next().unwrap_or_default();
        let length =
            std::str::from_utf8(digits).ok().and_then(|digits| usize::from_str_radix(digits.trim(), 16).ok());
        let Some(length) = length.filter(|length| *length > 0) else { break };
        rest = &rest[end + 2..];
        whole.extend_from_slice(&rest[..rest.len().min(length)]);
        rest = rest.get(length.saturating_add(2)..).unwrap_or_default();
    }
    whole
}

/// A session of HTTP/1.1 whose answers are read as those of calls.
///
/// An answer's code is the status of HTTP where that is not 200, and otherwise 200, [`FAULT`], [`NO_ANSWER`] or [`BEYOND`].
#[derive(Debug)]
pub struct Rpc<A> {
    http: Http1,
    /// Apart, for it is large beside the sessions of other protocols.
    reading: Box<Reading<A>>,
}

/// Progress in reading the answer to a call.
#[derive(Debug, Default)]
struct Reading<A> {
    answer: A,
    /// Bytes of the body that the request wants kept.
    keep: usize,
    /// The first bytes of the body.
    kept: Vec<u8>,
    /// The body so far, where it comes in a content coding: as much of it as is decoded, and one byte.
    coded: Vec<u8>,
    /// Number of refusals whose text was reported.
    told: u32,
    /// Events of `http`, in a buffer that is used again.
    events: Events,
}

impl<A: Answer> Reading<A> {
    fn take(&mut self, body: &[u8]) {
        self.answer.feed(body);
        let searched = if self.told < TOLD_MAX { SEARCHED_MAX } else { 0 };
        let room = self.keep.max(searched).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&body[..body.len().min(room)]);
    }
}

impl<A: Answer + Default> Rpc<A> {
    pub(crate) fn new(limits: Limits) -> Self {
        Rpc { http: Http1::new(limits), reading: Box::default() }
    }

    fn expect_answer(&mut self, request: &Request) {
        self.http.keep_all();
        self.reading.answer.begin();
        self.reading.keep = request.keep_body;
        self.reading.kept.clear();
        self.reading.coded.clear();
    }

    /// Reads the bytes of the body that came, and tells what became of the exchange.
    fn pass_on(&mut self, events: &mut Events) {
        let mut told = std::mem::take(&mut self.reading.events);
        for event in told.drain(..) {
            let Event::Answered { id, code, body_bytes, body } = event else {
                events.push(event);
                continue;
            };
            self.read(body.unwrap_or_default());
            events.push(self.answered(id, code, body_bytes));
        }
        self.reading.events = told;
        let body = self.http.take_kept();
        self.read(body);
    }

    /// Reads bytes of the body, and gives their buffer back.
    fn read(&mut self, mut body: Vec<u8>) {
        let codings = self.http.codings();
        if codings.is_empty() || codings.eq_ignore_ascii_case(b"identity") {
            self.reading.take(&body);
        } else {
            let room = (CODED_MAX + 1).saturating_sub(self.reading.coded.len());
            self.reading.coded.extend_from_slice(&body[..body.len().min(room)]);
        }
        body.clear();
        self.http.give_kept(body);
    }

    /// Reads a body that came in a content coding.
    fn decode(&mut self) -> Result<(), Undecoded> {
        let coded = std::mem::take(&mut self.reading.coded);
        if coded.is_empty() {
            return Ok(());
        }
        let decoded = decoded(self.http.codings(), &coded, coded.len() <= CODED_MAX, CODED_MAX)?;
        self.reading.take(&decoded.bytes);
        if decoded.whole { Ok(()) } else { Err(Undecoded::Unknown) }
    }

    /// Verdict on the whole body.
    fn verdict(&mut self) -> Verdict {
        match self.decode() {
            Ok(()) => self.reading.answer.verdict(),
            Err(Undecoded::Unknown) => Verdict::Beyond,
            Err(Undecoded::Broken) => Verdict::Wrong,
        }
    }

    fn answered(&mut self, id: ExchangeId, status: u16, body_bytes: u64) -> Event {
        let code = match (status, self.verdict()) {
            (GOOD, Verdict::Good) => GOOD,
            (GOOD, Verdict::Fault) => FAULT,
            (GOOD, Verdict::Wrong) => NO_ANSWER,
            (GOOD, Verdict::Beyond) => BEYOND,
            (status, _) => status,
        };
        let body = if code == GOOD {
            let Reading { answer, keep, kept, .. } = &*self.reading;
            (*keep > 0).then(|| answer.value(&kept[..kept.len().min(*keep)], *keep))
        } else {
            self.refusal()
        };
        Event::Answered { id, code, body_bytes, body }
    }

    /// Message of the server for a call that it refused.
    fn refusal(&mut self) -> Option<Vec<u8>> {
        if self.reading.told == TOLD_MAX {
            return None;
        }
        self.reading.told += 1;
        let words = self.reading.answer.words(&self.reading.kept).map(String::into_bytes);
        let mut refusal =
            words.unwrap_or_else(|| self.reading.kept[..self.reading.kept.len().min(REFUSAL_MAX)].to_vec());
        refusal.truncate(whole_chars(&refusal, REFUSAL_MAX));
        Some(refusal)
    }
}

impl<A: Answer + Default> Speak for Rpc<A> {
    const GOOD_CODES: RangeInclusive<u16> = GOOD..=GOOD;
    const BEYOND_CODE: Option<u16> = Some(BEYOND);

    fn with_defaults(_in_flight: u32) -> Self {
        Rpc::new(Limits::default())
    }

    fn code_name(code: u16) -> Option<&'static str> {
        match code {
            FAULT => Some("a fault"),
            NO_ANSWER => Some("no answer of the protocol"),
            BEYOND => Some(
                "an answer beyond what Proofload reads: nested deeper, of more classes, in another \
                 Content-Encoding, or coded and longer than 1 MiB",
            ),
            _ => None,
        }
    }

    fn describe(_sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        A::describe(bytes)
    }

    fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        self.http.start(request, filling, id, out)?;
        self.expect_answer(request);
        Ok(())
    }

    fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        self.http.start_as_encoded(request, id)?;
        self.expect_answer(request);
        Ok(())
    }

    fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
        let consumed = self.http.handle_bytes(now_ns, input, out, &mut self.reading.events);
        self.pass_on(events);
        consumed
    }

    fn carry_max(&self) -> usize {
        self.http.carry_max()
    }

    fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        self.http.handle_timeout(now_ns, out, &mut self.reading.events);
    }

    fn next_deadline(&self) -> Option<u64> {
        self.http.next_deadline()
    }

    fn cancel(&mut self, id: ExchangeId, out: &mut Outbox) -> Cancelled {
        self.http.cancel(id, out)
    }

    fn handle_close(&mut self, close: Close, events: &mut Events) {
        self.http.handle_close(close, &mut self.reading.events);
        self.pass_on(events);
    }

    fn renew(&mut self) {
        let kept = self.http.take_kept();
        self.http.renew();
        self.http.give_kept(kept);
        self.reading.answer.begin();
        self.reading.kept.clear();
    }

    fn state(&self) -> State {
        self.http.state()
    }
}

/// The most bytes of a text up to `most` that cut no character.
fn whole_chars(text: &[u8], most: usize) -> usize {
    let is_start = |at: usize| text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().take(4).find(|at| is_start(*at)).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_with_its_body_whole() {
        let body = |body: &[u8]| vec![format!("{} bytes", body.len())];
        let plain = b"HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(lines(plain, body).last().map(String::as_str), Some("3 bytes"));
        let chunked =
            b"HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\n\r\n";
        assert_eq!(lines(chunked, body).last().map(String::as_str), Some("5 bytes"));
        for cut in 0..chunked.len() {
            let told = lines(&chunked[..cut], body);
            assert!(told.len() <= 4, "{told:?}");
        }
        assert_eq!(lines(b"", body), Vec::<String>::new());
    }
}
