//! Agents, as their coordinator knows them.

use crate::link::{Heard, Sender};
use crate::message::Hello;
use std::net::SocketAddr;

pub(crate) enum Event {
    /// Somebody who knows the token.
    Joined(Newcomer),
    /// Something happened on a connection.
    Heard { from: u64, heard: Heard },
}

/// An agent that came, and has no number yet.
pub(crate) struct Newcomer {
    pub connection: u64,
    pub hello: Hello,
    pub address: SocketAddr,
    pub out: Sender,
}

impl Newcomer {
    pub fn who(&self) -> Who {
        Who { index: self.hello.index, host: self.hello.host.clone(), address: self.address }
    }

    pub fn name(&self) -> String {
        match self.hello.index {
            Some(index) => format!("agent {index} ({} {})", self.hello.host, self.address),
            None => format!("an agent ({} {})", self.hello.host, self.address),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The number that it has of itself; none where it is to be dealt one.
    pub index: Option<u32>,
    pub host: String,
    pub address: SocketAddr,
}

/// What is known of an agent's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub ahead_ns: i64,
    pub round_trip_ns: u64,
}

impl Clock {
    /// Within what it is known; `None` before a ping was answered.
    pub fn within_ns(self) -> Option<u64> {
        (self.round_trip_ns < u64::MAX).then(|| self.round_trip_ns.div_ceil(2))
    }

    /// Within what it was known all the time until `later`, taken as it is now: clocks run apart.
    pub fn within_until_ns(self, later: Clock) -> Option<u64> {
        let at_first = self.within_ns()?;
        let apart_ns = later.ahead_ns.abs_diff(self.ahead_ns);
        let later = later.within_ns().map_or(0, |within_ns| apart_ns.saturating_add(within_ns));
        Some(at_first.max(later))
    }
}

/// An agent, as its coordinator knows it.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its number, from 0.
    pub index: u32,
    pub host: String,
    /// Whether that machine is the coordinator's.
    pub is_here: bool,
    /// CPUs that it may use.
    pub cpus: u32,
    pub address: SocketAddr,
    /// By how much its clock is ahead of ours, in nanoseconds.
    pub ahead_ns: i64,
    /// The shortest time that a message took there and back. Half of it bounds the error of `ahead_ns`.
    pub round_trip_ns: u64,
}

impl Member {
    pub(crate) fn clock(&self) -> Clock {
        Clock { ahead_ns: self.ahead_ns, round_trip_ns: self.round_trip_ns }
    }

    /// Within what its clock is known; `None` before it was compared.
    pub fn clock_within_ns(&self) -> Option<u64> {
        self.clock().within_ns()
    }

    pub(crate) fn set_clock(&mut self, clock: Clock) {
        Clock { ahead_ns: self.ahead_ns, round_trip_ns: self.round_trip_ns } = clock;
    }

    pub(crate) fn default_at(address: SocketAddr) -> Member {
        Member {
            index: 0,
            host: String::new(),
            is_here: false,
            cpus: 0,
            address,
            ahead_ns: 0,
            round_trip_ns: u64::MAX,
        }
    }

    /// As messages name it: its number, its machine and its address.
    pub fn name(&self) -> String {
        format!("agent {} ({} {})", self.index, self.host, self.address)
    }

    /// From the four instants of a ping: it left, it came, the answer left, it came (Mills, RFC 5905). The quickest is best.
    pub(crate) fn learn(&mut self, [left, heard, said, came]: [u64; 4]) {
        let (left, heard, said, came) =
            (i128::from(left), i128::from(heard), i128::from(said), i128::from(came));
        let round_trip_ns = ((came - left) - (said - heard)).max(0) as u64;
        if round_trip_ns < self.round_trip_ns {
            self.round_trip_ns = round_trip_ns;
            self.ahead_ns = (((heard - left) + (said - came)) / 2) as i64;
        }
    }
}
