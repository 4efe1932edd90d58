//! Stages of a load: the course of a rate, or of a number of connections, over time.

mod words;

use super::field::Field;
use super::keys::{Kind, WORD, keys, kinds};
use super::problem::shown;
use super::quantity::{self, CONNECTIONS_MAX, DURATION, RATE_TEXT};
use proofload_engine::Stage;
use proofload_facts::{Expected, Mistake, Thing};

/// Most stages of a load.
const STAGES_MAX: usize = 100;

/// Unit of a stage.
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
            Of::Rate => "{ ramp: 0/s..2k/s, for: 10s }, { hold: 2k/s, for: 30s }",
            Of::Connections => "{ ramp: 0..64, for: 10s }, { hold: 64, for: 30s }",
        }
    }

    /// A value at one end of a stage; zero is a pause.
    fn value(self, text: &str) -> Result<f64, Mistake> {
        let text = text.trim();
        match self {
            Of::Rate if text.strip_prefix('0').and_then(quantity::per_s).is_some() => Ok(0.0),
            Of::Rate => quantity::rate(text),
            Of::Connections => {
                let (low, high) = ("0".to_string(), CONNECTIONS_MAX.to_string());
                let wrong = || Mistake::NotWhole { found: shown(text), low, high };
                let number = text.parse::<u64>().ok().filter(|number| *number <= CONNECTIONS_MAX);
                number.map(|number| number as f64).ok_or_else(wrong)
            }
        }
    }

    fn span(self, text: &str) -> Result<(f64, f64), Mistake> {
        let example = if self == Of::Rate { "0/s..2k/s" } else { "0..64" };
        let (from, to) =
            text.split_once("..").ok_or_else(|| Mistake::not(shown(text), Expected::Span, example))?;
        Ok((self.value(from)?, self.value(to)?))
    }
}

/// Most steps of a ladder.
const STEPS_MAX: u64 = 100;

/// A ladder: a number of steps from one value to another, each held as long.
fn ladder(of: Of, from: f64, to: f64, steps: u64, each_ns: u64) -> Result<Vec<Stage>, Mistake> {
    if !(2..=STEPS_MAX).contains(&steps) {
        return Err(Mistake::beyond(steps, 2, STEPS_MAX));
    }
    let value = |step: u64| {
        let value = from + (to - from) * step as f64 / (steps - 1) as f64;
        if of == Of::Connections { value.round() } else { value }
    };
    if (1..steps).any(|step| value(step) == value(step - 1)) {
        return Err(Mistake::FlatLadder);
    }
    Ok((0..steps).map(|step| Stage::hold(value(step), each_ns)).collect())
}

/// A spike: its base, the peak from some instant on for a while, and the base again to the end.
fn spike(base: f64, peak: f64, at_ns: u64, lasts_ns: u64, for_ns: u64) -> Result<Vec<Stage>, Mistake> {
    if peak <= base {
        return Err(Mistake::FlatSpike);
    }
    let Some(after_ns) = for_ns.checked_sub(at_ns.saturating_add(lasts_ns)) else {
        return Err(Mistake::SpikeTooLong);
    };
    let pieces = [(base, at_ns), (peak, lasts_ns), (base, after_ns)];
    let pieces = pieces.into_iter().filter(|(_, ns)| *ns > 0);
    Ok(pieces.map(|(value, ns)| Stage::hold(value, ns)).collect())
}

/// Waves around a mean.
fn sine(mean: f64, amplitude: f64, period_ns: u64, for_ns: u64) -> Result<Vec<Stage>, Mistake> {
    if amplitude <= 0.0 || amplitude > mean {
        return Err(Mistake::Amplitude);
    }
    Ok(vec![Stage::Sine { mean, amplitude, period_ns, for_ns }])
}

/// A length above 0.
fn length(text: &str) -> Result<u64, Mistake> {
    match quantity::duration(text)? {
        0 => Err(Mistake::TakesNoTime),
        ns => Ok(ns),
    }
}

/// True if a stage on the command line has a rate, a number with a unit behind `/`, or `rps`.
pub fn is_rate(stage: &str) -> bool {
    stage.contains('/') || stage.contains("rps")
}

/// A stage as on the command line; connections where no rate is: `ramp 0..2k/s 10s`, `hold 2k/s 30s`,
/// `ladder 100..1k/s 10x30s`, `spike 100..1k/s 5s@10s 30s`, `sine 1k/s+-500/s 1m 10m`. Ladders and spikes are several
/// stages.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn stage(text: &str) -> Result<(Of, Vec<Stage>), Mistake> {
    let of = if is_rate(text) { Of::Rate } else { Of::Connections };
    let words = words::words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wrong = |expected, form: &str| Mistake::not(shown(text), expected, form);
    let stages = match words[..] {
        ["ramp", span, time] => {
            let (from, to) = of.span(span)?;
            vec![Stage::Line { from, to, for_ns: length(time)? }]
        }
        ["hold", value, time] => vec![Stage::hold(of.value(value)?, length(time)?)],
        ["ladder", span, steps] => {
            let form = "'ladder 100..1k/s 10x30s'";
            let (steps, each) = steps.split_once('x').ok_or_else(|| wrong(Expected::Ladder, form))?;
            let steps = steps.parse().map_err(|_| wrong(Expected::Ladder, form))?;
            let (from, to) = of.span(span)?;
            ladder(of, from, to, steps, length(each)?)?
        }
        ["spike", span, when, time] => {
            let form = "'spike 100..1k/s 5s@10s 30s'";
            let (lasts, at) = when.split_once('@').ok_or_else(|| wrong(Expected::Spike, form))?;
            let (base, peak) = of.span(span)?;
            spike(base, peak, quantity::duration(at)?, length(lasts)?, length(time)?)?
        }
        ["sine", wave, period, time] => {
            let form = "'sine 1k/s+-500/s 1m 10m'";
            let parts = wave.split_once("+-").or_else(|| wave.split_once('±'));
            let (mean, amplitude) = parts.ok_or_else(|| wrong(Expected::Sine, form))?;
            sine(of.value(mean)?, of.value(amplitude)?, length(period)?, length(time)?)?
        }
        _ => {
            let forms = "'ramp 0..2k/s 10s', 'hold 2k/s 30s', 'ladder 100..1k/s 10x30s', 'spike 100..1k/s 5s@10s 30s', \
                         'sine 1k/s+-500/s 1m 10m', 'ramp 0..64 10s'";
            return Err(wrong(Expected::Stage, forms));
        }
    };
    Ok((of, stages))
}

/// The stages of a study's load; at least one of them sends something.
pub(super) fn check_stages(field: &Field<'_>, of: Of) -> Option<Vec<Stage>> {
    let items = field.items(&format!("[{}]", of.example()))?;
    field.at_most(items.len(), STAGES_MAX, Thing::Stage)?;
    let stages: Vec<Option<Vec<Stage>>> = items.iter().map(|item| check_stage(item, of)).collect();
    let stages = stages.into_iter().collect::<Option<Vec<_>>>()?.concat();
    if Stage::peak_of(&stages) == 0.0 {
        field.problem(Mistake::AsksNothing);
        return None;
    }
    Some(stages)
}

keys! {
    /// `{ ramp: 0/s..2k/s, for: 10s }`.
    RAMP {
        /// From one value to another.
        required ramp: SPAN,
        /// Duration.
        required for: DURATION,
    }

    /// `{ hold: 2k/s, for: 30s }`.
    HOLD {
        /// One value.
        required hold: STAGE_VALUE,
        /// Duration.
        required for: DURATION,
    }

    /// `{ ladder: 100/s..1k/s, steps: 10, each: 30s }`.
    STEPS {
        /// The first step and the last.
        required ladder: SPAN,
        /// Number of steps.
        required steps: Kind::Integer(2, STEPS_MAX),
        /// Duration of each step.
        required each: DURATION,
    }

    /// `{ spike: 100/s..1k/s, at: 10s, lasts: 5s, for: 30s }`.
    SPIKE {
        /// The base before and after it, and its peak.
        required spike: SPAN,
        /// Start of the spike, from the start of the stage.
        required at: DURATION,
        /// Duration of the spike.
        required lasts: DURATION,
        /// Duration of the whole stage.
        required for: DURATION,
    }

    /// `{ sine: 1k/s, amplitude: 500/s, period: 1m, for: 10m }`.
    SINE {
        /// The mean, where it begins, on its way up.
        required sine: STAGE_VALUE,
        /// Largest distance from the mean; at most the mean.
        required amplitude: STAGE_VALUE,
        /// From one crest to the next.
        required period: DURATION,
        /// Duration.
        required for: DURATION,
    }
}

kinds! {
    /// A load over time.
    STAGES = Kind::List(&STAGE, 1, STAGES_MAX);
    /// A stretch of time.
    STAGE = Kind::Either(&[&Kind::Map(&[&RAMP, &HOLD, &STEPS, &SPIKE, &SINE]), &WORD]);
    /// Two values: `0/s..2k/s`.
    SPAN = Kind::Text(r"^.+\.\..+$");
    /// A rate such as `2k/s`, or a number of connections; 0 is a pause.
    STAGE_VALUE = Kind::Either(&[&Kind::Integer(0, u64::MAX), &RATE_TEXT]);
}

fn check_stage(field: &Field<'_>, of: Of) -> Option<Vec<Stage>> {
    if let Some(text) = field.written() {
        let (said, stages) = field.take(stage(text))?;
        if said != of && !stages.iter().all(Stage::is_pause) {
            field.problem(Mistake::MixedStages);
        }
        return Some(stages);
    }
    let form = of.example();
    let mut map = field.map(form)?;
    let kind = map.exactly_one(form);
    kind.iter().for_each(|(kind, _)| map.narrow(kind));
    map.close();
    let (kind, value) = kind?;
    let time = |key: &str| {
        let read = if key == "at" { quantity::duration } else { length };
        map.required(key, &format!("{key}: 10s"))?.quantity(read, "10s")
    };
    let number = |field: &Field<'_>| {
        let Some(text) = field.written() else {
            field.wrong(Expected::Quantity, form);
            return None;
        };
        field.take(of.value(text))
    };
    let span = |field: &Field<'_>| {
        let Some(text) = field.written() else {
            field.wrong(Expected::Span, form);
            return None;
        };
        field.take(of.span(text))
    };
    let stages = match kind {
        "ramp" => {
            let (span, time) = (span(&value), time("for"));
            let (from, to) = span?;
            Ok(vec![Stage::Line { from, to, for_ns: time? }])
        }
        "hold" => {
            let (held, time) = (number(&value), time("for"));
            Ok(vec![Stage::hold(held?, time?)])
        }
        "ladder" => {
            let steps = map.required("steps", "steps: 10");
            let steps = steps.and_then(|field| field.integer());
            let (span, each) = (span(&value), time("each"));
            let (from, to) = span?;
            ladder(of, from, to, steps?, each?)
        }
        "spike" => {
            let (at, lasts) = (time("at"), time("lasts"));
            let (span, whole) = (span(&value), time("for"));
            let (base, peak) = span?;
            spike(base, peak, at?, lasts?, whole?)
        }
        _ => {
            let amplitude = map.required("amplitude", "amplitude: 500/s");
            let (mean, amplitude) = (number(&value), amplitude.as_ref().and_then(number));
            let period = time("period");
            let time = time("for");
            // A mistake in the wave is reported beside those in its times.
            let waves = sine(mean?, amplitude?, period.unwrap_or(1), time.unwrap_or(1));
            if waves.is_ok() {
                period.and(time)?;
            }
            waves
        }
    };
    value.take(stages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_a_word_its_values_and_its_time() {
        let rate = |from, to, for_ns| Ok((Of::Rate, vec![Stage::Line { from, to, for_ns }]));
        assert_eq!(stage("ramp 0..2k/s 10s"), rate(0.0, 2_000.0, 10_000_000_000));
        assert_eq!(stage("ramp 0/s..2k/s 10s"), rate(0.0, 2_000.0, 10_000_000_000));
        assert_eq!(stage("ramp 0/m..60/m 10 seconds"), rate(0.0, 1.0, 10_000_000_000));
        assert_eq!(stage(" hold  500/s 250ms "), rate(500.0, 500.0, 250_000_000));
        assert_eq!(stage("hold 0/s 1s"), rate(0.0, 0.0, 1_000_000_000));
        let places = Stage::Line { from: 64.0, to: 0.0, for_ns: 60_000_000_000 };
        assert_eq!(stage("ramp 64..0 1m"), Ok((Of::Connections, vec![places])));
        const S: u64 = 1_000_000_000;
        let of = |text: &str| stage(text).map(|(_, stages)| stages);
        let hold = |value, seconds: u64| Stage::hold(value, seconds * S);
        assert_eq!(
            of("ladder 100..400/s 4x30s"),
            Ok([100.0, 200.0, 300.0, 400.0].map(|v| hold(v, 30)).to_vec())
        );
        assert_eq!(of("ladder 10..1 4x1s"), Ok([10.0, 7.0, 4.0, 1.0].map(|v| hold(v, 1)).to_vec()));
        assert_eq!(of("ladder 1..4 3x1s"), Ok([1.0, 3.0, 4.0].map(|v| hold(v, 1)).to_vec()), "whole numbers");
        assert_eq!(of("spike 0..2k/s 5s@10s 30s"), Ok(vec![hold(0.0, 10), hold(2_000.0, 5), hold(0.0, 15)]));
        assert_eq!(stage("ramp 0..2k/s 10 s"), stage("ramp 0..2k/s 10s"));
        assert_eq!(stage("hold 2 k/s 1 m"), stage("hold 2k/s 1m"));
        assert_eq!(of("spike 1..9 5s@0s 5s"), Ok(vec![hold(9.0, 5)]));
        let wave = Stage::Sine { mean: 1_000.0, amplitude: 500.0, period_ns: 60 * S, for_ns: 600 * S };
        assert_eq!(of("sine 1k/s+-500/s 1m 10m"), Ok(vec![wave]));
        assert_eq!(of("sine 1k/s±500/s 1m 10m"), Ok(vec![wave]));
        for (wrong, says) in [
            ("", "is not a stage"),
            ("ramp 2k/s 10s", "is not a span"),
            ("hold 0..2k/s 10s", "is not a rate"),
            ("hold 2k/s", "is not a stage"),
            ("hold 2k/s 10", "is not a duration"),
            ("hold 2k/s 0s", "takes no time"),
            ("ramp 0s..2k/s 10s", "is not a rate"),
            ("hold 1.5 10s", "whole number"),
            ("hold -1 10s", "whole number"),
            ("hold 1000000 1s", "whole number"),
            ("wait 10s 10s", "is not a stage"),
            ("ladder 1..10 10s", "is not a ladder"),
            ("ladder 1..10 1x10s", "2 to 100"),
            ("ladder 1..10 101x10s", "2 to 100"),
            ("ladder 1..10 20x10s", "no height"),
            ("ladder 5/s..5/s 3x10s", "no height"),
            ("ladder 1..10 3x0s", "takes no time"),
            ("spike 1..10 5s 30s", "is not a spike"),
            ("spike 10..10 5s@1s 30s", "not above its base"),
            ("spike 1..10 5s@26s 30s", "after its stage"),
            ("spike 1..10 0s@1s 30s", "takes no time"),
            ("sine 10..20 1s 10s", "is not a sine"),
            ("sine 10/s+-11/s 1s 10s", "at most the mean"),
            ("sine 10/s+-0/s 1s 10s", "above 0"),
            ("sine 10/s+-5/s 0s 10s", "takes no time"),
        ] {
            let message = proofload_language::facts::told(&stage(wrong).expect_err(wrong));
            assert!(message.contains(says), "{wrong}: {message}");
        }
    }
}
