//! One lane of a connection, which carries one exchange at a time.
//!
//! A connection whose protocol answers one request after the other has one lane; where several may be in flight, it has
//! as many as may be. Lanes of a worker are numbered so that the first lanes of all connections come first, then the
//! second ones: what is begun in that order is spread over the connections. With one lane each, lane and connection have
//! the same number.

use crate::driver::Conn;
use crate::received::Received;
use proofload_measure::{ExchangeTimes, Outcome};
use proofload_wire::ExchangeId;

/// Names a lane of one worker.
pub type LaneId = u32;

/// State of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanePhase {
    /// It can carry an exchange.
    Free,
    /// Its exchange has begun and waits for the connection.
    Waiting,
    /// Its exchange is in flight.
    Asking,
    /// Its exchange has ended. It is not free before its connection has ended, or may be dialed again.
    Resting,
    /// Its exchange goes on at another origin ([`crate::elsewhere`]).
    Away,
}

/// A lane and the exchange it carries.
#[derive(Debug)]
pub(crate) struct Lane {
    pub phase: LanePhase,
    /// Target of its connection.
    pub target: u32,
    /// Mix entry of the present exchange.
    pub entry: u32,
    /// Exchanges begun so far; numbers the choices from the mix.
    pub begun: u64,
    /// The present exchange, or the one before once it has ended.
    pub times: ExchangeTimes,
    /// Instant by which the present exchange belongs to the window or not: intended, or the arrival of its user.
    pub cohort_ns: u64,
    /// Outcome of the exchange before.
    pub outcome: Outcome,
    /// Instant at which the present exchange began to use the connection: intended, or established if that was later.
    pub ready_ns: u64,
    pub freed_ns: u64,
    /// For a connection that was added because none was free: true once it has been free itself.
    pub joined: bool,
    /// Instant since which it has been of no use to an exchange that counts for latency.
    pub idle_since_ns: Option<u64>,
    /// The beginning of an answer that came in several pieces.
    pub sample: Option<Vec<u8>>,
    /// The present exchange's number in each feeder.
    pub numbers: Box<[u64]>,
}

impl Lane {
    /// A free lane of a connection to that target; its exchanges draw from `feeders` feeders.
    pub fn new(target: usize, feeders: usize) -> Self {
        Lane {
            phase: LanePhase::Free,
            target: target as u32,
            entry: 0,
            begun: 0,
            times: ExchangeTimes::default(),
            cohort_ns: 0,
            outcome: Outcome::Answered,
            ready_ns: 0,
            freed_ns: 0,
            joined: false,
            // From the beginning; only what falls into the window is counted.
            idle_since_ns: Some(0),
            sample: None,
            numbers: vec![0; feeders].into(),
        }
    }

    /// Lets another lane go on with the present exchange.
    pub fn hand_over(&mut self, to: &mut Lane) {
        (to.entry, to.times, to.ready_ns) = (self.entry, self.times, self.ready_ns);
        (to.cohort_ns, to.outcome) = (self.cohort_ns, self.outcome);
        to.sample = self.sample.take();
        std::mem::swap(&mut to.numbers, &mut self.numbers);
    }

    /// True while an exchange has begun and not ended.
    pub fn in_flight(&self) -> bool {
        matches!(self.phase, LanePhase::Waiting | LanePhase::Asking)
    }

    /// Received part of the present answer; `latest` came last.
    pub fn received<'a>(&'a self, latest: &'a [u8]) -> Received<'a> {
        Received { before: self.sample.as_deref().unwrap_or_default(), latest }
    }
}

/// Numbering of lanes and connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneNumbers {
    connections: u32,
    each: u32,
}

impl LaneNumbers {
    /// Numbers for that many connections with `each` lanes.
    pub fn new(connections: usize, each: u32) -> Self {
        LaneNumbers { connections: connections as u32, each }
    }

    /// True if every connection has one lane, with its own number.
    #[inline]
    pub fn are_connections(self) -> bool {
        self.each == 1
    }

    /// Number of lanes.
    pub fn count(self) -> usize {
        self.connections as usize * self.each as usize
    }

    /// The connection of a lane.
    #[inline]
    pub fn conn(self, lane: LaneId) -> Conn {
        if self.are_connections() { lane } else { lane % self.connections }
    }

    /// Name of a lane's exchange on its connection.
    #[inline]
    pub fn name(self, lane: LaneId) -> ExchangeId {
        ExchangeId(if self.are_connections() { 0 } else { lane / self.connections })
    }

    /// The lane that carries the exchange of that name.
    #[inline]
    pub fn lane(self, conn: Conn, name: ExchangeId) -> LaneId {
        if self.are_connections() { conn } else { name.0 * self.connections + conn }
    }

    /// The lanes of a connection.
    pub fn of(self, conn: Conn) -> impl Iterator<Item = LaneId> {
        self.of_from(conn, 0)
    }

    /// The lanes of a connection, from the one on whose exchanges have that name, and then those before it.
    pub fn of_from(self, conn: Conn, first: u32) -> impl Iterator<Item = LaneId> {
        (first..self.each).chain(0..first).map(move |at| at * self.connections + conn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_one_lane_each_lane_and_connection_have_the_same_number() {
        let lanes = LaneNumbers::new(5, 1);
        assert_eq!((lanes.count(), lanes.conn(3), lanes.name(3)), (5, 3, ExchangeId(0)));
        assert_eq!(lanes.lane(3, ExchangeId(0)), 3);
        assert_eq!(lanes.of(3).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn every_lane_is_found_by_its_connection_and_its_name() {
        let lanes = LaneNumbers::new(3, 4);
        assert_eq!(lanes.count(), 12);
        for lane in 0..12 {
            assert_eq!(lanes.lane(lanes.conn(lane), lanes.name(lane)), lane);
            assert!(lanes.of(lanes.conn(lane)).any(|other| other == lane));
        }
        assert_eq!(lanes.of_from(1, 2).collect::<Vec<_>>(), [7, 10, 1, 4]);
        assert_eq!((0..4).map(|lane| lanes.conn(lane)).collect::<Vec<_>>(), [0, 1, 2, 0]);
    }
}
