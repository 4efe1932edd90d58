//! Numbers as people read them: three significant digits, a unit that fits.

use crate::Language;

/// A plain number with three significant digits, thousands apart: `6,210`, `31.4`, `0.0123`.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "?".into()
        } else if value > 0.0 {
            "∞".into()
        } else {
            "−∞".into()
        };
    }
    let magnitude = value.abs();
    if magnitude >= 1000.0 {
        return grouped(value);
    }
    // Rounding error of a difference of equal numbers.
    if magnitude < 1e-9 {
        return "0".into();
    }
    format!("{value:.0$}", decimals(value))
}

/// Decimals that make three significant digits.
fn decimals(value: f64) -> usize {
    match value.abs() {
        m if m >= 100.0 => 0,
        m if m >= 10.0 => 1,
        m if m >= 1.0 => 2,
        m => (2 - m.log10().floor() as i32).clamp(0, 9) as usize,
    }
}

/// A value with the decimals of another one, beside which it is shown.
fn plain_as(value: f64, beside: f64) -> String {
    let magnitude = value.abs();
    if beside.abs() < 1e-9
        || !beside.is_finite()
        || magnitude < 1e-9
        || !magnitude.is_finite()
        || magnitude >= 1000.0
    {
        return plain(value);
    }
    format!("{value:.0$}", decimals(beside))
}

fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if value < 0.0 { format!("-{out}") } else { out }
}

pub fn count(value: u64) -> String {
    grouped(value as f64)
}

/// The sign of per cent, with the space before it that English has.
pub fn percent_sign() -> &'static str {
    match Language::spoken() {
        Language::English => " %",
        Language::Chinese => "%",
    }
}

/// A change with its sign: `+9.5 %`.
pub fn signed_percent(share: f64) -> String {
    format!("{:+.1}{}", share * 100.0, percent_sign())
}

/// A confidence, to a tenth of a per cent: `95 %`, `98.8 %`.
pub fn confidence(share: f64) -> String {
    format!("{}{}", (share * 1000.0).round() / 10.0, percent_sign())
}

/// Scale and name of the unit in which a value of that magnitude is read most easily.
fn scale(value: f64, unit: &str) -> (f64, &'static str) {
    const KIB: f64 = 1024.0;
    let steps: &[(f64, &'static str)] = match unit {
        "ns" | "ns_difference" => &[(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")],
        "bytes" | "bytes_difference" => {
            &[(KIB * KIB * KIB, " GiB"), (KIB * KIB, " MiB"), (KIB, " KiB"), (1.0, " B")]
        }
        "share" | "share_difference" => return (0.01, percent_sign()),
        "per_s" => &[(1.0, "/s")],
        _ => &[(1.0, "")],
    };
    let fits = steps.iter().find(|(scale, _)| value.abs() >= *scale);
    fits.or(steps.last()).copied().unwrap_or((1.0, ""))
}

/// A duration in nanoseconds: `412 µs`, `1.23 ms`, `2.00 s`.
pub fn duration(ns: f64) -> String {
    with_unit(ns, "ns")
}

/// A number of bytes in binary units: `312 MiB`.
pub fn bytes(value: f64) -> String {
    with_unit(value, "bytes")
}

/// A value with the ends of its interval, the unit once: `412 µs [398, 427]`.
pub fn with_ends(value: f64, low: f64, high: f64, unit: &str) -> String {
    let (scale, name) = scale(value, unit);
    let end = |end: f64| plain_as(end / scale, value / scale);
    format!("{}{name} [{}, {}]", plain(value / scale), end(low), end(high))
}

/// An interval with its point: `1.034 [0.970, 1.098]`, `412 µs [398, 427]`.
pub fn interval(point: f64, low: f64, high: f64, unit: &str) -> String {
    if unit != "ratio" {
        return with_ends(point, low, high, unit);
    }
    let decimals = ratio_decimals_of(point, high - low);
    let [low, high] = [low, high].map(|end| ratio_end(end, decimals));
    format!("{point:.decimals$} [{low}, {high}]")
}

/// A value in the unit and with the decimals of another one, beside which it is shown: `0.99 ms` beside `1.00 ms`.
pub fn with_unit_as(value: f64, beside: f64, unit: &str) -> String {
    let (scale, name) = scale(beside, unit);
    format!("{}{name}", plain_as(value / scale, beside / scale))
}

/// A label of a scale, without zeros at its end: `50 ms`, `×1.05`.
pub fn short(value: f64, unit: &str) -> String {
    let (scale, name) = scale(value, unit);
    let mut digits = plain(value / scale);
    if digits.contains('.') {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    match unit {
        "ratio" => format!("×{digits}"),
        _ => format!("{digits}{name}"),
    }
}

/// A share of 1 in per cent: `0.31 %`.
pub fn percent(share: f64) -> String {
    with_unit(share, "share")
}

/// A share in per cent with as few digits as are read at a glance: `61 %`, `1.0 %`, `< 0.1 %`.
pub fn short_percent(share: f64) -> String {
    let sign = percent_sign();
    match share * 100.0 {
        percent if percent <= 0.0 => format!("0{sign}"),
        percent if percent < 0.1 => format!("< 0.1{sign}"),
        percent if percent < 9.95 => format!("{percent:.1}{sign}"),
        percent => format!("{percent:.0}{sign}"),
    }
}

/// A share as written in a text, without more digits than it was written with: `5 %`, `2.5 %`.
pub fn plain_percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 1e2)
}

/// Decimals of a ratio whose interval is that wide: two significant digits of the width.
pub fn ratio_decimals(width: f64) -> usize {
    if width > 0.04 {
        2
    } else if width > 0.004 {
        3
    } else {
        4
    }
}

/// Decimals of a ratio and of both ends of its interval: three digits of a ratio that is far from 1, two decimals of one near
/// it, and enough to tell the ends apart.
pub fn ratio_decimals_of(point: f64, width: f64) -> usize {
    const MOST: usize = 6;
    let of_point = match point {
        p if p >= 10.0 => decimals(p),
        p if (f64::MIN_POSITIVE..0.1).contains(&p) => decimals(p).min(MOST),
        _ => 2,
    };
    let of_width = match width {
        w if w > 4.0 => 0,
        w if w > 0.4 => 1,
        w => ratio_decimals(w),
    };
    of_point.max(of_width)
}

/// An end of a ratio's interval, with `decimals` decimals; after two restarts one may be beyond all measure: `3.6e6`.
pub fn ratio_end(value: f64, decimals: usize) -> String {
    if value >= 1e5 { format!("{value:.1e}") } else { format!("{value:.decimals$}") }
}

/// A ratio without an interval: two decimals, as if it were a rough one; three digits where two decimals tell little.
pub fn ratio(value: f64) -> String {
    if (0.1..10.0).contains(&value) || value == 0.0 { format!("{value:.2}") } else { plain(value) }
}

/// A value in the unit that `stats` names.
pub fn with_unit(value: f64, unit: &str) -> String {
    if unit == "ratio" {
        return ratio(value);
    }
    let (scale, name) = scale(value, unit);
    format!("{}{name}", plain(value / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit_that_fits() {
        for (found, expected) in [
            (plain(6_210.4), "6,210"),
            (plain(1_234_567.0), "1,234,567"),
            (plain(31.42), "31.4"),
            (ratio(0.000_489), "0.000489"),
            (ratio(1.054), "1.05"),
            (ratio(1_960.6), "1,961"),
            (ratio_end(1_960.64, 1), "1960.6"),
            (ratio_end(3_578_436.07, 2), "3.6e6"),
            (plain(0.012_34), "0.0123"),
            (plain(0.0), "0"),
            (plain(-1e-12), "0"),
            (plain(-1_500.0), "-1,500"),
            (plain(f64::INFINITY), "∞"),
            (duration(412_000.0), "412 µs"),
            (duration(1_234_000.0), "1.23 ms"),
            (duration(2e9), "2.00 s"),
            (bytes(327_155_712.0), "312 MiB"),
            (bytes(347.0), "347 B"),
            (percent(0.003_1), "0.310 %"),
            (ratio(1.034_4), "1.03"),
            (ratio(1_234.0), "1,234"),
            (with_unit(5_000.0, "per_s"), "5,000/s"),
            (with_ends(1_000_000.0, 990_000.0, 1_010_000.0, "ns"), "1.00 ms [0.99, 1.01]"),
            (with_ends(0.0, 0.0, 0.0, "bytes"), "0 B [0, 0]"),
            (with_ends(0.000_555, 0.0, 0.001_37, "share"), "0.0555 % [0, 0.1370]"),
            (with_ends(990.0, 985.0, 1_012.0, "per_s"), "990/s [985, 1,012]"),
            (with_unit_as(990_000.0, 1_000_000.0, "ns"), "0.99 ms"),
            (short(50e6, "ns"), "50 ms"),
            (short(1.05, "ratio"), "×1.05"),
        ] {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_ratio_has_the_decimals_of_its_interval_and_at_least_a_digit() {
        for (point, width, expected) in [
            (1.0, 0.5, 2),
            (1.0, 0.02, 3),
            (1.0, 0.002, 4),
            (0.002_45, 0.07, 5),
            (0.068_6, 0.12, 4),
            (145.48, 153.2, 0),
            (87.8, 12.0, 1),
            (12.3, 0.02, 3),
            (1e-9, 0.07, 6),
            (0.0, 0.0, 4),
            (-0.001, 0.07, 2),
        ] {
            assert_eq!(ratio_decimals_of(point, width), expected, "{point} {width}");
        }
    }
}
