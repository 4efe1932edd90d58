//! Whether something grew over soaks: from the series of the record to rows of a result, and to what is shown.

use crate::shown::{Tone, VerdictView};
use crate::{messages, number};
use proofload_analysis::{SoakMeasure, SoakSeries, soak_series, soaks};
use proofload_facts::Limit;
use proofload_stats::trend::{NoTrend, Slope, Trend, TrendRule, TrendVerdict, trend};
use proofload_store::Run;
use proofload_store::schema::{self, ClassGrowth, Estimate, Slice, TrendResult};

/// Classes that are named where a heap leaks.
const CLASSES_TOLD_MAX: usize = 5;

/// Resident memory that grows this many times as fast as the live set grows outside the heap.
const OUTSIDE_TIMES: f64 = 2.0;

/// What shorter soaks do not show is said.
const SOAK_HOURS: f64 = 2.0;

/// A row for each series of each soak, in the record's order.
pub(crate) fn trends(run: &Run) -> Vec<TrendResult> {
    let rule = TrendRule::default();
    let series = soak_series(run);
    let found: Vec<_> =
        series.iter().map(|of| (of, trend(&of.values, of.yardstick, of.fold, &rule))).collect();
    let is_outside = |of: &SoakSeries, resident: &Trend| {
        found.iter().any(|(other, trend)| {
            let same = (other.block, &other.variant, &other.point) == (of.block, &of.variant, &of.point);
            let holds_little = trend.as_ref().is_ok_and(|heap| {
                let by_little = resident.per_hour.low > OUTSIDE_TIMES * heap.per_hour.high;
                heap.verdict == TrendVerdict::NoGrowth || by_little
            });
            same && other.measure == SoakMeasure::LiveSet && holds_little
        })
    };
    let row = |(of, trend): &(&SoakSeries, Result<Trend, NoTrend>)| match trend {
        Err(why) => TrendResult {
            verdict: schema::TrendVerdict::Undecided,
            sentences: vec![messages::no_trend(why)],
            ..head(of, &rule)
        },
        Ok(trend) => {
            let mut row = of_trend(of, trend, &rule);
            let grows = trend.verdict == TrendVerdict::Growth;
            if grows && of.measure == SoakMeasure::Rss && is_outside(of, trend) {
                row.sentences.push(messages::OUTSIDE_THE_HEAP.to_string());
            }
            if grows && of.measure == SoakMeasure::LiveSet {
                let soaks = soaks(run);
                row.sentences.extend(growth_of(&soaks, of).map(messages::classes));
            }
            row
        }
    };
    found.iter().map(row).collect()
}

/// What stands in a row in any case.
fn head(of: &SoakSeries, rule: &TrendRule) -> TrendResult {
    TrendResult {
        variant: of.variant.clone(),
        point: of.point.clone(),
        stream: of.stream.clone(),
        block: of.block,
        measure: of.measure.name().to_string(),
        confidence: 1.0 - rule.tail,
        ..TrendResult::default()
    }
}

fn of_trend(of: &SoakSeries, trend: &Trend, rule: &TrendRule) -> TrendResult {
    let unit = of.measure.unit();
    let estimate = |slope: &Slope| {
        let finite = |value: f64| value.is_finite().then_some(value);
        Estimate {
            point: slope.point,
            low: finite(slope.low),
            high: finite(slope.high),
            unit: unit.to_string(),
        }
    };
    // What a collection that nobody forced has left may still be garbage.
    let is_leak = of.measure == SoakMeasure::LiveSet;
    let verdict = match trend.verdict {
        TrendVerdict::Growth if is_leak => schema::TrendVerdict::Leak,
        TrendVerdict::Growth => schema::TrendVerdict::Growth,
        TrendVerdict::NoGrowth => schema::TrendVerdict::NoGrowth,
        TrendVerdict::Filling { .. } => schema::TrendVerdict::Filling,
        TrendVerdict::Undecided => schema::TrendVerdict::Undecided,
    };
    let mut sentences = vec![messages::trend(trend, rule, unit, of.yardstick.is_some(), is_leak)];
    if trend.verdict == TrendVerdict::Growth && of.measure == SoakMeasure::HeapLow {
        sentences.push(messages::MAY_BE_GARBAGE.to_string());
    }
    TrendResult {
        verdict,
        per_hour: Some(estimate(&trend.per_hour)),
        per_hour_median: Some(trend.per_hour.median),
        second_half_per_hour: Some(estimate(&trend.second_half)),
        per_exchange: trend.per_exchange.as_ref().filter(|_| unit == "bytes").map(estimate),
        level: Some(trend.level),
        yardstick: Some(trend.yardstick),
        detectable_per_hour: Some(trend.detectable_per_hour),
        values: trend.values as u32,
        left_out: trend.left_out as u32,
        hours: Some(trend.hours),
        sentences,
        ..head(of, rule)
    }
}

/// The classes that grew most in the soak of a series.
fn growth_of<'a>(soaks: &[Vec<&'a Slice>], of: &SoakSeries) -> Option<&'a [ClassGrowth]> {
    let is_it = |slice: &&Slice| {
        (slice.block, &slice.measured.variant, &slice.measured.point) == (of.block, &of.variant, &of.point)
    };
    let first = soaks.iter().filter_map(|lines| lines.first().copied()).find(is_it)?;
    let growth = first.telemetry.as_ref()?.growth.as_slice();
    Some(&growth[..growth.len().min(CLASSES_TOLD_MAX)]).filter(|growth| !growth.is_empty())
}

/// What must be known of soaks beside their trends.
pub(crate) fn limits(run: &Run) -> Vec<Limit> {
    let soaks = soaks(run);
    let Some(longest) = soaks.iter().flatten().map(|slice| slice.measured.seconds / 3_600.0).reduce(f64::max)
    else {
        return Vec::new();
    };
    let mut said = Vec::new();
    if longest < SOAK_HOURS {
        said.push(Limit::ShortSoak { hours: longest });
    }
    let telemetry = soaks.iter().filter_map(|lines| lines.first()?.telemetry.as_ref());
    let mut took: Vec<u64> = telemetry.flat_map(|of| &of.checkpoints).map(|at| at.took_ns).collect();
    took.sort_unstable();
    if let Some(longest_ns) = took.last() {
        said.push(Limit::ForcedCollections {
            collections: took.len() as u32,
            median_ns: took[took.len() / 2],
            longest_ns: *longest_ns,
        });
    }
    said
}

/// The rows as they are shown.
pub(crate) fn views(trends: &[TrendResult]) -> Vec<VerdictView> {
    let several_blocks = trends.iter().any(|row| row.block != trends[0].block);
    let view = |row: &TrendResult| VerdictView {
        verdict: messages::trend_verdict(&row.verdict).to_string(),
        tone: tone(&row.verdict),
        name: messages::trend_of(row, several_blocks),
        text: String::new(),
        rests_on: rests_on(row),
        sentence: String::new(),
        reason_in_sentence: None,
        reasons: row.sentences.clone(),
        bar: None,
    };
    trends.iter().map(view).collect()
}

fn tone(verdict: &schema::TrendVerdict) -> Tone {
    match verdict {
        schema::TrendVerdict::NoGrowth => Tone::Good,
        schema::TrendVerdict::Leak | schema::TrendVerdict::Growth => Tone::Bad,
        _ => Tone::Open,
    }
}

/// `230 MiB [226, 234] in an hour, 64.1 B [63.0, 65.2] with each request, 95 %, ...`; empty without a trend.
fn rests_on(row: &TrendResult) -> String {
    let (Some(per_hour), Some(level)) = (&row.per_hour, row.level) else { return String::new() };
    let each = row.per_exchange.as_ref().map(messages::interval);
    messages::trend_rests_on(
        &messages::interval(per_hour),
        each.as_deref(),
        &number::with_unit(level, &per_hour.unit),
        row,
    )
}
