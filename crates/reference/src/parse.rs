//! The textual values of the configuration: durations, sizes, and the pairs and lists made of them.
//!
//! Each parser names the whole value it was given, what is wrong with it, and what it should look like.

use crate::ReferenceError;
use proofload_language::word;

/// Builds the error of a value that could not be read.
pub(crate) fn refuse(what: &'static str, value: &str, wrong: &str, expected: &'static str) -> ReferenceError {
    ReferenceError::BadValue { what, value: value.to_owned(), wrong: wrong.to_owned(), expected }
}

/// A duration such as `250us`, `1.5ms`, `2s`, `1m`, in nanoseconds; the unit is required, except for `0`.
pub(crate) fn duration(what: &'static str, value: &str) -> Result<u64, ReferenceError> {
    let expected = word!("expected-duration");
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
        "" => return Err(refuse(what, value, word!("wrong-no-unit"), expected)),
        _ => return Err(refuse(what, value, word!("wrong-unit-of-time"), expected)),
    };
    let nanos =
        decimal(number).ok_or_else(|| refuse(what, value, word!("wrong-duration"), expected))? * scale;
    if nanos > 1e18 {
        return Err(refuse(what, value, word!("wrong-too-long"), expected));
    }
    Ok(nanos.round() as u64)
}

/// A size in bytes, such as `1024`, `4KiB`, `1MiB`, `10kB`.
pub(crate) fn bytes(what: &'static str, value: &str) -> Result<u64, ReferenceError> {
    let expected = word!("expected-size");
    let (number, unit) = split_unit(value);
    let scale = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" | "k" | "K" => 1024.0,
        "MiB" | "M" => 1024.0 * 1024.0,
        "GiB" | "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(refuse(what, value, word!("wrong-unit-of-size"), expected)),
    };
    let size = decimal(number).ok_or_else(|| refuse(what, value, word!("wrong-size"), expected))? * scale;
    if size > 1e15 {
        return Err(refuse(what, value, word!("wrong-too-large"), expected));
    }
    Ok(size.round() as u64)
}

/// A probability from 0 to 1, or a percentage such as `0.1%`.
pub(crate) fn probability(what: &'static str, value: &str) -> Result<f64, ReferenceError> {
    let expected = word!("expected-probability");
    let read = match value.strip_suffix('%') {
        Some(percent) => decimal(percent).map(|p| p / 100.0),
        None => decimal(value),
    };
    let p = read.ok_or_else(|| refuse(what, value, word!("wrong-probability"), expected))?;
    if p > 1.0 {
        return Err(refuse(what, value, word!("wrong-over-one"), expected));
    }
    Ok(p)
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
