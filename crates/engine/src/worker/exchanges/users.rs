//! Users whose exchanges these are: their memory, and their connections when they leave.

use super::Exchanges;
use crate::driver::{Ended, Net, TapEvent};
use crate::http::Jar;
use crate::lane::LaneId;
use crate::memory::UserMemory;
use proofload_measure::Outcome;

impl Exchanges<'_> {
    /// The memory of a seat's user.
    pub fn memory(&self, seat: u32) -> &UserMemory {
        &self.memories[seat as usize]
    }

    /// The user of a seat begins: he knows his rows, and what every user is given.
    pub fn welcome(&mut self, seat: u32, arrival_ns: u64) {
        let memory = &mut self.memories[seat as usize];
        memory.begin(self.plan.asking.journeys.as_ref().map_or(&[], |journeys| &journeys.given));
        self.feeding.number_user(arrival_ns, &mut memory.numbers);
        if let Some(jar) = self.jars.get_mut(seat as usize) {
            *jar = Jar::default();
        }
    }

    /// The end of the request of a user's lane, for a tap.
    #[cold]
    pub fn told(&mut self, number: LaneId) -> TapEvent {
        let lane = &self.lanes[number as usize];
        let (entry, outcome) = (lane.entry as usize, lane.outcome);
        let took_ns = lane.times.end_ns.saturating_sub(lane.times.intended_ns);
        let memory = self.memory(self.places.seat(number));
        let captures = self.plan.asking.captures.get(entry).filter(|_| outcome == Outcome::Answered);
        let captured = captures
            .into_iter()
            .flatten()
            .filter_map(|capture| Some((capture.name.clone(), memory.get(capture.variable)?.to_vec())));
        let captured = captured.collect();
        let why = self.record.bad(entry, outcome).as_ref().map(|bad| bad.what.clone());
        TapEvent::Ended(Box::new(Ended { entry, outcome, why, took_ns, captured }))
    }

    /// The user of a seat has left, and his connections are closed.
    pub fn farewell<N: Net>(&mut self, net: &mut N, seat: u32, now: u64) {
        for lane in self.places.of(seat) {
            self.part(net, lane, now);
        }
    }
}
