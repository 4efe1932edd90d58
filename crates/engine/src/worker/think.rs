//! Pauses of the connections of a closed loop, and the connections that are in one.

use crate::lane::LaneId;
use crate::load::{Distribution, Draws, Share};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Name of the random stream of pauses.
const PAUSES: u64 = 0x7468_696e;

/// Draws pauses by connection and number of the exchange, so that they do not depend on what came in between.
#[derive(Debug)]
pub(super) struct Pauses {
    draws: Draws,
    share: Share,
    is_none: bool,
}

impl Pauses {
    pub fn new(seed: u64, share: Share, think_ns: &Distribution) -> Self {
        let draws = Draws::new(think_ns.clone(), seed, PAUSES);
        Pauses { draws, share, is_none: think_ns.is_zero() }
    }

    /// True if connections send the next request at once.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    fn number(&self, lane: LaneId, begun: u64) -> u64 {
        (self.share.number_of(lane) << 40) | begun
    }

    /// The pause of a connection that has begun `begun` exchanges.
    #[inline]
    pub fn pause_ns(&self, lane: LaneId, begun: u64) -> u64 {
        self.draws.at(self.number(lane, begun))
    }

    /// Instant of a connection's first request, from the first instant of the load: its phase in a pause that it is in
    /// already. The phases of all of them, `all` over all shares, are spread evenly, else equal pauses would go in step
    /// for ever.
    pub fn first_ns(&self, lane: LaneId, all: u64) -> u64 {
        let all = all.max(1);
        // Where they are dealt to several targets, some have numbers beyond the last.
        let phase = self.share.number_of(lane) % all;
        match self.draws.distribution() {
            Distribution::Constant(pause_ns) => {
                (u128::from(*pause_ns) * u128::from(phase) / u128::from(all)) as u64
            }
            _ => self.draws.rest(self.number(lane, 0), phase as f64 / all as f64),
        }
    }
}

/// Connections that will ask, with the instants.
#[derive(Debug)]
pub(super) enum Waiting {
    /// In order by themselves, for every pause is as long as the others.
    Equal(VecDeque<(u64, LaneId)>),
    Different(BinaryHeap<Reverse<(u64, LaneId)>>),
}

impl Waiting {
    /// An empty one; room for all connections, so that none is made in the window.
    pub fn new(think_ns: &Distribution, connections: usize) -> Self {
        match think_ns.is_constant() {
            true => Waiting::Equal(VecDeque::with_capacity(connections)),
            false => Waiting::Different(BinaryHeap::with_capacity(connections)),
        }
    }

    /// Puts all of them off by `by_ns`.
    pub fn put_off(&mut self, by_ns: u64) {
        match self {
            Waiting::Equal(queue) => {
                queue.iter_mut().for_each(|(due_ns, _)| *due_ns = due_ns.saturating_add(by_ns));
            }
            Waiting::Different(heap) => put_off(heap, by_ns),
        }
    }

    /// The instant at which the first of them asks.
    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        match self {
            Waiting::Equal(queue) => queue.front().map(|(due_ns, _)| *due_ns),
            Waiting::Different(heap) => heap.peek().map(|Reverse((due_ns, _))| *due_ns),
        }
    }

    /// Takes the first of them off, when its instant has come.
    #[inline]
    pub fn pop_due(&mut self, now: u64) -> Option<(u64, LaneId)> {
        match self {
            Waiting::Equal(queue) => queue.pop_front_if(|(due_ns, _)| *due_ns <= now),
            Waiting::Different(heap) => {
                heap.peek().is_some_and(|Reverse((due_ns, _))| *due_ns <= now).then_some(())?;
                heap.pop().map(|Reverse(entry)| entry)
            }
        }
    }

    /// Adds one that waits for its pause to end.
    #[inline]
    pub fn push(&mut self, due_ns: u64, lane: LaneId) {
        match self {
            Waiting::Equal(queue) => queue.push_back((due_ns, lane)),
            Waiting::Different(heap) => heap.push(Reverse((due_ns, lane))),
        }
    }

    /// Adds one that is due already, in front of first asks that are not.
    pub fn push_due(&mut self, now: u64, lane: LaneId) {
        match self {
            Waiting::Equal(queue) => queue.push_front((now, lane)),
            Waiting::Different(heap) => heap.push(Reverse((now, lane))),
        }
    }
}

/// Puts all that wait off by `by_ns`; their order stays.
pub(super) fn put_off(waiting: &mut BinaryHeap<Reverse<(u64, LaneId)>>, by_ns: u64) {
    let mut all = std::mem::take(waiting).into_vec();
    all.iter_mut().for_each(|Reverse((due_ns, _))| *due_ns = due_ns.saturating_add(by_ns));
    *waiting = all.into();
}
