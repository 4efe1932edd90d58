//! Numbers as people read them: three significant digits, a unit that fits.

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
    let decimals = match magnitude {
        0.0 => 0,
        m if m >= 100.0 => 0,
        m if m >= 10.0 => 1,
        m if m >= 1.0 => 2,
        m => (2 - m.log10().floor() as i32).clamp(0, 9) as usize,
    };
    format!("{value:.decimals$}")
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

/// A count, thousands apart.
pub fn count(value: u64) -> String {
    grouped(value as f64)
}

/// A duration in nanoseconds: `412 µs`, `1.23 ms`, `2.00 s`.
pub fn duration(ns: f64) -> String {
    let (scale, unit) = match ns.abs() {
        n if n >= 1e9 => (1e9, "s"),
        n if n >= 1e6 => (1e6, "ms"),
        n if n >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    format!("{} {unit}", plain(ns / scale))
}

/// A number of bytes in binary units: `312 MiB`.
pub fn bytes(value: f64) -> String {
    let units = [(1024.0 * 1024.0 * 1024.0, "GiB"), (1024.0 * 1024.0, "MiB"), (1024.0, "KiB")];
    match units.iter().find(|(scale, _)| value.abs() >= *scale) {
        Some((scale, unit)) => format!("{} {unit}", plain(value / scale)),
        None => format!("{} B", plain(value)),
    }
}

/// A share of 1 in per cent: `0.31 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", plain(share * 100.0))
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

/// A ratio without an interval: two decimals, as if it were a rough one.
pub fn ratio(value: f64) -> String {
    if value.is_finite() && value < 100.0 { format!("{value:.2}") } else { plain(value) }
}

/// A value in the unit that `stats` names.
pub fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "ns" => duration(value),
        "bytes" => bytes(value),
        "share" | "share_difference" => percent(value),
        "per_s" => format!("{}/s", plain(value)),
        "ratio" => ratio(value),
        _ => plain(value),
    }
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
            (plain(0.012_34), "0.0123"),
            (plain(0.0), "0"),
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
        ] {
            assert_eq!(found, expected);
        }
    }
}
