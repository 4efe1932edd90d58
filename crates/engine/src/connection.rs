//! One connection of a worker, its session, and the exchange it carries.

use crate::http::HttpState;
use crate::record::Received;
use crate::{KeepAlive, LoadPlan};
use proofload_measure::ExchangeTimes;
use proofload_wire::{Outbox, Request, Session};

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

/// A connection and what goes with it; it is made anew after it ended.
#[derive(Debug)]
pub(crate) struct Connection {
    pub phase: Phase,
    /// Which target it belongs to, for good.
    pub target: u32,
    /// Which entry of the mix the present exchange asks.
    pub entry: u32,
    /// Exchanges that have ended since it was made last.
    pub carried: u32,
    /// Exchanges begun so far; numbers the choices from the mix.
    pub begun: u64,
    pub session: Session,
    /// The present exchange; `end_ns` is unused.
    pub times: ExchangeTimes,
    /// When the present exchange began to use the connection: intended, or established if that was later.
    pub ready_ns: u64,
    /// When it became free.
    pub freed_ns: u64,
    /// Of a connection that was added because none was free: whether it has been free itself.
    pub joined: bool,
    /// When a dial began.
    pub dialed_ns: u64,
    /// Since when it has been of no use to an exchange that counts for latency.
    pub idle_since_ns: Option<u64>,
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

impl Connection {
    /// A connection to that target.
    pub fn new(plan: &LoadPlan, target: usize) -> Self {
        let mut session = Session::new(plan.targets[target].protocol, 1);
        let http = HttpState::new(plan, target, &mut session);
        Connection {
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
            idle_since_ns: Some(0),
            carry: Vec::new(),
            backlog: None,
            sample: None,
            numbers: vec![0; plan.asking.feed.feeders.len()].into(),
            http,
        }
    }

    /// Whether an exchange has begun and not ended.
    pub fn in_flight(&self) -> bool {
        matches!(self.phase, Phase::Dialing | Phase::Asking)
    }

    /// Whether the present request follows a redirect, and is not the first of its exchange.
    #[inline]
    pub fn is_following(&self) -> bool {
        self.http.as_ref().is_some_and(|http| http.is_following())
    }

    /// What the present exchange asks next.
    #[inline]
    pub fn request<'a>(&self, plan: &'a LoadPlan) -> &'a Request {
        let entry = &plan.mix[self.entry as usize];
        let closing = match plan.keep_alive {
            KeepAlive::On => false,
            KeepAlive::Off => true,
            KeepAlive::Every(n) => self.carried + 1 >= n,
        };
        let requests = match &self.http {
            Some(http) => http.requests(entry),
            None => [&*entry.request, &*entry.closing_request],
        };
        requests[usize::from(closing)]
    }

    /// Whether a request goes over this connection as it is encoded.
    #[inline]
    pub fn sends_as_encoded(&self, request: &Request) -> bool {
        request.goes_as_encoded() && self.http.is_none()
    }

    /// What was received of the present answer; `latest` came last.
    pub fn received<'a>(&'a self, latest: &'a [u8]) -> Received<'a> {
        Received { before: self.sample.as_deref().unwrap_or_default(), latest }
    }

    /// Forgets what the connection that has ended was like.
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

    /// It is most of what a connection costs in user space. 10,000 of them are to take 10 MiB at most, with the socket,
    /// the deadline and the queues that they are in.
    #[test]
    fn a_connection_is_small() {
        assert!(size_of::<Connection>() <= 512, "{}", size_of::<Connection>());
    }
}
