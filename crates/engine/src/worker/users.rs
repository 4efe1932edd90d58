//! Users on their journeys: the next step of each, and the time at which it is due.

use crate::driver::{Tap, TapEvent};
use crate::journey::{IDLE_STEPS_MAX, Journey, Journeys, Step};
use crate::lane::{Lane, LaneId, LanePhase};
use crate::load::{Draws, Random, Share, scaled};
use crate::memory::UserMemory;
use crate::seats::{UserLanes, user_targets};
use crate::{LoadPlan, MixEntry};
use proofload_measure::{ExchangeTimes, Outcome};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Name of the random stream of choices and pauses of users.
const USERS: u64 = 0x7573_6572;
/// Wait of a user who has taken too many steps without asking anything.
const BREATHER_NS: u64 = 1_000_000;

/// Seats of one worker, each with a user or free for the next.
#[derive(Debug)]
pub(super) struct Users<'a> {
    mix: &'a [MixEntry],
    journeys: &'a Journeys,
    /// A seat carries a journey as a lane carries an exchange.
    pub seats: Vec<Lane>,
    users: Vec<User>,
    /// Passes of each loop since it was entered, those of one user after the other.
    counters: Vec<u32>,
    counters_each: usize,
    /// Seats whose users wait, with the instants of their next steps.
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    /// Lengths of pauses, by journey and step.
    pauses: Vec<Vec<Option<Draws>>>,
    choices: Random,
    places: UserLanes,
    /// Target of each lane of a user.
    targets: Vec<usize>,
    share: Share,
    is_closed: bool,
    start_ns: u64,
    /// Users who are on their way.
    active: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct User {
    is_here: bool,
    /// True while he is among those who wait for their time.
    waits: bool,
    journey: u32,
    /// The present step.
    at: usize,
    /// The step to which a jump back led: a loop that is reached otherwise counts anew.
    back_to: Option<usize>,
    /// Requests of the present step that were begun, and those of them that have not ended.
    begun: usize,
    in_flight: usize,
    /// Names his random draws, with their number.
    number: u64,
    draws: u64,
    /// Instant at which his next request is due: the end of the step before, pauses included.
    due_ns: u64,
    /// Instant since which the lane of his last request is free. That is later than the end of an answer whose server is
    /// still to close the connection.
    free_ns: u64,
    pace_ns: u64,
    /// Outcome of the request that ended the journey.
    failed: Option<Outcome>,
}

/// Next move of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Ask {
        lane: LaneId,
        entry: usize,
        intended_ns: u64,
    },
    /// Nothing before a request has ended, or his time has come.
    Rest,
    /// He leaves; the outcome of the whole.
    Leave(Outcome),
}

impl<'a> Users<'a> {
    /// `None` without journeys.
    pub fn new(plan: &'a LoadPlan, share: Share, places: UserLanes) -> Option<Self> {
        let journeys = plan.asking.journeys.as_deref()?;
        let seats = places.seats as usize;
        let counters_each = journeys.journeys.iter().map(Journey::counters).max().unwrap_or(0);
        let pauses = |(number, journey): (u64, &Journey)| {
            let draws = |(at, step): (u64, &Step)| match step {
                Step::Pause(time) | Step::Pace(time) => {
                    Some(Draws::new(time.clone(), plan.seed, (USERS << 24) | (number << 12) | at))
                }
                _ => None,
            };
            (0..).zip(&journey.steps).map(draws).collect()
        };
        Some(Users {
            mix: &plan.mix,
            journeys,
            seats: (0..seats).map(|_| Lane::new(0, 0)).collect(),
            users: vec![User::default(); seats],
            counters: vec![0; seats * counters_each],
            counters_each,
            waiting: BinaryHeap::with_capacity(seats),
            pauses: (0..).zip(&journeys.journeys).map(pauses).collect(),
            choices: Random::new(plan.seed, USERS),
            places,
            targets: user_targets(plan),
            share,
            is_closed: plan.profile.is_closed(),
            start_ns: 0,
            active: 0,
        })
    }

    /// Sets the first instant of the load.
    pub fn begin_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
    }

    /// True while a user is on his way.
    pub fn is_busy(&self) -> bool {
        self.active > 0
    }

    /// Instant at which the first of those who wait goes on.
    pub fn next_ns(&self) -> Option<u64> {
        self.waiting.peek().map(|Reverse((due_ns, _))| *due_ns)
    }

    /// Takes the first of those who wait, when his time has come, with that time.
    pub fn pop_due(&mut self, now: u64) -> Option<(u64, u32)> {
        self.next_ns().filter(|due_ns| *due_ns <= now)?;
        let Reverse((due_ns, seat)) = self.waiting.pop()?;
        self.users[seat as usize].waits = false;
        Some((due_ns, seat))
    }

    /// A user arrives at a free seat, for the journey of that number among [`LoadPlan::choices`].
    pub fn arrive(&mut self, seat: u32, entry: usize, arrival_ns: u64) {
        let place = &mut self.seats[seat as usize];
        place.phase = LanePhase::Asking;
        place.entry = entry as u32;
        place.begun += 1;
        place.times = ExchangeTimes { intended_ns: arrival_ns, ..ExchangeTimes::default() };
        // Of an open loop by the arrival: whoever comes then is the same user, whatever seat is free.
        let number = match self.is_closed {
            true => (self.share.number_of(seat) << 24).wrapping_add(place.begun),
            false => arrival_ns.wrapping_sub(self.start_ns),
        };
        self.users[seat as usize] = User {
            is_here: true,
            journey: (entry - self.mix.len()) as u32,
            number,
            due_ns: arrival_ns,
            pace_ns: arrival_ns,
            ..User::default()
        };
        self.active += 1;
    }

    /// A request of a seat's user has ended, and its lane, which still knows it, is free. One of the teardown does not
    /// matter to the outcome of the journey.
    pub fn ended(&mut self, seat: u32, lane: &Lane, now: u64) {
        let (user, outcome) = (&mut self.users[seat as usize], lane.outcome);
        user.in_flight -= 1;
        user.due_ns = user.due_ns.max(lane.times.end_ns);
        user.free_ns = now;
        let teardown = self.journeys.journeys[user.journey as usize].teardown;
        if outcome != Outcome::Answered && user.at < teardown {
            user.failed.get_or_insert(outcome);
        }
    }

    /// Puts the next step of a seat's user off to this instant.
    pub fn put_off(&mut self, seat: u32, due_ns: u64) {
        if !std::mem::replace(&mut self.users[seat as usize].waits, true) {
            self.waiting.push(Reverse((due_ns, seat)));
        }
    }

    /// Instant by which his requests belong to the window or not: `None` for their own.
    pub fn cohort_ns(&self, seat: u32) -> Option<u64> {
        (!self.is_closed).then(|| self.seats[seat as usize].times.intended_ns)
    }

    /// The next move of a seat's user. To be asked again after a request, until he rests or leaves.
    pub fn next(
        &mut self,
        seat: u32,
        now: u64,
        memory: &UserMemory,
        lanes: &[Lane],
        tap: Option<&Tap>,
    ) -> Move {
        let journeys = self.journeys;
        let user = &mut self.users[seat as usize];
        if !user.is_here || user.waits {
            return Move::Rest;
        }
        let Journey { steps, teardown, .. } = &journeys.journeys[user.journey as usize];
        for _ in 0..IDLE_STEPS_MAX {
            let user = &mut self.users[seat as usize];
            if user.failed.is_some() && user.at < *teardown {
                if user.in_flight > 0 {
                    return Move::Rest;
                }
                (user.at, user.begun) = (*teardown, 0);
            }
            let (at, mut waits) = (user.at, false);
            let Some(step) = steps.get(at) else { return self.leave(seat) };
            match step {
                Step::Ask(entry) => match self.ask(seat, std::slice::from_ref(entry), 1, lanes) {
                    Some(next) => return next,
                    None => continue,
                },
                Step::AskAll { entries, at_once } => match self.ask(seat, entries, *at_once, lanes) {
                    Some(next) => return next,
                    None => continue,
                },
                Step::Pause(_) | Step::Pace(_) => waits = self.pause(seat, step, now),
                Step::Exit if user.at < *teardown => user.at = *teardown,
                Step::Exit => user.at = steps.len(),
                Step::Jump(to) => {
                    user.back_to = (*to < user.at).then_some(*to);
                    user.at = *to;
                }
                Step::Unless { condition, to } => {
                    let holds = condition.test.passes(memory.get(condition.variable));
                    user.at = if holds { user.at + 1 } else { *to };
                }
                Step::Repeat { times, to } => {
                    let passes = &mut self.counters[seat as usize * self.counters_each + user.at];
                    if user.back_to.take() != Some(user.at) {
                        *passes = 0;
                    }
                    let over = *passes == *times;
                    *passes = passes.saturating_add(1);
                    user.at = if over { *to } else { user.at + 1 };
                }
                Step::Choose(ways) => {
                    let to = self.choose(seat, ways);
                    self.users[seat as usize].at = to;
                }
            }
            if let Some(tap) = tap {
                tap.note(now, seat, TapEvent::Took { step: at, to: self.users[seat as usize].at });
            }
            if waits {
                return Move::Rest;
            }
        }
        self.put_off(seat, now + BREATHER_NS);
        Move::Rest
    }

    /// The next request of a step that asks, or rest while some are in flight; `None` when all have ended.
    fn ask(&mut self, seat: u32, entries: &[usize], at_once: usize, lanes: &[Lane]) -> Option<Move> {
        let user = &mut self.users[seat as usize];
        if let Some(entry) = entries.get(user.begun).filter(|_| user.in_flight < at_once) {
            let target = self.mix[*entry].target;
            let of_user = self.places.of(seat).zip(&self.targets);
            let mut free =
                of_user.filter(|(lane, of)| **of == target && lanes[*lane as usize].phase == LanePhase::Free);
            if let Some((lane, _)) = free.next() {
                user.begun += 1;
                user.in_flight += 1;
                let intended_ns = user.due_ns.max(user.free_ns);
                return Some(Move::Ask { lane, entry: *entry, intended_ns });
            }
        }
        if user.in_flight > 0 {
            return Some(Move::Rest);
        }
        debug_assert!(user.begun >= entries.len(), "a step found no lane");
        (user.at, user.begun) = (user.at + 1, 0);
        None
    }

    /// Begins the pause of a step; true if it is not over yet.
    fn pause(&mut self, seat: u32, step: &Step, now: u64) -> bool {
        let user = &mut self.users[seat as usize];
        let draws = self.pauses[user.journey as usize][user.at].as_ref();
        let drawn_ns = draws.map_or(0, |draws| draws.at(draw_number(user)));
        match step {
            Step::Pace(_) => {
                user.due_ns = user.due_ns.max(user.pace_ns.saturating_add(drawn_ns));
                user.pace_ns = user.due_ns;
            }
            _ => user.due_ns = user.due_ns.saturating_add(drawn_ns),
        }
        user.at += 1;
        let due_ns = user.due_ns;
        let waits = due_ns > now;
        if waits {
            self.put_off(seat, due_ns);
        }
        waits
    }

    fn choose(&mut self, seat: u32, ways: &[(u32, usize)]) -> usize {
        let user = &mut self.users[seat as usize];
        let sum: u64 = ways.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut point = scaled(self.choices.at(draw_number(user)), sum);
        let chosen = ways.iter().find(|(weight, _)| {
            let is_it = point < u64::from(*weight);
            point = point.saturating_sub(u64::from(*weight));
            is_it
        });
        chosen.map_or(user.at + 1, |(_, to)| *to)
    }

    fn leave(&mut self, seat: u32) -> Move {
        let user = &mut self.users[seat as usize];
        user.is_here = false;
        self.active -= 1;
        let place = &mut self.seats[seat as usize];
        (place.phase, place.times.end_ns) = (LanePhase::Free, user.due_ns);
        Move::Leave(user.failed.unwrap_or(Outcome::Answered))
    }

    /// Takes away one of those who are still on their way: his seat, and what becomes of his journey. One who paused waits for
    /// nobody: his next request was not sent.
    pub fn take_busy(&mut self) -> Option<(u32, Outcome)> {
        let seat = self.users.iter().position(|user| user.is_here)?;
        let user = &mut self.users[seat];
        user.is_here = false;
        self.active -= 1;
        let is_done = user.at >= self.journeys.journeys[user.journey as usize].teardown;
        let open = if user.in_flight > 0 { Outcome::Unanswered } else { Outcome::Unsent };
        let outcome = user.failed.unwrap_or(if is_done { Outcome::Answered } else { open });
        Some((seat as u32, outcome))
    }
}

/// Number of a user's next random draw.
fn draw_number(user: &mut User) -> u64 {
    user.draws += 1;
    user.number.wrapping_mul(0x1_0001).wrapping_add(user.draws)
}
