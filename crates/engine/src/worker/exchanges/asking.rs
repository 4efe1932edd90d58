//! Requests on their way to the kernel.

use super::{Exchanges, Freed, OUTBOX_BYTES, PIECES};
use crate::connection::Phase;
use crate::driver::{Conn, Net, Pushed, Sent};
use crate::lane::{LaneId, LanePhase};
use crate::memory::UserMemory;
use crate::received::Received;
use proofload_measure::Outcome;
use proofload_wire::{Close, Filling, Full, Outbox, Request, State};

impl Exchanges<'_> {
    /// Sends the request of a lane's present exchange. `ready_ns` is since when it could use the connection.
    #[inline(always)]
    pub(super) fn ask<N: Net>(
        &mut self,
        net: &mut N,
        number: LaneId,
        ready_ns: u64,
        now: u64,
    ) -> Option<Freed> {
        self.ask_or_sent(net, number, ready_ns, now, None)
    }

    /// The same; `pushed` is what became of the request if it was sent already.
    #[inline(always)]
    pub(super) fn ask_or_sent<N: Net>(
        &mut self,
        net: &mut N,
        number: LaneId,
        ready_ns: u64,
        now: u64,
        pushed: Option<Pushed>,
    ) -> Option<Freed> {
        let plan = self.plan;
        let conn = self.numbers.conn(number);
        let connection = &mut self.connections[conn as usize];
        let lane = &mut self.lanes[number as usize];
        if !connection.is_following() {
            lane.ready_ns = ready_ns;
        }
        if let Some(since_ns) = lane.idle_since_ns.take() {
            self.record.idle(since_ns, ready_ns);
        }
        let request = connection.request(plan, lane);
        lane.phase = LanePhase::Asking;
        if !connection.sends_as_encoded(request) || connection.backlog.is_some() {
            return self.ask_filled(net, number, request, now);
        }
        match connection.session.start_as_encoded(request, self.numbers.name(number)) {
            Ok(bytes) => {
                self.deadlines.set(number, now, plan.timeouts.response_ns);
                let pushed = pushed.unwrap_or_else(|| net.send(conn, bytes));
                self.sent_whole(net, number, bytes, pushed, now)
            }
            Err(Full) => self.not_started(net, number, now),
        }
    }

    /// Sends a request that has places to fill or is the session's to write, or that waits behind a rest of another.
    fn ask_filled<N: Net>(
        &mut self,
        net: &mut N,
        number: LaneId,
        request: &Request,
        now: u64,
    ) -> Option<Freed> {
        let conn = self.numbers.conn(number);
        let connection = &mut self.connections[conn as usize];
        let lane = &mut self.lanes[number as usize];
        let is_following = connection.is_following();
        let had_backlog = connection.backlog.is_some();
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        if out.is_full() || !matches!(connection.session.state(), State::Ready(1..)) {
            // Before it has drawn its values: those of an exchange that is tried again would be lost.
            return self.not_started(net, number, now);
        }
        let seat = self.places.seat(self.elsewhere.home(number)) as usize;
        let memory = self.memories.get(seat);
        if !is_following {
            let user = memory.map(|memory| &*memory.numbers);
            self.feeding.number(request, lane.times.intended_ns, &mut lane.numbers, user);
        }
        let variables = memory.map_or(&[][..], UserMemory::variables);
        self.feeding.draw(request, &lane.numbers, variables);
        if let Some(lack) = self.feeding.lack() {
            let entry = self.lanes[number as usize].entry as usize;
            self.record.keep_bad(Outcome::Internal, entry, Received::default(), || lack);
            self.end(number, Outcome::Internal, now);
            return Some(self.free(number, now, false));
        }
        let connection = &mut self.connections[conn as usize];
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        let values = self.feeding.values();
        let mut filling = match &mut connection.http {
            Some(http) => {
                let entry = &self.plan.mix[lane.entry as usize];
                let jar = self.jars.get(seat);
                http.fill((entry, request), values, now, (jar, &self.elsewhere))
            }
            None => Filling::of(values),
        };
        filling.now_ns = now;
        if connection.session.start(request, &filling, self.numbers.name(number), out).is_err() {
            return self.not_started(net, number, now);
        }
        // The time-out runs from the first request of the exchange, whatever came in between.
        let response_ns = self.plan.timeouts.response_ns;
        match lane.times.sent_ns.filter(|_| is_following) {
            Some(since_ns) => self.deadlines.set_at(number, since_ns.saturating_add(response_ns)),
            None => self.deadlines.set(number, now, response_ns),
        }
        let freed = self.flush(net, conn, now);
        if freed.is_some() {
            return freed;
        }
        if had_backlog {
            // It may have taken the bytes that others waited for, and no event reports that the socket takes bytes
            // again.
            return self.written(net, conn, now);
        }
        if request.by_session {
            self.set_session_deadline(conn);
        }
        if request.expects_answer() {
            return None;
        }
        self.end_without_answer(conn, now)
    }

    /// Goes on with what waited for all that was written on a connection to be sent, once it is.
    fn written<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        if self.connections[conn as usize].backlog.is_none() {
            let freed = self.end_without_answer(conn, now);
            self.more.extend(freed);
            let freed = self.ask_waiting(net, conn, now);
            self.more.extend(freed);
        }
        self.more.pop_front()
    }

    /// Ends the exchanges of a connection to which no answer comes, once the kernel has all that was written on it.
    fn end_without_answer(&mut self, conn: Conn, now: u64) -> Option<Freed> {
        if self.connections[conn as usize].backlog.is_some() {
            return None;
        }
        for number in self.numbers.of(conn) {
            let lane = &self.lanes[number as usize];
            let request = self.connections[conn as usize].request(self.plan, lane);
            if lane.phase == LanePhase::Asking && !request.expects_answer() {
                self.lanes[number as usize].times.sent_ns.get_or_insert(now);
                self.end(number, Outcome::Answered, now);
                // Otherwise a closed loop would never get to anything else.
                let freed = self.free(number, now, false);
                self.more.push_back(freed);
            }
        }
        self.set_session_deadline(conn);
        self.more.pop_front()
    }

    /// The session could not start an exchange: too much waits to be sent, or the connection takes no more of them. The
    /// exchange waits for the one or for another connection.
    #[cold]
    fn not_started<N: Net>(&mut self, net: &mut N, number: LaneId, now: u64) -> Option<Freed> {
        let conn = self.numbers.conn(number);
        let lane = &mut self.lanes[number as usize];
        lane.phase = LanePhase::Waiting;
        if lane.times.sent_ns.is_none() {
            lane.idle_since_ns = Some(lane.ready_ns);
        }
        let connection = &self.connections[conn as usize];
        if connection.backlog.is_some() {
            // A peer that reads nothing would keep it here for ever.
            self.deadlines.set(number, now, self.plan.timeouts.response_ns);
            return None;
        }
        if self.asks(conn) {
            return None;
        }
        if connection.carried == 0 {
            net.close(conn);
            let what = || "takes no request on a connection that was just made".to_owned();
            return self.not_opened(conn, Outcome::ConnectFailed, what, now);
        }
        self.hang_up(net, conn, now);
        self.gone(net, conn, now, false)
    }

    /// Sends the waiting requests of an open connection, now that there is room.
    pub(super) fn ask_waiting<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        // From the one on for which there was no room last time: otherwise the first would leave none for the last.
        let turn = self.connections[conn as usize].turn;
        for number in self.numbers.of_from(conn, turn) {
            let waits = self.lanes[number as usize].phase == LanePhase::Waiting;
            if !waits || self.connections[conn as usize].phase != Phase::Open {
                continue;
            }
            let freed = self.ask(net, number, now, now);
            self.more.extend(freed);
            if self.lanes[number as usize].phase == LanePhase::Waiting {
                self.connections[conn as usize].turn = self.numbers.name(number).0;
                break;
            }
        }
        self.more.pop_front()
    }

    /// True if an exchange is in flight on a connection.
    pub(super) fn asks(&self, conn: Conn) -> bool {
        self.numbers.of(conn).any(|lane| self.lanes[lane as usize].phase == LanePhase::Asking)
    }

    /// Sends the next request of an exchange, on a new connection when this one ends. Only connections with one lane
    /// follow.
    pub(super) fn follow<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let to = self.place(conn);
        let connection = &self.connections[conn as usize];
        // An unsent rest of the last request would go before this one.
        let stays = matches!(connection.session.state(), State::Ready(1..)) && connection.backlog.is_none();
        if !stays {
            // Who waits for the answer does not wait for the server to close first.
            self.hang_up(net, conn, now);
        }
        if to != conn {
            return self.move_on(net, conn, to, now);
        }
        if stays {
            let ready_ns = self.lanes[conn as usize].ready_ns;
            return self.ask(net, conn, ready_ns, now);
        }
        self.dial(net, conn, now)
    }

    /// Takes note of what became of a request, which needs no copy unless something of it is left.
    #[inline(always)]
    fn sent_whole<N: Net>(
        &mut self,
        net: &mut N,
        number: LaneId,
        bytes: &[u8],
        pushed: Pushed,
        now: u64,
    ) -> Option<Freed> {
        match pushed {
            Pushed::Took(took) if took == bytes.len() => {
                self.lanes[number as usize].times.sent_ns = Some(now);
                self.record.recorder.record_bytes(now, took as u64, 0);
                None
            }
            Pushed::Queued => None,
            pushed => {
                self.outbox.push_exchange(self.numbers.name(number), bytes);
                self.pushed(net, self.numbers.conn(number), pushed, bytes.len(), now)
            }
        }
    }

    /// Hands the kernel what waits to be sent.
    pub(super) fn flush<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let out = self.connections[conn as usize].backlog.as_deref().unwrap_or(&self.outbox);
        if out.is_streamed() {
            return self.flush_streamed(net, conn, now);
        }
        let given = out.pending().len();
        let pushed = net.send(conn, out.pending());
        self.pushed(net, conn, pushed, given, now)
    }

    /// The same where some of it is read first: piece by piece, as long as the kernel takes them and others can wait.
    #[cold]
    fn flush_streamed<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        for _ in 0..PIECES {
            let out = self.connections[conn as usize].backlog.as_deref().unwrap_or(&self.outbox);
            let given = match out.read(&mut self.piece) {
                Ok(given) => given,
                Err(error) => {
                    self.outbox.clear();
                    self.abandon(conn, Outcome::Internal, &error.to_string(), now);
                    self.hang_up(net, conn, now);
                    return self.gone(net, conn, now, false);
                }
            };
            let pushed = net.send(conn, &self.piece[..given]);
            let freed = self.pushed(net, conn, pushed, given, now);
            let all = matches!(pushed, Pushed::Took(took) if took == given) || pushed == Pushed::Queued;
            if freed.is_some() || !all || self.connections[conn as usize].backlog.is_none() {
                return freed;
            }
        }
        // No event reports that the socket takes more, for it took all that it was given.
        self.unfinished.push_back(conn);
        None
    }

    /// The same, if anything waits that is not behind a rest already.
    #[inline]
    pub(super) fn flush_pending<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        if self.outbox.is_empty() {
            return None;
        }
        self.flush(net, conn, now)
    }

    /// Takes note of what became of what waited to be sent.
    fn pushed<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        pushed: Pushed,
        given: usize,
        now: u64,
    ) -> Option<Freed> {
        match pushed {
            Pushed::Took(took) => self.took(conn, Some(took), given, now),
            Pushed::Queued => self.took(conn, None, given, now),
            Pushed::Reset => {
                self.outbox.clear();
                return self.lost(net, conn, Close::Reset, now, false);
            }
            Pushed::Failed => {
                self.outbox.clear();
                if self.connections[conn as usize].phase == Phase::Opening {
                    return self.lost(net, conn, Close::Reset, now, false);
                }
                self.abandon(conn, Outcome::SendFailed, "the kernel refused to send the request", now);
                self.hang_up(net, conn, now);
                return self.gone(net, conn, now, false);
            }
        }
        None
    }

    /// Ends all exchanges in flight on a connection.
    #[cold]
    pub(super) fn abandon(&mut self, conn: Conn, outcome: Outcome, what: &str, now: u64) {
        for number in self.numbers.of(conn) {
            let lane = &self.lanes[number as usize];
            if lane.phase == LanePhase::Asking {
                self.record.keep_bad(outcome, lane.entry as usize, Received::default(), || what.to_owned());
                self.end(number, outcome, now);
            }
        }
    }

    /// The kernel took that many bytes, or the driver queued all that were `given`. What is left becomes the connection's backlog.
    fn took(&mut self, conn: Conn, took: Option<usize>, given: usize, now: u64) {
        let connection = &mut self.connections[conn as usize];
        let (numbers, lanes, record) = (self.numbers, &mut self.lanes, &mut self.record);
        let mut sent = |name| {
            let lane = &mut lanes[numbers.lane(conn, name) as usize];
            if lane.times.sent_ns.is_none() {
                lane.times.sent_ns = Some(now);
                // While it was behind others it was of no use to its exchange.
                record.idle(lane.ready_ns, now);
                lane.ready_ns = now;
            }
        };
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        match took {
            Some(took) => {
                out.take(took, sent);
                self.record.recorder.record_bytes(now, took as u64, 0);
            }
            // The driver reports the instant at which the kernel took them; it does not know their exchanges.
            None if numbers.are_connections() => out.take(given, |_| {}),
            None => out.take(given, &mut sent),
        }
        let done = out.is_empty();
        match (done, connection.backlog.is_some()) {
            (true, true) => {
                let used = connection.backlog.take().filter(|used| used.held() <= OUTBOX_BYTES);
                self.spare.extend(used);
            }
            (false, false) => {
                let mut rest = self.spare.pop().unwrap_or_else(|| Box::new(Outbox::new(OUTBOX_BYTES)));
                std::mem::swap(&mut self.outbox, &mut rest);
                connection.backlog = Some(rest);
            }
            (true, false) | (false, true) => {}
        }
    }

    /// Takes note of what became of a request that was queued.
    #[inline]
    pub fn sent<N: Net>(&mut self, net: &mut N, conn: Conn, sent: Sent) -> Option<Freed> {
        // With several lanes they were noted as sent when they were queued.
        let asks = self.numbers.are_connections() && self.lanes[conn as usize].phase == LanePhase::Asking;
        match sent.pushed {
            Pushed::Took(took) => {
                if asks {
                    self.lanes[conn as usize].times.sent_ns.get_or_insert(sent.at_ns);
                }
                self.record.recorder.record_bytes(sent.at_ns, took as u64, 0);
                None
            }
            Pushed::Queued => None,
            pushed @ (Pushed::Reset | Pushed::Failed) => {
                let now = net.now_ns();
                if asks {
                    self.pushed(net, conn, pushed, 0, now)
                } else {
                    self.lost(net, conn, Close::Reset, now, true)
                }
            }
        }
    }

    /// Bytes can be sent again.
    pub fn writable<N: Net>(&mut self, net: &mut N, conn: Conn) -> Option<Freed> {
        self.connections[conn as usize].backlog.as_ref()?;
        let now = net.now_ns();
        self.record.advance_to(now);
        let freed = self.flush(net, conn, now);
        self.more.extend(freed);
        self.written(net, conn, now)
    }
}
