//! Deadlines: of exchanges, of connecting and parting, and those that sessions set themselves.

use super::{Exchanges, Freed};
use crate::connection::Phase;
use crate::driver::{Conn, DialFault, Net};
use crate::lane::LaneId;
use proofload_measure::Outcome;
use proofload_wire::{Cancelled, State};

impl Exchanges<'_> {
    /// Index of a connection's deadline among all deadlines.
    pub(super) fn connection_deadline(&self, conn: Conn) -> u32 {
        if self.shares_deadlines { conn } else { self.lanes_most + conn }
    }

    pub(super) fn set_connect_deadline(&mut self, conn: Conn) {
        let deadline = self.connection_deadline(conn);
        let since_ns = self.connections[conn as usize].dialed_ns;
        self.deadlines.set(deadline, since_ns, self.plan.timeouts.connect_ns);
    }

    /// Instant at which connecting is given up.
    pub(super) fn connect_end_ns(&self, conn: Conn) -> u64 {
        self.connections[conn as usize].dialed_ns.saturating_add(self.plan.timeouts.connect_ns)
    }

    /// Sets how long a dial may be pending that began now.
    pub(super) fn set_dial_deadline(&mut self, conn: Conn, now: u64) {
        let connection = &self.connections[conn as usize];
        let patience_ns = self.ways[connection.target as usize].patience_ns(&connection.attempt);
        let at_ns = self.connect_end_ns(conn).min(now.saturating_add(patience_ns));
        let deadline = self.connection_deadline(conn);
        self.deadlines.set_at(deadline, at_ns);
    }

    pub(super) fn clear_deadline(&mut self, conn: Conn) {
        let deadline = self.connection_deadline(conn);
        self.deadlines.clear(deadline);
    }

    /// Takes over when the session wants to be called. Where a connection and its only lane share a deadline the time-out of
    /// an exchange in flight comes first.
    #[inline]
    pub(super) fn set_session_deadline(&mut self, conn: Conn) {
        let connection = &self.connections[conn as usize];
        let Some(at_ns) = connection.session.next_deadline() else { return };
        let is_taken = self.shares_deadlines && self.lanes[conn as usize].in_flight();
        if connection.phase == Phase::Open && !is_taken {
            let deadline = self.connection_deadline(conn);
            self.deadlines.set_at(deadline, at_ns);
        }
    }

    pub fn expire<N: Net>(&mut self, net: &mut N, at: u32, now: u64) -> Option<Freed> {
        let conn = match self.lanes.get(at as usize) {
            Some(lane) if lane.in_flight() && self.is_open(at) => return self.time_out(net, at, now),
            Some(_) if self.shares_deadlines => at,
            // Its exchange has left a connection that took no more, and waits for the next one.
            Some(_) => return None,
            None => at - self.lanes_most,
        };
        match self.connections[conn as usize].phase {
            Phase::Opening if self.ways[self.connections[conn as usize].target as usize].is_empty() => {
                let url = self.elsewhere.url(self.connections[conn as usize].target);
                let what = || format!("the name of {url} was not resolved in time");
                self.not_opened(conn, Outcome::ConnectTimeout, what, now)
            }
            Phase::Opening => {
                if net.is_connected(conn) && now < self.connect_end_ns(conn) {
                    // The address has answered: the time-out of connecting covers the rest.
                    self.set_connect_deadline(conn);
                    return None;
                }
                net.close(conn);
                if !self.connections[conn as usize].shakes {
                    return self.not_connected(net, conn, DialFault::TimedOut, now);
                }
                let connection = &self.connections[conn as usize];
                let address = self.ways[connection.target as usize].address(&connection.attempt).clone();
                let what = || format!("{address} did not shake hands in time");
                self.not_opened(conn, Outcome::ConnectTimeout, what, now)
            }
            Phase::Parting => {
                self.hang_up(net, conn, now);
                self.gone(net, conn, now, true)
            }
            Phase::BackingOff => {
                self.connections[conn as usize].phase = Phase::Cold;
                self.gone(net, conn, now, true)
            }
            Phase::Open => self.session_timed_out(net, conn, now),
            Phase::Cold => None,
        }
    }

    /// The instant has come at which the session wanted to be called.
    #[inline(never)]
    fn session_timed_out<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        connection.session.handle_timeout(now, out, &mut self.events);
        if connection.session.state() == State::Dead {
            let what = "the server was silent for so long that the connection counts as dead";
            self.abandon(conn, Outcome::Timeout, what, now);
            self.hang_up(net, conn, now);
            return self.gone(net, conn, now, true);
        }
        self.after_bytes(net, conn, &[], now)
    }

    /// The response time-out has come.
    fn time_out<N: Net>(&mut self, net: &mut N, number: LaneId, now: u64) -> Option<Freed> {
        let seconds = self.plan.timeouts.response_ns as f64 / 1e9;
        let conn = self.numbers.conn(number);
        let connection = &mut self.connections[conn as usize];
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        let cancelled = connection.session.cancel(self.numbers.name(number), out);
        out.unmark(self.numbers.name(number));
        let lane = &self.lanes[number as usize];
        let what = || format!("no whole answer within {seconds} s");
        self.record.keep_bad(Outcome::Timeout, lane.entry as usize, lane.received(&[]), what);
        self.end(number, Outcome::Timeout, now);
        match cancelled {
            Cancelled::Keep if self.connections[conn as usize].session.state() != State::Dead => {
                let freed = self.free(number, now, true);
                self.more.push_back(freed);
                let freed = self.flush_pending(net, conn, now);
                self.more.extend(freed);
                let freed = self.leave_drained(net, conn, now);
                self.more.extend(freed);
                self.set_session_deadline(conn);
                self.more.pop_front()
            }
            _ => {
                self.abandon(
                    conn,
                    Outcome::Unanswered,
                    "another answer on the connection took too long",
                    now,
                );
                self.hang_up(net, conn, now);
                self.gone(net, conn, now, true)
            }
        }
    }
}
