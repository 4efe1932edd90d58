//! The textual values of the configuration: durations, sizes, and the pairs and lists made of them.
//!
//! Each parser names the whole value it was given, what is wrong with it, and what it should look like.

use crate::ReferenceError;
use proofload_language::tr;

/// Builds the error of a value that could not be read.
pub(crate) fn refuse(what: &'static str, value: &str, wrong: &str, expected: &'static str) -> ReferenceError {
    ReferenceError::BadValue { what, value: value.to_owned(), wrong: wrong.to_owned(), expected }
}

/// A duration such as `250us`, `1.5ms`, `2s`, `1m`, in nanoseconds; the unit is required, except for `0`.
pub(crate) fn duration(what: &'static str, value: &str) -> Result<u64, ReferenceError> {
    let expected = tr!("expected-duration");
    if value == "0" {
        return Ok(0);
    }
    let (number, unit) = split_unit(value);
    let scale = match unit.trim_start() {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" | "min" => 60e9,
        "" => return Err(refuse(what, value, tr!("wrong-no-unit"), expected)),
        _ => return Err(refuse(what, value, tr!("wrong-unit-of-time"), expected)),
    };
    let nanos = decimal(number).ok_or_else(|| refuse(what, value, tr!("wrong-duration"), expected))? * scale;
    if nanos > 1e18 {
        return Err(refuse(what, value, tr!("wrong-too-long"), expected));
    }
    Ok(nanos.round() as u64)
}

/// A size in bytes, such as `1024`, `4KiB`, `1MiB`, `10kB`.
pub(crate) fn bytes(what: &'static str, value: &str) -> Result<u64, ReferenceError> {
    let expected = tr!("expected-size");
    let (number, unit) = split_unit(value);
    let scale = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" | "k" | "K" => 1024.0,
        "MiB" | "M" => 1024.0 * 1024.0,
        "GiB" | "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(refuse(what, value, tr!("wrong-unit-of-size"), expected)),
    };
    let size = decimal(number).ok_or_else(|| refuse(what, value, tr!("wrong-size"), expected))? * scale;
    if size > 1e15 {
        return Err(refuse(what, value, tr!("wrong-too-large"), expected));
    }
    Ok(size.round() as u64)
}

/// A probability from 0 to 1, or a percentage such as `0.1%`.
pub(crate) fn probability(what: &'static str, value: &str) -> Result<f64, ReferenceError> {
    let expected = tr!("expected-probability");
    let read = match value.strip_suffix('%') {
        Some(percent) => decimal(percent).map(|p| p / 100.0),
        None => decimal(value),
    };
    let p = read.ok_or_else(|| refuse(what, value, tr!("wrong-probability"), expected))?;
    if p > 1.0 {
        return Err(refuse(what, value, tr!("wrong-over-one"), expected));
    }
    Ok(p)
}

/// A whole value, and the two texts that an error about it adds.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub what: &'static str,
    pub text: &'a str,
    pub expected: &'static str,
}

impl<'a> Text<'a> {
    pub fn refuse(self, wrong: &str) -> ReferenceError {
        refuse(self.what, self.text, wrong, self.expected)
    }

    /// The two ends of `1ms..3ms`, each read by `end`.
    pub fn range(
        self,
        value: &str,
        end: impl Fn(&str) -> Result<u64, ReferenceError>,
    ) -> Result<(u64, u64), ReferenceError> {
        let (low, high) = value.split_once("..").ok_or_else(|| self.refuse(tr!("wrong-range")))?;
        let (low, high) = (end(low)?, end(high)?);
        if low > high { Err(self.refuse(tr!("wrong-backwards"))) } else { Ok((low, high)) }
    }

    /// The pairs of `name=value,name=value`, each name once; none of `none`.
    pub fn pairs(self) -> Result<Vec<(&'a str, &'a str)>, ReferenceError> {
        let mut found: Vec<(&str, &str)> = Vec::new();
        for pair in self.text.split(',').filter(|_| self.text != "none") {
            let Some((name, value)) = pair.split_once('=') else {
                return Err(self.refuse(&tr!("wrong-no-equals", pair = format!("{pair:?}"))));
            };
            if found.iter().any(|(known, _)| *known == name) {
                return Err(self.refuse(&tr!("wrong-twice", name)));
            }
            found.push((name, value));
        }
        Ok(found)
    }

    /// The place of a fault of this name among all.
    pub fn place_of(
        self,
        name: &str,
        mut names: impl Iterator<Item = &'static str>,
    ) -> Result<usize, ReferenceError> {
        let place = names.position(|known| known == name);
        place.ok_or_else(|| self.refuse(&tr!("wrong-fault", name = format!("{name:?}"))))
    }

    /// Refuses probabilities that exceed 1 together.
    pub fn check_sum(self, probability: &[f64]) -> Result<(), ReferenceError> {
        // Ten terms of 0.1 sum to a hair over 1 in floating point.
        match probability.iter().sum::<f64>() > 1.0 + 1e-9 {
            true => Err(self.refuse(tr!("wrong-sum"))),
            false => Ok(()),
        }
    }
}

/// The place that a number from 0 to 1 falls into, if these probabilities are laid end to end.
pub(crate) fn drawn(probability: &[f64], mut unit: f64) -> Option<usize> {
    probability.iter().position(|share| {
        unit -= share;
        unit < 0.0
    })
}

fn split_unit(value: &str) -> (&str, &str) {
    let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(value.len());
    value.split_at(end)
}

/// Digits with at most one point; `f64::from_str` alone would take `inf`, `1e9` and `-0` too.
fn decimal(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_carry_their_unit() {
        assert_eq!(duration("x", "200us").unwrap(), 200_000);
        assert_eq!(duration("x", "1.5ms").unwrap(), 1_500_000);
        assert_eq!(duration("x", "2s").unwrap(), 2_000_000_000);
        assert_eq!(duration("x", "5 ms").unwrap(), 5_000_000);
        assert_eq!(duration("x", "0").unwrap(), 0);
    }

    #[test]
    fn durations_that_mean_nothing_are_refused_by_name() {
        for bad in ["", "5", "ms", "-1ms", "1.2.3ms", "1e3ms", "5 m s", "inf", "NaNs", "9999999999999s"] {
            let error = duration("the service time", bad).unwrap_err().to_string();
            assert!(error.contains("the service time") && error.contains(&format!("{bad:?}")), "{error}");
        }
    }

    #[test]
    fn sizes_know_binary_and_decimal_units() {
        assert_eq!(bytes("x", "1024").unwrap(), 1024);
        assert_eq!(bytes("x", "4KiB").unwrap(), 4096);
        assert_eq!(bytes("x", "10kB").unwrap(), 10_000);
        for bad in ["", "k", "-1", "1e3", "4kib", "9999999GiB"] {
            assert!(bytes("x", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn probabilities_lie_between_0_and_1() {
        assert_eq!(probability("x", "0.25").unwrap(), 0.25);
        assert_eq!(probability("x", "1%").unwrap(), 0.01);
        for bad in ["", "1.1", "-0.1", "101%", "nan", "half"] {
            assert!(probability("x", bad).is_err(), "{bad}");
        }
    }
}
