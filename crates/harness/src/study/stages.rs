//! Stages of a load: how a rate, or a number of connections, goes over time.

use super::field::Field;
use super::problem::shown;
use super::quantity::{self, CONNECTIONS_MAX};
use proofload_engine::Stage;

/// Most stages of a load.
const STAGES_MAX: usize = 100;

/// What a stage is a stage of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Intended requests per second.
    Rate,
    /// Connections.
    Connections,
}

impl Of {
    fn example(self) -> &'static str {
        match self {
            Of::Rate => "{ ramp: 0/s..2k/s, for: 10s } or { hold: 2k/s, for: 30s }",
            Of::Connections => "{ ramp: 0..64, for: 10s } or { hold: 64, for: 30s }",
        }
    }

    /// A value at one end of a stage; zero is a pause.
    fn value(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        match self {
            Of::Rate if matches!(text, "0" | "0/s") => Ok(0.0),
            Of::Rate => quantity::rate(text),
            Of::Connections => {
                let wrong = || {
                    format!("{} is not a number of connections; write 0 to {CONNECTIONS_MAX}", shown(text))
                };
                let number: u64 = text.parse().map_err(|_| wrong())?;
                if number <= CONNECTIONS_MAX { Ok(number as f64) } else { Err(wrong()) }
            }
        }
    }

    fn ramp(self, text: &str) -> Result<(f64, f64), String> {
        let example = if self == Of::Rate { "0/s..2k/s" } else { "0..64" };
        let (from, to) = text
            .split_once("..")
            .ok_or_else(|| format!("{} is not a ramp; write from..to such as {example}", shown(text)))?;
        Ok((self.value(from)?, self.value(to)?))
    }
}

/// A stage as on the command line: `ramp 0..2k/s 10s`, `hold 2k/s 30s`; connections where no `/s` is.
///
/// # Errors
/// What is wrong and what to write.
pub fn stage(text: &str) -> Result<(Of, Stage), String> {
    let of = if text.contains("/s") { Of::Rate } else { Of::Connections };
    let words: Vec<&str> = text.split_whitespace().collect();
    let (from, to, time) = match words[..] {
        ["ramp", span, time] => of.ramp(span).map(|(from, to)| (from, to, time))?,
        ["hold", value, time] => of.value(value).map(|value| (value, value, time))?,
        _ => {
            return Err(format!(
                "{} is not a stage; write 'ramp 0..2k/s 10s' or 'hold 2k/s 30s', connections without /s",
                shown(text)
            ));
        }
    };
    let for_ns = quantity::duration(time)?;
    if for_ns == 0 {
        return Err(format!("{} takes no time; write more than 0s", shown(text)));
    }
    Ok((of, Stage::Line { from, to, for_ns }))
}

/// The stages of a study's load; at least one of them asks something.
pub(super) fn check_stages(field: &Field<'_>, of: Of) -> Option<Vec<Stage>> {
    let items = field.items(&format!("write a list of {}", of.example()))?;
    if items.len() > STAGES_MAX {
        field.problem(format!("{} stages are too many", items.len()), format!("write at most {STAGES_MAX}"));
        return None;
    }
    let stages: Vec<Option<Stage>> = items.iter().map(|item| check_stage(item, of)).collect();
    let stages: Vec<Stage> = stages.into_iter().collect::<Option<_>>()?;
    if super::shape::peak(&stages) == 0.0 {
        field.problem("the stages ask nothing", format!("write one above 0: {}", of.example()));
        return None;
    }
    Some(stages)
}

fn check_stage(field: &Field<'_>, of: Of) -> Option<Stage> {
    let map = field.map(&format!("write {}", of.example()))?;
    let kind = map.exactly_one(&["ramp", "hold"], &format!("write {}", of.example()));
    let time = map.required("for", "say how long: for: 10s");
    map.close(&["ramp", "hold", "for"]);
    let for_ns = time.and_then(|field| {
        let ns = field.quantity(quantity::duration, "write a duration such as 10s")?;
        if ns == 0 {
            field.problem("a stage that takes no time", "write more than 0s");
            return None;
        }
        Some(ns)
    });
    let (kind, value) = kind?;
    let told = |message: String| value.joined_problem(&message);
    let Some(text) = value.written() else {
        value.wrong("a stage", &format!("write {}", of.example()));
        return None;
    };
    let ends = match kind {
        "ramp" => of.ramp(text),
        _ => of.value(text).map(|value| (value, value)),
    };
    let (from, to) = ends.map_err(told).ok()?;
    Some(Stage::Line { from, to, for_ns: for_ns? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_a_word_its_values_and_its_time() {
        let rate = |from, to, for_ns| Ok((Of::Rate, Stage::Line { from, to, for_ns }));
        assert_eq!(stage("ramp 0..2k/s 10s"), rate(0.0, 2_000.0, 10_000_000_000));
        assert_eq!(stage("ramp 0/s..2k/s 10s"), rate(0.0, 2_000.0, 10_000_000_000));
        assert_eq!(stage(" hold  500/s 250ms "), rate(500.0, 500.0, 250_000_000));
        assert_eq!(stage("hold 0/s 1s"), rate(0.0, 0.0, 1_000_000_000));
        let places = Stage::Line { from: 64.0, to: 0.0, for_ns: 60_000_000_000 };
        assert_eq!(stage("ramp 64..0 1m"), Ok((Of::Connections, places)));
        for (wrong, says) in [
            ("", "is not a stage"),
            ("ramp 2k/s 10s", "is not a ramp"),
            ("hold 0..2k/s 10s", "is not a rate"),
            ("hold 2k/s", "is not a stage"),
            ("hold 2k/s 10", "no unit"),
            ("hold 2k/s 0s", "takes no time"),
            ("hold 1.5 10s", "number of connections"),
            ("hold -1 10s", "number of connections"),
            ("hold 1000000 1s", "number of connections"),
            ("wait 10s 10s", "is not a stage"),
        ] {
            let message = stage(wrong).expect_err(wrong);
            assert!(message.contains(says), "{wrong}: {message}");
        }
    }
}
