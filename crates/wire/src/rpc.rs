//! Calls over HTTP/1.1 whose answers tell in their body whether the call went well.

use crate::http1::{GOOD_CODES, Http1, Limits};
use crate::{Cancelled, Close, Event, Events, ExchangeId, Filling, Full, Outbox, Request, State};

/// The code of an answer that tells of a fault.
pub const FAULT: u16 = 1;

/// The code of a body that is no answer of the protocol.
pub const NO_ANSWER: u16 = 2;

/// Refusals of a session whose words are kept.
const TOLD_MAX: u32 = 16;

/// Most bytes of what a server said.
const SAID_MAX: usize = 300;

/// Bytes from the beginning of a body in which the words of a fault are looked for.
const SEARCHED_MAX: usize = 4096;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer to a call that went well.
    Good,
    /// The answer to a call that did not.
    Fault,
    /// No answer, or not a whole one.
    Wrong,
}

/// Reads the body of an answer as its bytes come.
pub trait Answer {
    /// Begins with the body of the next answer.
    fn begin(&mut self);

    /// Takes the next bytes of the body.
    fn feed(&mut self, bytes: &[u8]);

    /// What the body is, if it ends here.
    fn verdict(&self) -> Verdict;

    /// What a fault says, given the first bytes of the body.
    fn words(&self, beginning: &[u8]) -> Option<String>;
}

/// A session of HTTP/1.1 whose answers are read as those of calls.
///
/// An answer's code is the status of HTTP where that is not 200, and otherwise 200, [`FAULT`] or [`NO_ANSWER`].
#[derive(Debug)]
pub struct Rpc<A> {
    http: Http1,
    answer: A,
    /// How many bytes of the body the request wants kept.
    keep: usize,
    /// The first bytes of the body.
    kept: Vec<u8>,
    /// Refusals whose words were told.
    told: u32,
    /// Events of `http`, in a buffer that is used again.
    events: Events,
}

impl<A: Answer + Default> Rpc<A> {
    pub(crate) fn new(limits: Limits) -> Self {
        let (http, answer) = (Http1::new(limits), A::default());
        Rpc { http, answer, keep: 0, kept: Vec::new(), told: 0, events: Events::new() }
    }

    pub(crate) fn start(
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

    pub(crate) fn start_as_encoded(&mut self, request: &Request, id: ExchangeId) -> Result<(), Full> {
        self.http.start_as_encoded(request, id)?;
        self.expect_answer(request);
        Ok(())
    }

    fn expect_answer(&mut self, request: &Request) {
        self.http.keep_all();
        self.answer.begin();
        self.keep = request.keep_body;
        self.kept.clear();
    }

    pub(crate) fn handle_bytes(&mut self, input: &[u8], events: &mut Events) -> usize {
        let consumed = self.http.handle_bytes(input, &mut self.events);
        self.pass_on(events);
        consumed
    }

    /// Reads the bytes of the body that came, and tells what became of the exchange.
    fn pass_on(&mut self, events: &mut Events) {
        let mut told = std::mem::take(&mut self.events);
        for event in told.drain(..) {
            let Event::Answered { id, code, body_bytes, body } = event else {
                events.push(event);
                continue;
            };
            self.read(body.unwrap_or_default());
            events.push(self.answered(id, code, body_bytes));
        }
        self.events = told;
        let body = self.http.take_kept();
        self.read(body);
    }

    /// Reads bytes of the body, and gives their buffer back.
    fn read(&mut self, mut body: Vec<u8>) {
        self.answer.feed(&body);
        let searched = if self.told < TOLD_MAX { SEARCHED_MAX } else { 0 };
        let room = self.keep.max(searched).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&body[..body.len().min(room)]);
        body.clear();
        self.http.give_kept(body);
    }

    fn answered(&mut self, id: ExchangeId, status: u16, body_bytes: u64) -> Event {
        let code = match (status, self.answer.verdict()) {
            (200, Verdict::Good) => 200,
            (200, Verdict::Fault) => FAULT,
            (200, Verdict::Wrong) => NO_ANSWER,
            (status, _) => status,
        };
        let body = if GOOD_CODES.contains(&code) {
            (self.keep > 0).then(|| self.kept[..self.kept.len().min(self.keep)].to_vec())
        } else {
            self.said()
        };
        Event::Answered { id, code, body_bytes, body }
    }

    /// What the server said of a call that it refused.
    fn said(&mut self) -> Option<Vec<u8>> {
        if self.told == TOLD_MAX {
            return None;
        }
        self.told += 1;
        let words = self.answer.words(&self.kept).map(String::into_bytes);
        let mut said = words.unwrap_or_else(|| self.kept[..self.kept.len().min(SAID_MAX)].to_vec());
        said.truncate(whole_chars(&said, SAID_MAX));
        Some(said)
    }

    pub(crate) fn renew(&mut self) {
        let kept = self.http.take_kept();
        self.http.renew();
        self.http.give_kept(kept);
        self.answer.begin();
        self.kept.clear();
    }

    pub(crate) fn cancel(&mut self, id: ExchangeId) -> Cancelled {
        self.http.cancel(id)
    }

    pub(crate) fn handle_close(&mut self, close: Close, events: &mut Events) {
        self.http.handle_close(close, &mut self.events);
        self.pass_on(events);
    }

    pub(crate) fn carry_max(&self) -> usize {
        self.http.carry_max()
    }

    pub(crate) fn state(&self) -> State {
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
