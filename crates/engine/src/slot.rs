//! One place of a worker's slab: a connection, its session, and the exchange it carries.

use crate::LoadPlan;
use crate::http::HttpState;
use proofload_measure::ExchangeTimes;
use proofload_wire::{Outbox, Protocol, Session};

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not connected; free.
    Cold,
    /// Being connected ahead of the load; not yet free.
    Opening,
    /// Connected; free.
    Idle,
    /// Being connected for an exchange that waits for it.
    Dialing,
    /// An exchange is in flight.
    Asking,
    /// The answer is whole and the connection ends with it: the peer may close first.
    Parting,
    /// Connecting failed; not free before a pause.
    BackingOff,
}

/// A connection and what goes with it.
#[derive(Debug)]
pub(crate) struct Slot {
    pub phase: Phase,
    /// Which target it belongs to, for good.
    pub target: u32,
    /// Which entry of the mix the present exchange asks.
    pub entry: u32,
    /// Exchanges that came to their end on this connection.
    pub carried: u32,
    /// Exchanges begun in this place so far; numbers the choices from the mix.
    pub begun: u64,
    pub session: Session,
    /// The present exchange; `end_ns` is unused.
    pub times: ExchangeTimes,
    /// When the present exchange began to use the connection: intended, or established if that was later.
    pub ready_ns: u64,
    /// When the place became free.
    pub freed_ns: u64,
    /// Whether a place that was opened for want of a free one has become one.
    pub joined: bool,
    /// When a dial began.
    pub dialed_ns: u64,
    /// Since when the connection has been of no use to an exchange that will be on the books.
    pub away_ns: Option<u64>,
    /// Bytes that the session did not consume.
    pub carry: Vec<u8>,
    /// Bytes that the kernel did not take; only after a short write.
    pub backlog: Option<Box<Outbox>>,
    /// The beginning of an answer that came in several pieces.
    pub sample: Option<Vec<u8>>,
    /// The present exchange's number in each feeder.
    pub numbers: Box<[u64]>,
    /// Where cookies are kept or redirects followed.
    pub http: Option<Box<HttpState>>,
}

impl Slot {
    /// A place for exchanges with that target, in the protocol of the requests that go there.
    pub fn new(plan: &LoadPlan, target: usize, protocol: &Protocol) -> Self {
        let mut session = Session::new(protocol);
        let http = HttpState::new(plan, target, &mut session);
        Slot {
            phase: Phase::Cold,
            target: target as u32,
            entry: 0,
            carried: 0,
            begun: 0,
            session,
            times: ExchangeTimes::default(),
            ready_ns: 0,
            freed_ns: 0,
            joined: false,
            dialed_ns: 0,
            // From the beginning; only what falls into the window is counted.
            away_ns: Some(0),
            carry: Vec::new(),
            backlog: None,
            sample: None,
            numbers: vec![0; plan.asking.feed.feeders.len()].into(),
            http,
        }
    }

    /// Whether an exchange has been begun and has not come to its end.
    pub fn in_flight(&self) -> bool {
        matches!(self.phase, Phase::Dialing | Phase::Asking)
    }

    /// Whether the present request follows a redirect, and is not the first of its exchange.
    #[inline]
    pub fn is_following(&self) -> bool {
        self.http.as_ref().is_some_and(|http| http.is_following())
    }

    /// Forgets the connection; the place stays.
    pub fn disconnect(&mut self) {
        self.phase = Phase::Cold;
        self.carried = 0;
        self.session.renew();
        self.carry.clear();
        self.backlog = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place is most of what a connection costs in user space. 10,000 of them are to take 10 MiB at most, with the
    /// socket, the deadline and the queues that they stand in.
    #[test]
    fn a_place_is_small() {
        assert!(size_of::<Slot>() <= 512, "{}", size_of::<Slot>());
    }
}
