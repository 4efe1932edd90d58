//! Closed loops with a shape: places join and leave in the course of the load (stages), or ask so many times
//! and go (users).

use super::think::{Pauses, put_off};
use super::{OPENING_GAP_NS, Share, Worker, mix_of_target};
use crate::driver::{Conn, Net};
use crate::load::{Curve, Mix};
use crate::slot::Phase;
use crate::{Distribution, LoadPlan, Stage};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Places that ask in their own time.
#[derive(Debug)]
pub(super) struct Shaped {
    pauses: Pauses,
    /// Places that will ask, with the instants.
    waiting: BinaryHeap<Reverse<(u64, Conn)>>,
    shape: Shape,
    start_ns: u64,
    /// The share of this worker: its place `conn` is place `k + n * conn` of the whole load.
    k: u64,
    n: u64,
    /// For each target the choice among its entries.
    mixes: Vec<Mix>,
}

#[derive(Debug)]
enum Shape {
    Stages(Curve),
    Users {
        loops: u64,
        /// Exchanges that may still be begun by all users of this worker.
        left: u64,
    },
}

/// What a place does next.
pub(super) enum Turn {
    /// Asks again at that instant, on the connection it has.
    Ask(u64),
    /// Leaves, and joins again at that instant.
    Rejoin(u64),
    /// Leaves for good.
    Leave,
}

impl Shaped {
    pub fn stages(
        plan: &LoadPlan,
        share: &Share,
        stages: &[Stage],
        think_ns: &Distribution,
        places: usize,
    ) -> Self {
        let mut shaped = Shaped::new(plan, share, Shape::Stages(Curve::new(stages)), think_ns, places);
        for conn in 0..places as Conn {
            if let Some(due_ns) = shaped.joins_ns(conn, 0) {
                shaped.waiting.push(Reverse((due_ns, conn)));
            }
        }
        shaped.space_out();
        shaped
    }

    pub fn users(plan: &LoadPlan, share: &Share, terms: (u64, u32, &Distribution), places: usize) -> Self {
        let (ramp_ns, loops, think_ns) = terms;
        let shape = Shape::Users { loops: u64::from(loops), left: places as u64 * u64::from(loops) };
        let mut shaped = Shaped::new(plan, share, shape, think_ns, places);
        let users = u128::from(plan.connections.max(1));
        for conn in 0..places as Conn {
            let place = u128::from(share.k) + u128::from(share.n) * u128::from(conn);
            let offset_ns = (u128::from(ramp_ns) * place / users) as u64;
            shaped.waiting.push(Reverse((offset_ns, conn)));
        }
        shaped.space_out();
        shaped
    }

    fn new(plan: &LoadPlan, share: &Share, shape: Shape, think_ns: &Distribution, places: usize) -> Self {
        Shaped {
            pauses: Pauses::new(plan, share, think_ns),
            waiting: BinaryHeap::with_capacity(places),
            shape,
            start_ns: 0,
            k: share.k,
            n: share.n,
            mixes: (0..plan.targets.len()).map(|target| mix_of_target(plan, target)).collect(),
        }
    }

    /// Places that join at once dial one after the other: listen queues are short, and one worker opens no
    /// faster.
    fn space_out(&mut self) {
        let mut joining: Vec<(u64, Conn)> = self.waiting.drain().map(|Reverse(entry)| entry).collect();
        joining.sort_unstable();
        let mut free_ns = 0;
        for (due_ns, conn) in joining {
            free_ns = free_ns.max(due_ns);
            self.waiting.push(Reverse((free_ns, conn)));
            free_ns += OPENING_GAP_NS;
        }
    }

    /// The load begins at that instant.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        put_off(&mut self.waiting, start_ns);
    }

    /// When a place of stages takes part, from that instant on.
    fn joins_ns(&self, conn: Conn, from_ns: u64) -> Option<u64> {
        let Shape::Stages(curve) = &self.shape else { return None };
        let place = self.k + self.n * u64::from(conn);
        let offset_ns = curve.above_ns(place, from_ns.saturating_sub(self.start_ns))?;
        Some(self.start_ns + offset_ns)
    }

    pub fn turn(&self, conn: Conn, begun: u64, now: u64) -> Turn {
        let due_ns = now.saturating_add(self.pauses.pause_ns(conn, begun));
        match &self.shape {
            Shape::Users { loops, .. } if begun >= *loops => Turn::Leave,
            Shape::Users { .. } => Turn::Ask(due_ns),
            Shape::Stages(_) => match self.joins_ns(conn, due_ns) {
                Some(joins_ns) if joins_ns == due_ns => Turn::Ask(due_ns),
                Some(joins_ns) => Turn::Rejoin(joins_ns),
                None => Turn::Leave,
            },
        }
    }

    /// Puts a place on the list of those that will ask.
    pub fn wait(&mut self, due_ns: u64, conn: Conn) {
        self.waiting.push(Reverse((due_ns, conn)));
    }

    /// Counts an exchange and chooses its entry.
    pub fn choose(&mut self, conn: Conn, target: u32, begun: u64) -> usize {
        if let Shape::Users { left, .. } = &mut self.shape {
            *left = left.saturating_sub(1);
        }
        let place = (self.k << 48) ^ (u64::from(conn) << 24);
        self.mixes[target as usize].choose(place.wrapping_add(begun))
    }

    pub fn is_used_up(&self) -> bool {
        matches!(self.shape, Shape::Users { left: 0, .. })
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.waiting.peek().map(|Reverse((due_ns, _))| *due_ns)
    }
}

impl Worker<'_> {
    /// Begins what places of a shaped load are due to ask.
    pub(super) fn wake_shaped<N: Net>(&mut self, net: &mut N, mut now: u64) {
        // At most one round of all places, so that failing attempts cannot keep the loop here.
        for _ in 0..self.slots.len() {
            let super::Pace::Shaped(shaped) = &mut self.pace else { return };
            if shaped.next_ns().is_none_or(|due_ns| due_ns > now) {
                return;
            }
            let Some(Reverse((due_ns, conn))) = shaped.waiting.pop() else { return };
            if due_ns >= self.issue_end_ns {
                continue;
            }
            let slot = &self.slots[conn as usize];
            let entry = shaped.choose(conn, slot.target, slot.begun);
            if self.books.covers(due_ns) {
                self.books.own_delay.record(now - due_ns);
            }
            self.begin(net, conn, entry, due_ns, now);
            now = net.now_ns();
            self.books.turn(now);
        }
    }

    /// A place of a shaped load is free: it asks again, or closes its connection and leaves.
    pub(super) fn release_shaped<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64, at_once: bool) {
        let slot = &self.slots[conn as usize];
        let (target, begun) = (slot.target, slot.begun);
        let over = now >= self.issue_end_ns;
        let super::Pace::Shaped(shaped) = &mut self.pace else { return };
        let turn = if over { Turn::Leave } else { shaped.turn(conn, begun, now) };
        match turn {
            Turn::Ask(due_ns) if due_ns <= now && at_once => {
                let entry = shaped.choose(conn, target, begun);
                self.begin(net, conn, entry, now, now);
                return;
            }
            Turn::Ask(due_ns) => shaped.wait(due_ns, conn),
            Turn::Rejoin(joins_ns) => {
                shaped.wait(joins_ns, conn);
                self.part(net, conn, now);
            }
            Turn::Leave => self.part(net, conn, now),
        }
        self.slots[conn as usize].away_ns.get_or_insert(now);
    }

    fn part<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        if self.slots[conn as usize].phase == Phase::Idle {
            self.hang_up(net, conn, now);
        }
    }
}
