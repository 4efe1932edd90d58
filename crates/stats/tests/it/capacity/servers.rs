//! Servers whose capacity is known, in virtual time: a trial of seconds takes milliseconds.

use proofload_stats::capacity::{Limit, Outcome, Request, Stage, Trial};
use proofload_stats::rng::Rng;

/// Length of a trial, in seconds.
pub const TRIAL_S: f64 = 20.0;
/// Share of trials that something slows down.
const BAD_LUCK: f64 = 0.05;
/// Size of the slow-down, as a logarithm.
const BAD_LUCK_LN: f64 = -0.15;

/// Variation from trial to trial.
#[derive(Clone, Copy)]
pub struct Noise {
    /// Standard deviation of the logarithm of the server's speed.
    pub sd: f64,
    /// True if some trials are slowed down by more.
    pub bad_luck: bool,
}

/// A server in a simulated trial.
pub trait Server {
    /// Its capacity, by theory.
    fn capacity(&self) -> f64;
    /// One trial: how it came out and the margin, with `speed` times its usual speed.
    fn trial(&self, rate_per_s: f64, seconds: f64, speed: f64, rng: &mut Rng) -> (Outcome, f64);
}

/// A trial as the search gets it.
pub fn run(server: &dyn Server, noise: Noise, request: &Request, rng: &mut Rng) -> Trial {
    let unlucky = noise.bad_luck && rng.uniform() < BAD_LUCK;
    let speed = (noise.sd * rng.normal() + if unlucky { BAD_LUCK_LN } else { 0.0 }).exp();
    let seconds = if request.coarse { TRIAL_S / 2.0 } else { TRIAL_S };
    let (outcome, margin) = server.trial(request.rate_per_s, seconds, speed, rng);
    Trial {
        rate_per_s: request.rate_per_s,
        stage: request.stage,
        fresh: request.fresh,
        outcome,
        margin: Some(margin),
    }
}

/// A single worker with exponential service times and Poisson arrivals; the objective is on the 99th percentile of the
/// time from arrival to answer, which is exponential with rate μ − r: it is within L up to r = μ − ln(100)/L.
pub struct SingleQueue {
    /// μ, per second.
    pub served_per_s: f64,
    /// L, in seconds.
    pub p99_max_s: f64,
}

impl Server for SingleQueue {
    fn capacity(&self) -> f64 {
        self.served_per_s - 100.0_f64.ln() / self.p99_max_s
    }

    /// Lindley's recursion: what waits is what was left, plus a service, less a gap.
    fn trial(&self, rate_per_s: f64, seconds: f64, speed: f64, rng: &mut Rng) -> (Outcome, f64) {
        let served_per_s = self.served_per_s * speed;
        let count = (rate_per_s * seconds) as usize;
        let discarded = count / 10;
        let mut times = Vec::with_capacity(count);
        let mut waits = 0.0_f64;
        for n in 0..count + discarded {
            let takes = rng.exponential() / served_per_s;
            if n >= discarded {
                times.push(waits + takes);
            }
            waits = (waits + takes - rng.exponential() / rate_per_s).max(0.0);
        }
        let place = (count * 99 / 100).min(count - 1);
        let (_, p99_s, _) = times.select_nth_unstable_by(place, f64::total_cmp);
        let margin = (*p99_s / self.p99_max_s).ln();
        (if margin < 0.0 { Outcome::Pass } else { Outcome::Fail }, margin)
    }
}

/// A server that takes C requests a second, with room for a quarter of a second's burst, and refuses the rest; the
/// objective is a share of errors below 0.1 %. Arrivals are a Poisson process, so with less room it would refuse some of them
/// well below C, and with more room a trial would begin with a gift.
pub struct TokenBucket {
    /// C, per second.
    pub tokens_per_s: f64,
}

impl Server for TokenBucket {
    fn capacity(&self) -> f64 {
        self.tokens_per_s
    }

    fn trial(&self, rate_per_s: f64, seconds: f64, speed: f64, rng: &mut Rng) -> (Outcome, f64) {
        let (fills_per_s, room) = (self.tokens_per_s * speed, self.tokens_per_s * 0.25);
        let count = (rate_per_s * seconds) as usize;
        let (mut tokens, mut refused) = (room, 0_usize);
        for _ in 0..count {
            tokens = (tokens + fills_per_s * rng.exponential() / rate_per_s).min(room);
            if tokens >= 1.0 {
                tokens -= 1.0;
            } else {
                refused += 1;
            }
        }
        let share = refused as f64 / count as f64;
        (if share < 0.001 { Outcome::Pass } else { Outcome::Fail }, (share.max(1e-6) / 0.001).ln())
    }
}

/// Any server behind a generator that cannot offer more than a certain rate.
pub struct Behind<'a> {
    /// The server.
    pub server: &'a dyn Server,
    /// Highest rate that is offered as it should be, per second.
    pub offered_per_s: f64,
    /// Limit of the generator beyond it.
    pub limit: Limit,
}

impl Server for Behind<'_> {
    fn capacity(&self) -> f64 {
        self.server.capacity()
    }

    fn trial(&self, rate_per_s: f64, seconds: f64, speed: f64, rng: &mut Rng) -> (Outcome, f64) {
        match rate_per_s > self.offered_per_s {
            true => (Outcome::Limited(self.limit), 1.0),
            false => self.server.trial(rate_per_s, seconds, speed, rng),
        }
    }
}

/// A trial outside any search: for naive methods.
pub fn asked(rate_per_s: f64) -> Request {
    Request { rate_per_s, stage: Stage::Search, fresh: false, coarse: false }
}
