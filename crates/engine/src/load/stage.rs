//! A stretch of time in which a quantity goes its way. Pure.

use serde::{Deserialize, Serialize};

/// Nanoseconds of a second.
pub(super) const SECOND_NS: f64 = 1e9;

/// More than are needed to halve any stretch down to the resolution of an `f64`, which has 53 bits.
const HALVINGS: usize = 64;

/// A stretch of time in which a quantity, sends per second or connections, goes its way.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub enum Stage {
    /// From one value to another in a straight line.
    Line {
        /// At its start; not negative.
        from: f64,
        /// At its end; equal to `from` where it holds.
        to: f64,
        /// Its length, above 0.
        for_ns: u64,
    },
    /// Up and down around a mean, which it has at its start, on the way up.
    Sine {
        /// Above 0.
        mean: f64,
        /// Amplitude about the mean: above 0, and not above the mean.
        amplitude: f64,
        /// From one crest to the next, above 0.
        period_ns: u64,
        /// Its length, above 0.
        for_ns: u64,
    },
}

impl Stage {
    pub fn hold(value: f64, for_ns: u64) -> Self {
        Stage::Line { from: value, to: value, for_ns }
    }

    pub fn for_ns(&self) -> u64 {
        match self {
            Stage::Line { for_ns, .. } | Stage::Sine { for_ns, .. } => *for_ns,
        }
    }

    /// Its largest value.
    pub fn peak(&self) -> f64 {
        match *self {
            Stage::Line { from, to, .. } => from.max(to),
            Stage::Sine { mean, amplitude, period_ns, for_ns } if for_ns >= period_ns.div_ceil(4) => {
                mean + amplitude
            }
            Stage::Sine { for_ns, .. } => self.at(for_ns),
        }
    }

    /// The largest value of all.
    pub fn peak_of(stages: &[Stage]) -> f64 {
        stages.iter().map(Stage::peak).fold(0.0, f64::max)
    }

    /// Total length of all stages, one after the other.
    pub fn length_ns(stages: &[Stage]) -> u64 {
        stages.iter().fold(0, |sum, stage| sum.saturating_add(stage.for_ns()))
    }

    pub fn is_pause(&self) -> bool {
        self.peak() == 0.0
    }

    /// The value so long after its start.
    pub fn at(&self, offset_ns: u64) -> f64 {
        match *self {
            Stage::Line { from, to, for_ns } => from + (to - from) * (offset_ns as f64 / for_ns as f64),
            Stage::Sine { mean, amplitude, period_ns, .. } => {
                // Whole periods are taken away in whole numbers, so that nothing is lost of a long stretch.
                let phase = (offset_ns % period_ns) as f64 / period_ns as f64;
                mean + amplitude * (phase * std::f64::consts::TAU).sin()
            }
        }
    }

    /// Its integral, in units times seconds.
    pub fn area(&self) -> f64 {
        match *self {
            Stage::Line { from, to, for_ns } => (from + to) / 2.0 * (for_ns as f64 / SECOND_NS),
            Stage::Sine { mean, amplitude, period_ns, for_ns } => {
                let wave = Wave::new(mean, amplitude, period_ns);
                (for_ns / period_ns) as f64 * wave.area()
                    + wave.integral((for_ns % period_ns) as f64 / SECOND_NS)
            }
        }
    }

    /// Time after its start at which its own integral is `x`, which is not negative and below its area.
    pub(super) fn reach_ns(&self, x: f64) -> u64 {
        match *self {
            Stage::Line { from, to, .. } if from == to => (x * (SECOND_NS / from)) as u64,
            _ if x <= 0.0 => 0,
            Stage::Line { from, to, for_ns } => {
                // The root of a quadratic, in the form that subtracts nothing.
                let inner = from * from + 2.0 * (to - from) * x / (for_ns as f64 / SECOND_NS);
                let seconds = 2.0 * x / (from + inner.max(0.0).sqrt());
                (seconds * SECOND_NS) as u64
            }
            Stage::Sine { mean, amplitude, period_ns, .. } => {
                let wave = Wave::new(mean, amplitude, period_ns);
                let periods = (x / wave.area()).floor();
                let seconds = wave.reach((x - periods * wave.area()).max(0.0));
                periods as u64 * period_ns + ((seconds * SECOND_NS) as u64).min(period_ns)
            }
        }
    }

    /// The first instant after its start, not before `from_ns`, at which it is above `level`.
    pub(super) fn above_ns(&self, level: f64, from_ns: u64) -> Option<u64> {
        if self.at(from_ns) > level {
            return Some(from_ns);
        }
        let crossed_ns = match *self {
            Stage::Line { from, to, for_ns } => {
                let rises = to > level && to > from;
                rises.then(|| ((level - from) / (to - from) * for_ns as f64) as u64 + 1)?
            }
            Stage::Sine { mean, amplitude, period_ns, .. } => {
                let sine = (level - mean) / amplitude;
                if sine >= 1.0 {
                    return None;
                }
                // It is not above the level now, so its next way up is the next instant at this phase.
                let phase = (sine.max(-1.0).asin() / std::f64::consts::TAU).rem_euclid(1.0);
                let in_period_ns = (phase * period_ns as f64) as u64 + 1;
                let period = from_ns / period_ns + u64::from(from_ns % period_ns > in_period_ns);
                period * period_ns + in_period_ns
            }
        };
        (crossed_ns < self.for_ns()).then_some(crossed_ns.max(from_ns))
    }
}

/// One period of a sine.
struct Wave {
    mean: f64,
    amplitude: f64,
    period_s: f64,
    /// Radians of a second.
    omega: f64,
}

impl Wave {
    fn new(mean: f64, amplitude: f64, period_ns: u64) -> Self {
        let period_s = period_ns as f64 / SECOND_NS;
        Wave { mean, amplitude, period_s, omega: std::f64::consts::TAU / period_s }
    }

    fn area(&self) -> f64 {
        self.mean * self.period_s
    }

    /// From its start to that second.
    fn integral(&self, seconds: f64) -> f64 {
        // 1 - cos x, in the form that subtracts nothing of its own size.
        let half = (self.omega * seconds / 2.0).sin();
        self.mean * seconds + self.amplitude / self.omega * 2.0 * half * half
    }

    /// The second at which the integral is `x`: Newton's method within bounds that close in, and their middle where
    /// a step is not half of the one before the last: around a deep trough it would go to and fro for ever. After
    /// `rtsafe` (Press et al., Numerical Recipes, section 9.4).
    fn reach(&self, x: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.period_s);
        let (mut last_but_one, mut last) = (high, high);
        let mut at = (x / self.mean).clamp(low, high);
        // A hundredth of a nanosecond, or what can be told at all.
        let enough = (self.period_s * f64::EPSILON).max(1e-11);
        for round in 0..2 * HALVINGS {
            let over = self.integral(at) - x;
            if over > 0.0 {
                high = at;
            } else {
                low = at;
            }
            let newton = at - over / (self.mean + self.amplitude * (self.omega * at).sin());
            let closes_in = (low..=high).contains(&newton) && (newton - at).abs() <= last_but_one / 2.0;
            let next = if closes_in && round < HALVINGS { newton } else { (low + high) / 2.0 };
            (last_but_one, last) = (last, (next - at).abs());
            if last <= enough {
                return next;
            }
            at = next;
        }
        at
    }
}
