//! Agents, in the view of their coordinator.

use crate::agents::link::{Incoming, Sender};
use proofload_language::tr;
use std::net::SocketAddr;

pub(crate) enum Event {
    /// A peer that has the token.
    Joined(Newcomer),
    /// Something happened on a connection.
    Incoming { from: u64, incoming: Incoming },
}

/// An agent that came, and has no number yet.
pub(crate) struct Newcomer {
    pub connection: u64,
    /// The number that it has of itself; none where it is to be dealt one.
    pub index: Option<u32>,
    pub member: Member,
    pub out: Sender,
}

impl Newcomer {
    pub fn name(&self) -> String {
        let (host, address) = (&self.member.host, self.member.address.to_string());
        match self.index {
            Some(index) => tr!("agents-numbered", index, host, address),
            None => tr!("agents-unnumbered", host, address),
        }
    }
}

/// An agent's clock, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds by which it is ahead of ours.
    pub ahead_ns: i64,
    /// The shortest time that a message took there and back. Half of it bounds the error of `ahead_ns`.
    pub round_trip_ns: u64,
}

impl Clock {
    pub(crate) const UNKNOWN: Clock = Clock { ahead_ns: 0, round_trip_ns: u64::MAX };

    /// Inexactness in nanoseconds; `None` before a ping was answered.
    pub fn within_ns(self) -> Option<u64> {
        (self.round_trip_ns < u64::MAX).then(|| self.round_trip_ns.div_ceil(2))
    }

    /// Within what it was known all the time until `later`, taken as it is now: clocks run apart.
    pub(crate) fn within_until_ns(self, later: Clock) -> Option<u64> {
        let at_first = self.within_ns()?;
        let apart_ns = later.ahead_ns.abs_diff(self.ahead_ns);
        let later = later.within_ns().map_or(0, |within_ns| apart_ns.saturating_add(within_ns));
        Some(at_first.max(later))
    }

    /// From the four instants of a ping: it left, it came, the answer left, it came (Mills, RFC 5905). The quickest is best.
    pub(crate) fn learn(&mut self, instants: [u64; 4]) {
        let [left, received, answered, came] = instants.map(i128::from);
        let round_trip_ns = ((came - left) - (answered - received)).max(0) as u64;
        if round_trip_ns < self.round_trip_ns {
            let ahead_ns = (((received - left) + (answered - came)) / 2) as i64;
            *self = Clock { ahead_ns, round_trip_ns };
        }
    }
}

/// An agent, in the view of its coordinator.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its number, from 0.
    pub index: u32,
    pub host: String,
    /// True on the coordinator's machine.
    pub is_here: bool,
    /// CPUs that it may use.
    pub cpus: u32,
    /// Remote address.
    pub address: SocketAddr,
    pub clock: Clock,
}

impl Member {
    /// As messages name it: its number, its machine and its address.
    pub fn name(&self) -> String {
        format!("agent {} ({} {})", self.index, self.host, self.address)
    }
}
