//! Users of a worker: they arrive, go on when a request has ended or their time has come, and leave.

use super::Worker;
use super::users::Move;
use crate::driver::{Net, TapEvent};
use crate::lane::LaneId;
use proofload_measure::Outcome;

impl Worker<'_> {
    /// A user arrives, and begins a journey.
    pub(super) fn arrive<N: Net>(&mut self, net: &mut N, seat: u32, entry: usize, arrival_ns: u64, now: u64) {
        let Some(users) = &mut self.users else { return };
        users.arrive(seat, entry, arrival_ns);
        self.exchanges.welcome(seat, arrival_ns);
        self.go_on(net, seat, now);
    }

    /// Lets the users go on whose time has come.
    pub(super) fn go_on_due<N: Net>(&mut self, net: &mut N, mut now: u64) {
        // At most once for each seat, so that failing attempts cannot keep the loop here.
        for _ in 0..self.exchanges.places.seats {
            let Some((due_ns, seat)) = self.users.as_mut().and_then(|users| users.pop_due(now)) else {
                return;
            };
            if self.exchanges.record.covers(due_ns) && !self.exchanges.is_opening(seat) {
                self.exchanges.record.own_delay.record(now - due_ns);
            }
            self.go_on(net, seat, now);
            now = net.now_ns();
            self.exchanges.record.advance_to(now);
        }
    }

    /// A user's request has ended, and its lane is free.
    #[inline(never)]
    pub(super) fn step_ended<N: Net>(&mut self, net: &mut N, lane: LaneId, now: u64, at_once: bool) {
        let Some(users) = &mut self.users else { return };
        let seat = self.exchanges.places.seat(lane);
        if let Some(tap) = net.tap() {
            tap.note(now, lane, self.exchanges.told(lane));
        }
        users.ended(seat, &self.exchanges.lanes[lane as usize], now);
        match at_once {
            true => self.go_on(net, seat, now),
            false => users.put_off(seat, now),
        }
    }

    /// Lets a user do what he does next, until he has to wait.
    fn go_on<N: Net>(&mut self, net: &mut N, seat: u32, mut now: u64) {
        loop {
            let Some(users) = &mut self.users else { return };
            let memory = self.exchanges.memory(seat);
            match users.next(seat, now, memory, &self.exchanges.lanes, net.tap()) {
                Move::Ask { lane, entry, intended_ns } => {
                    if let Some(tap) = net.tap() {
                        tap.note(now, lane, TapEvent::Asks(entry));
                    }
                    let cohort_ns = users.cohort_ns(seat).unwrap_or(intended_ns);
                    let freed = self.exchanges.begin_of(net, (lane, entry), cohort_ns, intended_ns, now);
                    self.release(net, freed);
                    now = net.now_ns();
                    self.exchanges.record.advance_to(now);
                }
                Move::Rest => return,
                Move::Leave(outcome) => return self.leave(net, seat, outcome, now),
            }
        }
    }

    /// A user has left: his seat is free for the next.
    fn leave<N: Net>(&mut self, net: &mut N, seat: u32, outcome: Outcome, now: u64) {
        let Some(users) = &mut self.users else { return };
        let place = &mut users.seats[seat as usize];
        let end_ns = place.times.end_ns;
        self.exchanges.record.journey(place, outcome, end_ns);
        if let Some(tap) = net.tap() {
            tap.note(now, seat, TapEvent::Left(outcome));
        }
        self.exchanges.farewell(net, seat, now);
        place.freed_ns = now;
        // Not at once: the next user would begin within the call that ended this one, and so on.
        self.pace.next_of(seat, place, now, false, &mut self.exchanges.record);
    }

    /// Counts the journeys that have not ended.
    pub(super) fn give_up_users(&mut self, now: u64) {
        let Some(users) = &mut self.users else { return };
        while let Some((seat, outcome)) = users.take_busy() {
            self.exchanges.record.journey(&mut users.seats[seat as usize], outcome, now);
        }
    }
}
