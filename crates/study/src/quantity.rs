//! Durations, sizes, rates, counts and headers as people write them; shared with the command line.

use super::keys::{Kind, kinds};
use super::problem::shown;
use proofload_engine::KeepAlive;
use proofload_facts::{Expected, Mistake};

kinds! {
    /// A duration such as `10s`, `250ms` or `1m30s`.
    DURATION = Kind::Text(r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*(ns|us|µs|μs|ms|s|m|min|h)");
    /// A number of bytes, with or without a unit.
    SIZE = Kind::Either(&[
        &Kind::Integer(0, u64::MAX),
        &Kind::Text(r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*(|B|KiB|MiB|GiB|kB|MB|GB)\s*$"),
    ]);
    /// Requests in a time: `500`, `5k/s`, `30/m`.
    RATE = Kind::Either(&[
        &Kind::Number(r#"{"type": "number", "exclusiveMinimum": 0, "maximum": 100000000}"#),
        &RATE_TEXT,
    ]);
    /// A number of connections.
    CONNECTIONS = Kind::Integer(1, CONNECTIONS_MAX);
}

/// A rate as text; 0 is allowed.
pub(crate) const RATE_TEXT: Kind =
    Kind::Text(r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*[kM]?\s*(rps|/\s*[0-9.]*\s*[a-z]+)?\s*$");

const NS_PER_S: f64 = 1e9;

/// Longest duration that is taken: a week. Longer is a slip of the unit.
const DURATION_MAX_NS: f64 = 7.0 * 86_400.0 * NS_PER_S;

/// Largest rate that is taken, per second: more than a loopback can carry.
const RATE_MAX: f64 = 1e8;

/// Most connections that are taken: more than two addresses have ports for.
pub const CONNECTIONS_MAX: u64 = 100_000;

/// Longest header value, in bytes: the limit of a whole head in common servers.
const HEADER_VALUE_MAX: usize = 8 * 1024;

/// Length of a unit of time, in nanoseconds.
fn unit_ns(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" | "nanosecond" | "nanoseconds" => 1.0,
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => 1e3,
        "ms" | "msec" | "millisecond" | "milliseconds" => 1e6,
        "s" | "sec" | "secs" | "second" | "seconds" => NS_PER_S,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0 * NS_PER_S,
        "h" | "hr" | "hour" | "hours" => 3600.0 * NS_PER_S,
        _ => return None,
    })
}

/// True for what may follow a number as its unit: `s`, `minutes`, `k/s`, `/m`, `rps`, nothing.
pub(crate) fn is_unit(word: &str) -> bool {
    unit_ns(word).is_some() || per_s(word).is_some()
}

/// A duration in nanoseconds: `10s`, `250ms`, `1.5s`, `1m30s`, `40us`, `10 milliseconds`, `0s`.
///
/// # Errors
/// The mistake, and what to write instead, when it has no unit, is negative or longer than a week.
pub fn duration(text: &str) -> Result<u64, Mistake> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return Err(Mistake::Empty { form: "10s".to_string() });
    }
    while !rest.is_empty() {
        let (number, after) = split_number(rest)
            .ok_or_else(|| Mistake::not(shown(text), Expected::Duration, "10s, 250ms, 1m30s"))?;
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, behind) = after.split_at(unit_end);
        let factor = match unit_ns(unit.trim()) {
            Some(factor) => factor,
            None if unit.trim().is_empty() => {
                let text = shown(text);
                let form = format!("{text}s, {text}ms");
                return Err(Mistake::not(text, Expected::Duration, form));
            }
            None => return Err(Mistake::not(shown(unit.trim()), Expected::Unit, "ns, us, ms, s, m, h")),
        };
        total += number * factor;
        rest = behind;
    }
    if total > DURATION_MAX_NS {
        return Err(Mistake::beyond(shown(text), "0s", "168h"));
    }
    Ok(total.round() as u64)
}

/// A number of bytes: `347`, `4KiB`, `1.5MiB`, `10kB`.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn size(text: &str) -> Result<u64, Mistake> {
    let wrong = || Mistake::not(shown(text), Expected::Size, "347, 4KiB, 1MiB");
    let (number, unit) = split_number(text.trim()).ok_or_else(wrong)?;
    let factor = match unit.trim() {
        "" | "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        other => {
            return Err(Mistake::not(shown(other), Expected::Unit, "B, KiB (1024), kB (1000), MiB, GiB"));
        }
    };
    let bytes = number * factor;
    if bytes.fract() != 0.0 || bytes > 9e15 {
        return Err(Mistake::not(shown(text), Expected::Bytes, "347, 4KiB"));
    }
    Ok(bytes as u64)
}

/// Value of a rate's unit, per second: of `k/s` 1000, of `/m` a sixtieth, of `/10s` a tenth, of `rps` 1.
pub(crate) fn per_s(unit: &str) -> Option<f64> {
    let (scale, time) = match unit.split_once('/') {
        Some((scale, time)) => (scale, time.trim()),
        None => (unit.strip_suffix("rps").unwrap_or(unit), "s"),
    };
    let scale = match scale.trim() {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        _ => return None,
    };
    let ns = unit_ns(time).or_else(|| duration(time).ok().map(|ns| ns as f64)).filter(|ns| *ns > 0.0)?;
    Some(scale / (ns / NS_PER_S))
}

/// A rate per second: `500`, `500/s`, `5k/s`, `2.5k`, `1M/s`, `30/m`, `5000/sec`, `100/10s`, `500 rps`.
///
/// # Errors
/// The mistake, and what to write instead, when it is not positive or its unit is not one of a rate.
pub fn rate(text: &str) -> Result<f64, Mistake> {
    let wrong = || Mistake::not(shown(text), Expected::Rate, "500/s, 5k/s");
    let trimmed = text.trim();
    let (number, unit) = split_number(trimmed).ok_or_else(wrong)?;
    let rate = number * per_s(unit.trim()).ok_or_else(wrong)?;
    match rate > 0.0 && rate <= RATE_MAX {
        true => Ok(rate),
        false => Err(Mistake::beyond(shown(text), "0.001/s", "100M/s")),
    }
}

/// The label of a rate: `5k/s`, `2.5k/s`, `500/s`.
pub fn rate_label(rate_per_s: f64) -> String {
    for (factor, letter) in [(1e6, "M"), (1e3, "k")] {
        let scaled = rate_per_s / factor;
        // Up to three digits behind the point are easier to read than the zeros they replace.
        if scaled >= 1.0 && ((scaled * 1e3).round() - scaled * 1e3).abs() < 1e-6 && scaled * 1e1 % 1.0 == 0.0
        {
            return format!("{scaled}{letter}/s");
        }
    }
    format!("{rate_per_s}/s")
}

/// A header as `Name: value`.
///
/// # Errors
/// A name that is not a token (RFC 9110, 5.6.2), a value with a line break or another control character, or a header
/// that the generator sets itself.
pub fn header(text: &str) -> Result<(String, String), Mistake> {
    let Some((name, value)) = text.split_once(':') else {
        return Err(Mistake::not(shown(text), Expected::Header, "Name: value"));
    };
    header_name(name)?;
    let value = value.trim();
    header_value(value)?;
    Ok((name.to_string(), value.to_string()))
}

/// Headers that frame the message or the connection: the generator writes them, for a second one would
/// break the books.
const OWN_HEADERS: [&str; 7] =
    ["content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer"];

/// Checks a header's name.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn header_name(name: &str) -> Result<(), Mistake> {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(token) {
        return Err(Mistake::not(shown(name), Expected::HeaderName, "X-Name"));
    }
    if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(Mistake::own_header(name));
    }
    Ok(())
}

/// Checks a header's value.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn header_value(value: &str) -> Result<(), Mistake> {
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(Mistake::ControlCharacter);
    }
    if value.len() > HEADER_VALUE_MAX {
        return Err(Mistake::TooLong { length: value.len() as u64, most: "8 KiB".to_string() });
    }
    Ok(())
}

/// Reuse of connections as on the command line: `on`, `off`, or a number of exchanges for each connection.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn keep_alive(text: &str) -> Result<KeepAlive, Mistake> {
    match text.trim() {
        "on" | "true" => Ok(KeepAlive::On),
        "off" | "false" => Ok(KeepAlive::Off),
        number => match number.parse::<u32>() {
            Ok(count) if count >= 1 => Ok(KeepAlive::Every(count)),
            _ => Err(Mistake::not(shown(text), Expected::KeepAlive, "on, off, 100")),
        },
    }
}

/// `on`, `off`, or the number of exchanges for each connection.
pub fn keep_alive_label(keep_alive: KeepAlive) -> String {
    match keep_alive {
        KeepAlive::On => "on".to_string(),
        KeepAlive::Off => "off".to_string(),
        KeepAlive::Every(count) => count.to_string(),
    }
}

/// A decimal number at the start of the text, and what follows it.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    number.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| (number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("10s"), Ok(10_000_000_000));
        assert_eq!(duration("250ms"), Ok(250_000_000));
        assert_eq!(duration("1m30s"), Ok(90_000_000_000));
        assert_eq!(duration("1.5s"), Ok(1_500_000_000));
        assert_eq!(duration("40us"), Ok(40_000));
        assert_eq!(duration("0s"), Ok(0));
        assert_eq!((duration("20 ms"), duration(" 1 m 30 s ")), (Ok(20_000_000), Ok(90_000_000_000)));
        assert_eq!(duration("10"), Err(Mistake::not("10", Expected::Duration, "10s, 10ms")));
        assert_eq!(
            (duration("10 milliseconds"), duration("1 hour 5sec")),
            (Ok(10_000_000), Ok(3_605_000_000_000))
        );
        for wrong in ["", "s", "-1s", "10 parsecs", "1e9s", "8d", "..s", "1000h", "١s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_tell_1000_from_1024() {
        assert_eq!(size("347"), Ok(347));
        assert_eq!(size("4KiB"), Ok(4096));
        assert_eq!(size("4kB"), Ok(4000));
        assert_eq!(size("1.5KiB"), Ok(1536));
        for wrong in ["", "KiB", "4KB", "0.3B", "-1", "99999999GiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates_are_positive_and_have_a_unit_of_time() {
        assert_eq!(rate("5k/s"), Ok(5000.0));
        assert_eq!(rate("2k"), Ok(2000.0));
        assert_eq!(rate("0.5/s"), Ok(0.5));
        for (text, per_s) in [("30/m", 0.5), ("5000/sec", 5000.0), ("6k/minute", 100.0), ("36/h", 0.01)] {
            assert_eq!(rate(text), Ok(per_s), "{text}");
        }
        for (text, per_s) in
            [("100/10s", 10.0), ("50/1s", 50.0), ("2/500ms", 4.0), ("2k rps", 2000.0), ("1 / s", 1.0)]
        {
            assert_eq!(rate(text), Ok(per_s), "{text}");
        }
        for wrong in
            ["", "0", "-5", "5k/parsec", "5/0s", "5/", "5//s", "fast", "1000M/s", "nan", "5K/s", "rps"]
        {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn labels_of_rates_are_short_and_are_rates_themselves() {
        for (per_s, label) in [
            (5000.0, "5k/s"),
            (2500.0, "2.5k/s"),
            (500.0, "500/s"),
            (1e6, "1M/s"),
            (0.5, "0.5/s"),
            (1234.0, "1234/s"),
        ] {
            assert_eq!(rate_label(per_s), label);
            assert_eq!(rate(label), Ok(per_s));
        }
    }

    #[test]
    fn a_header_cannot_smuggle_a_second_one() {
        assert_eq!(header("Accept: text/html"), Ok(("Accept".into(), "text/html".into())));
        for wrong in
            ["Accept", "A b: c", ": x", "X: a\r\nY: b", "Content-Length: 3", "connection: close", "X: \0"]
        {
            assert!(header(wrong).is_err(), "{wrong:?}");
        }
    }
}
