//! Constants in claims: a number with the unit of the measure that it is compared with.

use super::Measure;
use proofload_facts::{Expected, Mistake};

/// Units of each kind: the name of the kind, an example, and what each suffix multiplies by.
struct Kind {
    unit: &'static str,
    what: Expected,
    example: &'static str,
    suffixes: &'static [(&'static str, f64)],
}

const KINDS: [Kind; 7] = [
    Kind {
        unit: "ns",
        what: Expected::Duration,
        example: "50ms",
        suffixes: &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
    },
    Kind {
        unit: "per_s",
        what: Expected::Rate,
        example: "5k/s",
        suffixes: &[("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6)],
    },
    Kind { unit: "share", what: Expected::Share, example: "0.1%", suffixes: &[("%", 0.01)] },
    Kind {
        unit: "bytes",
        what: Expected::Size,
        example: "300MiB",
        suffixes: &[("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)],
    },
    Kind { unit: "count", what: Expected::PlainNumber, example: "0", suffixes: &[("", 1.0)] },
    Kind { unit: "cores", what: Expected::CoresNumber, example: "0.5", suffixes: &[("", 1.0)] },
    Kind { unit: "ratio", what: Expected::PlainNumber, example: "1.05", suffixes: &[("", 1.0)] },
];

/// The value of `number suffix` in the unit of what it is compared with; `measure` is `None` for a ratio.
pub(super) fn in_base_unit(number: f64, suffix: &str, measure: Option<Measure>) -> Result<f64, Mistake> {
    let unit = measure.map_or("ratio", Measure::unit);
    // Each unit of a measure has its kind; the last one is that of ratios.
    let kind = KINDS.iter().find(|kind| kind.unit == unit).unwrap_or(&KINDS[KINDS.len() - 1]);
    match kind.suffixes.iter().find(|(known, _)| *known == suffix).map(|(_, scale)| number * scale) {
        Some(value) if unit == "ratio" && value <= 0.0 => Err(Mistake::RatioAboveZero),
        Some(value) => Ok(value),
        None => Err(Mistake::WrongUnit {
            found: format!("{number}{suffix}"),
            measure: measure.map_or_else(|| "ratio".to_string(), Measure::name),
            expected: kind.what,
            form: kind.example,
        }),
    }
}
