//! Connections: made, lost and closed.

use super::{Exchanges, Freed, ONLY};
use crate::connection::Phase;
use crate::driver::{Conn, DialFault, Dialed, Net};
use crate::record::Received;
use crate::worker::opener::BACKOFF_NS;
use proofload_measure::Outcome;
use proofload_wire::{Cancelled, Close};
use std::net::IpAddr;

impl Exchanges<'_> {
    /// Opens a connection that no exchange waits for, unless one has begun on it already.
    pub fn open<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let from = self.local_address(conn);
        let connection = &mut self.connections[conn as usize];
        if connection.phase != Phase::Cold || connection.begun > 0 {
            return None;
        }
        connection.dialed_ns = now;
        match net.dial(conn, &self.plan.targets[connection.target as usize], from) {
            Dialed::Established => self.opened(net, conn),
            Dialed::Pending => {
                connection.phase = Phase::Opening;
                self.opener.begun();
                self.deadlines.set(conn, now, self.plan.timeouts.connect_ns);
                None
            }
            Dialed::Failed(fault) => self.not_opened(conn, Some(fault), now),
        }
    }

    fn opened<N: Net>(&mut self, net: &mut N, conn: Conn) -> Option<Freed> {
        let now = net.now_ns();
        self.connected(conn, now);
        self.connections[conn as usize].phase = Phase::Idle;
        self.deadlines.clear(conn);
        self.lend(conn, now)
    }

    /// A connection could not be opened. No exchange has failed yet; the one that comes to it will dial again, and be
    /// counted.
    fn not_opened(&mut self, conn: Conn, fault: Option<DialFault>, now: u64) -> Option<Freed> {
        if let Some(fault) = fault {
            self.count_shortage(fault);
        }
        self.opener.rest(now);
        self.deadlines.clear(conn);
        self.connections[conn as usize].disconnect();
        self.lend(conn, now)
    }

    /// Connections of a closed loop ask when their time has come, whether they are open then or not; an open loop uses
    /// those that are free.
    fn lend(&self, conn: Conn, now_ns: u64) -> Option<Freed> {
        (!self.plan.profile.is_closed()).then_some(Freed { conn, now_ns, at_once: true })
    }

    /// Connects for the exchange that has begun.
    pub(super) fn dial<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let from = self.local_address(conn);
        let connection = &mut self.connections[conn as usize];
        connection.dialed_ns = now;
        connection.phase = Phase::Dialing;
        let to = &self.plan.targets[connection.target as usize];
        let request = connection.request(self.plan);
        let (dialed, sent) = if connection.sends_as_encoded(request) {
            net.dial_sending(conn, to, from, &request.bytes)
        } else {
            (net.dial(conn, to, from), None)
        };
        match dialed {
            Dialed::Established => {
                let now = sent.map_or_else(|| net.now_ns(), |sent| sent.at_ns);
                self.connected(conn, now);
                self.ask_or_sent(net, conn, now, now, sent.map(|sent| sent.pushed))
            }
            Dialed::Pending => {
                self.deadlines.set(conn, now, self.plan.timeouts.connect_ns);
                None
            }
            Dialed::Failed(fault) => {
                self.dial_failed(net, conn, fault, now);
                None
            }
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
        let opening = self.connections[conn as usize].phase == Phase::Opening;
        if opening {
            self.opener.ended();
        }
        let now = net.now_ns();
        match (result, opening) {
            (Ok(()), true) => self.opened(net, conn),
            (Err(fault), true) => self.not_opened(conn, Some(fault), now),
            (Ok(()), false) => {
                self.connected(conn, now);
                self.ask(net, conn, now, now)
            }
            (Err(fault), false) => {
                self.dial_failed(net, conn, fault, now);
                None
            }
        }
    }

    /// Writes down that a connection is established.
    fn connected(&mut self, conn: Conn, now: u64) {
        self.record.advance_to(now);
        let connection = &mut self.connections[conn as usize];
        self.record.recorder.record_connect(now, now - connection.dialed_ns);
        self.record.opened += u64::from(self.record.covers(now));
        connection.session.open(now, &mut self.outbox);
    }

    fn count_shortage(&mut self, fault: DialFault) {
        self.record.no_port += u64::from(fault == DialFault::NoPort);
        self.record.no_descriptor += u64::from(fault == DialFault::NoDescriptor);
    }

    /// An exchange got no connection, which rests now.
    fn dial_failed<N: Net>(&mut self, net: &N, conn: Conn, fault: DialFault, now: u64) {
        self.count_shortage(fault);
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
        let connection = &self.connections[conn as usize];
        let address = &self.plan.targets[connection.target as usize].address;
        self.record.keep_bad(outcome, connection.entry as usize, Received::default(), || {
            net.explain().unwrap_or_else(|| format!("{address} {what}"))
        });
        self.end(conn, outcome, now);
        self.opener.rest(now);
        let connection = &mut self.connections[conn as usize];
        connection.disconnect();
        connection.phase = Phase::BackingOff;
        self.deadlines.set(conn, now, BACKOFF_NS);
    }

    /// Where a connection leaves from: the addresses are taken in turn over all workers.
    fn local_address(&self, conn: Conn) -> Option<IpAddr> {
        let bind = &self.plan.asking.bind;
        (!bind.is_empty()).then(|| bind[(self.share.number_of(conn) % bind.len() as u64) as usize])
    }

    /// Closes a connection from this side.
    pub(super) fn hang_up<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        net.close(conn);
        self.record.recorder.snapshot_mut().closed_by_us += u64::from(self.record.covers(now));
        self.connections[conn as usize].disconnect();
    }

    /// Closes a connection that is not needed any more.
    pub fn part<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        if self.connections[conn as usize].phase == Phase::Idle {
            self.hang_up(net, conn, now);
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
        let connection = &mut self.connections[conn as usize];
        let phase = connection.phase;
        let mut follows = false;
        if phase == Phase::Asking {
            connection.session.handle_close(how, &mut self.events);
            follows = self.ended_by_close(conn, now);
        } else {
            self.record.recorder.snapshot_mut().closed_by_peer += u64::from(self.record.covers(now));
        }
        net.close(conn);
        self.connections[conn as usize].disconnect();
        if follows {
            return self.dial(net, conn, now);
        }
        matches!(phase, Phase::Asking | Phase::Parting).then_some(Freed { conn, now_ns: now, at_once })
    }

    /// The deadline of a connection has come.
    pub fn expire<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        match connection.phase {
            Phase::Asking => self.time_out(net, conn, now),
            Phase::Dialing => {
                net.close(conn);
                self.dial_failed(net, conn, DialFault::TimedOut, now);
                return None;
            }
            Phase::Opening => {
                net.close(conn);
                self.opener.ended();
                return self.not_opened(conn, None, now);
            }
            Phase::Parting => self.hang_up(net, conn, now),
            Phase::BackingOff => connection.phase = Phase::Cold,
            Phase::Cold | Phase::Idle => return None,
        }
        Some(Freed { conn, now_ns: now, at_once: true })
    }

    /// The response time-out has come.
    fn time_out<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let seconds = self.plan.timeouts.response_ns as f64 / 1e9;
        let connection = &mut self.connections[conn as usize];
        let cancelled = connection.session.cancel(ONLY, &mut self.outbox);
        let received = connection.received(&[]);
        let what = || format!("no whole answer within {seconds} s");
        self.record.keep_bad(Outcome::Timeout, connection.entry as usize, received, what);
        self.end(conn, Outcome::Timeout, now);
        match cancelled {
            Cancelled::Keep => self.connections[conn as usize].phase = Phase::Idle,
            Cancelled::CloseConnection => self.hang_up(net, conn, now),
        }
    }
}
