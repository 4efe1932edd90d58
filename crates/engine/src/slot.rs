//! One place of a worker's slab: a connection, its session, and the exchange it carries.

use crate::Asking;
use proofload_measure::ExchangeTimes;
use proofload_wire::http1::{Jar, Limits, Scheme};
use proofload_wire::{Outbox, Session};

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
    pub user: Option<Box<User>>,
}

/// Somebody with cookies and a way to go, who outlives connections.
#[derive(Debug, Default)]
pub(crate) struct User {
    /// Cookies, where they are kept.
    pub jar: Option<Jar>,
    /// Path and query of the present request.
    pub target: Vec<u8>,
    /// What the present request sends.
    pub cookies: Vec<u8>,
    /// Redirects that the present exchange has followed.
    pub steps: u32,
    /// Whether one of them made a GET of the request.
    pub as_get: bool,
    /// Path and query of the next request, while they are found out.
    pub next: Vec<u8>,
}

impl Slot {
    /// `scheme` is that of the target; `follows` is whether redirects are followed.
    pub fn new(target: u32, scheme: Scheme, asking: &Asking, follows: bool) -> Self {
        let mut session = Session::http1(Limits::default());
        if asking.cookies {
            session.keep_set_cookies();
        }
        if follows {
            session.keep_location();
        }
        let user = User { jar: asking.cookies.then(|| Jar::new(scheme)), ..User::default() };
        Slot {
            phase: Phase::Cold,
            target,
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
            numbers: vec![0; asking.feed.feeders.len()].into(),
            user: (asking.cookies || follows).then(|| Box::new(user)),
        }
    }

    /// Whether an exchange has been begun and has not come to its end.
    pub fn in_flight(&self) -> bool {
        matches!(self.phase, Phase::Dialing | Phase::Asking)
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
