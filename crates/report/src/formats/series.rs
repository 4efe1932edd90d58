//! Single values of a slice: of its window as a whole, of each second, of each telemetry sample.

use proofload_store::schema::{Durations, Model, Phase, Slice};
use serde_json::Value;

const SECOND_NS: u64 = 1_000_000_000;

pub struct One<'a> {
    /// Part of the slice it is of: `window`, `second` or `sample`.
    pub grain: &'static str,
    /// Start of that part, or time of the sample, from the start of the window.
    pub at_ns: u64,
    /// Its name, with its unit at the end.
    pub series: &'a str,
    /// The value; `None` where nothing was measured.
    pub value: Option<f64>,
    /// The true value is this or more: exchanges without an end are in its rank.
    pub at_least: bool,
}

/// Hands over each value of a slice, in order.
///
/// # Errors
/// Those of `to`.
pub fn each<E>(slice: &Slice, to: &mut impl FnMut(One<'_>) -> Result<(), E>) -> Result<(), E> {
    // A line that only marks a variant as lost or left out measured nothing.
    if !matches!(slice.phase, Phase::Lost | Phase::Spared) {
        window(slice, &mut |series, value, at_least| {
            to(One { grain: "window", at_ns: 0, series, value, at_least })
        })?;
    }
    course(slice, to)
}

/// Hands over the values of each second, then of each telemetry sample.
///
/// # Errors
/// Those of `to`.
pub fn course<E>(slice: &Slice, to: &mut impl FnMut(One<'_>) -> Result<(), E>) -> Result<(), E> {
    let measured = &slice.measured;
    let answered: Vec<Option<u64>> = measured.per_second.iter().copied().map(Some).collect();
    let series = [
        ("answered", &answered),
        ("response_p50_ns", &measured.response_p50_per_second_ns),
        ("response_p99_ns", &measured.response_p99_per_second_ns),
    ];
    for (series, values) in series {
        for (second, value) in values.iter().enumerate() {
            let (at_ns, value) = (second as u64 * SECOND_NS, value.map(|value| value as f64));
            to(One { grain: "second", at_ns, series, value, at_least: false })?;
        }
    }
    let Some(telemetry) = &slice.telemetry else { return Ok(()) };
    for (series, values) in &telemetry.series {
        for (at_ns, value) in telemetry.at_ns.iter().zip(values) {
            let value = value.map(|value| value as f64);
            to(One { grain: "sample", at_ns: *at_ns, series, value, at_least: false })?;
        }
    }
    Ok(())
}

/// A name, a value, and whether the true one is that or more.
type Say<'a, E> = dyn FnMut(&str, Option<f64>, bool) -> Result<(), E> + 'a;

fn window<E>(slice: &Slice, say: &mut Say<'_, E>) -> Result<(), E> {
    let measured = &slice.measured;
    say("seconds", Some(measured.seconds), false)?;
    say("throughput_per_s", measured.throughput_per_s, false)?;
    say("answered_in_window", Some(slice.answered_in_window as f64), false)?;
    say("intended", Some(measured.intended as f64), false)?;
    say("connections", Some(f64::from(measured.connections)), false)?;
    say("bytes_sent", Some(measured.bytes_sent as f64), false)?;
    say("bytes_received", Some(measured.bytes_received as f64), false)?;
    say("redirects", Some(measured.redirects as f64), false)?;
    for (outcome, n) in &measured.outcomes {
        say(&format!("outcome.{outcome}"), Some(*n as f64), false)?;
    }
    for (code, n) in &measured.codes {
        say(&format!("code.{code}"), Some(*n as f64), false)?;
    }
    quantiles("response_time", &measured.response_time_ns, say)?;
    quantiles("service_time", &measured.service_time_ns, say)?;
    quantiles("first_byte", &measured.first_byte_ns, say)?;
    // In a closed loop nothing is due before it is sent.
    if measured.model != Model::Closed {
        quantiles("send_delay", &measured.send_delay_ns, say)?;
    }
    say("generator.cpu_ns", Some(measured.generator.cpu_ns as f64), false)?;
    say("generator.fit", Some(f64::from(u8::from(measured.generator.fit))), false)?;
    // Its fields are numbers, with their units in their names.
    let subject = measured.subject.as_ref().and_then(|subject| serde_json::to_value(subject).ok());
    let Some(Value::Object(fields)) = subject else { return Ok(()) };
    for (name, value) in fields.iter().filter(|(_, value)| value.is_number()) {
        say(&format!("subject.{name}"), value.as_f64(), false)?;
    }
    Ok(())
}

/// Durations as an export has them: name, nanoseconds, quantile.
pub fn values_of(durations: &Durations) -> [(&'static str, Option<f64>, f64); 6] {
    let ns = |value: Option<u64>| value.map(|ns| ns as f64);
    [
        ("mean", durations.mean, 1.0),
        ("p50", ns(durations.p50), 0.5),
        ("p90", ns(durations.p90), 0.9),
        ("p99", ns(durations.p99), 0.99),
        ("p999", ns(durations.p999), 0.999),
        ("max", ns(durations.max), 1.0),
    ]
}

fn quantiles<E>(clock: &str, durations: &Durations, say: &mut Say<'_, E>) -> Result<(), E> {
    say(&format!("{clock}_count"), Some(durations.count as f64), false)?;
    for (name, value, q) in values_of(durations) {
        say(&format!("{clock}_{name}_ns"), value, value.is_some() && durations.is_at_least(q))?;
    }
    Ok(())
}
