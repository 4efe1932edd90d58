//! What went between the processes of a subject: the sum of the counters of its back-end connections, those that
//! ended meanwhile included as far as they were seen.

use super::sockets::{Socket, TIME_WAIT};
use std::collections::{BTreeMap, BTreeSet};

/// Share of the traffic that may have gone by unseen.
const LOST_SHARE_MAX: f64 = 0.01;

/// Connections to a subject's back-end ports, from look to look.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    ports: Vec<u16>,
    alive: BTreeMap<u64, Account>,
    /// Bytes of those that ended, as of the last look at them.
    closed_bytes: u64,
    /// Port of the back end and port of the other side, of all that were ever seen.
    seen: BTreeSet<(u16, u16)>,
    connections: u64,
    ended: u64,
    unseen: u64,
    looks: u64,
}

#[derive(Clone, Copy, Debug)]
struct Account {
    first: u64,
    last: u64,
    look: u64,
}

impl Ledger {
    /// For the ports on which the back end listens. `before` are all sockets there were before the first look.
    pub(super) fn new(ports: Vec<u16>, before: &[Socket]) -> Ledger {
        let mut ledger = Ledger { ports, ..Ledger::default() };
        ledger.seen = before.iter().filter_map(|socket| ledger.tuple(socket)).collect();
        ledger
    }

    pub(super) fn ports(&self) -> &[u16] {
        &self.ports
    }

    /// Both ports of a connection to the back end, whichever side the socket is.
    fn tuple(&self, socket: &Socket) -> Option<(u16, u16)> {
        let (local, remote) = (socket.local_port, socket.remote_port);
        if remote == 0 {
            return None;
        }
        match (self.ports.contains(&local), self.ports.contains(&remote)) {
            (true, _) => Some((local, remote)),
            (_, true) => Some((remote, local)),
            _ => None,
        }
    }

    /// Takes note of the back end's side of all connections. Returns the bytes so far, from the first look on;
    /// a connection that is new at a later look counts from its beginning.
    pub(super) fn look(&mut self, sockets: &[Socket]) -> u64 {
        self.looks += 1;
        let is_first = self.looks == 1;
        for socket in sockets.iter().filter(|socket| self.ports.contains(&socket.local_port)) {
            let Some((acked, received)) = socket.bytes else { continue };
            let bytes = acked.saturating_add(received);
            self.seen.insert((socket.local_port, socket.remote_port));
            let connections = &mut self.connections;
            let account = self.alive.entry(socket.cookie).or_insert_with(|| {
                *connections += 1;
                Account { first: if is_first { bytes } else { 0 }, last: bytes, look: 0 }
            });
            account.last = account.last.max(bytes);
            account.look = self.looks;
        }
        let (closed, ended, look) = (&mut self.closed_bytes, &mut self.ended, self.looks);
        self.alive.retain(|_, account| {
            let is_alive = account.look == look;
            if !is_alive {
                *closed += account.last - account.first;
                *ended += 1;
            }
            is_alive
        });
        self.closed_bytes + self.alive.values().map(|account| account.last - account.first).sum::<u64>()
    }

    /// After the last look: connections that came and went between two looks have left a TIME_WAIT behind.
    pub(super) fn close(&mut self, after: &[Socket]) {
        let waiting = after.iter().filter(|socket| socket.state == TIME_WAIT);
        let tuples: BTreeSet<(u16, u16)> = waiting.filter_map(|socket| self.tuple(socket)).collect();
        self.unseen = tuples.difference(&self.seen).count() as u64;
    }

    /// Connections that were seen, or have left a trace.
    pub(super) fn connections(&self) -> u64 {
        self.connections + self.unseen
    }

    /// Connections of which some bytes were not seen.
    pub(super) fn lost(&self) -> u64 {
        self.ended + self.unseen
    }

    /// Whether the sum can stand for all: lost connections were blind for at most one period each.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn is_whole(&self, period_ns: u64, window_ns: u64) -> Result<(), String> {
        if self.connections() == 0 {
            return Err("back-end bytes: no connection to a back-end port was seen".to_string());
        }
        let blind = self.lost() as f64 * period_ns as f64;
        let all = self.connections() as f64 * window_ns.max(1) as f64;
        if blind > LOST_SHARE_MAX * all {
            return Err(format!(
                "back-end bytes: too many connections to the back end ended between two looks, {} of {} in one slice, or were never seen",
                self.lost(),
                self.connections(),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::ESTABLISHED;

    fn connection(cookie: u64, remote_port: u16, acked: u64, received: u64) -> Socket {
        Socket {
            state: ESTABLISHED,
            local_port: 8009,
            remote_port,
            cookie,
            bytes: Some((acked, received)),
            ..Socket::default()
        }
    }

    fn waiting(local_port: u16, remote_port: u16) -> Socket {
        Socket { state: TIME_WAIT, local_port, remote_port, ..Socket::default() }
    }

    fn ledger() -> Ledger {
        Ledger::new(vec![8009], &[waiting(8009, 50_000)])
    }

    #[test]
    fn growth_counts_and_what_was_there_before_does_not() {
        let mut ledger = ledger();
        assert_eq!(ledger.look(&[connection(1, 4000, 100, 10)]), 0);
        assert_eq!(ledger.look(&[connection(1, 4000, 150, 20)]), 60);
        assert_eq!(ledger.is_whole(100, 1_000), Ok(()));
    }

    #[test]
    fn a_newcomer_counts_from_its_beginning_and_one_that_ended_up_to_the_last_look() {
        let mut ledger = ledger();
        ledger.look(&[]);
        assert_eq!(ledger.look(&[connection(1, 4000, 70, 30)]), 100);
        assert_eq!(ledger.look(&[connection(2, 4001, 5, 0)]), 105);
        assert_eq!(ledger.look(&[]), 105, "never backwards");
        assert_eq!((ledger.connections(), ledger.lost()), (2, 2));
    }

    #[test]
    fn other_ports_are_not_the_back_end() {
        let mut ledger = ledger();
        ledger.look(&[]);
        let front = Socket { local_port: 80, ..connection(1, 4000, 70, 30) };
        let other_side = Socket { local_port: 4000, remote_port: 8009, ..front };
        assert_eq!(ledger.look(&[front, other_side]), 0);
        assert!(ledger.is_whole(100, 1_000).unwrap_err().contains("no connection"));
    }

    #[test]
    fn connections_that_nobody_saw_are_found_by_what_they_leave_behind() {
        let mut ledger = ledger();
        ledger.look(&[connection(1, 4000, 1, 1)]);
        // From before; seen alive; unseen, closed by either side; of another port.
        let after = [
            waiting(8009, 50_000),
            waiting(8009, 4000),
            waiting(8009, 5000),
            waiting(5001, 8009),
            waiting(80, 5002),
        ];
        ledger.close(&after);
        assert_eq!((ledger.connections(), ledger.lost()), (3, 2));
        let why = ledger.is_whole(100, 1_000).unwrap_err();
        assert!(why.contains("2 of 3"), "{why}");
    }

    #[test]
    fn a_few_that_end_among_many_that_stay_are_no_loss_worth_telling() {
        let mut ledger = ledger();
        let all: Vec<Socket> = (0..100).map(|n| connection(n, 4000 + n as u16, 0, 0)).collect();
        ledger.look(&all);
        ledger.look(&all[10..]);
        assert_eq!(ledger.lost(), 10);
        assert_eq!(ledger.is_whole(100, 1_000), Ok(()), "a tenth of them blind for a tenth of the time");
        ledger.look(&all[12..]);
        assert!(ledger.is_whole(100, 1_000).is_err());
    }
}
