//! When the next exchange begins: when a place is free (closed loop), or when the timetable says (open).

use super::shaped::Shaped;
use super::think::{Pauses, Waiting};
use super::{OPENING_GAP_NS, Share, Worker, mix_of_target};
use crate::driver::{Conn, Net};
use crate::load::{Curve, Mix, Schedule, Stripe};
use crate::slot::Phase;
use crate::{Distribution, KeepAlive, LoadPlan, Profile};
use proofload_measure::Window;
use std::collections::VecDeque;

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

/// A timetable says when; one lane for each target.
#[derive(Debug)]
pub(super) struct Open {
    lanes: Vec<Lane>,
    /// The lane of each target.
    lane_of: Vec<usize>,
    coalesce_ns: u64,
    count_full_ns: Option<u64>,
}

/// The ticks of one target, and the places that can serve them. What is due waits in the timetable
/// itself: a queue of any length costs no memory.
#[derive(Debug)]
struct Lane {
    target: usize,
    stripe: Stripe,
    mix: Mix,
    /// The target of each entry of the mix.
    targets: Vec<usize>,
    start_ns: u64,
    due_ns: u64,
    entry: usize,
    /// Free places, the one that rested longest first, so that every connection is used.
    free: VecDeque<Conn>,
}

impl Lane {
    /// Stands on the first tick from here on that belongs to this target.
    fn seek(&mut self) {
        loop {
            self.entry = self.mix.choose(self.stripe.index());
            if self.targets[self.entry] == self.target {
                self.due_ns = self.start_ns.saturating_add(self.stripe.offset_ns());
                return;
            }
            self.stripe.advance();
        }
    }

    fn advance(&mut self) {
        self.stripe.advance();
        self.seek();
    }
}

impl Open {
    fn new(
        plan: &LoadPlan,
        share: &Share,
        stripe: Stripe,
        window: &Window,
        quota: Option<u64>,
        places: usize,
        coalesce_ns: u64,
    ) -> Self {
        let count_full_ns =
            quota.and_then(|quota| count_full_ns(stripe.clone(), share.start_ns, window, quota));
        let targets: Vec<usize> = plan.mix.iter().map(|entry| entry.target).collect();
        let weights = plan.mix.iter().map(|entry| entry.weight).enumerate();
        let mix = Mix::new(weights, plan.seed, TICKS);
        let mut lanes: Vec<Lane> = Vec::new();
        let mut lane_of = vec![0; plan.targets.len()];
        for target in (0..plan.targets.len()).filter(|target| targets.contains(target)) {
            lane_of[target] = lanes.len();
            let mut lane = Lane {
                target,
                stripe: stripe.clone(),
                mix: mix.clone(),
                targets: targets.clone(),
                start_ns: share.start_ns,
                due_ns: 0,
                entry: 0,
                free: VecDeque::with_capacity(places),
            };
            lane.seek();
            lanes.push(lane);
        }
        Open { lanes, lane_of, coalesce_ns, count_full_ns }
    }
}

/// Name of the random stream that chooses the entries of an open loop, by tick.
const TICKS: u64 = 0x7469_636b;

impl Pace {
    pub fn new(plan: &LoadPlan, share: &Share, window: &Window, quota: Option<u64>, places: usize) -> Self {
        let open = |schedule: Schedule, coalesce_ns: u64| {
            let stripe = Stripe::new(schedule, share.k, share.n);
            Pace::Open(Open::new(plan, share, stripe, window, quota, places, coalesce_ns))
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
            Profile::Open { rate_per_s, arrival, coalesce_ns } => {
                open(Schedule::new(*rate_per_s, *arrival, plan.seed), *coalesce_ns)
            }
            Profile::OpenStages { stages, arrival, coalesce_ns } => {
                open(Schedule::staged(Curve::new(stages), *arrival, plan.seed), *coalesce_ns)
            }
            Profile::OpenTrace { trace, coalesce_ns } => {
                open(Schedule::recorded(trace.clone()), *coalesce_ns)
            }
            Profile::ClosedStages { stages, think_ns } => {
                Pace::Shaped(Shaped::stages(plan, share, stages, think_ns, places))
            }
            Profile::Users { ramp_ns, loops, think_ns } => {
                Pace::Shaped(Shaped::users(plan, share, (*ramp_ns, *loops, think_ns), places))
            }
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
            Pace::Open(open) => open.lanes.iter().any(|lane| lane.due_ns < end_ns),
        }
    }

    /// When something is to be begun next for which a place is free, and whether to be exact about it.
    #[inline]
    pub fn next_ns(&self, end_ns: u64) -> Option<(u64, bool)> {
        match self {
            Pace::Closed(closed) => {
                let due = closed.thinking.next_ns()?;
                (due < end_ns).then_some((due, true))
            }
            Pace::Shaped(shaped) => {
                let due = shaped.next_ns()?;
                (due < end_ns).then_some((due, true))
            }
            Pace::Open(open) => {
                let able = open.lanes.iter().filter(|lane| !lane.free.is_empty() && lane.due_ns < end_ns);
                let due = able.map(|lane| lane.due_ns).min()?;
                Some((due.saturating_add(open.coalesce_ns), open.coalesce_ns == 0))
            }
        }
    }

    /// Counts what was intended before the end and is not sent: in the window, and before it.
    pub fn count_due(&mut self, window_start_ns: u64, end_ns: u64) -> (u64, u64) {
        let Pace::Open(open) = self else { return (0, 0) };
        let (mut within, mut before) = (0, 0);
        for lane in &mut open.lanes {
            while lane.due_ns < end_ns {
                let place = if lane.due_ns >= window_start_ns { &mut within } else { &mut before };
                *place += 1;
                lane.advance();
            }
        }
        (within, before)
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
        asks.push(share.start_ns.saturating_add(offset_ns), conn);
    }
    asks
}

/// The instant just behind the tick that makes the count full; `None` when the cap comes first.
fn count_full_ns(mut stripe: Stripe, start_ns: u64, window: &Window, quota: u64) -> Option<u64> {
    let mut left = quota;
    let mut full_ns = window.start_ns;
    while left > 0 {
        let due = start_ns.saturating_add(stripe.offset_ns());
        if due >= window.end_ns {
            return None;
        }
        left -= u64::from(due >= window.start_ns);
        full_ns = due + 1;
        stripe.advance();
    }
    Some(full_ns)
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
            Pace::Open(open) => {
                let lane = open.lane_of[slot.target as usize];
                open.lanes[lane].free.push_back(conn);
                Next::Serve(lane)
            }
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
        }
    }

    /// Begins what is due in one lane, as long as places are free.
    #[inline]
    fn serve<N: Net>(&mut self, net: &mut N, lane: usize, mut now: u64) {
        loop {
            let Pace::Open(open) = &mut self.pace else { return };
            let lane = &mut open.lanes[lane];
            if lane.due_ns > now || lane.due_ns >= self.issue_end_ns {
                return;
            }
            let Some(conn) = lane.free.pop_front() else { return };
            let (due, entry) = (lane.due_ns, lane.entry);
            lane.advance();
            if self.books.covers(due) {
                let could_ns = due.max(self.slots[conn as usize].freed_ns);
                self.books.own_delay.record(now - could_ns);
            }
            self.begin(net, conn, entry, due, now);
            now = net.now_ns();
        }
    }

    /// Gives the pace of an open loop all places that are not connected ahead.
    pub(super) fn lend_all(&mut self) {
        let Pace::Open(open) = &mut self.pace else { return };
        for (conn, slot) in self.slots.iter().enumerate() {
            open.lanes[open.lane_of[slot.target as usize]].free.push_back(conn as Conn);
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
