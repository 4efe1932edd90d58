//! Times and sizes of answers: distributions that are known exactly.

use crate::ReferenceError;
use crate::dice::Dice;
use crate::parse::{Text, bytes, duration};
use proofload_language::tr;

/// Longest delay or spin that can be configured, and the cap of an exponential draw: a minute.
pub const SERVICE_MAX_NS: u64 = 60_000_000_000;

/// Largest body that can be configured: 1 GiB.
pub const SIZE_MAX: u64 = 1 << 30;

/// Delay of an answer before it is sent. Waiting costs no CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// Not at all.
    None,
    /// Always the same, in nanoseconds.
    Constant(u64),
    /// Exponential with this mean in nanoseconds, capped at [`SERVICE_MAX_NS`].
    Exponential(u64),
    /// Uniform between two bounds in nanoseconds, both included.
    Uniform(u64, u64),
}

/// Service time of a request: CPU time, then a wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceTime {
    /// CPU time burnt on the worker's thread when the request arrives, in nanoseconds. Other requests of
    /// that worker wait meanwhile.
    pub spin_ns: u64,
    /// The wait after that.
    pub delay: Delay,
}

impl ServiceTime {
    pub const NONE: ServiceTime = ServiceTime { spin_ns: 0, delay: Delay::None };

    /// Reads `none`, `const:2ms`, `exp:500us`, `uniform:1ms..3ms`, `spin:200us`, or a spin and a delay
    /// joined, `spin:50us+exp:1ms`.
    ///
    /// # Errors
    /// [`ReferenceError::BadValue`] when the text is none of these, or longer than a minute.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let expected = "none, const:2ms, exp:500us, uniform:1ms..3ms, spin:200us, or spin:50us+exp:1ms";
        let given = Text { what: tr!("value-service"), text, expected };
        let bounded = |value: &str| {
            let nanos = duration(given.what, value)?;
            if nanos > SERVICE_MAX_NS {
                return Err(given.refuse(tr!("wrong-over-a-minute")));
            }
            Ok(nanos)
        };
        let mut service = ServiceTime::NONE;
        if text == "none" {
            return Ok(service);
        }
        for term in text.split('+') {
            let Some((kind, value)) = term.split_once(':') else {
                return Err(given.refuse(tr!("wrong-no-distribution")));
            };
            if kind == "spin" && service.spin_ns == 0 {
                service.spin_ns = bounded(value)?;
                continue;
            }
            if service.delay != Delay::None {
                return Err(given.refuse(tr!("wrong-two-delays")));
            }
            service.delay = match kind {
                "const" => Delay::Constant(bounded(value)?),
                "exp" => Delay::Exponential(bounded(value)?),
                "uniform" => {
                    let (low, high) = given.range(value, bounded)?;
                    Delay::Uniform(low, high)
                }
                "spin" => return Err(given.refuse(tr!("wrong-spins-twice"))),
                _ => return Err(given.refuse(tr!("wrong-distribution"))),
            };
        }
        Ok(service)
    }
}

impl Delay {
    /// One delay in nanoseconds.
    pub fn draw(self, dice: &mut Dice) -> u64 {
        match self {
            Delay::None => 0,
            Delay::Constant(nanos) => nanos,
            // 1 - u lies in (0, 1], so the logarithm is finite.
            Delay::Exponential(mean) => {
                let nanos = -(1.0 - dice.unit()).ln() * mean as f64;
                (nanos.round() as u64).min(SERVICE_MAX_NS)
            }
            Delay::Uniform(low, high) => dice.between(low, high),
        }
    }
}

/// Size of an answer's body, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Always the same.
    Constant(u64),
    /// Uniform between two bounds, both included.
    Uniform(u64, u64),
}

impl Size {
    /// Reads `1024`, `4KiB`, `const:1024` or `uniform:100..10KiB`.
    ///
    /// # Errors
    /// [`ReferenceError::BadValue`] when the text is none of these, or larger than [`SIZE_MAX`].
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let expected = "const:1024, 4KiB or uniform:100..10KiB";
        let given = Text { what: tr!("value-body"), text, expected };
        let bounded = |value: &str| match bytes(given.what, value)? {
            size if size > SIZE_MAX => Err(given.refuse(tr!("wrong-over-a-gib"))),
            size => Ok(size),
        };
        match text.split_once(':') {
            None => Ok(Size::Constant(bounded(text)?)),
            Some(("const", value)) => Ok(Size::Constant(bounded(value)?)),
            Some(("uniform", value)) => {
                let (low, high) = given.range(value, bounded)?;
                Ok(Size::Uniform(low, high))
            }
            Some(_) => Err(given.refuse(tr!("wrong-distribution"))),
        }
    }

    /// One size in bytes.
    pub fn draw(self, dice: &mut Dice) -> u64 {
        match self {
            Size::Constant(size) => size,
            Size::Uniform(low, high) => dice.between(low, high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 100_000;

    fn sorted_draws(delay: Delay) -> Vec<f64> {
        let mut draws: Vec<f64> =
            (0..DRAWS as u64).map(|r| delay.draw(&mut Dice::for_request(11, 1, r)) as f64).collect();
        draws.sort_by(f64::total_cmp);
        draws
    }

    /// The Kolmogorov–Smirnov distance between draws and a distribution function.
    fn distance(draws: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
        let n = draws.len() as f64;
        let gap = |(i, &x): (usize, &f64)| {
            let f = cdf(x);
            (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
        };
        draws.iter().enumerate().map(gap).fold(0.0, f64::max)
    }

    /// The 99.9 % bound of the K–S distance for large n (Smirnov 1948).
    fn bound() -> f64 {
        1.95 / (DRAWS as f64).sqrt()
    }

    #[test]
    fn exponential_delays_are_exponential() {
        let d = distance(&sorted_draws(Delay::Exponential(500_000)), |x| 1.0 - (-x / 500_000.0).exp());
        assert!(d < bound(), "{d}");
    }

    #[test]
    fn uniform_delays_are_uniform_and_stay_within_their_bounds() {
        let draws = sorted_draws(Delay::Uniform(1_000_000, 3_000_000));
        assert!(draws[0] >= 1e6 && draws[DRAWS - 1] <= 3e6);
        let d = distance(&draws, |x| (x - 1e6) / 2e6);
        assert!(d < bound(), "{d}");
    }

    #[test]
    fn the_wrong_distribution_would_be_noticed() {
        let d = distance(&sorted_draws(Delay::Exponential(500_000)), |x| 1.0 - (-x / 510_000.0).exp());
        assert!(d > bound(), "{d}");
    }

    #[test]
    fn service_times_are_read() {
        let read = |text| ServiceTime::parse(text).unwrap();
        assert_eq!(read("none"), ServiceTime::NONE);
        assert_eq!(read("const:2ms").delay, Delay::Constant(2_000_000));
        assert_eq!(read("exp:500us").delay, Delay::Exponential(500_000));
        assert_eq!(read("uniform:1ms..3ms").delay, Delay::Uniform(1_000_000, 3_000_000));
        assert_eq!(read("spin:200us"), ServiceTime { spin_ns: 200_000, delay: Delay::None });
        let both = ServiceTime { spin_ns: 50_000, delay: Delay::Exponential(1_000_000) };
        assert_eq!(read("spin:50us+exp:1ms"), both);
    }

    #[test]
    fn service_times_that_mean_nothing_say_what_would() {
        let bad = [
            "",
            "2ms",
            "const",
            "const:2",
            "gauss:2ms",
            "uniform:3ms..1ms",
            "uniform:1ms",
            "exp:2h",
            "const:61s",
            "const:1ms+exp:1ms",
            "spin:1us+spin:1us",
            "none+const:1ms",
        ];
        for text in bad {
            let error = ServiceTime::parse(text).unwrap_err().to_string();
            assert!(error.contains("the service time") && error.contains("such as"), "{text}: {error}");
        }
    }

    #[test]
    fn sizes_are_read_and_drawn() {
        assert_eq!(Size::parse("const:1024").unwrap(), Size::Constant(1024));
        assert_eq!(Size::parse("4KiB").unwrap(), Size::Constant(4096));
        let size = Size::parse("uniform:100..200").unwrap();
        for request in 0..1000 {
            assert!((100..=200).contains(&size.draw(&mut Dice::for_request(3, 1, request))));
        }
        for bad in ["uniform:2..1", "uniform:2", "exp:100", "2GiB", "const:"] {
            assert!(Size::parse(bad).is_err(), "{bad}");
        }
    }
}
