//! Traffic between the processes of a subject: the sum of the byte counters of its back-end connections, including
//! those that ended meanwhile as far as they were seen.

use super::sockets::{Socket, TIME_WAIT};
use proofload_facts::Finding;
use std::collections::{BTreeMap, BTreeSet};

/// Share of the traffic that may have been missed.
const LOST_SHARE_MAX: f64 = 0.01;

/// Connections to a subject's back-end ports, from sample to sample.
#[derive(Debug, Default)]
pub(super) struct BackendTraffic {
    ports: Vec<u16>,
    /// By the cookies of their sockets.
    alive: BTreeMap<u64, Connection>,
    /// Bytes of those that ended, as of their last sample.
    closed_bytes: u64,
    /// Back-end port and the other side's port of all connections ever seen.
    seen: BTreeSet<(u16, u16)>,
    connections: u64,
    ended: u64,
    unseen: u64,
    samples: u64,
}

#[derive(Clone, Copy, Debug)]
struct Connection {
    /// Bytes that do not count: those of the first sample.
    first: u64,
    last: u64,
    /// Number of the sample that saw it last.
    sample: u64,
}

impl BackendTraffic {
    /// For the ports on which the back end listens. `before` are all sockets that existed before the first sample.
    pub(super) fn new(ports: Vec<u16>, before: &[Socket]) -> BackendTraffic {
        let mut backend = BackendTraffic { ports, ..BackendTraffic::default() };
        backend.seen = before.iter().filter_map(|socket| backend.tuple(socket)).collect();
        backend
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

    /// Adds a sample of all sockets. Returns the bytes since the first sample; a connection that is new in a later one
    /// counts from its beginning.
    pub(super) fn sample(&mut self, sockets: &[Socket]) -> u64 {
        self.samples += 1;
        let is_first = self.samples == 1;
        for socket in sockets.iter().filter(|socket| self.ports.contains(&socket.local_port)) {
            let Some((acked, received)) = socket.bytes else { continue };
            let bytes = acked.saturating_add(received);
            self.seen.insert((socket.local_port, socket.remote_port));
            let connections = &mut self.connections;
            let connection = self.alive.entry(socket.cookie).or_insert_with(|| {
                *connections += 1;
                Connection { first: if is_first { bytes } else { 0 }, last: bytes, sample: 0 }
            });
            connection.last = connection.last.max(bytes);
            connection.sample = self.samples;
        }
        let (closed, ended, sample) = (&mut self.closed_bytes, &mut self.ended, self.samples);
        self.alive.retain(|_, connection| {
            let is_alive = connection.sample == sample;
            if !is_alive {
                *closed += connection.last - connection.first;
                *ended += 1;
            }
            is_alive
        });
        self.closed_bytes
            + self.alive.values().map(|connection| connection.last - connection.first).sum::<u64>()
    }

    /// After the last sample: connections that opened and closed between two samples have left a TIME_WAIT behind.
    pub(super) fn close(&mut self, after: &[Socket]) {
        let waiting = after.iter().filter(|socket| socket.state == TIME_WAIT);
        let tuples: BTreeSet<(u16, u16)> = waiting.filter_map(|socket| self.tuple(socket)).collect();
        self.unseen = tuples.difference(&self.seen).count() as u64;
    }

    /// Connections that were seen, or left a TIME_WAIT behind.
    pub(super) fn connections(&self) -> u64 {
        self.connections + self.unseen
    }

    /// Connections of which some bytes were not seen.
    pub(super) fn lost(&self) -> u64 {
        self.ended + self.unseen
    }

    /// Checks that the sum covers enough of the traffic: of a lost connection at most one period is missing.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn is_whole(&self, period_ns: u64, window_ns: u64) -> Result<(), Finding> {
        if self.connections() == 0 {
            return Err(Finding::NoBackend);
        }
        let blind = self.lost() as f64 * period_ns as f64;
        let all = self.connections() as f64 * window_ns.max(1) as f64;
        if blind > LOST_SHARE_MAX * all {
            return Err(Finding::BackendLost { lost: self.lost(), connections: self.connections() });
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

    fn traffic() -> BackendTraffic {
        BackendTraffic::new(vec![8009], &[waiting(8009, 50_000)])
    }

    #[test]
    fn growth_counts_and_what_was_there_before_does_not() {
        let mut backend = traffic();
        assert_eq!(backend.sample(&[connection(1, 4000, 100, 10)]), 0);
        assert_eq!(backend.sample(&[connection(1, 4000, 150, 20)]), 60);
        assert_eq!(backend.is_whole(100, 1_000), Ok(()));
    }

    #[test]
    fn a_newcomer_counts_from_its_beginning_and_one_that_ended_up_to_its_last_sample() {
        let mut backend = traffic();
        backend.sample(&[]);
        assert_eq!(backend.sample(&[connection(1, 4000, 70, 30)]), 100);
        assert_eq!(backend.sample(&[connection(2, 4001, 5, 0)]), 105);
        assert_eq!(backend.sample(&[]), 105, "never backwards");
        assert_eq!((backend.connections(), backend.lost()), (2, 2));
    }

    #[test]
    fn other_ports_are_not_the_back_end() {
        let mut backend = traffic();
        backend.sample(&[]);
        let front = Socket { local_port: 80, ..connection(1, 4000, 70, 30) };
        let other_side = Socket { local_port: 4000, remote_port: 8009, ..front };
        assert_eq!(backend.sample(&[front, other_side]), 0);
        assert_eq!(backend.is_whole(100, 1_000), Err(Finding::NoBackend));
    }

    #[test]
    fn connections_between_two_samples_are_found_by_their_time_wait() {
        let mut backend = traffic();
        backend.sample(&[connection(1, 4000, 1, 1)]);
        // From before; seen alive; unseen, closed by either side; of another port.
        let after = [
            waiting(8009, 50_000),
            waiting(8009, 4000),
            waiting(8009, 5000),
            waiting(5001, 8009),
            waiting(80, 5002),
        ];
        backend.close(&after);
        assert_eq!((backend.connections(), backend.lost()), (3, 2));
        assert_eq!(backend.is_whole(100, 1_000), Err(Finding::BackendLost { lost: 2, connections: 3 }));
    }

    #[test]
    fn a_few_that_end_among_many_that_stay_are_not_reported() {
        let mut backend = traffic();
        let all: Vec<Socket> = (0..100).map(|n| connection(n, 4000 + n as u16, 0, 0)).collect();
        backend.sample(&all);
        backend.sample(&all[10..]);
        assert_eq!(backend.lost(), 10);
        assert_eq!(backend.is_whole(100, 1_000), Ok(()), "a tenth of them is unseen for a tenth of the time");
        backend.sample(&all[12..]);
        assert!(backend.is_whole(100, 1_000).is_err());
    }
}
