//! Decisions about requests, made the moment they have arrived. Pure: instants are handed in.

use crate::dice::Dice;
use crate::{Config, Fault, Faults, ServiceTime, Size, Stall};

/// Treatment of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Fault to inject, if any.
    pub fault: Option<Fault>,
    /// Instant at which the answer leaves, or its fault happens; same axis as the arrival.
    pub due_ns: u64,
    /// Bytes of the body.
    pub size: u64,
    /// Point at which an answer is cut, as a share (in 2^-64) of the longest cut possible.
    pub cut: u64,
}

/// The rules by which requests are decided, and the state of the queue.
#[derive(Debug)]
pub struct Decider {
    service: ServiceTime,
    size: Size,
    stall: Option<Stall>,
    faults: Faults,
    seed: u64,
    origin_ns: u64,
    /// Instant at which each server of the queue is free again; empty without a queue.
    free_ns: Vec<u64>,
}

impl Decider {
    /// `origin_ns` is the server's start, from which stalls are counted.
    pub fn new(config: &Config, origin_ns: u64) -> Self {
        Decider {
            service: config.service,
            size: config.size,
            stall: config.stall,
            faults: config.faults,
            seed: config.seed,
            origin_ns,
            free_ns: vec![origin_ns; config.servers.unwrap_or(0)],
        }
    }

    /// Decides for request `request` (from 1) of connection `connection`, which was there at `now_ns` (the
    /// end of its spin, if it has one). Calls in order of arrival: the queue's order is the order of calls.
    pub fn decide(&mut self, connection: u64, request: u64, now_ns: u64) -> Decision {
        let mut dice = Dice::for_request(self.seed, connection, request);
        let fault = self.faults.draw(&mut dice);
        let size = self.size.draw(&mut dice);
        let delay_ns = self.service.delay.draw(&mut dice);
        let cut = dice.bits();
        // The server that is free first takes the request. A stall that holds its answer holds the server
        // too.
        let first = (0..self.free_ns.len()).min_by_key(|&i| self.free_ns[i]);
        let begins_ns = first.map_or(now_ns, |i| self.free_ns[i].max(now_ns));
        let due_ns = self.released(begins_ns + delay_ns);
        if let Some(i) = first {
            self.free_ns[i] = due_ns;
        }
        Decision { fault, due_ns, size, cut }
    }

    fn released(&self, due_ns: u64) -> u64 {
        let Some(stall) = self.stall else { return due_ns };
        self.origin_ns + stall.release(due_ns.saturating_sub(self.origin_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: u64 = 1_000_000_000_000;

    fn decider(service: &str, servers: Option<usize>, stall: Option<&str>) -> Decider {
        let service = ServiceTime::parse(service).unwrap();
        let stall = stall.map(|text| Stall::parse(text).unwrap());
        Decider::new(&Config { service, servers, stall, ..Config::default() }, ORIGIN)
    }

    #[test]
    fn without_a_queue_every_request_is_served_at_once() {
        let mut decider = decider("const:2ms", None, None);
        for request in 1..=3 {
            assert_eq!(decider.decide(1, request, ORIGIN + 5).due_ns, ORIGIN + 2_000_005);
        }
    }

    #[test]
    fn a_queue_serves_in_order_of_arrival_on_the_server_that_is_free_first() {
        let mut decider = decider("const:2ms", Some(2), None);
        let due: Vec<u64> = (1..=5).map(|r| decider.decide(1, r, ORIGIN).due_ns - ORIGIN).collect();
        assert_eq!(due, [2_000_000, 2_000_000, 4_000_000, 4_000_000, 6_000_000]);
        assert_eq!(decider.decide(1, 6, ORIGIN + 50_000_000).due_ns, ORIGIN + 52_000_000);
    }

    #[test]
    fn answers_due_in_a_stall_leave_at_its_end_together() {
        let mut decider = decider("const:10ms", None, Some("200ms/2s"));
        let due = |decider: &mut Decider, at_ms: u64| {
            (decider.decide(1, at_ms, ORIGIN + at_ms * 1_000_000).due_ns - ORIGIN) / 1_000_000
        };
        assert_eq!(due(&mut decider, 1989), 1999);
        assert_eq!(due(&mut decider, 1990), 2200);
        assert_eq!(due(&mut decider, 2150), 2200);
        assert_eq!(due(&mut decider, 2190), 2200);
        assert_eq!(due(&mut decider, 2191), 2201);
    }

    #[test]
    fn a_stall_holds_the_queue_behind_the_answer_it_holds() {
        let mut decider = decider("const:10ms", Some(1), Some("200ms/2s"));
        let at = ORIGIN + 1_985_000_000;
        let due: Vec<u64> = (1..=3).map(|r| (decider.decide(1, r, at).due_ns - ORIGIN) / 1_000_000).collect();
        assert_eq!(due, [1995, 2200, 2210]);
    }

    #[test]
    fn poisson_arrivals_and_exponential_service_obey_the_analytic_quantiles() {
        // λ = 700/s, μ = 1,000/s: the time in the system is exponential with rate 300/s.
        let mut decider = decider("exp:1ms", Some(1), None);
        let mut now = ORIGIN as f64;
        let mut waits = Vec::new();
        for request in 1..=400_000u64 {
            let u = Dice::for_request(99, 0, request).unit();
            now += -(1.0 - u).ln() * 1e9 / 700.0;
            let at = now as u64;
            waits.push((decider.decide(1, request, at).due_ns - at) as f64);
        }
        waits.sort_by(f64::total_cmp);
        for q in [0.5, 0.9, 0.99] {
            let truth = -(1.0f64 - q).ln() / 300.0 * 1e9;
            let seen = waits[(q * waits.len() as f64) as usize];
            assert!((seen / truth - 1.0).abs() < 0.06, "q {q}: {seen} for {truth}");
        }
    }

    #[test]
    fn the_same_seed_decides_alike_whatever_happened_in_between() {
        let config = Config {
            faults: Faults::parse("drip=0.3,silence=0.3").unwrap(),
            service: ServiceTime::parse("uniform:1ms..9ms").unwrap(),
            size: Size::Uniform(1, 1000),
            ..Config::default()
        };
        let (mut a, mut b) = (Decider::new(&config, ORIGIN), Decider::new(&config, ORIGIN));
        for connection in 1..50 {
            b.decide(connection + 1000, 1, ORIGIN);
            assert_eq!(a.decide(connection, 3, ORIGIN), b.decide(connection, 3, ORIGIN));
        }
    }
}
