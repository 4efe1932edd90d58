//! CSV (RFC 4180): one table of figures, or one of series. One value a line, so that both stay the same columns
//! whatever was measured.

use super::series::{course, values_of};
use crate::escape::csv as safe;
use proofload_store::schema::{Model, Point, RunResult, Slice};
use std::convert::Infallible;

/// The figures with their intervals, then what was counted.
pub fn csv(result: &RunResult) -> String {
    let mut out = String::from("variant,stream,point,measure,unit,value,low,high,confidence,blocks\r\n");
    for figure in &result.figures {
        let blocks = figure.per_block.iter().flatten().count();
        if let Some(estimate) = &figure.estimate {
            let ends = (estimate.low, estimate.high);
            let interval = if ends.0.is_some() { number(Some(figure.confidence)) } else { String::new() };
            row(
                &mut out,
                [
                    &safe(&figure.variant),
                    &safe(&figure.stream),
                    &safe(&figure.point),
                    &safe(&figure.measure),
                    &safe(&estimate.unit),
                ],
                &[number(Some(estimate.point)), number(ends.0), number(ends.1), interval, blocks.to_string()],
            );
        }
    }
    result.points.iter().for_each(|point| counted(point, &mut out));
    out
}

/// Counts over everything that was measured at a point: they have no interval.
fn counted(point: &Point, out: &mut String) {
    let (variant, stream, label) = (safe(&point.variant), safe(&point.stream), safe(&point.point));
    let mut say = |measure: &str, unit: &str, value: Option<f64>| {
        if value.is_some() {
            let rest = [number(value), String::new(), String::new(), String::new(), String::new()];
            row(out, [&variant, &stream, &label, &safe(measure), unit], &rest);
        }
    };
    say("total.seconds", "s", Some(point.seconds));
    say("total.throughput", "per_s", point.throughput_per_s);
    say("total.intended", "count", Some(point.intended as f64));
    say("total.bytes_sent", "bytes", Some(point.bytes_sent as f64));
    say("total.bytes_received", "bytes", Some(point.bytes_received as f64));
    for (outcome, n) in &point.outcomes {
        say(&format!("outcome.{outcome}"), "count", Some(*n as f64));
    }
    for (code, n) in &point.codes {
        say(&format!("code.{code}"), "count", Some(*n as f64));
    }
    say("total.redirects", "count", Some(point.redirects as f64).filter(|n| *n > 0.0));
    say("total.challenges", "count", Some(point.challenges as f64).filter(|n| *n > 0.0));
    let clocks = [
        ("response_time", &point.response_time_ns),
        ("service_time", &point.service_time_ns),
        ("first_byte", &point.first_byte_ns),
        ("send_delay", &point.send_delay_ns),
    ];
    for (clock, durations) in clocks {
        // Nothing is due before it is sent.
        let is_none = clock == "send_delay" && point.model == Model::Closed;
        for (name, value, _) in values_of(durations).into_iter().filter(|_| !is_none) {
            say(&format!("total.{clock}.{name}"), "ns", value);
        }
    }
}

/// The series of every slice: answers in each second of the window, and what the telemetry saw. `at_ns` counts from
/// the window's start.
pub fn csv_series(slices: &[&Slice]) -> String {
    let mut out = String::from(
        "block,phase,cycle,position,variant,stream,point,window_start_unix_ns,at_ns,series,value\r\n",
    );
    for slice in slices {
        let place = format!(
            "{},{},{},{},{},{},{},{}",
            slice.block,
            safe(slice.phase.name()),
            slice.cycle,
            slice.position,
            safe(&slice.measured.variant),
            safe(&slice.measured.stream),
            safe(&slice.measured.point),
            slice.started_unix_ns
        );
        let written: Result<(), Infallible> = course(slice, &mut |one| {
            // Not measured is empty, not zero.
            let (series, value) = (safe(one.series), number(one.value));
            out.push_str(&format!("{place},{},{series},{value}\r\n", one.at_ns));
            Ok(())
        });
        let Ok(()) = written;
    }
    out
}

fn row(out: &mut String, names: [&str; 5], values: &[String]) {
    out.push_str(&names.join(","));
    for value in values {
        out.push(',');
        out.push_str(value);
    }
    out.push_str("\r\n");
}

/// As many digits as are needed to read back the same number.
fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}
