//! Distributions of pauses and sizes as people write them; shared by studies and the command line.

use super::problem::shown;
use super::suggest::not_one_of;
use proofload_engine::Distribution;
use proofload_facts::{Expected, Mistake, Thing};

/// Most values of a list.
const LIST_MAX: usize = 10_000;

/// A distribution: `100ms`, `exp:100ms`, `uniform:50ms..150ms`, `lognormal:100ms,p99=1s`, `list:10ms,20ms`. `unit`
/// reads a single value.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn distribution(
    text: &str,
    unit: impl Fn(&str) -> Result<u64, Mistake>,
    example: &str,
) -> Result<Distribution, Mistake> {
    let Some((kind, rest)) = text.trim().split_once(':') else {
        return unit(text).map(Distribution::Constant);
    };
    let found = match kind.trim() {
        "const" => Distribution::Constant(unit(rest)?),
        "exp" => Distribution::Exponential { mean: unit(rest)? },
        "uniform" => {
            let wrong = || Mistake::not(shown(rest), Expected::Span, example);
            let (low, high) = rest.split_once("..").ok_or_else(wrong)?;
            Distribution::Uniform { low: unit(low)?, high: unit(high)? }
        }
        "lognormal" => log_normal(rest, unit, example)?,
        "normal" => {
            let wrong = || Mistake::not(shown(rest), Expected::Distribution, "normal:2s,sd=500ms");
            let (mean, deviation) = rest.split_once(",").ok_or_else(wrong)?;
            let deviation = deviation.trim().strip_prefix("sd=").ok_or_else(wrong)?;
            Distribution::Normal { mean: unit(mean)?, deviation: unit(deviation)? }
        }
        "list" => {
            let values: Vec<u64> = rest.split(',').map(unit).collect::<Result<_, _>>()?;
            if values.len() > LIST_MAX {
                return Err(Mistake::too_many(Thing::Value, values.len(), LIST_MAX));
            }
            Distribution::List(values.into())
        }
        other => return Err(not_one_of(other, &["const", "uniform", "exp", "normal", "lognormal", "list"])),
    };
    match found {
        Distribution::Uniform { low, high } if low > high => {
            Err(Mistake::EndsBeforeItBegins { found: shown(text) })
        }
        found if found.problem().is_none() => Ok(found),
        _ => Err(Mistake::BadDistribution { found: shown(text), form: example.to_string() }),
    }
}

/// `100ms,p99=1s` or `100ms,sigma=0.8`.
fn log_normal(
    text: &str,
    unit: impl Fn(&str) -> Result<u64, Mistake>,
    example: &str,
) -> Result<Distribution, Mistake> {
    let parts = text.split_once(',').and_then(|(median, width)| Some((median, width.split_once('=')?)));
    let Some((median, (name, width))) = parts else {
        return Err(Mistake::not(shown(text), Expected::Distribution, example));
    };
    let median = unit(median)?;
    match name.trim() {
        "p99" => Ok(Distribution::log_normal(median, unit(width)?)),
        "sigma" => match width.trim().parse::<f64>() {
            Ok(sigma) => Ok(Distribution::LogNormal { median, sigma }),
            Err(_) => Err(Mistake::not(shown(width), Expected::Number, "sigma=0.8")),
        },
        other => Err(not_one_of(other, &["p99=1s", "sigma=0.8"])),
    }
}

/// A distribution in words; empty for nothing at all.
pub fn in_words(distribution: &Distribution, unit: impl Fn(u64) -> String) -> String {
    match distribution {
        Distribution::Constant(0) => String::new(),
        Distribution::Constant(value) => unit(*value),
        Distribution::Uniform { low, high } => format!("uniform from {} to {}", unit(*low), unit(*high)),
        Distribution::Exponential { mean } => format!("exponential with mean {}", unit(*mean)),
        Distribution::Normal { mean, deviation } => {
            format!("normal with mean {} and standard deviation {}", unit(*mean), unit(*deviation))
        }
        Distribution::LogNormal { median, sigma } => {
            format!("log-normal with median {} and sigma {}", unit(*median), (sigma * 1e4).round() / 1e4)
        }
        Distribution::List(values) if values.len() <= 8 => {
            let values: Vec<String> = values.iter().map(|value| unit(*value)).collect();
            format!("one of {}", values.join(", "))
        }
        Distribution::List(values) => {
            format!("one of {} values with mean {}", values.len(), unit(distribution.mean() as u64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::duration;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_distribution_is_a_word_and_its_values() {
        let read = |text: &str| distribution(text, duration, "uniform:1s..2s");
        assert_eq!(read("100ms"), Ok(Distribution::Constant(100 * MS)));
        let normal = Distribution::Normal { mean: 300 * MS, deviation: 100 * MS };
        assert_eq!(read("normal:300ms, sd=100ms"), Ok(normal));
        assert!(read("normal:300ms,sd=101ms").is_err() && read("normal:300ms,10ms").is_err());
        assert_eq!(read("const:0s"), Ok(Distribution::Constant(0)));
        assert_eq!(read("exp:100ms"), Ok(Distribution::Exponential { mean: 100 * MS }));
        assert_eq!(read("uniform:50ms..150ms"), Ok(Distribution::Uniform { low: 50 * MS, high: 150 * MS }));
        assert_eq!(read("lognormal:100ms,p99=1s"), Ok(Distribution::log_normal(100 * MS, 1_000 * MS)));
        assert_eq!(
            read("lognormal: 1s, sigma=0.5"),
            Ok(Distribution::LogNormal { median: 1_000 * MS, sigma: 0.5 })
        );
        assert_eq!(read("list:1ms,2ms,2ms"), Ok(Distribution::List([MS, 2 * MS, 2 * MS].into())));
        for (wrong, says) in [
            ("", "empty"),
            ("10", "is not a duration"),
            ("gauss:1s", "is not known"),
            ("normal:1s", "is not a distribution"),
            ("exp:0s", "a mean or a median of 0"),
            ("exp:fast", "not a duration"),
            ("uniform:1s", "not a span"),
            ("uniform:2s..1s", "ends before it begins"),
            ("lognormal:1s", "is not a distribution"),
            ("lognormal:1s,p99=1ms", "below its median"),
            ("lognormal:0s,p99=1ms", "median of 0"),
            ("lognormal:1s,p95=2s", "is not known"),
            ("lognormal:1s,sigma=-1", "below its median"),
            ("lognormal:1s,sigma=x", "is not a number"),
            ("list:1s,,2s", "empty"),
        ] {
            let message = proofload_language::facts::told(&read(wrong).expect_err(wrong));
            assert!(message.contains(says), "{wrong}: {message}");
            assert!(message.contains("; "), "{wrong}: {message} has no remedy");
        }
    }

    #[test]
    fn a_distribution_is_told_in_words() {
        let words = |one: &Distribution| in_words(one, |ns| format!("{} s", ns as f64 / 1e9));
        assert_eq!(words(&Distribution::Constant(0)), "");
        assert_eq!(words(&Distribution::Exponential { mean: MS }), "exponential with mean 0.001 s");
        assert_eq!(
            words(&Distribution::log_normal(100 * MS, 1_000 * MS)),
            "log-normal with median 0.1 s and sigma 0.9898"
        );
        assert_eq!(words(&Distribution::List([MS, MS].into())), "one of 0.001 s, 0.001 s");
    }
}
