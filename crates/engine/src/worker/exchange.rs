//! The life of one exchange: begin, connect if need be, ask, read, settle; and of the connection after it.

use super::{BACKOFF_NS, PARTING_NS, Worker};
use crate::books::SAMPLE_BYTES;
use crate::driver::{Conn, DialFault, Dialed, Net, Pushed, Sent};
use crate::http::Next;
use crate::slot::{Phase, Slot};
use crate::{KeepAlive, LoadPlan};
use proofload_measure::{ExchangeTimes, Outcome};
use proofload_wire::{Cancelled, Close, Event, ExchangeId, Filling, Full, Outbox, Request, State};

/// A place carries one exchange at a time, so one name is enough.
const ONLY: ExchangeId = ExchangeId(0);

/// How far the present exchange has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The answer is not whole.
    Waits,
    /// A redirect is to be followed.
    Follows,
    /// It has been written down.
    Ended,
}

impl Worker<'_> {
    /// Begins an exchange in a free place.
    #[inline]
    pub(super) fn begin<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        entry: usize,
        intended_ns: u64,
        now: u64,
    ) {
        let slot = &mut self.slots[conn as usize];
        slot.entry = entry as u32;
        slot.begun += 1;
        if slot.begun == 1 {
            self.books.begun(intended_ns, now);
        }
        slot.times = ExchangeTimes { intended_ns, ..ExchangeTimes::default() };
        if let Some(http) = &mut slot.http {
            http.begin();
        }
        self.in_flight += 1;
        match slot.phase {
            Phase::Idle => self.ask(net, conn, intended_ns, now),
            Phase::Opening => {
                // What was opened ahead of the load came too late; the exchange waits for it.
                slot.phase = Phase::Dialing;
                self.opening -= 1;
            }
            Phase::Cold => self.dial(net, conn, now),
            Phase::Dialing | Phase::Asking | Phase::Parting | Phase::BackingOff => {
                debug_assert!(false, "place {conn} is not free: {:?}", slot.phase);
                self.settle(conn, Outcome::Internal, now);
            }
        }
    }

    pub(super) fn dial<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let slot = &mut self.slots[conn as usize];
        slot.dialed_ns = now;
        slot.phase = Phase::Dialing;
        let to = &self.plan.targets[slot.target as usize];
        let request = request_of(self.plan, slot);
        let as_encoded = request.places.is_empty() && slot.http.is_none();
        let from = self.local_address(conn);
        let (dialed, sent) = if as_encoded {
            net.dial_sending(conn, to, from, &request.bytes)
        } else {
            (net.dial(conn, to, from), None)
        };
        match dialed {
            Dialed::Established => {
                let now = sent.map_or_else(|| net.now_ns(), |sent| sent.at_ns);
                self.connected(conn, now);
                self.ask_or_sent(net, conn, (now, now), sent.map(|sent| sent.pushed));
            }
            Dialed::Pending => self.deadlines.set(conn, now, self.plan.timeouts.connect_ns),
            Dialed::Failed(fault) => self.dial_failed(net, conn, fault, now),
        }
    }

    /// Writes down that a connection stands.
    pub(super) fn connected(&mut self, conn: Conn, now: u64) {
        self.books.turn(now);
        let slot = &mut self.slots[conn as usize];
        self.books.recorder.record_connect(now, now - slot.dialed_ns);
        self.books.opened += u64::from(self.books.covers(now));
        slot.session.open(now, &mut self.outbox);
    }

    pub(super) fn count_local_want(&mut self, fault: DialFault) {
        self.books.no_port += u64::from(fault == DialFault::NoPort);
        self.books.no_descriptor += u64::from(fault == DialFault::NoDescriptor);
    }

    /// An exchange got no connection; its place rests.
    pub(super) fn dial_failed<N: Net>(&mut self, net: &N, conn: Conn, fault: DialFault, now: u64) {
        self.count_local_want(fault);
        let (outcome, what) = match fault {
            DialFault::Refused => (Outcome::ConnectRefused, "refused the connection"),
            DialFault::TimedOut => (Outcome::ConnectTimeout, "did not accept the connection in time"),
            DialFault::NoPort => (Outcome::LocalExhausted, "cannot be connected to: no local port is left"),
            DialFault::NoDescriptor => {
                (Outcome::LocalExhausted, "cannot be connected to: no descriptor or socket memory is left")
            }
            DialFault::Reset => (Outcome::ResetFresh, "reset the connection as soon as it stood"),
            DialFault::Other => (Outcome::ConnectFailed, "cannot be reached"),
            DialFault::Transport => (Outcome::ConnectFailed, "cannot be spoken to"),
        };
        let slot = &self.slots[conn as usize];
        let address = &self.plan.targets[slot.target as usize].address;
        self.books.keep_bad(outcome, slot.entry as usize, (&[], &[]), || {
            net.explain().unwrap_or_else(|| format!("{address} {what}"))
        });
        self.settle(conn, outcome, now);
        self.rest_growth(now);
        let slot = &mut self.slots[conn as usize];
        slot.disconnect();
        slot.phase = Phase::BackingOff;
        self.deadlines.set(conn, now, BACKOFF_NS);
    }

    /// Sends the present exchange's request. `ready_ns` is since when it could use the connection.
    #[inline]
    pub(super) fn ask<N: Net>(&mut self, net: &mut N, conn: Conn, ready_ns: u64, now: u64) {
        self.ask_or_sent(net, conn, (ready_ns, now), None);
    }

    /// The same; `pushed` is what became of the request if it was sent already.
    #[inline]
    fn ask_or_sent<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        (ready_ns, now): (u64, u64),
        pushed: Option<Pushed>,
    ) {
        let plan = self.plan;
        let slot = &mut self.slots[conn as usize];
        if !slot.is_following() {
            slot.ready_ns = ready_ns;
        }
        if let Some(since) = slot.away_ns.take() {
            self.books.away(since, ready_ns);
        }
        let request = request_of(plan, slot);
        slot.phase = Phase::Asking;
        if request.places.is_empty() && slot.http.is_none() && slot.backlog.is_none() {
            return match slot.session.start_as_encoded(request, ONLY) {
                Ok(bytes) => {
                    self.deadlines.set(conn, now, plan.timeouts.response_ns);
                    let pushed = pushed.unwrap_or_else(|| net.send(conn, bytes));
                    self.sent_whole(net, conn, bytes, pushed, now);
                }
                Err(Full) => self.not_started(net, conn, now),
            };
        }
        self.ask_filled(net, conn, request, now);
    }

    /// Sends a request that has places to fill, or that waits behind a rest of another.
    fn ask_filled<N: Net>(&mut self, net: &mut N, conn: Conn, request: &Request, now: u64) {
        let slot = &mut self.slots[conn as usize];
        let is_following = slot.is_following();
        let out = slot.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        if !is_following {
            self.feeding.number(request, slot.times.intended_ns, &mut slot.numbers);
        }
        self.feeding.draw(request, &slot.numbers);
        let filling = match &mut slot.http {
            Some(http) => http.fill(request, self.feeding.values(), now),
            None => Filling::of(self.feeding.values()),
        };
        let started = slot.session.start(request, &filling, ONLY, out);
        if started.is_err() {
            return self.not_started(net, conn, now);
        }
        // The time-out runs from the first request of the exchange, whatever came in between.
        let response_ns = self.plan.timeouts.response_ns;
        match slot.times.sent_ns.filter(|_| is_following) {
            Some(since_ns) => self.deadlines.set_at(conn, since_ns.saturating_add(response_ns)),
            None => self.deadlines.set(conn, now, response_ns),
        }
        self.flush(net, conn, now);
    }

    #[cold]
    fn not_started<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        self.settle(conn, Outcome::Internal, now);
        self.hang_up(net, conn, now);
        self.release(net, conn, now, false);
    }

    /// Takes note of what became of a request, which needs no copy unless something of it is left.
    #[inline]
    fn sent_whole<N: Net>(&mut self, net: &mut N, conn: Conn, bytes: &[u8], pushed: Pushed, now: u64) {
        match pushed {
            Pushed::Took(took) if took == bytes.len() => {
                self.slots[conn as usize].times.sent_ns = Some(now);
                self.books.recorder.record_bytes(now, took as u64, 0);
            }
            Pushed::Queued => {}
            pushed => {
                self.outbox.push_exchange(ONLY, bytes);
                self.pushed(net, conn, pushed, now);
            }
        }
    }

    /// Hands the kernel what waits to be sent.
    pub(super) fn flush<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let out = self.slots[conn as usize].backlog.as_deref().unwrap_or(&self.outbox);
        let pushed = net.send(conn, out.pending());
        self.pushed(net, conn, pushed, now);
    }

    /// Takes note of what became of what waited to be sent.
    fn pushed<N: Net>(&mut self, net: &mut N, conn: Conn, pushed: Pushed, now: u64) {
        let slot = &mut self.slots[conn as usize];
        let times = &mut slot.times;
        let out = slot.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        match pushed {
            Pushed::Took(_) | Pushed::Queued => {
                match pushed {
                    Pushed::Took(took) => {
                        out.take(took, |_| {
                            times.sent_ns.get_or_insert(now);
                        });
                        self.books.recorder.record_bytes(now, took as u64, 0);
                    }
                    _ => out.take(out.pending().len(), |_| {}),
                }
                let done = out.pending().is_empty();
                match (done, slot.backlog.is_some()) {
                    (true, true) => slot.backlog = None,
                    (false, false) => {
                        let rest = std::mem::replace(&mut self.outbox, Outbox::new(super::OUTBOX_BYTES));
                        slot.backlog = Some(Box::new(rest));
                    }
                    (true, false) | (false, true) => {}
                }
            }
            Pushed::Reset => {
                self.outbox.clear();
                self.lost(net, conn, Close::Reset, now, false);
            }
            Pushed::Failed => {
                self.outbox.clear();
                let entry = self.slots[conn as usize].entry as usize;
                if self.slots[conn as usize].phase == Phase::Asking {
                    self.books.keep_bad(Outcome::SendFailed, entry, (&[], &[]), || {
                        "the kernel refused to send the request".to_owned()
                    });
                    self.settle(conn, Outcome::SendFailed, now);
                }
                self.hang_up(net, conn, now);
                self.release(net, conn, now, false);
            }
        }
    }

    /// Takes note of what became of a request that was queued.
    #[inline]
    pub(super) fn left<N: Net>(&mut self, net: &mut N, conn: Conn, sent: Sent) {
        let slot = &mut self.slots[conn as usize];
        match sent.pushed {
            Pushed::Took(took) => {
                if slot.phase == Phase::Asking {
                    slot.times.sent_ns.get_or_insert(sent.at_ns);
                }
                self.books.recorder.record_bytes(sent.at_ns, took as u64, 0);
            }
            Pushed::Queued => {}
            pushed @ (Pushed::Reset | Pushed::Failed) => {
                let now = net.now_ns();
                if slot.phase == Phase::Asking {
                    self.pushed(net, conn, pushed, now);
                } else {
                    self.lost(net, conn, Close::Reset, now, true);
                }
            }
        }
    }

    /// Takes bytes that came on a connection.
    #[inline]
    pub(super) fn feed<N: Net>(&mut self, net: &mut N, conn: Conn, bytes: &[u8], now: u64) {
        let slot = &mut self.slots[conn as usize];
        if !matches!(slot.phase, Phase::Asking | Phase::Idle) {
            return;
        }
        let out = slot.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        let events = &mut self.events;
        if slot.carry.is_empty() {
            let consumed = slot.session.handle_bytes(now, bytes, out, events);
            slot.carry.extend_from_slice(&bytes[consumed..]);
        } else {
            slot.carry.extend_from_slice(bytes);
            let consumed = slot.session.handle_bytes(now, &slot.carry, out, events);
            slot.carry.drain(..consumed);
        }
        debug_assert!(slot.carry.len() <= slot.session.carry_max());
        if !self.outbox.pending().is_empty() {
            self.flush(net, conn, now);
        }
        let progress = self.take_events(conn, bytes, now);
        if progress == Progress::Ended {
            self.after_exchange(net, conn, now);
        } else if progress == Progress::Follows {
            self.follow(net, conn, now);
        } else if self.slots[conn as usize].phase == Phase::Asking {
            self.keep_sample(conn, bytes);
        } else if self.slots[conn as usize].session.state() == State::Dead {
            // Bytes that nobody asked for; whoever uses this place next dials.
            self.hang_up(net, conn, now);
        }
    }

    /// Turns a session's events into an outcome; says how far the present exchange has come.
    #[inline]
    fn take_events(&mut self, conn: Conn, bytes: &[u8], now: u64) -> Progress {
        let Some([Event::FirstByte { .. }, Event::Answered { code, body_bytes, body: None, .. }]) =
            self.events.as_array()
        else {
            return self.take_any_events(conn, bytes, now);
        };
        let (code, body_bytes) = (*code, *body_bytes);
        self.events.clear();
        self.slots[conn as usize].times.first_byte_ns = Some(now);
        match self.answered(conn, code, body_bytes, None, bytes, now) {
            Some(outcome) => {
                self.settle(conn, outcome, now);
                Progress::Ended
            }
            None => Progress::Follows,
        }
    }

    /// What became of the present exchange with a whole answer; `None` if a redirect is to be followed.
    #[inline]
    fn answered(
        &mut self,
        conn: Conn,
        code: u16,
        body_bytes: u64,
        body: Option<&[u8]>,
        bytes: &[u8],
        now: u64,
    ) -> Option<Outcome> {
        let slot = &mut self.slots[conn as usize];
        let intended_ns = slot.times.intended_ns;
        self.books.recorder.record_code(intended_ns, code);
        let next = match &mut slot.http {
            Some(http) => http.answered(&slot.session, &self.plan.mix[slot.entry as usize], code, now),
            None => Next::Done,
        };
        match next {
            Next::Done => Some(self.judge(conn, code, body_bytes, body, bytes)),
            Next::Follow => {
                slot.carried += 1;
                self.books.recorder.record_redirect(intended_ns);
                if let Some(sample) = &mut slot.sample {
                    sample.clear();
                }
                None
            }
            Next::TooMany => Some(self.redirected_too_often(conn, bytes)),
        }
    }

    fn redirected_too_often(&mut self, conn: Conn, bytes: &[u8]) -> Outcome {
        let slot = &self.slots[conn as usize];
        let most = self.plan.mix[slot.entry as usize].follow.most;
        let received = (slot.sample.as_deref().unwrap_or_default(), bytes);
        self.books.keep_bad(Outcome::Rejected, slot.entry as usize, received, || {
            slot.http.as_ref().map(|http| http.too_many(most)).unwrap_or_default()
        });
        Outcome::Rejected
    }

    /// Sends the next request of an exchange, on a new connection when this one ends.
    fn follow<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let slot = &self.slots[conn as usize];
        let ready_ns = slot.ready_ns;
        // An unsent rest of the last request would go before this one.
        if matches!(slot.session.state(), State::Ready(1..)) && slot.backlog.is_none() {
            return self.ask(net, conn, ready_ns, now);
        }
        // Who waits for the answer does not wait for the server to close first.
        self.hang_up(net, conn, now);
        self.dial(net, conn, now);
    }

    /// The same for any events, which come so when an answer comes in pieces or is none.
    fn take_any_events(&mut self, conn: Conn, bytes: &[u8], now: u64) -> Progress {
        let mut events = std::mem::take(&mut self.events);
        let mut ended = None;
        let mut follows = false;
        for event in events.drain(..) {
            match event {
                Event::FirstByte { .. } => self.slots[conn as usize].times.first_byte_ns = Some(now),
                Event::Answered { code, body_bytes, body, .. } => {
                    ended = self.answered(conn, code, body_bytes, body.as_deref(), bytes, now);
                    follows = ended.is_none();
                }
                Event::ClosedEarly { close, began, .. } => ended = Some(self.cut_short(conn, close, began)),
                Event::Malformed { id: Some(_), at, kind } => {
                    let slot = &self.slots[conn as usize];
                    let received = (slot.sample.as_deref().unwrap_or_default(), bytes);
                    let plain = self.plan.targets[slot.target as usize].transport.tls.is_none();
                    let what = || {
                        let hint =
                            if plain && is_tls(received) { "; it speaks TLS: write https://" } else { "" };
                        format!("broke the protocol at byte {at} of the connection: {kind:?}{hint}")
                    };
                    self.books.keep_bad(Outcome::Malformed, slot.entry as usize, received, what);
                    ended = Some(Outcome::Malformed);
                }
                Event::Control => {
                    self.books.recorder.snapshot_mut().control += u64::from(self.books.covers(now));
                }
                Event::Malformed { id: None, .. } | Event::Late { .. } => {}
            }
        }
        self.events = events;
        match ended {
            Some(outcome) => {
                self.settle(conn, outcome, now);
                Progress::Ended
            }
            None if follows => Progress::Follows,
            None => Progress::Waits,
        }
    }

    #[inline]
    fn judge(
        &mut self,
        conn: Conn,
        code: u16,
        body_bytes: u64,
        body: Option<&[u8]>,
        bytes: &[u8],
    ) -> Outcome {
        let slot = &self.slots[conn as usize];
        let check = &self.checks[slot.entry as usize];
        match check.difference(code, body_bytes, body) {
            None => Outcome::Answered,
            Some(difference) => {
                let received = (slot.sample.as_deref().unwrap_or_default(), bytes);
                let outcome = difference.outcome();
                let what = || check.explain(difference);
                self.books.keep_bad(outcome, slot.entry as usize, received, what);
                outcome
            }
        }
    }

    /// The outcome of an exchange whose connection ended under it.
    fn cut_short(&mut self, conn: Conn, close: Close, began: bool) -> Outcome {
        let slot = &self.slots[conn as usize];
        let outcome = match close {
            Close::Reset if slot.carried == 0 => Outcome::ResetFresh,
            Close::Reset => Outcome::ResetReused,
            Close::Fin | Close::TlsTruncated => Outcome::ClosedEarly,
            Close::Local => Outcome::Internal,
        };
        let how = if close == Close::Reset { "reset" } else { "closed" };
        let place = if began { "within" } else { "before" };
        let received = (slot.sample.as_deref().unwrap_or_default(), [].as_slice());
        let why = self.why_closed.take().map(|why| format!(": {why}")).unwrap_or_default();
        let what =
            || format!("the connection was {how} {place} the answer, its number {}{why}", slot.carried + 1);
        self.books.keep_bad(outcome, slot.entry as usize, received, what);
        outcome
    }

    /// Writes the present exchange down.
    #[inline]
    pub(super) fn settle(&mut self, conn: Conn, outcome: Outcome, now: u64) {
        let slot = &mut self.slots[conn as usize];
        slot.times.end_ns = now;
        self.in_flight -= 1;
        slot.carried += 1;
        let away = self.books.settle(&slot.times, slot.ready_ns, outcome);
        if slot.away_ns.is_none() {
            slot.away_ns = away;
        }
        self.deadlines.clear(conn);
        if let Some(mut sample) = slot.sample.take() {
            sample.clear();
            self.samples.push(sample);
        }
    }

    /// Decides what becomes of a connection whose exchange has come to its end.
    #[inline]
    fn after_exchange<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let slot = &mut self.slots[conn as usize];
        match slot.session.state() {
            // The answer came before the request had left whole. The rest would stand before the next request, and
            // a server that refused it may never read it.
            State::Ready(_) | State::Draining if slot.backlog.is_some() || slot.times.sent_ns.is_none() => {
                self.hang_up(net, conn, now);
                self.release(net, conn, now, false);
            }
            State::Ready(1..) => {
                slot.phase = Phase::Idle;
                self.release(net, conn, now, true);
            }
            State::Draining => {
                slot.phase = Phase::Parting;
                slot.away_ns.get_or_insert(now);
                self.deadlines.set(conn, now, PARTING_NS);
            }
            State::Ready(0) | State::Opening | State::Dead => {
                self.hang_up(net, conn, now);
                self.release(net, conn, now, false);
            }
        }
    }

    /// Closes a connection from this side.
    pub(super) fn hang_up<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        net.close(conn);
        self.books.recorder.snapshot_mut().closed_by_us += u64::from(self.books.covers(now));
        self.slots[conn as usize].disconnect();
    }

    /// The peer ended the connection.
    pub(super) fn lost<N: Net>(&mut self, net: &mut N, conn: Conn, how: Close, now: u64, at_once: bool) {
        let phase = self.slots[conn as usize].phase;
        let mut ended = false;
        if phase == Phase::Asking {
            self.slots[conn as usize].session.handle_close(how, &mut self.events);
            match self.take_events(conn, &[], now) {
                Progress::Ended => {}
                Progress::Follows => {
                    net.close(conn);
                    self.slots[conn as usize].disconnect();
                    return self.dial(net, conn, now);
                }
                Progress::Waits => self.settle(conn, Outcome::Internal, now),
            }
            ended = true;
        } else {
            self.books.recorder.snapshot_mut().closed_by_peer += u64::from(self.books.covers(now));
        }
        net.close(conn);
        self.slots[conn as usize].disconnect();
        if ended || phase == Phase::Parting {
            self.release(net, conn, now, at_once);
        }
    }

    /// The response time-out has come.
    pub(super) fn time_out<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let seconds = self.plan.timeouts.response_ns as f64 / 1e9;
        let slot = &mut self.slots[conn as usize];
        let cancelled = slot.session.cancel(ONLY, &mut self.outbox);
        let received = (slot.sample.as_deref().unwrap_or_default(), [].as_slice());
        let what = || format!("no whole answer within {seconds} s");
        self.books.keep_bad(Outcome::Timeout, slot.entry as usize, received, what);
        self.settle(conn, Outcome::Timeout, now);
        match cancelled {
            Cancelled::Keep => self.slots[conn as usize].phase = Phase::Idle,
            Cancelled::CloseConnection => self.hang_up(net, conn, now),
        }
        self.release(net, conn, now, true);
    }

    /// Keeps the beginning of an answer that comes in pieces, in case it turns out bad.
    fn keep_sample(&mut self, conn: Conn, bytes: &[u8]) {
        let slot = &mut self.slots[conn as usize];
        if slot.sample.is_none() {
            slot.sample = self.samples.pop();
        }
        if let Some(sample) = &mut slot.sample {
            let room = SAMPLE_BYTES - sample.len();
            sample.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}

/// What the present exchange of a place asks next.
#[inline]
fn request_of<'a>(plan: &'a LoadPlan, slot: &Slot) -> &'a Request {
    let entry = &plan.mix[slot.entry as usize];
    let closing = match plan.keep_alive {
        KeepAlive::On => false,
        KeepAlive::Off => true,
        KeepAlive::Every(n) => slot.carried + 1 >= n,
    };
    let requests = match &slot.http {
        Some(http) => http.requests(entry),
        None => [&*entry.request, &*entry.closing_request],
    };
    requests[usize::from(closing)]
}

/// Whether an answer begins as an alert or a handshake of TLS does, which a TLS server sends to who asks in plain.
fn is_tls((first, then): (&[u8], &[u8])) -> bool {
    let mut bytes = first.iter().chain(then);
    matches!((bytes.next(), bytes.next(), bytes.next()), (Some(0x15 | 0x16), Some(3), Some(0..=4)))
}
