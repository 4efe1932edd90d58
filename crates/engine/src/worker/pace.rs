//! When the next exchange begins: when a place is free (closed loop), or when the timetable says (open).

use super::lanes::{Left, Open};
use super::shaped::Shaped;
use super::think::{Pauses, Waiting};
use super::{OPENING_GAP_NS, Share, Worker, mix_of_target};
use crate::driver::{Conn, Net};
use crate::load::{Curve, Mix, Schedule, Stripe};
use crate::slot::Phase;
use crate::{Distribution, KeepAlive, LoadPlan, Profile};
use proofload_measure::Window;

/// What makes exchanges due.
#[derive(Debug)]
pub(super) enum Pace {
    Closed(Closed),
    Open(Open),
    Shaped(Shaped),
}

/// Each place asks again when it is free.
#[derive(Debug)]
pub(super) struct Closed {
    pauses: Pauses,
    /// Places that will ask.
    thinking: Waiting,
    /// Exchanges of the window that may still be begun; `None` is no limit.
    quota: Option<u64>,
    window_start_ns: u64,
    /// For each target the choice among its entries.
    mixes: Vec<Mix>,
    /// Tells the places of all workers apart in the choices.
    first_place: u64,
}

impl Pace {
    /// For a load and a window that begin at 0, until [`Pace::begin_at`].
    pub fn new(plan: &LoadPlan, share: &Share, window: &Window, quota: Option<u64>, places: usize) -> Self {
        let open = |schedule: Schedule| {
            let stripe = Stripe::new(schedule, share.k, share.n);
            Pace::Open(Open::new(plan, stripe, window, quota))
        };
        match &plan.profile {
            Profile::Closed { think_ns } => Pace::Closed(Closed {
                thinking: first_asks(plan, share, think_ns, places),
                pauses: Pauses::new(plan, share, think_ns),
                quota,
                window_start_ns: window.start_ns,
                mixes: (0..plan.targets.len()).map(|target| mix_of_target(plan, target)).collect(),
                first_place: share.k << 48,
            }),
            Profile::Open { rate_per_s, arrival, .. } => {
                open(Schedule::new(*rate_per_s, *arrival, plan.seed))
            }
            Profile::OpenStages { stages, arrival, .. } => {
                open(Schedule::staged(Curve::new(stages), *arrival, plan.seed))
            }
            Profile::OpenTrace { trace, .. } => open(Schedule::recorded(trace.clone())),
            Profile::ClosedStages { stages, think_ns } => {
                Pace::Shaped(Shaped::stages(plan, share, stages, think_ns, places))
            }
            Profile::Users { ramp_ns, loops, think_ns } => {
                Pace::Shaped(Shaped::users(plan, share, (*ramp_ns, *loops, think_ns), places))
            }
        }
    }

    /// The load begins at that instant.
    pub fn begin_at(&mut self, start_ns: u64) {
        match self {
            Pace::Closed(closed) => {
                closed.window_start_ns += start_ns;
                closed.thinking.put_off(start_ns);
            }
            Pace::Open(open) => open.begin_at(start_ns),
            Pace::Shaped(shaped) => shaped.begin_at(start_ns),
        }
    }

    /// Whether places come to the pace as soon as they are connected, and not by a first due time.
    pub fn lends(&self) -> bool {
        matches!(self, Pace::Open(_))
    }

    /// Whether the count of exchanges has been begun.
    pub fn is_used_up(&self) -> bool {
        match self {
            Pace::Closed(closed) => closed.quota == Some(0),
            Pace::Shaped(shaped) => shaped.is_used_up(),
            Pace::Open(_) => false,
        }
    }

    /// Whether a load of so many requests came to its count, with issuing ended at that instant.
    pub fn reached_count(&self, issue_end_ns: u64) -> bool {
        match self {
            Pace::Closed(_) | Pace::Shaped(_) => self.is_used_up(),
            Pace::Open(open) => open.count_full_ns.is_some_and(|full| issue_end_ns >= full),
        }
    }

    /// When the count is full, known beforehand in an open loop only.
    pub fn count_full_ns(&self) -> Option<u64> {
        match self {
            Pace::Closed(_) | Pace::Shaped(_) => None,
            Pace::Open(open) => open.count_full_ns,
        }
    }

    /// Whether something intended before that instant waits to be sent.
    pub fn has_due_before(&self, end_ns: u64) -> bool {
        match self {
            Pace::Closed(_) | Pace::Shaped(_) => false,
            Pace::Open(open) => open.has_due_before(end_ns),
        }
    }

    /// When something is to be begun next for which a place is free, and whether to be exact about it. `room` is
    /// whether another connection may be under way.
    #[inline]
    pub fn next_ns(&self, end_ns: u64, room: bool) -> Option<(u64, bool)> {
        match self {
            Pace::Closed(closed) => {
                let due = closed.thinking.next_ns()?;
                (due < end_ns).then_some((due, true))
            }
            Pace::Shaped(shaped) => {
                let due = shaped.next_ns()?;
                (due < end_ns).then_some((due, true))
            }
            Pace::Open(open) => open.next_ns(end_ns, room),
        }
    }

    /// Counts what was intended before the end and is not sent.
    pub fn count_due(&mut self, window_start_ns: u64, end_ns: u64) -> Left {
        match self {
            Pace::Open(open) => open.count_due(window_start_ns, end_ns),
            Pace::Closed(_) | Pace::Shaped(_) => Left::default(),
        }
    }

    /// Places that have not been opened for want of a free one, and might have been.
    pub fn in_reserve(&self) -> u64 {
        match self {
            Pace::Open(open) => open.in_reserve(),
            Pace::Closed(_) | Pace::Shaped(_) => 0,
        }
    }
}

/// Distance of the first sends of a closed loop that does not think: about what two sends cost.
const FIRST_GAP_NS: u64 = 16_000;

/// When each place of a closed loop asks first. With a think time they are in the midst of it; without keep-alive
/// they dial one after the other. Otherwise they begin as fast as one worker can send, so that the first round does
/// not count what the generator makes it wait.
fn first_asks(plan: &LoadPlan, share: &Share, think_ns: &Distribution, places: usize) -> Waiting {
    let mut asks = Waiting::new(think_ns, places);
    let pauses = Pauses::new(plan, share, think_ns);
    let gap_ns = if plan.keep_alive == KeepAlive::Off { OPENING_GAP_NS } else { FIRST_GAP_NS };
    for conn in 0..places as Conn {
        let offset_ns = match pauses.is_none() {
            true => u64::from(conn) * gap_ns,
            false => pauses.first_ns(conn, places),
        };
        asks.push(offset_ns, conn);
    }
    asks
}

/// What a place that has become free does.
enum Next {
    Begin(usize),
    Wait,
    Rest,
    Serve(usize),
}

impl Worker<'_> {
    /// A place has become free. `at_once` is false where that was the doing of the very attempt to begin, so
    /// that a peer that fails every attempt cannot keep a worker from its timetable.
    #[inline]
    pub(super) fn release<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64, at_once: bool) {
        self.slots[conn as usize].freed_ns = now;
        if matches!(self.pace, Pace::Shaped(_)) {
            return self.release_shaped(net, conn, now, at_once);
        }
        match self.next_of(conn, now, at_once) {
            Next::Begin(entry) => self.begin(net, conn, entry, now, now),
            Next::Serve(lane) if at_once => self.serve(net, lane, now),
            Next::Serve(_) => {}
            Next::Wait | Next::Rest => {
                self.slots[conn as usize].away_ns.get_or_insert(now);
            }
        }
    }

    #[inline]
    fn next_of(&mut self, conn: Conn, now: u64, at_once: bool) -> Next {
        let slot = &self.slots[conn as usize];
        match &mut self.pace {
            Pace::Closed(closed) if now >= self.issue_end_ns || !closed.has_room(now) => Next::Rest,
            Pace::Closed(closed) if closed.pauses.is_none() && at_once => {
                closed.count(now);
                Next::Begin(closed.choose(conn, slot.target, slot.begun))
            }
            Pace::Closed(closed) if closed.pauses.is_none() => {
                closed.thinking.push_due(now, conn);
                Next::Wait
            }
            Pace::Closed(closed) => {
                let pause_ns = closed.pauses.pause_ns(conn, slot.begun);
                closed.thinking.push(now.saturating_add(pause_ns), conn);
                Next::Wait
            }
            Pace::Open(_) => Next::Serve(self.give_back(conn, now)),
            Pace::Shaped(_) => Next::Rest,
        }
    }

    /// Begins whatever is due.
    pub(super) fn fire<N: Net>(&mut self, net: &mut N, now: u64) {
        match &self.pace {
            Pace::Closed(closed) => {
                if closed.thinking.next_ns().is_some_and(|due| due <= now) {
                    self.wake_thinkers(net, now);
                }
            }
            Pace::Open(open) => {
                for lane in 0..open.lanes.len() {
                    self.serve(net, lane, now);
                }
            }
            Pace::Shaped(_) => self.wake_shaped(net, now),
        }
    }

    fn wake_thinkers<N: Net>(&mut self, net: &mut N, mut now: u64) {
        // At most one round of all places, so that failing attempts cannot keep the loop here.
        for _ in 0..self.slots.len() {
            let Pace::Closed(closed) = &mut self.pace else { return };
            let Some((due, conn)) = closed.thinking.pop_due(now) else { return };
            let slot = &self.slots[conn as usize];
            if due >= self.issue_end_ns || !closed.has_room(due) {
                continue;
            }
            closed.count(due);
            let entry = closed.choose(conn, slot.target, slot.begun);
            let thinks = !closed.pauses.is_none();
            if thinks && slot.phase != Phase::Opening && self.books.covers(due) {
                self.books.own_delay.record(now - due);
            }
            self.begin(net, conn, entry, due, now);
            now = net.now_ns();
            self.books.turn(now);
        }
    }
}

impl Closed {
    /// Whether the count leaves room for an exchange intended then.
    #[inline]
    fn has_room(&self, intended_ns: u64) -> bool {
        self.quota.is_none_or(|quota| quota > 0 || intended_ns < self.window_start_ns)
    }

    #[inline]
    fn count(&mut self, intended_ns: u64) {
        if let Some(quota) = &mut self.quota
            && intended_ns >= self.window_start_ns
        {
            *quota -= 1;
        }
    }

    /// The entry that a place asks next; each place has its own stretch of the random stream.
    #[inline]
    fn choose(&self, conn: Conn, target: u32, begun: u64) -> usize {
        let place = self.first_place ^ (u64::from(conn) << 24);
        self.mixes[target as usize].choose(place.wrapping_add(begun))
    }
}
