//! An open loop: lanes of ticks, one for each target, and the places that serve them.
//!
//! What is due waits in the timetable itself: a queue of any length costs no memory. Only the ticks for which a
//! connection is being opened are taken out of it, and there is room for as many as may ever be opened.

use super::{BACKOFF_NS, OPENING_GAP_NS, OPENING_MAX, Worker};
use crate::driver::{Conn, Dialed, Net};
use crate::health::SEND_DELAY_NS;
use crate::load::{Mix, Stripe};
use crate::slot::{Phase, Slot};
use crate::{LoadPlan, Overflow};
use proofload_measure::{Outcome, Window};
use std::collections::VecDeque;

/// A timetable says when; one lane for each target.
#[derive(Debug)]
pub(super) struct Open {
    pub lanes: Vec<Lane>,
    /// The lane of each target.
    pub lane_of: Vec<usize>,
    pub coalesce_ns: u64,
    pub count_full_ns: Option<u64>,
    overflow: Overflow,
    /// Not before then is another connection opened for want of a free one.
    grow_ns: u64,
}

/// The ticks of one target, and the places that can serve them.
#[derive(Debug)]
pub(super) struct Lane {
    target: usize,
    stripe: Stripe,
    mix: Mix,
    /// The target of each entry of the mix.
    targets: Vec<usize>,
    start_ns: u64,
    /// The first tick that has not been taken out of the timetable.
    due_ns: u64,
    entry: usize,
    /// Free places, the one that rested longest first, so that every connection is used.
    pub free: VecDeque<Conn>,
    /// Places that have not been opened yet and may be, the next one last.
    reserve: Vec<Conn>,
    /// Places out of the reserve that are being opened.
    opening: usize,
    /// Ticks that found no place free, one for each place that is being opened or is in the reserve; they came
    /// before all that are in the timetable.
    promised: VecDeque<(u64, usize)>,
    /// When a place became free last where none was, and when the last free one was taken.
    wet_ns: u64,
    dry_ns: u64,
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

    /// The earliest tick that has not been begun.
    fn first_ns(&self) -> u64 {
        self.promised.front().map_or(self.due_ns, |(due_ns, _)| *due_ns)
    }

    /// Takes out the earliest tick, its due time and its entry, if it is due by then.
    #[inline]
    fn take(&mut self, now: u64, end_ns: u64) -> Option<(u64, usize)> {
        while let Some(promised) = self.promised.pop_front() {
            // A load that is stopped early ends at an instant that has passed.
            if promised.0 < end_ns {
                return Some(promised);
            }
        }
        if self.due_ns > now || self.due_ns >= end_ns {
            return None;
        }
        let tick = (self.due_ns, self.entry);
        self.advance();
        Some(tick)
    }

    /// Whether another tick can be promised a place.
    fn has_promise(&self) -> bool {
        self.promised.len() < self.opening + self.reserve.len()
    }

    /// Whether a place should be opened.
    fn wants_place(&self) -> bool {
        self.promised.len() > self.opening && !self.reserve.is_empty()
    }

    /// How long the present tick was left lying where a place may have been free for it: by the lane's own books, or
    /// because the worker was to look by `looks_ns` and did not before now. `None` is no longer than a send may be late.
    fn late_ns(&self, looks_ns: u64, coalesce_ns: u64, now: u64) -> Option<u64> {
        let late_ns = match self.due_ns {
            due_ns if due_ns < self.dry_ns => self.dry_ns.saturating_sub(due_ns.max(self.wet_ns)),
            due_ns if due_ns > looks_ns => now - due_ns,
            _ => 0,
        };
        (late_ns > SEND_DELAY_NS + coalesce_ns).then_some(late_ns)
    }

    /// Promises places to ticks that are due.
    fn promise(&mut self, now: u64, end_ns: u64) {
        while self.due_ns <= now && self.due_ns < end_ns && self.has_promise() {
            self.promised.push_back((self.due_ns, self.entry));
            self.advance();
        }
    }
}

/// Name of the random stream that chooses the entries of an open loop, by tick.
const TICKS: u64 = 0x7469_636b;

impl Open {
    pub fn new(plan: &LoadPlan, stripe: Stripe, window: &Window, quota: Option<u64>) -> Self {
        let count_full_ns = quota.and_then(|quota| count_full_ns(stripe.clone(), window, quota));
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
                start_ns: 0,
                due_ns: 0,
                entry: 0,
                free: VecDeque::new(),
                reserve: Vec::new(),
                opening: 0,
                promised: VecDeque::new(),
                wet_ns: 0,
                dry_ns: 0,
            };
            lane.seek();
            lanes.push(lane);
        }
        let coalesce_ns = plan.profile.coalesce_ns();
        let overflow = plan.shortage.overflow;
        Open { lanes, lane_of, coalesce_ns, count_full_ns, overflow, grow_ns: 0 }
    }

    /// The load begins at that instant.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.count_full_ns = self.count_full_ns.map(|full_ns| full_ns.saturating_add(start_ns));
        for lane in &mut self.lanes {
            lane.start_ns = start_ns;
            lane.due_ns = lane.due_ns.saturating_add(start_ns);
        }
    }

    /// Makes the slots from `first` on the reserve, and has all memory that the places will ever need.
    pub fn reserve(&mut self, slots: &[Slot], first: usize) {
        for (conn, slot) in slots.iter().enumerate().skip(first).rev() {
            self.lanes[self.lane_of[slot.target as usize]].reserve.push(conn as Conn);
        }
        for lane in &mut self.lanes {
            lane.free.reserve(slots.len());
            lane.promised.reserve(lane.reserve.len());
        }
    }

    /// Places that have not been opened for want of a free one, and might have been.
    pub fn in_reserve(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.reserve.len() as u64).sum()
    }

    pub fn has_due_before(&self, end_ns: u64) -> bool {
        self.lanes.iter().any(|lane| lane.first_ns() < end_ns)
    }

    /// When something can be done next: a tick sent or promised a place, or a place opened; and whether to be exact.
    #[inline]
    pub fn next_ns(&self, end_ns: u64, room: bool) -> Option<(u64, bool)> {
        let mut at_ns = u64::MAX;
        for lane in &self.lanes {
            if !lane.free.is_empty() {
                at_ns = at_ns.min(lane.first_ns());
            } else if lane.has_promise() {
                at_ns = at_ns.min(lane.due_ns);
            }
        }
        let exact = self.coalesce_ns == 0;
        let send = (at_ns < end_ns).then(|| (at_ns.saturating_add(self.coalesce_ns), exact));
        let grows = room && self.lanes.iter().any(Lane::wants_place);
        match (send, grows) {
            (Some((send_ns, _)), true) if self.grow_ns < send_ns => Some((self.grow_ns, false)),
            (None, true) => Some((self.grow_ns, false)),
            (send, _) => send,
        }
    }

    /// Counts what was intended before the end and is not sent.
    pub fn count_due(&mut self, window_start_ns: u64, end_ns: u64) -> Left {
        let mut left = Left::default();
        for lane in &mut self.lanes {
            let behind = !lane.free.is_empty();
            while let Some((due_ns, _)) = lane.take(u64::MAX, end_ns) {
                let within = due_ns >= window_start_ns;
                left.within += u64::from(within);
                left.before += u64::from(!within);
                left.behind += u64::from(within && behind);
                left.dropped += u64::from(within && !behind && self.overflow == Overflow::Drop);
            }
        }
        left
    }
}

/// What was left unsent at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// In the window.
    pub within: u64,
    /// Before it.
    pub before: u64,
    /// Of those in the window, for which a place stood free.
    pub behind: u64,
    /// Of those in the window, given up for want of a place.
    pub dropped: u64,
}

/// The instant just behind the tick that makes the count full; `None` when the cap comes first.
fn count_full_ns(mut stripe: Stripe, window: &Window, quota: u64) -> Option<u64> {
    let mut left = quota;
    let mut full_ns = window.start_ns;
    while left > 0 {
        let due = stripe.offset_ns();
        if due >= window.end_ns {
            return None;
        }
        left -= u64::from(due >= window.start_ns);
        full_ns = due + 1;
        stripe.advance();
    }
    Some(full_ns)
}

impl Worker<'_> {
    /// Begins what is due in one lane, as long as places are free.
    #[inline]
    pub(super) fn serve<N: Net>(&mut self, net: &mut N, lane: usize, mut now: u64) {
        let end_ns = self.issue_end_ns;
        // At most one round of all places, so that failing attempts cannot keep the loop here.
        for _ in 0..self.slots.len() {
            let super::Pace::Open(open) = &mut self.pace else { return };
            let one = &mut open.lanes[lane];
            if one.first_ns() > now {
                return;
            }
            let Some(conn) = one.free.pop_front() else { return self.go_short(lane, now) };
            let Some((due, entry)) = one.take(now, end_ns) else {
                one.free.push_front(conn);
                return;
            };
            one.dry_ns = now;
            if self.books.covers(due) {
                let could_ns = due.max(self.slots[conn as usize].freed_ns);
                self.books.own_delay.record(now - could_ns);
            }
            self.begin(net, conn, entry, due, now);
            now = net.now_ns();
            self.books.turn(now);
        }
    }

    /// A lane has something due, or had when it was looked at, and no place is free.
    fn go_short(&mut self, lane: usize, now: u64) {
        let super::Pace::Open(open) = &mut self.pace else { return };
        if open.lanes[lane].has_promise() {
            open.lanes[lane].promise(now, self.issue_end_ns);
        }
        if open.overflow == Overflow::Drop {
            self.drop_due(lane, now);
        }
    }

    /// Gives up the ticks of a lane that came due, their time to be coalesced included, before now while no place was
    /// free and none could be opened. Those that the generator itself left lying are not dropped for want of a place:
    /// it is behind with them.
    fn drop_due(&mut self, lane: usize, now: u64) {
        let super::Pace::Open(open) = &mut self.pace else { return };
        let one = &mut open.lanes[lane];
        while one.due_ns.saturating_add(open.coalesce_ns) < now && one.due_ns < self.issue_end_ns {
            let snapshot = self.books.recorder.snapshot_mut();
            if one.due_ns < self.books.window.start_ns {
                snapshot.discarded.add(Outcome::Unsent);
            } else if let Some(late_ns) = one.late_ns(self.looks_ns, open.coalesce_ns, now) {
                snapshot.outcomes.add(Outcome::Unsent);
                self.books.behind += 1;
                self.books.own_delay.record(late_ns);
            } else {
                snapshot.outcomes.add(Outcome::Unsent);
                snapshot.dropped += 1;
            }
            one.advance();
        }
    }

    /// A place of an open loop has become free; says in which lane.
    #[inline]
    pub(super) fn give_back(&mut self, conn: Conn, now: u64) -> usize {
        let grown = conn as usize >= self.first_places;
        let slot = &mut self.slots[conn as usize];
        let super::Pace::Open(open) = &mut self.pace else { return 0 };
        let lane = open.lane_of[slot.target as usize];
        if grown && !std::mem::replace(&mut slot.joined, true) {
            open.lanes[lane].opening -= 1;
        }
        if open.overflow == Overflow::Drop && open.lanes[lane].free.is_empty() {
            self.go_short(lane, now);
        }
        let super::Pace::Open(open) = &mut self.pace else { return 0 };
        let one = &mut open.lanes[lane];
        if one.free.is_empty() {
            one.wet_ns = now;
        }
        one.free.push_back(conn);
        lane
    }

    /// Gives the pace of an open loop all places that are not connected ahead.
    pub(super) fn lend_all(&mut self) {
        let super::Pace::Open(open) = &mut self.pace else { return };
        for (conn, slot) in self.slots[..self.first_places].iter().enumerate() {
            open.lanes[open.lane_of[slot.target as usize]].free.push_back(conn as Conn);
        }
    }

    /// Opens one more connection where a tick waits for one: between turns and not in the course of a send, and at
    /// a measured pace.
    pub(super) fn grow<N: Net>(&mut self, net: &mut N, now: u64) {
        let super::Pace::Open(open) = &mut self.pace else { return };
        if now < open.grow_ns || self.opening >= OPENING_MAX {
            return;
        }
        let Some(lane) = open.lanes.iter_mut().find(|lane| lane.wants_place()) else { return };
        let Some(conn) = lane.reserve.pop() else { return };
        lane.opening += 1;
        open.grow_ns = now + OPENING_GAP_NS;
        self.open_one(net, conn, now);
    }

    /// No more connections are opened for a while after one that could not be.
    pub(super) fn rest_growth(&mut self, now: u64) {
        if let super::Pace::Open(open) = &mut self.pace {
            open.grow_ns = now + BACKOFF_NS;
        }
    }

    /// Connects a place that no exchange waits for.
    pub(super) fn open_one<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let slot = &mut self.slots[conn as usize];
        slot.dialed_ns = now;
        let to = &self.plan.targets[slot.target as usize];
        let from = self.local_address(conn);
        match net.dial(conn, to, from) {
            Dialed::Established => self.opened_ahead(net, conn),
            Dialed::Pending => {
                self.slots[conn as usize].phase = Phase::Opening;
                self.opening += 1;
                self.deadlines.set(conn, now, self.plan.timeouts.connect_ns);
            }
            Dialed::Failed(fault) => self.not_opened(net, conn, Some(fault), now),
        }
    }
}
