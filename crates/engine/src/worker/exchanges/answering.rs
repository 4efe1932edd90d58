//! Answers: read, judged and written down, and what becomes of the connection then.

use super::{Exchanges, Freed, PARTING_NS};
use crate::Target;
use crate::connection::Phase;
use crate::driver::{Conn, Net};
use crate::expect::{Body, Difference};
use crate::http::Next;
use crate::lane::{LaneId, LanePhase};
use crate::reader::Seen;
use crate::received::SAMPLE_BYTES;
use proofload_measure::Outcome;
use proofload_wire::{Close, Event, MalformedKind, Protocol, Spoken, State};

/// Effect of received bytes, or of the end of a connection, on the exchanges in flight on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// None has ended.
    Waits,
    /// Another request of the exchange is to be sent on the only lane of the connection.
    Follows,
    /// The exchange of this lane has been written down.
    Ended(LaneId),
    /// Those in `ended` have.
    Several,
}

/// Room for bytes that were not consumed which a connection keeps.
const CARRY_KEPT: usize = 64 * 1024;

/// Code that only a proxy answers with (RFC 9110 section 15.5.8).
const PROXY_WANTS_USER: u16 = 407;

/// Shown length of bytes that came instead of a handshake.
const SHOWN_BYTES: usize = 60;

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
        if !matches!(connection.phase, Phase::Open | Phase::Opening) {
            return self.after_the_end(net, conn, now);
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
            // A long line of a head was there; thousands of connections must not keep room for one each.
            if connection.carry.is_empty() && connection.carry.capacity() > CARRY_KEPT {
                connection.carry = Vec::new();
            }
        }
        debug_assert!(connection.carry.len() <= connection.session.carry_max());
        if connection.phase == Phase::Opening {
            return self.shaken(net, conn, bytes, now);
        }
        self.after_bytes(net, conn, bytes, now)
    }

    /// Bytes came on a connection that carries no exchange any more.
    #[cold]
    fn after_the_end<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        if self.connections[conn as usize].phase != Phase::Parting {
            return None;
        }
        self.count_surplus(now);
        self.hang_up(net, conn, now);
        self.gone(net, conn, now, true)
    }

    /// Counts an unsolicited answer; those to the last requests come after the window.
    fn count_surplus(&mut self, now: u64) {
        self.record.recorder.snapshot_mut().surplus += u64::from(now >= self.record.window.start_ns);
    }

    /// Takes the events of a session, and sends the bytes that it wrote, when bytes came or its own timeout did.
    #[inline(always)]
    pub(super) fn after_bytes<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        bytes: &[u8],
        now: u64,
    ) -> Option<Freed> {
        let progress = self.take_events(conn, bytes, now);
        if !self.outbox.is_empty() {
            let freed = self.flush(net, conn, now);
            if freed.is_some() || self.connections[conn as usize].phase != Phase::Open {
                // It is gone, with all that was in flight; lanes whose exchanges had ended are free.
                self.ended.clear();
                return freed;
            }
        }
        let freed = match progress {
            Progress::Ended(number) => self.after_exchange(net, number, now),
            Progress::Follows => return self.follow(net, conn, now),
            Progress::Several => self.after_several(net, conn, now),
            Progress::Waits => {
                self.after_nothing(net, conn, bytes, now);
                self.more.pop_front()
            }
        };
        self.set_session_deadline(conn);
        freed
    }

    /// Bytes came and ended no exchange.
    #[inline]
    fn after_nothing<N: Net>(&mut self, net: &mut N, conn: Conn, bytes: &[u8], now: u64) {
        if self.numbers.are_connections() && self.lanes[conn as usize].phase == LanePhase::Asking {
            self.keep_sample(conn, bytes);
        } else if self.connections[conn as usize].session.state() == State::Dead {
            // Unsolicited bytes; the next user of this connection dials.
            self.hang_up_dead(net, conn, now);
        } else {
            // The peer may have announced that it takes no more, while nothing was in flight.
            let freed = self.leave_drained(net, conn, now);
            self.more.extend(freed);
        }
    }

    /// Closes a connection whose session is dead.
    #[cold]
    fn hang_up_dead<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        self.abandon(conn, Outcome::Malformed, "other bytes on the connection broke the protocol", now);
        self.hang_up(net, conn, now);
        let freed = self.gone(net, conn, now, false);
        self.more.extend(freed);
    }

    /// Bytes came on a connection whose session shakes hands.
    #[cold]
    fn shaken<N: Net>(&mut self, net: &mut N, conn: Conn, bytes: &[u8], now: u64) -> Option<Freed> {
        let broken = self.events.drain(..).find_map(|event| match event {
            Event::Malformed { at, kind, .. } => Some((at, kind)),
            _ => None,
        });
        let freed = self.flush_pending(net, conn, now);
        if self.connections[conn as usize].phase != Phase::Opening {
            return freed;
        }
        match self.connections[conn as usize].session.state() {
            State::Opening => None,
            State::Ready(_) | State::Draining => self.ready(net, conn, now, None),
            State::Dead => {
                net.close(conn);
                let start = bytes[..bytes.len().min(SHOWN_BYTES)].escape_ascii();
                let what = || match broken {
                    Some((at, kind)) => {
                        format!("broke the protocol at byte {at} of the handshake: {kind:?}, \"{start}\"")
                    }
                    None => format!("refused the handshake: \"{start}\""),
                };
                self.not_opened(conn, Outcome::Malformed, what, now)
            }
        }
    }

    /// Ends the exchanges in flight with the events of the session when its connection ended. One that sends another request
    /// waits for the next connection instead.
    pub(super) fn ended_by_close(&mut self, conn: Conn, close: Close, now: u64) {
        let carried = self.connections[conn as usize].carried;
        self.take_events(conn, &[], now);
        self.ended.clear();
        // Of those to which no answer comes the session knows nothing.
        for number in self.numbers.of(conn) {
            let lane = &self.lanes[number as usize];
            let request = self.connections[conn as usize].request(self.plan, lane);
            if lane.phase == LanePhase::Asking && !request.expects_answer() {
                let outcome = self.cut_short(number, close, false, carried, false);
                self.end(number, outcome, now);
            }
        }
        self.abandon(conn, Outcome::Internal, "the session did not say what became of it", now);
    }

    /// Makes outcomes of a session's events; returns the effect on the exchanges.
    #[inline]
    fn take_events(&mut self, conn: Conn, bytes: &[u8], now: u64) -> Progress {
        let Some([Event::FirstByte { .. }, Event::Answered { id, code, body_bytes, body: None }]) =
            self.events.as_array()
        else {
            return self.take_any_events(conn, bytes, now);
        };
        let answer = Answer { code: *code, body_bytes: *body_bytes, body: None };
        let number = self.numbers.lane(conn, *id);
        self.events.clear();
        self.lanes[number as usize].times.first_byte_ns = Some(now);
        match self.answered(number, answer, bytes, now) {
            Some(outcome) => {
                self.write_down(number, outcome, now);
                Progress::Ended(number)
            }
            None => Progress::Follows,
        }
    }

    /// The same for any events, as they come when an answer comes in pieces or is none, or several come at once.
    fn take_any_events(&mut self, conn: Conn, bytes: &[u8], now: u64) -> Progress {
        let mut events = std::mem::take(&mut self.events);
        let mut follows = false;
        let breaks = |event: &Event| matches!(event, Event::Malformed { kind, .. } if kind.is_own_limit());
        let unread = events.iter().any(breaks);
        // All that a connection's end cuts short are its first, or none of them is.
        let carried = self.connections[conn as usize].carried;
        for event in events.drain(..) {
            let (number, outcome) = match event {
                Event::FirstByte { id } => {
                    let number = self.numbers.lane(conn, id);
                    self.lanes[number as usize].times.first_byte_ns = Some(now);
                    continue;
                }
                Event::Answered { id, code, body_bytes, body } => {
                    let answer = Answer { code, body_bytes, body: body.as_deref() };
                    let number = self.numbers.lane(conn, id);
                    match self.answered(number, answer, bytes, now) {
                        Some(outcome) => (number, outcome),
                        None => {
                            follows = true;
                            continue;
                        }
                    }
                }
                Event::ClosedEarly { id, close, began } => {
                    let number = self.numbers.lane(conn, id);
                    (number, self.cut_short(number, close, began, carried, unread))
                }
                Event::Malformed { id: Some(id), at, kind } => {
                    let number = self.numbers.lane(conn, id);
                    (number, self.malformed(number, at, kind, bytes))
                }
                Event::Control => {
                    self.record.recorder.snapshot_mut().control += u64::from(self.record.covers(now));
                    continue;
                }
                // A late answer was asked for, and its exchange has ended; a flood of questions holds no answer.
                Event::Late { .. } | Event::Malformed { id: None, kind: MalformedKind::Unread, .. } => {
                    continue;
                }
                Event::Malformed { id: None, .. } => {
                    self.count_surplus(now);
                    continue;
                }
            };
            self.end(number, outcome, now);
            self.ended.push(number);
        }
        self.events = events;
        match self.ended.len() {
            0 if follows => Progress::Follows,
            0 => Progress::Waits,
            1 => self.ended.pop().map_or(Progress::Waits, Progress::Ended),
            _ => Progress::Several,
        }
    }

    /// Outcome of a lane's present exchange with a whole answer; `None` if it sends another
    /// request.
    #[inline(always)]
    fn answered(&mut self, number: LaneId, answer: Answer<'_>, bytes: &[u8], now: u64) -> Option<Outcome> {
        let lane = &self.lanes[number as usize];
        self.record.answer(lane.entry, lane.cohort_ns, answer.code, answer.body_bytes);
        let next = match self.connections[self.numbers.conn(number) as usize].http {
            Some(_) => self.after_answer(number, answer.code, bytes, now),
            None => Next::Done,
        };
        match next {
            Next::Done => Some(self.judge(number, answer, bytes, now)),
            Next::Follow | Next::Prove => None,
            Next::Over(outcome) => Some(outcome),
        }
    }

    /// Next step after a whole answer if cookies are kept, redirects followed or challenges answered.
    #[inline(never)]
    fn after_answer(&mut self, number: LaneId, code: u16, bytes: &[u8], now: u64) -> Next {
        let connection = &mut self.connections[self.numbers.conn(number) as usize];
        let lane = &mut self.lanes[number as usize];
        let Some(http) = &mut connection.http else { return Next::Done };
        let entry = &self.plan.mix[lane.entry as usize];
        let time = (now, self.unix_ns.saturating_add_unsigned(now));
        let jar = self.jars.get_mut(self.places.seat(self.elsewhere.home(number)) as usize);
        let next = http.answered(&connection.session, entry, code, time, (jar, &mut self.elsewhere));
        match next {
            Next::Done => {}
            Next::Follow | Next::Prove => {
                connection.carried += 1;
                // Where its connection ends with bytes that are still to be sent, it goes on at the next one.
                lane.phase = LanePhase::Waiting;
                match next {
                    Next::Prove => self.record.recorder.record_challenge(lane.cohort_ns),
                    _ => {
                        self.record.recorder.record_redirect(lane.cohort_ns);
                        let covered = self.record.covers(lane.cohort_ns);
                        if let Some(other) = http.away().filter(|_| covered) {
                            self.elsewhere.count(other);
                        }
                    }
                }
                if let Some(sample) = &mut lane.sample {
                    sample.clear();
                }
            }
            Next::Over(outcome) => {
                let (http, received) = (connection.http.as_ref(), lane.received(bytes));
                let what = || http.map(|http| http.why_over(outcome, entry.follow.most)).unwrap_or_default();
                self.record.keep_bad(outcome, lane.entry as usize, received, what);
            }
        }
        next
    }

    #[inline(always)]
    fn judge(&mut self, number: LaneId, answer: Answer<'_>, bytes: &[u8], now: u64) -> Outcome {
        let lane = &self.lanes[number as usize];
        let check = &self.checks[lane.entry as usize];
        let codings = || self.connections[self.numbers.conn(number) as usize].session.codings();
        let body = || Body { kept: answer.body.unwrap_or_default(), codings: codings() };
        match check.difference(answer.code, answer.body_bytes, body) {
            None if check.reading.is_none() && check.within_ns.is_none() => Outcome::Answered,
            None => self.look_into(number, answer, bytes, now),
            Some(difference) => self.differs(number, answer, difference, bytes),
        }
    }

    /// Notes a difference of an answer; its outcome.
    fn differs(
        &mut self,
        number: LaneId,
        answer: Answer<'_>,
        difference: Difference,
        bytes: &[u8],
    ) -> Outcome {
        let lane = &self.lanes[number as usize];
        let check = &self.checks[lane.entry as usize];
        let codings = self.connections[self.numbers.conn(number) as usize].session.codings();
        let (outcome, received) = (difference.outcome(), lane.received(bytes));
        let is_proxied = |target: &Target| target.transport.proxy.is_some();
        let proxied = || self.elsewhere.target(lane.target).is_some_and(is_proxied);
        let what = || match check.explain(difference, answer.body, codings) {
            told if answer.code == PROXY_WANTS_USER && proxied() => {
                format!("{told}: the proxy wants another user and password, or any")
            }
            told => told,
        };
        self.record.keep_bad(outcome, lane.entry as usize, received, what);
        outcome
    }

    /// Reads values from an answer that was good so far.
    #[inline(never)]
    fn look_into(&mut self, number: LaneId, answer: Answer<'_>, bytes: &[u8], now: u64) -> Outcome {
        let lane = &self.lanes[number as usize];
        let check = &self.checks[lane.entry as usize];
        let took_ns = now - lane.times.intended_ns;
        if check.within_ns.is_some_and(|within_ns| took_ns > within_ns) {
            return self.differs(number, answer, Difference::Late(took_ns), bytes);
        }
        let Some(reading) = &check.reading else { return Outcome::Answered };
        let session = &self.connections[self.numbers.conn(number) as usize].session;
        let body = Body { kept: answer.body.unwrap_or_default(), codings: session.codings() };
        let (text, whole) = match reading.needs_body().then(|| check.text(&body, answer.body_bytes)) {
            None => Default::default(),
            Some(Ok(text)) => text,
            Some(Err(why)) => return self.differs(number, answer, Difference::Undecoded(why), bytes),
        };
        let home = self.elsewhere.home(number);
        let seat = self.places.seat(home) as usize;
        let begun = self.lanes[home as usize].begun;
        let random = self.picks.at((self.share.number_of(home) << 24).wrapping_add(begun));
        let seen = Seen { code: answer.code, text: &text, whole, session, jar: self.jars.get(seat), random };
        match reading.read(&seen, self.memories.get_mut(seat), &mut self.scratch) {
            Ok(()) => Outcome::Answered,
            Err(misread) => {
                let what = || reading.explain(misread, &seen);
                self.record.keep_bad(misread.outcome(), lane.entry as usize, lane.received(bytes), what);
                misread.outcome()
            }
        }
    }

    /// The outcome of an exchange whose answer broke the protocol at that byte of the connection.
    fn malformed(&mut self, number: LaneId, at: u64, kind: MalformedKind, bytes: &[u8]) -> Outcome {
        let lane = &self.lanes[number as usize];
        let received = lane.received(bytes);
        let plain = self.elsewhere.target(lane.target).is_some_and(|target| target.transport.tls.is_none());
        let outcome = if kind.is_own_limit() { Outcome::BeyondLimit } else { Outcome::Malformed };
        let what = || {
            if outcome == Outcome::BeyondLimit {
                return beyond(at, kind);
            }
            let hint = match received.spoken() {
                Some(Spoken::Tls) if plain => "; it speaks TLS: write https://".to_owned(),
                Some(Spoken::Http1) if at == 0 => "; it speaks HTTP: write http://".to_owned(),
                Some(Spoken::Http2) if at == 0 => "; it speaks HTTP/2".to_owned(),
                Some(Spoken::Other(protocol)) if at == 0 => format!("; it speaks {protocol}"),
                _ => String::new(),
            };
            format!("broke the protocol at byte {at} of the connection: {kind:?}{hint}")
        };
        self.record.keep_bad(outcome, lane.entry as usize, received, what);
        outcome
    }

    /// The outcome of an exchange whose connection ended before its answer was whole; it had carried `carried` others.
    /// `unread`: another's answer exceeds a limit.
    fn cut_short(
        &mut self,
        number: LaneId,
        close: Close,
        began: bool,
        carried: u32,
        unread: bool,
    ) -> Outcome {
        let lane = &self.lanes[number as usize];
        let outcome = match close {
            Close::Reset if carried == 0 => Outcome::ResetFresh,
            Close::Reset => Outcome::ResetReused,
            Close::Fin | Close::TlsTruncated => Outcome::ClosedEarly,
            // Of several in flight: other bytes broke the protocol.
            Close::Local if unread => Outcome::BeyondLimit,
            Close::Local => Outcome::Malformed,
        };
        let how = match close {
            Close::Reset => "reset",
            Close::Local if unread => "given up, for Proofload does not read another's answer,",
            Close::Local => "given up, for other bytes on it broke the protocol,",
            Close::Fin | Close::TlsTruncated => "closed",
        };
        let when = if began { "within" } else { "before" };
        let why = self.why_closed.take().map(|why| format!(": {why}")).unwrap_or_default();
        let is_plain = |target: &Target| target.transport.tls.is_none() && target.protocol == Protocol::Http1;
        let plain = self.elsewhere.target(lane.target).is_some_and(is_plain);
        let hint = match close {
            Close::Fin if plain && carried == 0 && !began => "; if it speaks TLS, write https://",
            _ => "",
        };
        let what = || format!("the connection was {how} {when} answer {}{why}{hint}", carried + 1);
        self.record.keep_bad(outcome, lane.entry as usize, lane.received(&[]), what);
        outcome
    }

    /// Decides the next step of a lane whose exchange has ended, and of its connection.
    #[inline(always)]
    fn after_exchange<N: Net>(&mut self, net: &mut N, number: LaneId, now: u64) -> Option<Freed> {
        let conn = self.numbers.conn(number);
        let connection = &self.connections[conn as usize];
        let lane = &self.lanes[number as usize];
        match connection.session.state() {
            // The answer came before the request had left whole. The rest would go before the next request, and a
            // server that refused it may never read it.
            State::Ready(_) | State::Draining
                if self.numbers.are_connections()
                    && (connection.backlog.is_some() || lane.times.sent_ns.is_none()) =>
            {
                self.hang_up(net, conn, now);
                Some(self.free(number, now, false))
            }
            State::Ready(1..) => Some(self.free(number, now, true)),
            State::Draining => {
                self.note_idle(number, now);
                self.leave_drained(net, conn, now)
            }
            State::Ready(0) | State::Opening | State::Dead => {
                self.hang_up_dead(net, conn, now);
                self.more.pop_front()
            }
        }
    }

    /// Leaves a connection that takes no more exchanges, when none is in flight on it. The peer may close it first, unless
    /// others wait to be carried, or it carried several at once: who asks for it to be left so may keep it open for long.
    pub(super) fn leave_drained<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        let drains = connection.phase == Phase::Open && connection.session.state() == State::Draining;
        if !drains || self.asks(conn) {
            return None;
        }
        let waits = |lane: LaneId| self.lanes[lane as usize].phase == LanePhase::Waiting;
        if !self.numbers.are_connections() || self.numbers.of(conn).any(waits) {
            self.hang_up(net, conn, now);
            return self.gone(net, conn, now, true);
        }
        self.connections[conn as usize].phase = Phase::Parting;
        let deadline = self.connection_deadline(conn);
        self.deadlines.set(deadline, now, PARTING_NS);
        None
    }

    /// Several exchanges of a connection have ended at once.
    #[inline(never)]
    fn after_several<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let mut ended = std::mem::take(&mut self.ended);
        for number in ended.drain(..) {
            // The connection may be gone with an earlier one, and this lane free or asking again.
            if self.lanes[number as usize].phase == LanePhase::Resting
                && self.connections[conn as usize].phase == Phase::Open
            {
                let freed = self.after_exchange(net, number, now);
                self.more.extend(freed);
            }
        }
        self.ended = ended;
        self.more.pop_front()
    }

    /// Keeps the beginning of an answer that comes in pieces, in case it turns out bad.
    fn keep_sample(&mut self, number: LaneId, bytes: &[u8]) {
        let lane = &mut self.lanes[number as usize];
        if lane.sample.is_none() {
            lane.sample = self.samples.pop();
        }
        if let Some(sample) = &mut lane.sample {
            let room = SAMPLE_BYTES - sample.len();
            sample.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}

/// Limit of Proofload's own that was exceeded, in a sentence.
fn beyond(at: u64, kind: MalformedKind) -> String {
    let what = match kind {
        MalformedKind::HeadTooLong => "a head, a line of one, or trailers of more than 1 MiB",
        MalformedKind::BodyTooLong => "a body longer than can be counted",
        _ => "values nested deeper, or of more classes,",
    };
    let than =
        if kind == MalformedKind::TooDeep { " than Proofload reads" } else { ": Proofload reads no more" };
    format!("{what}{than} (byte {at} of the connection); this limit cannot be raised")
}
