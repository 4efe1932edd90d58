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
    // What is left of a difference of equal numbers.
    if magnitude < 1e-9 {
        return "0".into();
    }
    let decimals = match magnitude {
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

/// Scale and name of the unit in which a value of that magnitude is read most easily.
fn scale(value: f64, unit: &str) -> (f64, &'static str) {
    const KIB: f64 = 1024.0;
    let steps: &[(f64, &'static str)] = match unit {
        "ns" | "ns_difference" => &[(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")],
        "bytes" | "bytes_difference" => {
            &[(KIB * KIB * KIB, " GiB"), (KIB * KIB, " MiB"), (KIB, " KiB"), (1.0, " B")]
        }
        "share" | "share_difference" => &[(0.01, " %")],
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
    format!("{}{name} [{}, {}]", plain(value / scale), plain(low / scale), plain(high / scale))
}

/// A share of 1 in per cent: `0.31 %`.
pub fn percent(share: f64) -> String {
    with_unit(share, "share")
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

/// The same, and enough of them for a digit of a very small ratio: `0.002` where two decimals say `0.00`.
pub fn ratio_decimals_of(point: f64, width: f64) -> usize {
    const MOST: usize = 6;
    let leading = if (f64::MIN_POSITIVE..0.01).contains(&point) { -point.log10().floor() } else { 0.0 };
    ratio_decimals(width).max((leading as usize).min(MOST))
}

/// A ratio without an interval: two decimals, as if it were a rough one; three digits where two decimals say little.
pub fn ratio(value: f64) -> String {
    if (0.1..100.0).contains(&value) || value == 0.0 { format!("{value:.2}") } else { plain(value) }
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
            (with_ends(1_000_000.0, 990_000.0, 1_010_000.0, "ns"), "1.00 ms [0.990, 1.01]"),
            (with_ends(0.0, 0.0, 0.0, "bytes"), "0 B [0, 0]"),
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
            (0.002_45, 0.07, 3),
            (0.01, 0.07, 2),
            (1e-9, 0.07, 6),
            (0.0, 0.0, 4),
            (-0.001, 0.07, 2),
        ] {
            assert_eq!(ratio_decimals_of(point, width), expected, "{point} {width}");
        }
    }
}
