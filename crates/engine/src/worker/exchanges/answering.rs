//! Answers: read, judged and written down, and what becomes of the connection then.

use super::{Exchanges, Freed, PARTING_NS};
use crate::connection::Phase;
use crate::driver::{Conn, Net};
use crate::http::Next;
use crate::record::SAMPLE_BYTES;
use proofload_measure::Outcome;
use proofload_wire::{Close, Event, MalformedKind, State};

/// How far the present exchange has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// The answer is not whole.
    Waits,
    /// A redirect is to be followed.
    Follows,
    /// It has been written down.
    Ended,
}

/// A whole answer.
#[derive(Clone, Copy, Debug)]
struct Answer<'a> {
    code: u16,
    body_bytes: u64,
    /// As much of the body as was to be kept.
    body: Option<&'a [u8]>,
}

impl Exchanges<'_> {
    /// Takes bytes that came on a connection.
    #[inline]
    pub fn received<N: Net>(&mut self, net: &mut N, conn: Conn, bytes: &[u8]) -> Option<Freed> {
        let now = net.now_ns();
        self.record.advance_to(now);
        self.record.recorder.record_bytes(now, 0, bytes.len() as u64);
        let connection = &mut self.connections[conn as usize];
        if !matches!(connection.phase, Phase::Asking | Phase::Idle) {
            return None;
        }
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        let events = &mut self.events;
        if connection.carry.is_empty() {
            let consumed = connection.session.handle_bytes(now, bytes, out, events);
            connection.carry.extend_from_slice(&bytes[consumed..]);
        } else {
            connection.carry.extend_from_slice(bytes);
            let consumed = connection.session.handle_bytes(now, &connection.carry, out, events);
            connection.carry.drain(..consumed);
        }
        debug_assert!(connection.carry.len() <= connection.session.carry_max());
        if !self.outbox.pending().is_empty()
            && let Some(freed) = self.flush(net, conn, now)
        {
            self.events.clear();
            return Some(freed);
        }
        let progress = self.take_events(conn, bytes, now);
        if progress == Progress::Ended {
            return self.after_exchange(net, conn, now);
        } else if progress == Progress::Follows {
            return self.follow(net, conn, now);
        } else if self.connections[conn as usize].phase == Phase::Asking {
            self.keep_sample(conn, bytes);
        } else if self.connections[conn as usize].session.state() == State::Dead {
            // Bytes that nobody asked for; whoever uses this connection next dials.
            self.hang_up(net, conn, now);
        }
        None
    }

    /// Ends the present exchange with what the session said when its connection ended; says whether it follows a
    /// redirect instead.
    pub(super) fn ended_by_close(&mut self, conn: Conn, now: u64) -> bool {
        let progress = self.take_events(conn, &[], now);
        if progress == Progress::Waits {
            self.end(conn, Outcome::Internal, now);
        }
        progress == Progress::Follows
    }

    /// Makes an outcome of a session's events; says how far the present exchange has come.
    #[inline]
    fn take_events(&mut self, conn: Conn, bytes: &[u8], now: u64) -> Progress {
        let Some([Event::FirstByte { .. }, Event::Answered { code, body_bytes, body: None, .. }]) =
            self.events.as_array()
        else {
            return self.take_any_events(conn, bytes, now);
        };
        let answer = Answer { code: *code, body_bytes: *body_bytes, body: None };
        self.events.clear();
        self.connections[conn as usize].times.first_byte_ns = Some(now);
        match self.answered(conn, answer, bytes, now) {
            Some(outcome) => {
                self.end(conn, outcome, now);
                Progress::Ended
            }
            None => Progress::Follows,
        }
    }

    /// The same for any events, as they come when an answer comes in pieces or is none.
    fn take_any_events(&mut self, conn: Conn, bytes: &[u8], now: u64) -> Progress {
        let mut events = std::mem::take(&mut self.events);
        let mut ended = None;
        let mut follows = false;
        for event in events.drain(..) {
            match event {
                Event::FirstByte { .. } => self.connections[conn as usize].times.first_byte_ns = Some(now),
                Event::Answered { code, body_bytes, body, .. } => {
                    let answer = Answer { code, body_bytes, body: body.as_deref() };
                    ended = self.answered(conn, answer, bytes, now);
                    follows = ended.is_none();
                }
                Event::ClosedEarly { close, began, .. } => ended = Some(self.cut_short(conn, close, began)),
                Event::Malformed { id: Some(_), at, kind } => {
                    ended = Some(self.malformed(conn, at, kind, bytes));
                }
                Event::Control => {
                    self.record.recorder.snapshot_mut().control += u64::from(self.record.covers(now));
                }
                Event::Malformed { id: None, .. } | Event::Late { .. } => {}
            }
        }
        self.events = events;
        match ended {
            Some(outcome) => {
                self.end(conn, outcome, now);
                Progress::Ended
            }
            None if follows => Progress::Follows,
            None => Progress::Waits,
        }
    }

    /// What became of the present exchange with a whole answer; `None` if a redirect is to be followed.
    #[inline]
    fn answered(&mut self, conn: Conn, answer: Answer<'_>, bytes: &[u8], now: u64) -> Option<Outcome> {
        let connection = &self.connections[conn as usize];
        self.record.recorder.record_code(connection.times.intended_ns, answer.code);
        let next = match connection.http {
            Some(_) => self.after_answer(conn, answer.code, bytes, now),
            None => Next::Done,
        };
        match next {
            Next::Done => Some(self.judge(conn, answer, bytes)),
            Next::Follow => None,
            Next::TooMany => Some(Outcome::Rejected),
        }
    }

    /// What comes after a whole answer where cookies are kept or redirects followed.
    #[inline(never)]
    fn after_answer(&mut self, conn: Conn, code: u16, bytes: &[u8], now: u64) -> Next {
        let connection = &mut self.connections[conn as usize];
        let Some(http) = &mut connection.http else { return Next::Done };
        let entry = &self.plan.mix[connection.entry as usize];
        let next = http.answered(&connection.session, entry, code, now);
        match next {
            Next::Done => {}
            Next::Follow => {
                connection.carried += 1;
                self.record.recorder.record_redirect(connection.times.intended_ns);
                if let Some(sample) = &mut connection.sample {
                    sample.clear();
                }
            }
            Next::TooMany => {
                let (http, received) = (connection.http.as_ref(), connection.received(bytes));
                let what = || http.map(|http| http.too_many(entry.follow.most)).unwrap_or_default();
                self.record.keep_bad(Outcome::Rejected, connection.entry as usize, received, what);
            }
        }
        next
    }

    #[inline]
    fn judge(&mut self, conn: Conn, answer: Answer<'_>, bytes: &[u8]) -> Outcome {
        let connection = &self.connections[conn as usize];
        let check = &self.checks[connection.entry as usize];
        match check.difference(answer.code, answer.body_bytes, answer.body) {
            None => Outcome::Answered,
            Some(difference) => {
                let (outcome, received) = (difference.outcome(), connection.received(bytes));
                let what = || check.explain(difference);
                self.record.keep_bad(outcome, connection.entry as usize, received, what);
                outcome
            }
        }
    }

    /// The outcome of an exchange whose answer broke the protocol at that byte of the connection.
    fn malformed(&mut self, conn: Conn, at: u64, kind: MalformedKind, bytes: &[u8]) -> Outcome {
        let connection = &self.connections[conn as usize];
        let received = connection.received(bytes);
        let plain = self.plan.targets[connection.target as usize].transport.tls.is_none();
        let what = || {
            let hint = if plain && received.is_tls() { "; it speaks TLS: write https://" } else { "" };
            format!("broke the protocol at byte {at} of the connection: {kind:?}{hint}")
        };
        self.record.keep_bad(Outcome::Malformed, connection.entry as usize, received, what);
        Outcome::Malformed
    }

    /// The outcome of an exchange whose connection ended before its answer was whole.
    fn cut_short(&mut self, conn: Conn, close: Close, began: bool) -> Outcome {
        let connection = &self.connections[conn as usize];
        let outcome = match close {
            Close::Reset if connection.carried == 0 => Outcome::ResetFresh,
            Close::Reset => Outcome::ResetReused,
            Close::Fin | Close::TlsTruncated => Outcome::ClosedEarly,
            Close::Local => Outcome::Internal,
        };
        let how = if close == Close::Reset { "reset" } else { "closed" };
        let when = if began { "within" } else { "before" };
        let why = self.why_closed.take().map(|why| format!(": {why}")).unwrap_or_default();
        let number = connection.carried + 1;
        let what = || format!("the connection was {how} {when} the answer, its number {number}{why}");
        self.record.keep_bad(outcome, connection.entry as usize, connection.received(&[]), what);
        outcome
    }

    /// Decides what becomes of a connection whose exchange has ended.
    #[inline]
    fn after_exchange<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        match connection.session.state() {
            // The answer came before the request had left whole. The rest would go before the next request, and a
            // server that refused it may never read it.
            State::Ready(_) | State::Draining
                if connection.backlog.is_some() || connection.times.sent_ns.is_none() =>
            {
                self.hang_up(net, conn, now);
                Some(Freed { conn, now_ns: now, at_once: false })
            }
            State::Ready(1..) => {
                connection.phase = Phase::Idle;
                Some(Freed { conn, now_ns: now, at_once: true })
            }
            State::Draining => {
                connection.phase = Phase::Parting;
                self.note_idle(conn, now);
                self.deadlines.set(conn, now, PARTING_NS);
                None
            }
            State::Ready(0) | State::Opening | State::Dead => {
                self.hang_up(net, conn, now);
                Some(Freed { conn, now_ns: now, at_once: false })
            }
        }
    }

    /// Keeps the beginning of an answer that comes in pieces, in case it turns out bad.
    fn keep_sample(&mut self, conn: Conn, bytes: &[u8]) {
        let connection = &mut self.connections[conn as usize];
        if connection.sample.is_none() {
            connection.sample = self.samples.pop();
        }
        if let Some(sample) = &mut connection.sample {
            let room = SAMPLE_BYTES - sample.len();
            sample.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}
