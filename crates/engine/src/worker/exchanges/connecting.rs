//! Connections: made, lost and closed.

use super::{Exchanges, Freed};
use crate::EndedByPeer;
use crate::connection::{Connection, Phase};
use crate::driver::{Conn, DialFault, Dialed, Net, Pushed};
use crate::lane::{LaneId, LanePhase};
use crate::received::Received;
use crate::worker::opener::BACKOFF_NS;
use proofload_measure::Outcome;
use proofload_wire::{Close, State};
use std::net::IpAddr;

impl Exchanges<'_> {
    /// Opens a connection that no exchange waits for, unless it was dialed already.
    pub fn open<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        if connection.dialed {
            return None;
        }
        connection.ahead = true;
        connection.begin_dialing(now);
        self.opener.begun();
        self.dial_next(net, conn, None, now)
    }

    /// An exchange has begun on a connection that cannot carry it yet.
    #[inline(never)]
    pub(super) fn wait<N: Net>(&mut self, net: &mut N, number: LaneId, now: u64) -> Option<Freed> {
        self.lanes[number as usize].phase = LanePhase::Waiting;
        self.note_idle(number, now);
        self.wait_on(net, number, now)
    }

    /// An exchange waits for a connection that cannot carry it yet.
    pub(super) fn wait_on<N: Net>(&mut self, net: &mut N, number: LaneId, now: u64) -> Option<Freed> {
        let conn = self.numbers.conn(number);
        let connection = &mut self.connections[conn as usize];
        match connection.phase {
            Phase::Cold => self.dial(net, conn, now),
            Phase::Opening => {
                // What was opened ahead of the load came too late; the exchange waits for it.
                if std::mem::take(&mut connection.ahead) {
                    self.opener.ended();
                }
                None
            }
            // Another lane carried the last exchange of this connection.
            Phase::Parting => {
                self.hang_up(net, conn, now);
                self.gone(net, conn, now, true)
            }
            Phase::Open | Phase::BackingOff => None,
        }
    }

    /// Connects for the exchanges that wait.
    pub(super) fn dial<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let first = self.first_waiting(conn)?;
        self.connections[conn as usize].begin_dialing(now);
        if self.elsewhere.home(conn) != conn {
            return self.dial_away(net, conn, now);
        }
        self.dial_next(net, conn, Some(first), now)
    }

    /// The first exchange that waits for a connection.
    fn first_waiting(&self, conn: Conn) -> Option<LaneId> {
        let waits = |lane: &LaneId| self.lanes[*lane as usize].phase == LanePhase::Waiting;
        self.numbers.of(conn).find(waits)
    }

    /// Dials an address that was not dialed yet for this connection; `first` is the first exchange that waits for it.
    pub(super) fn dial_next<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        first: Option<LaneId>,
        now: u64,
    ) -> Option<Freed> {
        let from = self.local_address(self.elsewhere.home(conn));
        let connection = &mut self.connections[conn as usize];
        let to = self.ways[connection.target as usize].next(&mut connection.attempt, now);
        let connection = &self.connections[conn as usize];
        let request = first.map(|first| connection.request(self.plan, &self.lanes[first as usize]));
        let (dialed, sent) = match request {
            Some(request) if connection.sends_as_encoded(request) && connection.has_no_handshake() => {
                net.dial_sending(conn, to, from, &request.bytes)
            }
            _ => (net.dial(conn, to, from), None),
        };
        match dialed {
            Dialed::Established => match sent {
                Some(sent) => {
                    self.established(conn, sent.at_ns);
                    self.ready(net, conn, sent.at_ns, Some(sent.pushed))
                }
                None => {
                    let now = net.now_ns();
                    self.connected(net, conn, now)
                }
            },
            Dialed::Pending => {
                self.set_dial_deadline(conn, now);
                None
            }
            Dialed::Failed(fault) => self.not_connected(net, conn, fault, now),
        }
    }

    /// A dial that was pending has ended.
    pub fn dialed<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        result: Result<(), DialFault>,
    ) -> Option<Freed> {
        if let Some(handshake) = net.handshake(conn) {
            self.record.handshake(net.now_ns(), &handshake);
        }
        let now = net.now_ns();
        match result {
            Ok(()) => self.connected(net, conn, now),
            Err(fault) => self.not_connected(net, conn, fault, now),
        }
    }

    /// Writes down that a connection is established.
    fn established(&mut self, conn: Conn, now: u64) {
        self.record.advance_to(now);
        self.record.opened += u64::from(self.record.covers(now));
        let connection = &mut self.connections[conn as usize];
        self.ways[connection.target as usize].accepted(&connection.attempt);
        connection.session.open(now, &mut self.outbox);
    }

    /// A connection is established; it is ready at once where its protocol has no handshake.
    pub(super) fn connected<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        self.established(conn, now);
        if !self.outbox.is_empty() {
            // The time-out of connecting covers the handshake.
            let freed = self.flush(net, conn, now);
            if self.connections[conn as usize].phase != Phase::Opening {
                return freed;
            }
            let connection = &mut self.connections[conn as usize];
            if connection.session.state() == State::Opening {
                connection.shakes = true;
                self.set_connect_deadline(conn);
                return None;
            }
        }
        self.ready(net, conn, now, None)
    }

    /// A connection can carry exchanges: those that wait for it are asked. `pushed` is what became of the request of the
    /// first of them, if it was sent already.
    pub(super) fn ready<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        now: u64,
        mut pushed: Option<Pushed>,
    ) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        self.record.recorder.record_connect(now, now - connection.dialed_ns);
        connection.phase = Phase::Open;
        let ahead = std::mem::take(&mut connection.ahead);
        if ahead {
            self.opener.ended();
        }
        self.clear_deadline(conn);
        for number in self.numbers.of(conn) {
            let freed = match self.lanes[number as usize].phase {
                LanePhase::Waiting if self.connections[conn as usize].phase == Phase::Open => {
                    self.ask_or_sent(net, number, now, now, pushed.take())
                }
                LanePhase::Free if ahead => self.lend(number, now),
                _ => None,
            };
            self.more.extend(freed);
        }
        self.set_session_deadline(conn);
        self.more.pop_front()
    }

    /// A dial has failed. Another address is dialed if there is one, and a connection could not be made if there is none.
    pub(super) fn not_connected<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        fault: DialFault,
        now: u64,
    ) -> Option<Freed> {
        let is_in_time = now < self.connect_end_ns(conn);
        let connection = &mut self.connections[conn as usize];
        let ways = &mut self.ways[connection.target as usize];
        if ways.failed(&mut connection.attempt, fault, now) && is_in_time {
            return self.dial_next(net, conn, self.first_waiting(conn), now);
        }
        let said = net.explain();
        let (fault, address, tried) = ways.verdict(&connection.attempt, fault, said.is_some());
        self.record.no_port += u64::from(fault == DialFault::NoPort);
        self.record.no_descriptor += u64::from(fault == DialFault::NoDescriptor);
        let (outcome, what) = in_words(fault);
        let what = || match (&said, tried) {
            (Some(said), _) => said.clone(),
            (None, ..2) => format!("{address} {what}"),
            (None, tried) => format!("{address} {what}, and none of {tried} addresses accepted it"),
        };
        self.not_opened(conn, outcome, what, now)
    }

    /// A connection was not opened. The exchanges that wait for it have failed, and it rests. If none waits none has
    /// failed yet: the next one on it will dial again, and be counted.
    pub(super) fn not_opened(
        &mut self,
        conn: Conn,
        outcome: Outcome,
        what: impl Fn() -> String,
        now: u64,
    ) -> Option<Freed> {
        self.opener.rest(now);
        self.clear_deadline(conn);
        if std::mem::take(&mut self.connections[conn as usize].ahead) {
            self.connections[conn as usize].disconnect();
            self.opener.ended();
            for number in self.numbers.of(conn) {
                let freed = self.lend(number, now);
                self.more.extend(freed);
            }
            return self.more.pop_front();
        }
        for number in self.numbers.of(conn) {
            let lane = &self.lanes[number as usize];
            if lane.phase == LanePhase::Waiting {
                self.record.keep_bad(outcome, lane.entry as usize, Received::default(), &what);
                self.end(number, outcome, now);
            }
        }
        self.connections[conn as usize].disconnect();
        self.connections[conn as usize].phase = Phase::BackingOff;
        let deadline = self.connection_deadline(conn);
        self.deadlines.set(deadline, now, BACKOFF_NS);
        None
    }

    /// Lanes of a closed loop ask when their time has come, whether their connection is open then or not; an open loop
    /// uses those that are free.
    fn lend(&self, lane: LaneId, now_ns: u64) -> Option<Freed> {
        (!self.plan.profile.is_closed()).then_some(Freed { lane, now_ns, at_once: true })
    }

    /// Local address of a connection: the addresses are taken in turn over all workers.
    pub(super) fn local_address(&self, conn: Conn) -> Option<IpAddr> {
        let bind = &self.plan.asking.bind;
        (!bind.is_empty()).then(|| bind[(self.share.number_of(conn) % bind.len() as u64) as usize])
    }

    /// Closes a connection from this side.
    pub(super) fn hang_up<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        net.close(conn);
        self.record.recorder.snapshot_mut().closed_by_us += u64::from(self.record.covers(now));
        self.disconnect(conn);
    }

    /// Clears the state of a connection that was open.
    fn disconnect(&mut self, conn: Conn) {
        let connection = &mut self.connections[conn as usize];
        self.ways[connection.target as usize].ended(&connection.attempt, connection.carried);
        connection.disconnect();
    }

    /// A connection has ended: lanes that rested until then are free, and it is dialed again for exchanges that wait.
    pub(super) fn gone<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64, at_once: bool) -> Option<Freed> {
        for number in self.numbers.of(conn) {
            if self.lanes[number as usize].phase == LanePhase::Resting {
                let freed = self.free(number, now, at_once);
                self.more.push_back(freed);
            }
        }
        if self.first_waiting(conn).is_some() {
            let to = self.place(conn);
            let freed = if to == conn { self.dial(net, conn, now) } else { self.move_on(net, conn, to, now) };
            self.more.extend(freed);
        }
        self.more.pop_front()
    }

    /// Closes the connection of a lane that is not needed any more, and those of its companions.
    pub fn part<N: Net>(&mut self, net: &mut N, number: LaneId, now: u64) {
        let companions = self.elsewhere.companions_of(number);
        for conn in std::iter::once(self.numbers.conn(number)).chain(companions) {
            if self.connections[conn as usize].phase == Phase::Open {
                self.hang_up(net, conn, now);
            }
        }
    }

    /// The peer ended a connection; everything that it had sent was handled before.
    pub fn closed<N: Net>(&mut self, net: &mut N, conn: Conn, how: Close) -> Option<Freed> {
        let now = net.now_ns();
        self.record.advance_to(now);
        self.why_closed = net.explain();
        let freed = self.lost(net, conn, how, now, true);
        self.why_closed = None;
        freed
    }

    /// The peer ended a connection.
    pub(super) fn lost<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        how: Close,
        now: u64,
        at_once: bool,
    ) -> Option<Freed> {
        if self.connections[conn as usize].phase == Phase::Opening {
            net.close(conn);
            let (outcome, what) = match how {
                Close::Reset => (Outcome::ResetFresh, "reset the connection instead of shaking hands"),
                _ => (Outcome::ConnectFailed, "closed the connection instead of shaking hands"),
            };
            return self.not_opened(conn, outcome, || what.to_owned(), now);
        }
        let Connection { phase, carried, session, .. } = &self.connections[conn as usize];
        if *phase == Phase::Open && *carried > 0 && session.state() != State::Draining {
            let (fewest, most) = (*carried, *carried);
            self.record.ended_by_peer.add(EndedByPeer { connections: 1, fewest, most });
        }
        if self.asks(conn) {
            self.connections[conn as usize].session.handle_close(how, &mut self.events);
            self.ended_by_close(conn, how, now);
        } else {
            self.record.recorder.snapshot_mut().closed_by_peer += u64::from(self.record.covers(now));
        }
        net.close(conn);
        self.disconnect(conn);
        self.gone(net, conn, now, at_once)
    }
}

/// Outcome of an exchange that got no connection, and the text about its address.
fn in_words(fault: DialFault) -> (Outcome, &'static str) {
    match fault {
        DialFault::Refused => (Outcome::ConnectRefused, "refused the connection"),
        DialFault::TimedOut => (Outcome::ConnectTimeout, "did not accept the connection in time"),
        DialFault::NoPort => (Outcome::LocalExhausted, "cannot be connected to: no local port is left"),
        DialFault::NoDescriptor => {
            (Outcome::LocalExhausted, "cannot be connected to: no descriptor or socket memory is left")
        }
        DialFault::Reset => (Outcome::ResetFresh, "reset the connection as soon as it stood"),
        DialFault::Other => (Outcome::ConnectFailed, "cannot be reached"),
        DialFault::Transport => (Outcome::ConnectFailed, "cannot be spoken to"),
    }
}
