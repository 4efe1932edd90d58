//! One connection of a worker, and its session.

use crate::http::HttpState;
use crate::lane::Lane;
use crate::reader::KeptHead;
use crate::ways::Attempt;
use crate::{KeepAlive, LoadPlan};
use proofload_wire::{Outbox, Protocol, Request, Session, State};

/// State of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not connected.
    Cold,
    /// Being connected, or shaking hands.
    Opening,
    Open,
    /// The last answer is whole and the connection ends with it: the peer may close first.
    Parting,
    /// Connecting failed; it is not dialed before a pause.
    BackingOff,
}

/// A connection and what goes with it; it is made anew after it ended.
#[derive(Debug)]
pub(crate) struct Connection {
    pub phase: Phase,
    /// Target that it belongs to, for good.
    pub target: u32,
    /// True while it is being opened and no exchange waits for it yet.
    pub ahead: bool,
    /// True once it was dialed.
    pub dialed: bool,
    /// Answers since it was made last: of whole exchanges, and of requests that another one of the same exchange followed.
    pub carried: u32,
    pub session: Session,
    pub dialed_ns: u64,
    /// Addresses dialed since then.
    pub attempt: Attempt,
    /// True while it is established and the handshake of its session is under way.
    pub shakes: bool,
    /// Name of the exchange that has its turn among those that wait for room to be sent.
    pub turn: u32,
    /// Bytes that the session did not consume.
    pub carry: Vec<u8>,
    /// Bytes that the kernel did not take; only after a short write.
    pub backlog: Option<Box<Outbox>>,
    /// Set if cookies are kept, redirects followed or challenges answered.
    pub http: Option<Box<HttpState>>,
}

impl Connection {
    /// A connection to that target, with room for the [longest path](crate::http::longest_target). One behind the plan's is
    /// another origin: its [`HttpState`] comes with each exchange.
    pub fn new(plan: &LoadPlan, target: usize, longest: usize, kept: &KeptHead) -> Self {
        let protocol = plan.targets.get(target).map_or(Protocol::Http1, |target| target.protocol);
        let mut session = Session::new(protocol, plan.in_flight);
        kept.keep(&mut session);
        let http = HttpState::new(plan, target, longest, &mut session);
        Connection {
            phase: Phase::Cold,
            target: target as u32,
            ahead: false,
            dialed: false,
            carried: 0,
            session,
            dialed_ns: 0,
            attempt: Attempt::default(),
            shakes: false,
            turn: 0,
            carry: Vec::new(),
            backlog: None,
            http,
        }
    }

    /// True if the present request is not the first of its exchange.
    #[inline]
    pub fn is_following(&self) -> bool {
        self.http.as_ref().is_some_and(|http| http.is_following())
    }

    /// Returns the next request of the lane's present exchange.
    #[inline]
    pub fn request<'a>(&self, plan: &'a LoadPlan, lane: &Lane) -> &'a Request {
        let entry = &plan.mix[lane.entry as usize];
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

    /// True if a request goes over this connection as it is encoded.
    #[inline]
    pub fn sends_as_encoded(&self, request: &Request) -> bool {
        request.goes_as_encoded() && self.http.is_none()
    }

    /// True if it can carry an exchange as soon as it is connected.
    #[inline]
    pub fn has_no_handshake(&self) -> bool {
        self.session.state() != State::Opening
    }

    /// It is to be connected from now on.
    pub fn begin_dialing(&mut self, now: u64) {
        self.dialed = true;
        self.dialed_ns = now;
        self.phase = Phase::Opening;
        self.attempt.begin();
    }

    /// Clears the state of the connection that has ended.
    pub fn disconnect(&mut self) {
        self.phase = Phase::Cold;
        self.carried = 0;
        self.shakes = false;
        self.session.renew();
        self.carry.clear();
        self.backlog = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They are most of what a connection costs in user space. 10,000 of them are to take 10 MiB at most, with the
    /// socket, the deadline and the queues that they are in.
    #[test]
    fn a_connection_and_its_lane_are_small() {
        let size = size_of::<Connection>() + size_of::<Lane>();
        assert!(size <= 640, "{size}");
    }
}
