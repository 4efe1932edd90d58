//! Due requests of an open loop: a queue of ticks for each target, and the connections that are free to send them.
//!
//! Due requests wait in the timetable itself: a queue of any length costs no memory. Only the ticks for which a
//! connection is being opened are taken out of it, and there is room for as many as may ever be opened.

use super::due::{Due, Moment};
use super::opener::in_order;
use crate::driver::Wake;
use crate::lane::{Lane, LaneId};
use crate::load::{Mix, Stripe};
use crate::record::{SEND_DELAY_NS, WorkerRecord};
use crate::{LoadPlan, Overflow};
use proofload_measure::Window;
use std::collections::VecDeque;
use std::ops::Range;

/// The timetable gives the times; one queue for each target.
#[derive(Debug)]
pub(super) struct OpenQueue {
    queues: Vec<TargetQueue>,
    /// The queue of each target.
    queue_of: Vec<usize>,
    coalesce_ns: u64,
    count_full_ns: Option<u64>,
    overflow: Overflow,
    /// The connections that there are from the beginning, in their order; others are added.
    first: Vec<LaneId>,
}

/// A request of the timetable.
#[derive(Clone, Copy, Debug)]
struct Tick {
    due_ns: u64,
    /// Mix entry.
    entry: usize,
}

/// The ticks of one target, and the connections that can send them.
#[derive(Debug)]
struct TargetQueue {
    target: usize,
    stripe: Stripe,
    mix: Mix,
    /// The target of each entry of the mix.
    targets: Vec<usize>,
    start_ns: u64,
    /// The first tick that has not been taken out of the timetable.
    tick: Tick,
    /// Free connections, the one that was idle longest first, so that every connection is used.
    free: VecDeque<LaneId>,
    /// Connections that have not been added yet and may be, the next one last.
    reserve: Vec<LaneId>,
    /// Connections out of the reserve that are being opened.
    opening: usize,
    /// Ticks that found no connection free, one for each that is being opened or is in the reserve; they came before
    /// all that are in the timetable.
    promised: VecDeque<Tick>,
    /// Instant at which a connection last became free while none was, and instant at which the last free one was taken.
    refilled_ns: u64,
    emptied_ns: u64,
    /// From the worker's planned wake-up to the actual one, the last time that it was late; kept until all that came
    /// due in it is sent.
    lapse: Range<u64>,
}

impl TargetQueue {
    /// Goes on to the first tick from here on that belongs to this target.
    fn seek(&mut self) {
        loop {
            let entry = self.mix.choose(self.stripe.index());
            if self.targets[entry] == self.target {
                let due_ns = self.start_ns.saturating_add(self.stripe.offset_ns());
                self.tick = Tick { due_ns, entry };
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
        self.promised.front().map_or(self.tick.due_ns, |tick| tick.due_ns)
    }

    /// Takes out the earliest tick, if it is due by then.
    #[inline]
    fn take(&mut self, now: u64, end_ns: u64) -> Option<Tick> {
        while let Some(promised) = self.promised.pop_front() {
            // A load that is stopped early ends at an instant that has passed.
            if promised.due_ns < end_ns {
                return Some(promised);
            }
        }
        let tick = self.tick;
        if tick.due_ns > now || tick.due_ns >= end_ns {
            return None;
        }
        self.advance();
        Some(tick)
    }

    /// True if another tick can be promised a lane.
    fn has_promise(&self) -> bool {
        self.promised.len() < self.opening + self.reserve.len()
    }

    /// True if a connection should be added.
    fn wants_connection(&self) -> bool {
        self.promised.len() > self.opening && !self.reserve.is_empty()
    }

    /// Time for which the generator left the present tick unsent though a connection may have been free for it: one
    /// was, or the worker had planned to wake up by then and had not. `None` if no longer than a send may be late.
    fn late_ns(&self, at: Moment, coalesce_ns: u64) -> Option<u64> {
        let late_ns = match self.tick.due_ns {
            due_ns if due_ns < self.emptied_ns => {
                self.emptied_ns.saturating_sub(due_ns.max(self.refilled_ns))
            }
            due_ns if due_ns > at.wake_ns => at.now - due_ns,
            _ => 0,
        };
        (late_ns > SEND_DELAY_NS + coalesce_ns).then_some(late_ns)
    }

    /// Notes that the worker was not back when it meant to be, by more than a send may be late.
    #[inline]
    fn note_lapse(&mut self, at: Moment, coalesce_ns: u64) {
        if at.wake_ns > 0 && at.now > at.wake_ns.saturating_add(SEND_DELAY_NS + coalesce_ns) {
            let is_over = self.first_ns() >= self.lapse.end;
            let is_longer = at.now - at.wake_ns > self.lapse.end - self.lapse.start;
            if is_over || is_longer {
                self.lapse = at.wake_ns..at.now;
            }
        }
    }

    /// Promises connections to ticks that are due.
    fn promise(&mut self, at: Moment) {
        while self.tick.due_ns <= at.now && self.tick.due_ns < at.end_ns && self.has_promise() {
            self.promised.push_back(self.tick);
            self.advance();
        }
    }
}

/// Name of the random stream that chooses the entries of an open loop, by tick.
const TICKS: u64 = 0x7469_636b;

impl OpenQueue {
    pub fn new(plan: &LoadPlan, stripe: Stripe, window: &Window, quota: Option<u64>) -> Self {
        let count_full_ns = quota.and_then(|quota| count_full_ns(stripe.clone(), window, quota));
        let choices = plan.choices();
        let mut targets = vec![0; choices.last().map_or(0, |(last, _, _)| last + 1)];
        choices.iter().for_each(|(entry, _, target)| targets[*entry] = *target);
        let weights = choices.iter().map(|(entry, weight, _)| (*entry, *weight));
        let mix = Mix::new(weights, plan.seed, TICKS);
        let mut queues: Vec<TargetQueue> = Vec::new();
        let mut queue_of = vec![0; plan.targets.len()];
        let asked = |target: &usize| choices.iter().any(|(_, _, of)| of == target);
        for target in (0..plan.targets.len()).filter(asked) {
            queue_of[target] = queues.len();
            let mut queue = TargetQueue {
                target,
                stripe: stripe.clone(),
                mix: mix.clone(),
                targets: targets.clone(),
                start_ns: 0,
                tick: Tick { due_ns: 0, entry: 0 },
                free: VecDeque::new(),
                reserve: Vec::new(),
                opening: 0,
                promised: VecDeque::new(),
                refilled_ns: 0,
                emptied_ns: 0,
                lapse: 0..0,
            };
            queue.seek();
            queues.push(queue);
        }
        let coalesce_ns = plan.profile.coalesce_ns();
        let overflow = plan.shortage.overflow;
        OpenQueue { queues, queue_of, coalesce_ns, count_full_ns, overflow, first: Vec::new() }
    }

    /// Sets the first instant of the load.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.count_full_ns = self.count_full_ns.map(|full_ns| full_ns.saturating_add(start_ns));
        for queue in &mut self.queues {
            queue.start_ns = start_ns;
            queue.tick.due_ns = queue.tick.due_ns.saturating_add(start_ns);
        }
    }

    /// Instant at which the count is full, if there is one.
    pub fn count_full_ns(&self) -> Option<u64> {
        self.count_full_ns
    }

    /// Number of queues.
    pub fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Keeps the connections from `first` on for when they are needed, and has all memory that there will be need of.
    pub fn reserve(&mut self, plan: &LoadPlan, lanes: &[Lane], first: usize) {
        self.first = in_order(plan, first);
        for (number, lane) in lanes.iter().enumerate().skip(first).rev() {
            self.queues[self.queue_of[lane.target as usize]].reserve.push(number as LaneId);
        }
        for queue in &mut self.queues {
            queue.free.reserve(lanes.len());
            queue.promised.reserve(queue.reserve.len());
        }
    }

    /// Takes all connections that there are from the beginning for free.
    pub fn lend_all(&mut self, lanes: &[Lane]) {
        for &number in &self.first {
            let target = lanes[number as usize].target;
            self.queues[self.queue_of[target as usize]].free.push_back(number);
        }
    }

    /// Connections that have not been added, and might have been.
    pub fn in_reserve(&self) -> u64 {
        self.queues.iter().map(|queue| queue.reserve.len() as u64).sum()
    }

    pub fn has_due_before(&self, end_ns: u64) -> bool {
        self.queues.iter().any(|queue| queue.first_ns() < end_ns)
    }

    /// Instant of the next possible step: a tick sent or promised a connection, or, at `growth_ns` if at all, a
    /// connection added.
    #[inline]
    pub fn next_ns(&self, end_ns: u64, growth_ns: Option<u64>) -> Option<Wake> {
        let mut at_ns = u64::MAX;
        for queue in &self.queues {
            if !queue.free.is_empty() {
                at_ns = at_ns.min(queue.first_ns());
            } else if queue.has_promise() {
                at_ns = at_ns.min(queue.tick.due_ns);
            }
        }
        let exact = self.coalesce_ns == 0;
        let send = (at_ns < end_ns).then(|| Wake { at_ns: at_ns.saturating_add(self.coalesce_ns), exact });
        let grows = growth_ns.filter(|_| self.queues.iter().any(TargetQueue::wants_connection));
        match (send, grows) {
            (Some(send), Some(grow_ns)) if grow_ns >= send.at_ns => Some(send),
            (_, Some(grow_ns)) => Some(Wake { at_ns: grow_ns, exact: false }),
            (send, None) => send,
        }
    }

    /// Takes the next tick of a queue that is due, with a free lane. Without one, ticks are promised to
    /// connections that are added, and dropped if that was asked for.
    #[inline]
    pub fn take_due(
        &mut self,
        queue: usize,
        at: Moment,
        lanes: &[Lane],
        record: &mut WorkerRecord,
    ) -> Option<Due> {
        let one = &mut self.queues[queue];
        one.note_lapse(at, self.coalesce_ns);
        if one.first_ns() > at.now {
            return None;
        }
        let Some(number) = one.free.pop_front() else {
            self.go_short(queue, at, record);
            return None;
        };
        let Some(Tick { due_ns, entry }) = one.take(at.now, at.end_ns) else {
            one.free.push_front(number);
            return None;
        };
        one.emptied_ns = at.now;
        let freed_ns = due_ns.max(lanes[number as usize].freed_ns);
        // What came due while the worker was away waited for it at least until it was back.
        let own_ns = if one.lapse.contains(&due_ns) { one.lapse.end - due_ns } else { 0 };
        let sendable_ns = Some(freed_ns.min(at.now.saturating_sub(own_ns)));
        Some(Due { lane: number, entry, intended_ns: due_ns, sendable_ns })
    }

    /// A queue has something due, or may have, and no connection is free.
    fn go_short(&mut self, queue: usize, at: Moment, record: &mut WorkerRecord) {
        let one = &mut self.queues[queue];
        if one.has_promise() {
            one.promise(at);
        }
        if self.overflow == Overflow::Drop {
            self.drop_due(queue, at, record);
        }
    }

    /// Drops the ticks of a queue that came due, their time to be coalesced included, before now while no connection
    /// was free and none could be opened. Those that the generator itself left unsent are not dropped for want of a
    /// connection: it is behind with them.
    fn drop_due(&mut self, queue: usize, at: Moment, record: &mut WorkerRecord) {
        let one = &mut self.queues[queue];
        while one.tick.due_ns.saturating_add(self.coalesce_ns) < at.now && one.tick.due_ns < at.end_ns {
            if record.unsent(one.tick.entry, one.tick.due_ns, at.now) {
                match one.late_ns(at, self.coalesce_ns) {
                    Some(late_ns) => {
                        record.behind += 1;
                        record.own_delay.record(late_ns);
                    }
                    None => record.recorder.snapshot_mut().dropped += 1,
                }
            }
            one.advance();
        }
    }

    /// Takes a connection that has become free; returns the queue.
    #[inline]
    pub fn give_back(
        &mut self,
        number: LaneId,
        lane: &mut Lane,
        at: Moment,
        record: &mut WorkerRecord,
    ) -> usize {
        let queue = self.queue_of[lane.target as usize];
        if number as usize >= self.first.len() && !std::mem::replace(&mut lane.joined, true) {
            self.queues[queue].opening -= 1;
        }
        if self.overflow == Overflow::Drop && self.queues[queue].free.is_empty() {
            self.go_short(queue, at, record);
        }
        let one = &mut self.queues[queue];
        if one.free.is_empty() {
            one.refilled_ns = at.now;
        }
        one.free.push_back(number);
        queue
    }

    /// The connection to add, where a tick waits for one.
    pub fn grow(&mut self) -> Option<LaneId> {
        let queue = self.queues.iter_mut().find(|queue| queue.wants_connection())?;
        let number = queue.reserve.pop()?;
        queue.opening += 1;
        Some(number)
    }

    /// Gives up now what was intended before the end and is not sent.
    pub fn give_up(&mut self, end_ns: u64, now: u64, record: &mut WorkerRecord) {
        for queue in &mut self.queues {
            let behind = !queue.free.is_empty();
            while let Some(Tick { due_ns, entry }) = queue.take(u64::MAX, end_ns) {
                if record.unsent(entry, due_ns, now) {
                    let dropped = !behind && self.overflow == Overflow::Drop;
                    record.behind += u64::from(behind);
                    record.recorder.snapshot_mut().dropped += u64::from(dropped);
                }
            }
        }
    }
}

/// The instant just behind the tick that makes the count full; `None` when the cap comes first.
fn count_full_ns(mut stripe: Stripe, window: &Window, quota: u64) -> Option<u64> {
    let mut missing = quota;
    let mut full_ns = window.start_ns;
    while missing > 0 {
        let due = stripe.offset_ns();
        if due >= window.end_ns {
            return None;
        }
        missing -= u64::from(due >= window.start_ns);
        full_ns = due + 1;
        stripe.advance();
    }
    Some(full_ns)
}
