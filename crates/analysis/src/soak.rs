//! Series of values over soaks, each of one variant at one load point in one block.

use crate::streams::per_second;
use proofload_stats::trend::{Fold, TrendRule, TrendValue};
use proofload_store::Run;
use proofload_store::schema::{Checkpoint, Plan, Slice, Telemetry};

const S: u64 = 1_000_000_000;
const HOUR_S: f64 = 3_600.0;

/// Quantity of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoakMeasure {
    /// Bytes of live objects after a full collection that was forced.
    LiveSet,
    /// Used heap as a sampler found it, the least of each block: what was left after some collection.
    HeapLow,
    Rss,
    Metaspace,
    Threads,
    Descriptors,
    /// Median response time of each second.
    ResponseP50,
    /// 99th percentile of each second's response times.
    ResponseP99,
}

impl SoakMeasure {
    /// Name in a result.
    pub fn name(self) -> &'static str {
        match self {
            SoakMeasure::LiveSet => "live_set",
            SoakMeasure::HeapLow => "heap_low",
            SoakMeasure::Rss => "rss",
            SoakMeasure::Metaspace => "metaspace",
            SoakMeasure::Threads => "threads",
            SoakMeasure::Descriptors => "descriptors",
            SoakMeasure::ResponseP50 => "response_p50",
            SoakMeasure::ResponseP99 => "response_p99",
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            SoakMeasure::LiveSet | SoakMeasure::HeapLow | SoakMeasure::Rss | SoakMeasure::Metaspace => {
                "bytes"
            }
            SoakMeasure::Threads | SoakMeasure::Descriptors => "count",
            SoakMeasure::ResponseP50 | SoakMeasure::ResponseP99 => "ns",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SoakSeries {
    pub block: u32,
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream, for latencies; else empty.
    pub stream: String,
    pub measure: SoakMeasure,
    /// The values, in order of time.
    pub values: Vec<TrendValue>,
    /// Folding of the values within a block.
    pub fold: Fold,
    /// Value that growth is compared with, where it is not the level: the largest heap.
    pub yardstick: Option<f64>,
}

/// The series of all soaks in complete blocks, those of one variant at one load point in one block together.
pub fn soak_series(run: &Run) -> Vec<SoakSeries> {
    let mut all = Vec::new();
    for lines in soaks(run) {
        all.extend(series_of(&lines));
    }
    all
}

/// The slices of soaks: of each the lines of its streams.
pub fn soaks(run: &Run) -> Vec<Vec<&Slice>> {
    let is_soak = |slice: &&Slice| slice.is_measured() && has_checkpoints(run.plan(), slice);
    let lines: Vec<&Slice> = run.blocks().iter().flat_map(|block| &block.slices).filter(is_soak).collect();
    let place = |slice: &Slice| (slice.block, slice.cycle, slice.position);
    let same = |a: &&Slice, b: &&Slice| place(a) == place(b) && a.measured.point == b.measured.point;
    lines.chunk_by(same).map(<[&Slice]>::to_vec).collect()
}

fn has_checkpoints(plan: &Plan, slice: &Slice) -> bool {
    plan.points.iter().any(|point| point.label == slice.measured.point && point.checkpoint_ns > 0)
}

fn series_of(lines: &[&Slice]) -> Vec<SoakSeries> {
    let Some(first) = lines.first() else { return Vec::new() };
    let answered = Answered::of(lines);
    let series = |measure, values, fold, yardstick| SoakSeries {
        block: first.block,
        variant: first.measured.variant.clone(),
        point: first.measured.point.clone(),
        stream: String::new(),
        measure,
        values,
        fold,
        yardstick,
    };
    let mut all = Vec::new();
    let mut checkpoints: &[Checkpoint] = &[];
    if let Some(telemetry) = &first.telemetry {
        checkpoints = &telemetry.checkpoints;
        let heap = telemetry.heap_max_bytes.map(|bytes| bytes as f64);
        let live = checkpoints.iter().filter_map(|at| Some(answered.value(at.at_ns, at.live_bytes? as f64)));
        let live: Vec<TrendValue> = live.collect();
        let enough = live.len() >= TrendRule::default().needs();
        if !live.is_empty() {
            all.push(series(SoakMeasure::LiveSet, live, Fold::Mean, heap));
        }
        let sampled = |name: &str| sampled(telemetry, name, &answered);
        let used = sampled("heap_used_bytes");
        if !enough && !used.is_empty() {
            all.push(series(SoakMeasure::HeapLow, used, Fold::Least, heap));
        }
        for (measure, name, yardstick) in [
            (SoakMeasure::Rss, "rss_bytes", heap),
            (SoakMeasure::Metaspace, "metaspace_used_bytes", heap),
            (SoakMeasure::Threads, "threads", None),
            (SoakMeasure::Descriptors, "descriptors", None),
        ] {
            let values = sampled(name);
            if !values.is_empty() {
                all.push(series(measure, values, Fold::Mean, yardstick));
            }
        }
    }
    for line in lines {
        let of = &line.measured;
        for (measure, seconds) in [
            (SoakMeasure::ResponseP50, &of.response_p50_per_second_ns),
            (SoakMeasure::ResponseP99, &of.response_p99_per_second_ns),
        ] {
            let values = latencies(seconds, checkpoints, &answered);
            if !values.is_empty() {
                let stream = of.stream.clone();
                all.push(SoakSeries { stream, ..series(measure, values, Fold::Mean, None) });
            }
        }
    }
    all
}

fn sampled(telemetry: &Telemetry, name: &str, answered: &Answered) -> Vec<TrendValue> {
    let values = telemetry.series.get(name).map_or(&[][..], Vec::as_slice);
    let pairs = telemetry.at_ns.iter().zip(values);
    pairs.filter_map(|(at_ns, value)| Some(answered.value(*at_ns, (*value)? as f64))).collect()
}

/// The seconds of a latency, without those in which a collection was forced, and the one after: it is the load's own
/// drift that is asked for.
fn latencies(seconds: &[Option<u64>], checkpoints: &[Checkpoint], answered: &Answered) -> Vec<TrendValue> {
    let is_touched = |second: u64| {
        checkpoints
            .iter()
            .any(|at| (at.at_ns / S..=(at.at_ns.saturating_add(at.took_ns)) / S + 1).contains(&second))
    };
    let values = seconds.iter().zip(0_u64..).filter(|(_, second)| !is_touched(*second));
    values.filter_map(|(ns, second)| Some(answered.value(second * S + S / 2, (*ns)? as f64))).collect()
}

/// Exchanges answered up to the end of each second, all streams together.
struct Answered {
    up_to: Vec<u64>,
}

impl Answered {
    fn of(lines: &[&Slice]) -> Answered {
        let mut up_to = per_second(lines);
        let mut sum = 0_u64;
        for second in &mut up_to {
            sum = sum.saturating_add(*second);
            *second = sum;
        }
        Answered { up_to }
    }

    fn at(&self, at_ns: u64) -> f64 {
        let end_of = |second: u64| {
            let place = usize::try_from(second).unwrap_or(usize::MAX).min(self.up_to.len());
            place.checked_sub(1).map_or(0, |last| self.up_to[last]) as f64
        };
        let (second, rest) = (at_ns / S, (at_ns % S) as f64 / S as f64);
        let (before, after) = (end_of(second), end_of(second + 1));
        before + rest * (after - before)
    }

    fn value(&self, at_ns: u64, value: f64) -> TrendValue {
        TrendValue { hours: at_ns as f64 / 1e9 / HOUR_S, exchanges: self.at(at_ns), value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::Point;
    use std::collections::BTreeMap;

    fn line(stream: &str, per_second: &[u64]) -> Slice {
        let measured = Point {
            stream: stream.into(),
            per_second: per_second.to_vec(),
            response_p99_per_second_ns: vec![Some(5); per_second.len()],
            ..Point::default()
        };
        Slice { measured, ..Slice::default() }
    }

    #[test]
    fn exchanges_are_counted_up_to_an_instant_over_all_streams() {
        let (a, b) = (line("a", &[10, 20]), line("b", &[1, 2, 3]));
        let answered = Answered::of(&[&a, &b]);
        let at = |half_seconds: u64| answered.at(half_seconds * S / 2);
        assert_eq!([0, 1, 2, 3, 4, 6, 60].map(at), [0.0, 5.5, 11.0, 22.0, 33.0, 36.0, 36.0]);
        assert_eq!(Answered::of(&[]).at(S), 0.0);
    }

    #[test]
    fn seconds_of_forced_collections_are_no_drift() {
        let slice = line("", &[1; 10]);
        let answered = Answered::of(&[&slice]);
        let seconds = &slice.measured.response_p99_per_second_ns;
        let forced = Checkpoint { at_ns: 4 * S + S / 2, took_ns: S, ..Checkpoint::default() };
        let kept = latencies(seconds, &[forced], &answered);
        let halves: Vec<f64> = kept.iter().map(|value| (value.hours * HOUR_S).floor()).collect();
        assert_eq!(halves, [0.0, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0]);
        assert_eq!(latencies(seconds, &[], &answered).len(), 10);
    }

    #[test]
    fn the_live_set_stands_in_place_of_the_sampled_heap_where_there_is_enough_of_it() {
        let mut slice = line("", &[100; 40]);
        let checkpoint =
            |at| Checkpoint { at_ns: at * S, took_ns: 1, live_bytes: Some(7), ..Checkpoint::default() };
        slice.telemetry = Some(Telemetry {
            at_ns: vec![0, S, 2 * S],
            series: BTreeMap::from([
                ("heap_used_bytes".to_string(), vec![Some(3), None, Some(4)]),
                ("rss_bytes".to_string(), vec![Some(9); 3]),
            ]),
            checkpoints: (1..=13).map(checkpoint).collect(),
            heap_max_bytes: Some(64),
            ..Telemetry::default()
        });
        let names = |slice: &Slice| {
            let all = series_of(&[slice]);
            all.iter().map(|series| (series.measure.name(), series.values.len())).collect::<Vec<_>>()
        };
        assert_eq!(names(&slice), [("live_set", 13), ("heap_low", 2), ("rss", 3), ("response_p99", 26)]);
        slice.telemetry.iter_mut().for_each(|telemetry| telemetry.checkpoints.push(checkpoint(14)));
        assert_eq!(names(&slice)[..2], [("live_set", 14), ("rss", 3)]);
        let series = series_of(&[&slice]);
        assert_eq!((series[0].yardstick, series[0].values[1].exchanges), (Some(64.0), 200.0));
        assert_eq!((series[0].fold, series[2].yardstick), (Fold::Mean, None));
    }
}
