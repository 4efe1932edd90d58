//! Requests on their way to the kernel.

use super::{Exchanges, Freed, ONLY, OUTBOX_BYTES};
use crate::connection::Phase;
use crate::driver::{Conn, Net, Pushed, Sent};
use crate::record::Received;
use proofload_measure::Outcome;
use proofload_wire::{Close, Filling, Full, Outbox, Request, State};

impl Exchanges<'_> {
    /// Sends the present exchange's request. `ready_ns` is since when it could use the connection.
    #[inline]
    pub(super) fn ask<N: Net>(&mut self, net: &mut N, conn: Conn, ready_ns: u64, now: u64) -> Option<Freed> {
        self.ask_or_sent(net, conn, ready_ns, now, None)
    }

    /// The same; `pushed` is what became of the request if it was sent already.
    #[inline]
    pub(super) fn ask_or_sent<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        ready_ns: u64,
        now: u64,
        pushed: Option<Pushed>,
    ) -> Option<Freed> {
        let plan = self.plan;
        let connection = &mut self.connections[conn as usize];
        if !connection.is_following() {
            connection.ready_ns = ready_ns;
        }
        if let Some(since_ns) = connection.idle_since_ns.take() {
            self.record.idle(since_ns, ready_ns);
        }
        let request = connection.request(plan);
        connection.phase = Phase::Asking;
        if !connection.sends_as_encoded(request) || connection.backlog.is_some() {
            return self.ask_filled(net, conn, request, now);
        }
        match connection.session.start_as_encoded(request, ONLY) {
            Ok(bytes) => {
                self.deadlines.set(conn, now, plan.timeouts.response_ns);
                let pushed = pushed.unwrap_or_else(|| net.send(conn, bytes));
                self.sent_whole(net, conn, bytes, pushed, now)
            }
            Err(Full) => self.not_started(net, conn, now),
        }
    }

    /// Sends a request that has places to fill, or that waits behind a rest of another.
    fn ask_filled<N: Net>(&mut self, net: &mut N, conn: Conn, request: &Request, now: u64) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        let is_following = connection.is_following();
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        if !is_following {
            self.feeding.number(request, connection.times.intended_ns, &mut connection.numbers);
        }
        self.feeding.draw(request, &connection.numbers);
        let filling = match &mut connection.http {
            Some(http) => http.fill(request, self.feeding.values(), now),
            None => Filling::of(self.feeding.values()),
        };
        if connection.session.start(request, &filling, ONLY, out).is_err() {
            return self.not_started(net, conn, now);
        }
        // The time-out runs from the first request of the exchange, whatever came in between.
        let response_ns = self.plan.timeouts.response_ns;
        match connection.times.sent_ns.filter(|_| is_following) {
            Some(since_ns) => self.deadlines.set_at(conn, since_ns.saturating_add(response_ns)),
            None => self.deadlines.set(conn, now, response_ns),
        }
        self.flush(net, conn, now)
    }

    #[cold]
    fn not_started<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        self.end(conn, Outcome::Internal, now);
        self.hang_up(net, conn, now);
        Some(Freed { conn, now_ns: now, at_once: false })
    }

    /// Sends the next request of an exchange, on a new connection when this one ends.
    pub(super) fn follow<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let connection = &self.connections[conn as usize];
        let ready_ns = connection.ready_ns;
        // An unsent rest of the last request would go before this one.
        if matches!(connection.session.state(), State::Ready(1..)) && connection.backlog.is_none() {
            return self.ask(net, conn, ready_ns, now);
        }
        // Who waits for the answer does not wait for the server to close first.
        self.hang_up(net, conn, now);
        self.dial(net, conn, now)
    }

    /// Takes note of what became of a request, which needs no copy unless something of it is left.
    #[inline]
    fn sent_whole<N: Net>(
        &mut self,
        net: &mut N,
        conn: Conn,
        bytes: &[u8],
        pushed: Pushed,
        now: u64,
    ) -> Option<Freed> {
        match pushed {
            Pushed::Took(took) if took == bytes.len() => {
                self.connections[conn as usize].times.sent_ns = Some(now);
                self.record.recorder.record_bytes(now, took as u64, 0);
                None
            }
            Pushed::Queued => None,
            pushed => {
                self.outbox.push_exchange(ONLY, bytes);
                self.pushed(net, conn, pushed, now)
            }
        }
    }

    /// Hands the kernel what waits to be sent.
    pub(super) fn flush<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) -> Option<Freed> {
        let out = self.connections[conn as usize].backlog.as_deref().unwrap_or(&self.outbox);
        let pushed = net.send(conn, out.pending());
        self.pushed(net, conn, pushed, now)
    }

    /// Takes note of what became of what waited to be sent.
    fn pushed<N: Net>(&mut self, net: &mut N, conn: Conn, pushed: Pushed, now: u64) -> Option<Freed> {
        match pushed {
            Pushed::Took(took) => self.took(conn, Some(took), now),
            Pushed::Queued => self.took(conn, None, now),
            Pushed::Reset => {
                self.outbox.clear();
                return self.lost(net, conn, Close::Reset, now, false);
            }
            Pushed::Failed => {
                self.outbox.clear();
                let connection = &self.connections[conn as usize];
                if connection.phase == Phase::Asking {
                    self.record.keep_bad(
                        Outcome::SendFailed,
                        connection.entry as usize,
                        Received::default(),
                        || "the kernel refused to send the request".to_owned(),
                    );
                    self.end(conn, Outcome::SendFailed, now);
                }
                self.hang_up(net, conn, now);
                return Some(Freed { conn, now_ns: now, at_once: false });
            }
        }
        None
    }

    /// The kernel took that many bytes, or the driver queued all. What is left becomes the connection's backlog.
    fn took(&mut self, conn: Conn, took: Option<usize>, now: u64) {
        let connection = &mut self.connections[conn as usize];
        let times = &mut connection.times;
        let out = connection.backlog.as_deref_mut().unwrap_or(&mut self.outbox);
        match took {
            Some(took) => {
                out.take(took, |_| {
                    times.sent_ns.get_or_insert(now);
                });
                self.record.recorder.record_bytes(now, took as u64, 0);
            }
            None => out.take(out.pending().len(), |_| {}),
        }
        let done = out.pending().is_empty();
        match (done, connection.backlog.is_some()) {
            (true, true) => connection.backlog = None,
            (false, false) => {
                let rest = std::mem::replace(&mut self.outbox, Outbox::new(OUTBOX_BYTES));
                connection.backlog = Some(Box::new(rest));
            }
            (true, false) | (false, true) => {}
        }
    }

    /// Takes note of what became of a request that was queued.
    #[inline]
    pub fn sent<N: Net>(&mut self, net: &mut N, conn: Conn, sent: Sent) -> Option<Freed> {
        let connection = &mut self.connections[conn as usize];
        match sent.pushed {
            Pushed::Took(took) => {
                if connection.phase == Phase::Asking {
                    connection.times.sent_ns.get_or_insert(sent.at_ns);
                }
                self.record.recorder.record_bytes(sent.at_ns, took as u64, 0);
                None
            }
            Pushed::Queued => None,
            pushed @ (Pushed::Reset | Pushed::Failed) => {
                let now = net.now_ns();
                if connection.phase == Phase::Asking {
                    self.pushed(net, conn, pushed, now)
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
        self.flush(net, conn, now)
    }
}
