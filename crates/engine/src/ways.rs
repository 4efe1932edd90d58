//! Addresses of a target as one worker finds them, and the choice of the one that a connection is dialed to.
//!
//! Connections are spread over the addresses of one family: that of the address that accepted last, at first that of the
//! first address. An address that fails is left alone for a while, and others are dialed in its place within the same
//! attempt to connect. With a single address there is nothing to choose.

use crate::driver::DialFault;
use crate::{Address, AddressUse, Target};
use std::net::IpAddr;

/// Time after which a dial is given up for another address, unless its address is known to accept (RFC 8305, section 5:
/// Connection Attempt Delay).
const ATTEMPT_NS: u64 = 250_000_000;
/// Time for which an address that failed is left alone while there are others.
const REST_NS: u64 = 100_000_000;
/// The same for one that did not answer: it costs a connection [`ATTEMPT_NS`] to find that out.
const SILENT_REST_NS: u64 = 40 * ATTEMPT_NS;

/// The addresses of a target.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    ways: Vec<Way>,
    /// Family of the address that accepted last: true for IPv6.
    is_ipv6: Option<bool>,
}

#[derive(Debug)]
struct Way {
    /// The target at this address alone.
    to: Target,
    is_ipv6: bool,
    /// True if it accepted a connection and has not failed since.
    accepts: bool,
    /// It failed last, and is left alone for this long from each dial on; else 0.
    rest_ns: u64,
    rests_until_ns: u64,
    counts: AddressUse,
}

/// An attempt to make a connection: dials of one address after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempt {
    /// Number of the connection among those to its target, over all workers.
    pub number: u64,
    /// Address that was dialed last.
    at: u8,
    /// Addresses dialed so far, a bit for each; without those that get more time now.
    tried: u16,
    /// Addresses that were given up for others after [`ATTEMPT_NS`], a bit for each.
    early: u16,
    /// True once all were tried, and those get the time that is left.
    is_patient: bool,
    /// The first fault, and whose; one of ours only if there is no other.
    fault: Option<(DialFault, u8)>,
}

impl Attempt {
    /// No address was dialed yet.
    pub fn begin(&mut self) {
        (self.tried, self.early, self.is_patient, self.fault) = (0, 0, false, None);
    }
}

impl Ways {
    /// The addresses that can be reached from these local ones, any if there are none.
    pub fn new(target: &Target, bind: &[IpAddr]) -> Self {
        let ways = target.addresses.iter().filter(|address| is_reached(address, bind)).map(|address| Way {
            to: target.at(address),
            is_ipv6: is_ipv6(address),
            accepts: false,
            rest_ns: 0,
            rests_until_ns: 0,
            counts: AddressUse::of(address.clone()),
        });
        Ways { ways: ways.collect(), is_ipv6: None }
    }

    /// True if no address can be dialed.
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// The target at the address that is to be dialed next. There must be one that was not.
    pub fn next(&mut self, attempt: &mut Attempt, now_ns: u64) -> &Target {
        attempt.at = if self.ways.len() > 1 { self.choose(attempt, now_ns) } else { 0 };
        attempt.tried |= 1 << attempt.at;
        let way = &mut self.ways[usize::from(attempt.at)];
        // While one connection tries whether it is back, others leave it alone.
        way.rests_until_ns = if way.rest_ns > 0 { now_ns + way.rest_ns } else { 0 };
        &way.to
    }

    /// Those at rest, and those of the other family, are dialed when there is no other left.
    fn choose(&self, attempt: &Attempt, now_ns: u64) -> u8 {
        let untried = |at: &u8| attempt.tried & 1 << at == 0;
        let of = |at: u8| &self.ways[usize::from(at)];
        let rests = |at: u8| of(at).rests_until_ns > now_ns;
        let all = (0..self.ways.len() as u8).filter(untried);
        let first = || all.clone().find(|at| !rests(*at)).map(|at| of(at).is_ipv6);
        let family = self.is_ipv6.or_else(first);
        let rank = |at: u8| (rests(at), Some(of(at).is_ipv6) != family);
        let best = all.clone().map(rank).min();
        let mut best = all.filter(|at| Some(rank(*at)) == best);
        let alike = best.clone().count().max(1) as u64;
        best.nth((attempt.number % alike) as usize).unwrap_or_default()
    }

    fn has_untried(&self, attempt: &Attempt) -> bool {
        (attempt.tried.count_ones() as usize) < self.ways.len()
    }

    /// Longest time for which the present dial may be pending; `u64::MAX` where only the time-out of connecting ends it.
    pub fn patience_ns(&self, attempt: &Attempt) -> u64 {
        let accepts = self.ways[usize::from(attempt.at)].accepts;
        let is_last = attempt.is_patient || !self.has_untried(attempt);
        if accepts || is_last { u64::MAX } else { ATTEMPT_NS }
    }

    /// The address that was dialed last.
    pub fn address(&self, attempt: &Attempt) -> &Address {
        &self.ways[usize::from(attempt.at)].to.addresses.first
    }

    /// It has accepted the connection.
    pub fn accepted(&mut self, attempt: &Attempt) {
        let way = &mut self.ways[usize::from(attempt.at)];
        (way.accepts, way.rest_ns) = (true, 0);
        way.rests_until_ns = 0;
        way.counts.connections += 1;
        self.is_ipv6 = Some(way.is_ipv6);
    }

    /// The dial has failed. Returns true if another address is to be dialed.
    pub fn failed(&mut self, attempt: &mut Attempt, fault: DialFault, now_ns: u64) -> bool {
        let is_early = fault == DialFault::TimedOut && self.patience_ns(attempt) == ATTEMPT_NS;
        attempt.early |= u16::from(is_early) << attempt.at;
        let way = &mut self.ways[usize::from(attempt.at)];
        match fault {
            DialFault::Refused => way.counts.refused += 1,
            DialFault::TimedOut => way.counts.timed_out += 1,
            DialFault::NoDescriptor => {}
            _ => way.counts.failed += 1,
        }
        if !is_of_address(fault) {
            return false;
        }
        way.accepts = false;
        way.rest_ns = if fault == DialFault::TimedOut { SILENT_REST_NS } else { REST_NS };
        way.rests_until_ns = now_ns + way.rest_ns;
        let is_ours = |fault| fault == DialFault::NoPort;
        if attempt.fault.is_none_or(|(first, _)| is_ours(first) && !is_ours(fault)) {
            attempt.fault = Some((fault, attempt.at));
        }
        if !self.has_untried(attempt) && !attempt.is_patient {
            // It may only be slow, as over a long way or after a lost packet.
            (attempt.tried, attempt.is_patient) = (attempt.tried & !attempt.early, true);
        }
        self.has_untried(attempt)
    }

    /// The fault of an attempt that ends with this one, its address, and the number of addresses dialed. A fault that the
    /// transport `explains` is that of the last address.
    pub fn verdict(&self, attempt: &Attempt, last: DialFault, explains: bool) -> (DialFault, Address, u32) {
        let first = attempt.fault.filter(|_| is_of_address(last) && !explains);
        let (fault, at) = first.unwrap_or((last, attempt.at));
        let tried = (attempt.tried | attempt.early).count_ones();
        (fault, self.ways[usize::from(at)].to.addresses.first.clone(), tried)
    }

    /// A connection that carried so many exchanges and requests within them has ended.
    pub fn ended(&mut self, attempt: &Attempt, exchanges: u32) {
        self.ways[usize::from(attempt.at)].counts.exchanges += u64::from(exchanges);
    }

    /// The counts of each address.
    pub fn finish(self) -> Vec<AddressUse> {
        self.ways.into_iter().map(|way| way.counts).collect()
    }
}

/// True if another address may do better: not where the server has answered and something else went wrong, nor where
/// no socket can be had at all.
fn is_of_address(fault: DialFault) -> bool {
    // Where IPv6 is turned off, the loopback address of IPv6 has no local port.
    matches!(fault, DialFault::Refused | DialFault::TimedOut | DialFault::NoPort | DialFault::Other)
}

fn is_ipv6(address: &Address) -> bool {
    address.tcp().is_some_and(|address| address.is_ipv6())
}

/// True if connections from these local addresses can reach that one.
pub(crate) fn is_reached(address: &Address, bind: &[IpAddr]) -> bool {
    address.tcp().is_none_or(|to| bind.iter().all(|from| from.is_ipv4() == to.is_ipv4()))
}

/// Number of addresses that a load is spread over while all accept.
pub(crate) fn spread(target: &Target, bind: &[IpAddr]) -> usize {
    let mut reached = target.addresses.iter().filter(|address| is_reached(address, bind)).map(is_ipv6);
    reached.next().map_or(1, |first| 1 + reached.filter(|other| *other == first).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Addresses;
    use std::net::SocketAddr;

    fn target(addresses: &[&str]) -> Target {
        let addresses = addresses.iter().map(|text| text.parse::<SocketAddr>().unwrap().into());
        Addresses::of(addresses).unwrap().into()
    }

    /// Numbers of the addresses that an attempt dials when all of them fail so, one after the other at once.
    fn dialed(ways: &mut Ways, number: u64, fault: DialFault, now_ns: u64) -> Vec<u8> {
        let mut attempt = Attempt { number, ..Attempt::default() };
        attempt.begin();
        let mut dialed = Vec::new();
        loop {
            ways.next(&mut attempt, now_ns);
            dialed.push(attempt.at);
            if !ways.failed(&mut attempt, fault, now_ns) {
                return dialed;
            }
        }
    }

    #[test]
    fn families_take_turns_until_one_accepts_and_then_come_one_after_the_other() {
        let target = target(&["[::1]:80", "127.0.0.1:80", "[::2]:80", "127.0.0.2:80"]);
        let mut ways = Ways::new(&target, &[]);
        assert_eq!(dialed(&mut ways, 0, DialFault::Refused, 0), [0, 1, 2, 3]);
        let mut ways = Ways::new(&target, &[]);
        ways.accepted(&Attempt { at: 3, ..Attempt::default() });
        assert_eq!(dialed(&mut ways, 0, DialFault::Other, 0), [1, 3, 0, 2]);
        let mut ways = Ways::new(&target, &[IpAddr::from([127, 0, 0, 1])]);
        assert_eq!(dialed(&mut ways, 3, DialFault::Other, 0), [1, 0], "its numbers are those of the two");
    }

    #[test]
    fn an_address_that_failed_comes_last_until_it_has_rested() {
        let target = target(&["127.0.0.1:80", "127.0.0.2:80"]);
        for (fault, rest_ns) in [(DialFault::Refused, REST_NS), (DialFault::TimedOut, SILENT_REST_NS)] {
            let mut ways = Ways::new(&target, &[]);
            let mut attempt = Attempt::default();
            ways.next(&mut attempt, 7);
            assert!(ways.failed(&mut attempt, fault, 7));
            let first = |ways: &mut Ways, now_ns| {
                let mut attempt = Attempt::default();
                ways.next(&mut attempt, now_ns);
                attempt.at
            };
            assert_eq!(first(&mut ways, 6 + rest_ns), 1);
            assert_eq!(first(&mut ways, 7 + rest_ns), 0, "one connection tries it again");
            assert_eq!(first(&mut ways, 7 + rest_ns), 1, "and only one");
            ways.accepted(&Attempt::default());
            assert_eq!(first(&mut ways, 8 + rest_ns), 0);
        }
    }

    #[test]
    fn an_attempt_ends_as_its_first_address_did_unless_that_fault_was_ours() {
        let target = target(&["[::1]:80", "127.0.0.1:80"]);
        let verdict = |faults: [DialFault; 2]| {
            let mut ways = Ways::new(&target, &[]);
            let mut attempt = Attempt::default();
            for fault in faults {
                ways.next(&mut attempt, 0);
                if !ways.failed(&mut attempt, fault, 0) {
                    let (fault, address, tried) = ways.verdict(&attempt, fault, false);
                    return (fault, address.to_string().contains('['), tried);
                }
            }
            unreachable!("two addresses fail twice")
        };
        use DialFault::{NoDescriptor, NoPort, Refused, TimedOut, Transport};
        assert_eq!(verdict([Refused, TimedOut]), (Refused, true, 2));
        assert_eq!(verdict([NoPort, Refused]), (Refused, false, 2), "IPv6 is turned off");
        assert_eq!(verdict([Refused, NoPort]), (Refused, true, 2));
        assert_eq!(verdict([NoPort, NoPort]), (NoPort, true, 2));
        assert_eq!(verdict([Transport, Refused]), (Transport, true, 1), "the server has answered");
        assert_eq!(verdict([NoDescriptor, Refused]), (NoDescriptor, true, 1), "no other has one");
        assert_eq!(verdict([Refused, NoDescriptor]), (NoDescriptor, false, 2));
    }

    #[test]
    fn a_dial_is_given_up_early_only_for_another_address_and_if_its_own_is_not_known_to_accept() {
        let target = target(&["127.0.0.1:80", "127.0.0.2:80"]);
        let mut ways = Ways::new(&target, &[]);
        let mut attempt = Attempt::default();
        ways.next(&mut attempt, 0);
        assert_eq!(ways.patience_ns(&attempt), ATTEMPT_NS);
        ways.failed(&mut attempt, DialFault::TimedOut, 0);
        ways.next(&mut attempt, 0);
        assert_eq!(ways.patience_ns(&attempt), u64::MAX, "it is the last");
        ways.accepted(&attempt);
        attempt.begin();
        ways.next(&mut attempt, 0);
        assert_eq!((attempt.at, ways.patience_ns(&attempt)), (1, u64::MAX), "it has accepted");
    }
}
