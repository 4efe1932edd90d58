//! Pauses of the places of a closed loop, and the places that are in one.

use super::Share;
use crate::Distribution;
use crate::LoadPlan;
use crate::driver::Conn;
use crate::load::Draws;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Name of the random stream of pauses.
const PAUSES: u64 = 0x7468_696e;

/// Draws pauses by place and number of the exchange, so that they do not depend on what came in between.
#[derive(Debug)]
pub(super) struct Pauses {
    draws: Draws,
    /// The share of this worker: its place `conn` is place `k + n * conn` of the whole load.
    k: u64,
    n: u64,
    is_none: bool,
}

impl Pauses {
    pub fn new(plan: &LoadPlan, share: &Share, think_ns: &Distribution) -> Self {
        let draws = Draws::new(think_ns.clone(), plan.seed, PAUSES);
        Pauses { draws, k: share.k, n: share.n, is_none: think_ns.is_zero() }
    }

    /// Whether places ask again at once.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    fn number(&self, conn: Conn, begun: u64) -> u64 {
        ((self.k + self.n * u64::from(conn)) << 40) | begun
    }

    /// The pause of a place that has begun so many exchanges.
    #[inline]
    pub fn pause_ns(&self, conn: Conn, begun: u64) -> u64 {
        self.draws.at(self.number(conn, begun))
    }

    /// When a place asks first, from the first instant of the load: its phase in a pause that it is in already.
    /// Phases of places are spread evenly, else equal pauses would go in step for ever.
    pub fn first_ns(&self, conn: Conn, places: usize) -> u64 {
        let place = self.k + self.n * u64::from(conn);
        let all = (self.n * places as u64).max(1);
        match self.draws.distribution() {
            Distribution::Constant(pause_ns) => {
                (u128::from(*pause_ns) * u128::from(place) / u128::from(all)) as u64
            }
            _ => self.draws.rest(self.number(conn, 0), place as f64 / all as f64),
        }
    }
}

/// Places that will ask, with the instants.
#[derive(Debug)]
pub(super) enum Waiting {
    /// In order by themselves, for every pause is as long as the others.
    Equal(VecDeque<(u64, Conn)>),
    /// Pauses differ.
    Different(BinaryHeap<Reverse<(u64, Conn)>>),
}

impl Waiting {
    /// An empty one; room for all places, so that none is made in the window.
    pub fn new(think_ns: &Distribution, places: usize) -> Self {
        match think_ns.is_constant() {
            true => Waiting::Equal(VecDeque::with_capacity(places)),
            false => Waiting::Different(BinaryHeap::with_capacity(places)),
        }
    }

    /// Puts all of them off by as long.
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
    pub fn pop_due(&mut self, now: u64) -> Option<(u64, Conn)> {
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
    pub fn push(&mut self, due_ns: u64, conn: Conn) {
        match self {
            Waiting::Equal(queue) => queue.push_back((due_ns, conn)),
            Waiting::Different(heap) => heap.push(Reverse((due_ns, conn))),
        }
    }

    /// Adds one that is due already, in front of first asks that are not.
    pub fn push_due(&mut self, now: u64, conn: Conn) {
        match self {
            Waiting::Equal(queue) => queue.push_front((now, conn)),
            Waiting::Different(heap) => heap.push(Reverse((now, conn))),
        }
    }
}

/// Puts all that wait off by as long; their order stays.
pub(super) fn put_off(waiting: &mut BinaryHeap<Reverse<(u64, Conn)>>, by_ns: u64) {
    let mut all = std::mem::take(waiting).into_vec();
    all.iter_mut().for_each(|Reverse((due_ns, _))| *due_ns = due_ns.saturating_add(by_ns));
    *waiting = all.into();
}
