//! Constants in claims: a number with the unit of the measure that it is compared with.

use super::Measure;

/// Units of each kind: the name of the kind, an example, and what each suffix multiplies by.
struct Kind {
    unit: &'static str,
    what: &'static str,
    example: &'static str,
    suffixes: &'static [(&'static str, f64)],
}

const KINDS: [Kind; 7] = [
    Kind {
        unit: "ns",
        what: "a time",
        example: "50ms",
        suffixes: &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
    },
    Kind {
        unit: "per_s",
        what: "a rate",
        example: "5k/s",
        suffixes: &[("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6)],
    },
    Kind { unit: "share", what: "a share", example: "0.1%", suffixes: &[("%", 0.01)] },
    Kind {
        unit: "bytes",
        what: "a size",
        example: "300MiB",
        suffixes: &[("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)],
    },
    Kind { unit: "count", what: "a plain number", example: "0", suffixes: &[("", 1.0)] },
    Kind { unit: "cores", what: "a number of cores", example: "0.5", suffixes: &[("", 1.0)] },
    Kind { unit: "ratio", what: "a plain number", example: "1.05", suffixes: &[("", 1.0)] },
];

/// The value of `number suffix` in the unit of what it is compared with; `measure` is `None` for a ratio.
pub(super) fn in_base_unit(number: f64, suffix: &str, measure: Option<Measure>) -> Result<f64, String> {
    let unit = measure.map_or("ratio", Measure::unit);
    let name = measure.map_or_else(|| "a ratio".to_string(), Measure::name);
    let Some(kind) = KINDS.iter().find(|kind| kind.unit == unit) else {
        return Err(format!("{name} cannot be compared with a constant"));
    };
    if let Some((_, scale)) = kind.suffixes.iter().find(|(known, _)| *known == suffix) {
        let value = number * scale;
        return if unit == "ratio" && value <= 0.0 {
            Err("a ratio is always above zero; compare it with a number above zero, like 1.05".to_string())
        } else {
            Ok(value)
        };
    }
    let instead = format!("{name} is compared with {}, for example {}", kind.what, kind.example);
    let other = KINDS.iter().find(|kind| kind.suffixes.iter().any(|(known, _)| *known == suffix));
    Err(match other {
        _ if suffix.is_empty() => format!("`{number}` lacks a unit: {instead}"),
        Some(other) => format!("`{number}{suffix}` is {}, but {instead}", other.what),
        None => format!("the unit `{suffix}` is not known: {instead}"),
    })
}
