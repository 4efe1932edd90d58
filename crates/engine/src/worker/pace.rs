//! Start of the next exchange: when a connection is free (closed loop), or at its time in the timetable (open).

use super::due::{Due, Moment, Next, TargetMixes};
use super::open_queue::OpenQueue;
use super::opener::{OPENING_GAP_NS, in_order};
use super::shaped::Shaped;
use super::think::{Pauses, Waiting};
use crate::driver::Wake;
use crate::lane::{Lane, LaneId};
use crate::load::{Curve, Schedule, Share, Stripe, part};
use crate::record::WorkerRecord;
use crate::{Distribution, Extent, KeepAlive, LoadPlan, Profile};
use proofload_measure::Window;

/// Decides the instant of each exchange's beginning, and its connection.
#[derive(Debug)]
pub(super) struct Pace {
    /// Nothing intended at or after this instant begins.
    pub end_ns: u64,
    /// Planned wake-up.
    pub wake_ns: u64,
    load: Load,
}

#[derive(Debug)]
enum Load {
    Closed(Closed),
    Open(OpenQueue),
    Shaped(Shaped),
}

/// Each connection asks again when it is free.
#[derive(Debug)]
struct Closed {
    pauses: Pauses,
    thinking: Waiting,
    /// Exchanges of the window that may still begin; `None` means no limit.
    quota: Option<u64>,
    window_start_ns: u64,
    mixes: TargetMixes,
}

impl Pace {
    /// For a load and a window that begin at 0, until [`Pace::begin_at`]. The load begins with the first `first` of
    /// these lanes.
    pub fn new(plan: &LoadPlan, share: Share, window: &Window, lanes: &[Lane], first: usize) -> Self {
        let open = |schedule: Schedule| {
            let quota = counted(plan).map(|count| ticks_of(schedule.clone(), share, window, count));
            let stripe = Stripe::new(schedule, share.k, share.n);
            let mut open = OpenQueue::new(plan, stripe, window, quota);
            open.reserve(plan, lanes, first);
            Load::Open(open)
        };
        let load = match &plan.profile {
            Profile::Closed { think_ns } => Load::Closed(Closed {
                thinking: first_asks(plan, share, think_ns, first),
                pauses: Pauses::new(plan.seed, share, think_ns),
                quota: counted(plan).map(|count| part(count, share.k, share.n)),
                window_start_ns: window.start_ns,
                mixes: TargetMixes::new(plan, share),
            }),
            Profile::Open { rate_per_s, arrival, .. } => {
                open(Schedule::new(*rate_per_s, *arrival, plan.seed))
            }
            Profile::OpenStages { stages, arrival, .. } => {
                open(Schedule::staged(Curve::new(stages), *arrival, plan.seed))
            }
            Profile::OpenTrace { trace, .. } => open(Schedule::recorded(trace.clone())),
            Profile::ClosedStages { stages, think_ns } => {
                Load::Shaped(Shaped::stages(plan, share, stages, think_ns, first))
            }
            Profile::Users { ramp_ns, loops, think_ns } => {
                Load::Shaped(Shaped::users(plan, share, *ramp_ns, *loops, think_ns, first))
            }
        };
        Pace { end_ns: u64::MAX, wake_ns: 0, load }
    }

    /// Sets the first instant of the load; the window ends at `window_end_ns`.
    pub fn begin_at(&mut self, start_ns: u64, window_end_ns: u64) {
        self.end_ns = window_end_ns;
        match &mut self.load {
            Load::Closed(closed) => {
                closed.window_start_ns += start_ns;
                closed.thinking.put_off(start_ns);
            }
            Load::Open(open) => {
                open.begin_at(start_ns);
                self.end_ns = open.count_full_ns().unwrap_or(window_end_ns);
            }
            Load::Shaped(shaped) => shaped.begin_at(start_ns),
        }
    }

    /// Gives the pace of an open loop all connections that are not opened ahead.
    pub fn lend_all(&mut self, lanes: &[Lane]) {
        if let Load::Open(open) = &mut self.load {
            open.lend_all(lanes);
        }
    }

    /// True once all exchanges of the count have begun.
    pub fn is_used_up(&self) -> bool {
        match &self.load {
            Load::Closed(closed) => closed.quota == Some(0),
            Load::Shaped(shaped) => shaped.is_used_up(),
            Load::Open(_) => false,
        }
    }

    /// True if a load with a count of requests has reached it.
    pub fn reached_count(&self) -> bool {
        match &self.load {
            Load::Closed(_) | Load::Shaped(_) => self.is_used_up(),
            Load::Open(open) => open.count_full_ns().is_some_and(|full_ns| self.end_ns >= full_ns),
        }
    }

    /// True if something that was intended before the end waits to be sent.
    pub fn has_due(&self) -> bool {
        match &self.load {
            Load::Closed(_) | Load::Shaped(_) => false,
            Load::Open(open) => open.has_due_before(self.end_ns),
        }
    }

    /// Instant at which the next exchange for which a connection is free is to begin. A connection may be added at
    /// `growth_ns`, if at all.
    #[inline]
    pub fn next_ns(&self, growth_ns: Option<u64>) -> Option<Wake> {
        let due_ns = match &self.load {
            Load::Closed(closed) => closed.thinking.next_ns()?,
            Load::Shaped(shaped) => shaped.next_ns()?,
            Load::Open(open) => return open.next_ns(self.end_ns, growth_ns),
        };
        (due_ns < self.end_ns).then_some(Wake { at_ns: due_ns, exact: true })
    }

    /// Number of queues of due requests: one for each target of an open loop, else one.
    pub fn queues(&self) -> usize {
        match &self.load {
            Load::Open(open) => open.queues(),
            Load::Closed(_) | Load::Shaped(_) => 1,
        }
    }

    /// Takes the next due exchange of a queue, if a connection is free for it. Exchanges that are dropped for want of
    /// one are counted.
    #[inline]
    pub fn take_due(
        &mut self,
        queue: usize,
        now: u64,
        lanes: &[Lane],
        record: &mut WorkerRecord,
    ) -> Option<Due> {
        match &mut self.load {
            Load::Closed(closed) => closed.take_due(now, self.end_ns, lanes),
            Load::Shaped(shaped) => shaped.take_due(now, self.end_ns, lanes),
            Load::Open(open) => {
                let moment = Moment { now, end_ns: self.end_ns, wake_ns: self.wake_ns };
                open.take_due(queue, moment, lanes, record)
            }
        }
    }

    /// Next step of a connection that has become free. `at_once` is false where the attempt to begin an exchange freed
    /// it.
    #[inline]
    pub fn next_of(
        &mut self,
        number: LaneId,
        lane: &mut Lane,
        now: u64,
        at_once: bool,
        record: &mut WorkerRecord,
    ) -> Next {
        match &mut self.load {
            Load::Closed(closed) => closed.next_of(number, lane, now, self.end_ns, at_once),
            Load::Shaped(shaped) => shaped.next_of(number, lane, now, self.end_ns, at_once),
            Load::Open(open) => {
                let moment = Moment { now, end_ns: self.end_ns, wake_ns: self.wake_ns };
                Next::Serve(open.give_back(number, lane, moment, record))
            }
        }
    }

    /// The connection to add where one is wanted.
    pub fn grow(&mut self) -> Option<LaneId> {
        match &mut self.load {
            Load::Open(open) => open.grow(),
            Load::Closed(_) | Load::Shaped(_) => None,
        }
    }

    /// Gives up now what was intended before the end and is not sent.
    pub fn give_up(&mut self, now: u64, record: &mut WorkerRecord) {
        if let Load::Open(open) = &mut self.load {
            open.give_up(self.end_ns, now, record);
        }
    }

    /// Connections that have not been added, and might have been.
    pub fn in_reserve(&self) -> u64 {
        match &self.load {
            Load::Open(open) => open.in_reserve(),
            Load::Closed(_) | Load::Shaped(_) => 0,
        }
    }
}

/// Number of exchanges that all shares together begin in the window; `None` without a limit.
fn counted(plan: &LoadPlan) -> Option<u64> {
    match plan.extent {
        Extent::DurationNs(_) => None,
        Extent::Requests { count, .. } => Some(count),
    }
}

/// Number of this share's ticks among the first `count` of the window.
fn ticks_of(schedule: Schedule, share: Share, window: &Window, count: u64) -> u64 {
    let mut all = Stripe::new(schedule, 0, 1);
    while all.offset_ns() < window.start_ns {
        all.advance();
    }
    let first = all.index() % share.n;
    part(count, (share.k + share.n - first) % share.n, share.n)
}

/// Distance of the first sends of a closed loop that does not think: about what two sends cost.
const FIRST_GAP_NS: u64 = 16_000;

/// Instant of the first request of each connection of a closed loop. With a think time they are in the midst of it;
/// without keep-alive they dial one after the other. Otherwise they begin as fast as one worker can send, so that the
/// first round does not count the wait that the generator causes.
fn first_asks(plan: &LoadPlan, share: Share, think_ns: &Distribution, lanes: usize) -> Waiting {
    let mut asks = Waiting::new(think_ns, lanes);
    let pauses = Pauses::new(plan.seed, share, think_ns);
    let all = u64::from(plan.connections) * u64::from(plan.in_flight);
    let gap_ns = if plan.keep_alive == KeepAlive::Off { OPENING_GAP_NS } else { FIRST_GAP_NS };
    let over_ns = plan.asking.journeys.as_ref().map_or(0, |journeys| journeys.pauses_ns);
    let gap_ns = gap_ns.max(over_ns / (lanes as u64).max(1));
    for (place, number) in in_order(plan, lanes).into_iter().enumerate() {
        let offset_ns = match pauses.is_none() {
            true => place as u64 * gap_ns,
            false => pauses.first_ns(number, all),
        };
        asks.push(offset_ns, number);
    }
    asks
}

impl Closed {
    #[inline]
    fn next_of(&mut self, number: LaneId, lane: &Lane, now: u64, end_ns: u64, at_once: bool) -> Next {
        if now >= end_ns || !self.has_room(now) {
            return Next::Wait;
        }
        if !self.pauses.is_none() {
            let pause_ns = self.pauses.pause_ns(number, lane.begun);
            self.thinking.push(now.saturating_add(pause_ns), number);
            return Next::Wait;
        }
        if !at_once {
            self.thinking.push_due(now, number);
            return Next::Wait;
        }
        self.count(now);
        Next::Begin(self.mixes.choose(number, lane))
    }

    #[inline]
    fn take_due(&mut self, now: u64, end_ns: u64, lanes: &[Lane]) -> Option<Due> {
        loop {
            let (intended_ns, number) = self.thinking.pop_due(now)?;
            if intended_ns >= end_ns || !self.has_room(intended_ns) {
                continue;
            }
            self.count(intended_ns);
            let lane = &lanes[number as usize];
            return Some(Due {
                lane: number,
                entry: self.mixes.choose(number, lane),
                intended_ns,
                sendable_ns: (!self.pauses.is_none()).then_some(intended_ns),
            });
        }
    }

    /// True if the count leaves room for an exchange intended then.
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
}
