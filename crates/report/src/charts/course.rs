//! Course of a measurement, second by second, or slice by slice where slices are short.

use super::left_out::LeftOut;
use super::{Axis, Cell, Chart, Scale, rank};
use crate::messages;
use proofload_language::{measure_in_words, tr};
use proofload_store::schema::{Point, RunResult, Slice};

/// Values of a series that are drawn at most: what is left out of a longer one lies between two that are shown.
const DRAWN_MAX: usize = 2_000;

/// Windows of at least this length have a course of their own.
const OWN_COURSE_S: f64 = 5.0;

const GROUP: &str = "course";
const SECOND_NS: f64 = 1e9;

/// Telemetry that is drawn: the stored series and its unit. Time that was used is drawn as a share of the time between
/// two samples: of a CPU, 2 being two of them, and of a pause.
const TELEMETRY: [(&str, &str); 5] = [
    ("cpu_ns", "count"),
    ("rss_bytes", "bytes"),
    ("heap_used_bytes", "bytes"),
    ("gc_ns", "share"),
    ("threads", "count"),
];

/// A value of a series.
struct Value {
    at_s: f64,
    value: Option<f64>,
    /// Reason why no figure rests on it; empty where figures do.
    left_out: &'static str,
}

/// Reads a value of a slice's window by second.
type BySecond = fn(&Slice, usize) -> Option<f64>;

const SECONDS: [(&str, &str, Scale, BySecond); 3] = [
    ("throughput", "per_s", Scale::Linear, |slice, at| slice.measured.per_second.get(at).map(|n| *n as f64)),
    ("p50", "ns", Scale::Log, |slice, at| ns(&slice.measured.response_p50_per_second_ns, at)),
    ("p99", "ns", Scale::Log, |slice, at| ns(&slice.measured.response_p99_per_second_ns, at)),
];

fn ns(values: &[Option<u64>], at: usize) -> Option<f64> {
    values.get(at).copied().flatten().map(|ns| ns as f64)
}

/// Charts over the time since the first window began, of what no figure rests on too.
pub fn charts(slices: &[&Slice], left_out: &LeftOut<'_>, result: &RunResult) -> Vec<Chart> {
    let is_drawn = |slice: &&Slice| slice.started_unix_ns > 0 && left_out.why(slice).is_some();
    let mut slices: Vec<&Slice> = slices.iter().copied().filter(is_drawn).collect();
    slices.sort_by_key(|slice| slice.started_unix_ns);
    let Some(begin) = slices.first().map(|slice| slice.started_unix_ns) else { return Vec::new() };
    let since = |slice: &Slice| (slice.started_unix_ns - begin) as f64 / SECOND_NS;
    let is_long = slices.iter().any(|slice| slice.is_measured() && slice.measured.seconds >= OWN_COURSE_S);
    let why = |slice: &Slice| left_out.why(slice).unwrap_or_default();
    let mut charts = Vec::new();
    for (measure, unit, scale, by_second) in SECONDS {
        let values = |slice: &Slice| match is_long {
            true => seconds(slice, since(slice), by_second),
            false => vec![(since(slice), of_whole(slice, measure))],
        };
        charts.push(chart(measure, unit, scale, rows(&slices, result, why, values)));
    }
    for (stored, unit) in TELEMETRY.into_iter().filter(|_| is_long) {
        let samples = rows(&slices, result, why, |slice| sampled(slice, since(slice), stored));
        charts.push(chart(stored, unit, Scale::Linear, samples));
    }
    charts
}

/// Each whole second of a window.
fn seconds(slice: &Slice, since: f64, value: BySecond) -> Vec<(f64, Option<f64>)> {
    let whole = slice.measured.seconds.floor().max(1.0) as usize;
    (0..whole.min(slice.measured.per_second.len())).map(|at| (since + at as f64, value(slice, at))).collect()
}

fn of_whole(slice: &Slice, measure: &str) -> Option<f64> {
    let times = &slice.measured.response_time_ns;
    match measure {
        "throughput" => slice.measured.throughput_per_s,
        "p50" => times.p50.map(|ns| ns as f64),
        _ => times.p99.map(|ns| ns as f64),
    }
}

fn sampled(slice: &Slice, since: f64, name: &str) -> Vec<(f64, Option<f64>)> {
    let Some(telemetry) = &slice.telemetry else { return Vec::new() };
    let Some(values) = telemetry.series.get(name) else { return Vec::new() };
    let mut before = None;
    let sample = |(at, value): (&u64, &Option<u64>)| {
        let since_before = before.map(|before: u64| at.saturating_sub(before)).filter(|ns| *ns > 0);
        before = Some(*at);
        let value = match name.ends_with("_ns") {
            true => value.zip(since_before).map(|(used, ns)| used as f64 / ns as f64),
            false => value.map(|value| value as f64),
        };
        (since + *at as f64 / SECOND_NS, value)
    };
    telemetry.at_ns.iter().zip(values).map(sample).collect()
}

/// The rows of all variants; between two windows of one a row without a value parts their lines.
fn rows(
    slices: &[&Slice],
    result: &RunResult,
    why: impl Fn(&Slice) -> &'static str,
    values: impl Fn(&Slice) -> Vec<(f64, Option<f64>)>,
) -> Vec<Vec<Cell>> {
    let mut names: Vec<(&str, &str, &str)> = Vec::new();
    let mut points: Vec<&str> = slices.iter().map(|slice| slice.measured.point.as_str()).collect();
    points.sort_unstable();
    points.dedup();
    for slice in slices {
        let Point { variant, stream, point, .. } = &slice.measured;
        let name = (variant.as_str(), stream.as_str(), point.as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_by_key(|(variant, ..)| rank(result, variant));
    let mut rows = Vec::new();
    for (variant, stream, point) in names {
        let own = |slice: &&&Slice| {
            let measured = &slice.measured;
            measured.variant == variant && measured.stream == stream && measured.point == point
        };
        let (mut series, mut block): (Vec<Value>, Option<u32>) = (Vec::new(), None);
        for slice in slices.iter().filter(own) {
            let (course, left_out) = (values(slice), why(slice));
            let is_apart = course.len() > 1 || block != Some(slice.block);
            if let (Some((at_s, _)), true) = (course.first(), is_apart && !series.is_empty()) {
                series.push(Value { at_s: *at_s, value: None, left_out });
            }
            block = Some(slice.block);
            series.extend(course.into_iter().map(|(at_s, value)| Value { at_s, value, left_out }));
        }
        if series.iter().all(|value| value.value.is_none()) {
            continue;
        }
        let name = match (stream, points.len()) {
            ("", 0 | 1) => Cell::text(variant),
            _ => Cell::text(&messages::place_of(variant, stream, point)),
        };
        let row = |value: &Value| {
            vec![name.clone(), Cell::Number(value.at_s), Cell::of(value.value), Cell::text(value.left_out)]
        };
        rows.extend(kept(&series).into_iter().map(|at| row(&series[at])));
    }
    rows
}

/// Values of a long series that are drawn: of each stretch the lowest, the highest and what is missing, so that no peak
/// and no gap is lost.
fn kept(series: &[Value]) -> Vec<usize> {
    if series.len() <= DRAWN_MAX {
        return (0..series.len()).collect();
    }
    let stretch = series.len().div_ceil(DRAWN_MAX / 3);
    let mut kept = Vec::new();
    for from in (0..series.len()).step_by(stretch) {
        let within = from..(from + stretch).min(series.len());
        let known = || within.clone().filter_map(|at| series[at].value.map(|value| (at, value)));
        let low = known().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
        let high = known().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
        let missing = within.clone().find(|at| series[*at].value.is_none());
        let mut some: Vec<usize> = [low, high, missing].into_iter().flatten().collect();
        some.sort_unstable();
        some.dedup();
        kept.extend(some);
    }
    kept
}

fn chart(measure: &str, unit: &'static str, scale: Scale, rows: Vec<Vec<Cell>>) -> Chart {
    let axes = [
        Axis { name: tr!("chart-time").to_string(), unit: "s", scale: Scale::Linear },
        Axis { name: measure_in_words(measure).to_string(), unit, scale },
    ];
    let has_pale = rows.iter().any(|row| row.last() != Some(&Cell::text("")));
    let says = if has_pale { tr!("chart-course-with-pale-says") } else { tr!("chart-course-says") };
    let title = tr!("chart-over-time", series = measure_in_words(measure));
    let chart = Chart::course(format!("course-{measure}"), title, says, axes, rows);
    Chart { group: GROUP, ..chart }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_keeps_its_extremes_and_its_gaps() {
        let mut series: Vec<Value> =
            (0..180_000).map(|at| Value { at_s: f64::from(at), value: Some(1.0), left_out: "" }).collect();
        series[77_777].value = Some(50.0);
        series[100_001].value = Some(0.25);
        series[150_000].value = None;
        let kept = kept(&series);
        assert!(kept.len() <= DRAWN_MAX, "{}", kept.len());
        assert!([77_777, 100_001, 150_000].iter().all(|at| kept.contains(at)));
        assert!(kept.is_sorted());
    }

    #[test]
    fn a_short_series_is_drawn_as_it_is() {
        let series: Vec<Value> =
            (0..2_000).map(|at| Value { at_s: f64::from(at), value: None, left_out: "" }).collect();
        assert_eq!(kept(&series), (0..2_000).collect::<Vec<_>>());
        assert_eq!(kept(&[]), Vec::<usize>::new());
    }
}
