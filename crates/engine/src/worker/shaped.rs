//! Closed loops with a shape: connections join and leave in the course of the load (stages), or ask a number of times
//! and leave (users).

use super::due::{Due, Next, TargetMixes};
use super::opener::OPENING_GAP_NS;
use super::think::{Pauses, put_off};
use crate::lane::{Lane, LaneId};
use crate::load::{Curve, Share};
use crate::{Distribution, LoadPlan, Stage};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Connections that ask in their own time.
#[derive(Debug)]
pub(super) struct Shaped {
    pauses: Pauses,
    /// Connections that will ask, with the instants.
    waiting: BinaryHeap<Reverse<(u64, LaneId)>>,
    shape: Shape,
    start_ns: u64,
    share: Share,
    mixes: TargetMixes,
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

/// Instant of a connection's next request.
enum Again {
    /// At that instant, on the connection that it has.
    Ask(u64),
    /// At that instant, after it was closed.
    Rejoin(u64),
    Never,
}

impl Shaped {
    pub fn stages(
        plan: &LoadPlan,
        share: Share,
        stages: &[Stage],
        think_ns: &Distribution,
        connections: usize,
    ) -> Self {
        let mut shaped = Shaped::new(plan, share, Shape::Stages(Curve::new(stages)), think_ns, connections);
        for number in 0..connections as LaneId {
            if let Some(due_ns) = shaped.joins_ns(number, 0) {
                shaped.waiting.push(Reverse((due_ns, number)));
            }
        }
        shaped.space_out();
        shaped
    }

    pub fn users(
        plan: &LoadPlan,
        share: Share,
        ramp_ns: u64,
        loops: u32,
        think_ns: &Distribution,
        connections: usize,
    ) -> Self {
        let shape = Shape::Users { loops: u64::from(loops), left: connections as u64 * u64::from(loops) };
        let mut shaped = Shaped::new(plan, share, shape, think_ns, connections);
        let users = u128::from(plan.connections.max(1));
        for number in 0..connections as LaneId {
            let user = u128::from(share.number_of(number));
            let offset_ns = (u128::from(ramp_ns) * user / users) as u64;
            shaped.waiting.push(Reverse((offset_ns, number)));
        }
        shaped.space_out();
        shaped
    }

    fn new(plan: &LoadPlan, share: Share, shape: Shape, think_ns: &Distribution, connections: usize) -> Self {
        Shaped {
            pauses: Pauses::new(plan.seed, share, think_ns),
            waiting: BinaryHeap::with_capacity(connections),
            shape,
            start_ns: 0,
            share,
            mixes: TargetMixes::new(plan, share),
        }
    }

    /// Connections that join at once dial one after the other: listen queues are short, and one worker opens no
    /// faster.
    fn space_out(&mut self) {
        let mut joining: Vec<(u64, LaneId)> = self.waiting.drain().map(|Reverse(entry)| entry).collect();
        joining.sort_unstable();
        let mut free_ns = 0;
        for (due_ns, number) in joining {
            free_ns = free_ns.max(due_ns);
            self.waiting.push(Reverse((free_ns, number)));
            free_ns += OPENING_GAP_NS;
        }
    }

    /// Sets the first instant of the load.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        put_off(&mut self.waiting, start_ns);
    }

    /// Instant at which a connection of stages takes part, at or after `from_ns`.
    fn joins_ns(&self, number: LaneId, from_ns: u64) -> Option<u64> {
        let Shape::Stages(curve) = &self.shape else { return None };
        let offset_ns =
            curve.above_ns(self.share.number_of(number), from_ns.saturating_sub(self.start_ns))?;
        Some(self.start_ns + offset_ns)
    }

    fn again(&self, number: LaneId, begun: u64, now: u64) -> Again {
        let due_ns = now.saturating_add(self.pauses.pause_ns(number, begun));
        match &self.shape {
            Shape::Users { loops, .. } if begun >= *loops => Again::Never,
            Shape::Users { .. } => Again::Ask(due_ns),
            Shape::Stages(_) => match self.joins_ns(number, due_ns) {
                Some(joins_ns) if joins_ns == due_ns => Again::Ask(due_ns),
                Some(joins_ns) => Again::Rejoin(joins_ns),
                None => Again::Never,
            },
        }
    }

    /// Next step of a connection that has become free: it sends the next request, or is closed and leaves.
    pub fn next_of(&mut self, number: LaneId, lane: &Lane, now: u64, end_ns: u64, at_once: bool) -> Next {
        let over = now >= end_ns;
        let again = if over { Again::Never } else { self.again(number, lane.begun, now) };
        match again {
            Again::Ask(due_ns) if due_ns <= now && at_once => Next::Begin(self.choose(number, lane)),
            Again::Ask(due_ns) => {
                self.waiting.push(Reverse((due_ns, number)));
                Next::Wait
            }
            Again::Rejoin(joins_ns) => {
                self.waiting.push(Reverse((joins_ns, number)));
                Next::Part
            }
            Again::Never => Next::Part,
        }
    }

    /// Takes the next due exchange.
    pub fn take_due(&mut self, now: u64, end_ns: u64, lanes: &[Lane]) -> Option<Due> {
        loop {
            self.next_ns().filter(|due_ns| *due_ns <= now)?;
            let Reverse((intended_ns, number)) = self.waiting.pop()?;
            if intended_ns < end_ns {
                let entry = self.choose(number, &lanes[number as usize]);
                return Some(Due { lane: number, entry, intended_ns, sendable_ns: Some(intended_ns) });
            }
        }
    }

    /// Counts an exchange and chooses its entry.
    fn choose(&mut self, number: LaneId, lane: &Lane) -> usize {
        if let Shape::Users { left, .. } = &mut self.shape {
            *left = left.saturating_sub(1);
        }
        self.mixes.choose(number, lane)
    }

    pub fn is_used_up(&self) -> bool {
        matches!(self.shape, Shape::Users { left: 0, .. })
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.waiting.peek().map(|Reverse((due_ns, _))| *due_ns)
    }
}
