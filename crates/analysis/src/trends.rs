//! Growth over soaks: from the series of the record to rows of a result.

use crate::soak::{SoakMeasure, SoakSeries, soak_series, soaks};
use proofload_facts::{Amount, Interval, Limit, Reason};
use proofload_stats::trend::{NoTrend, Slope, Trend, TrendRule, TrendVerdict, trend};
use proofload_store::Run;
use proofload_store::schema::{self, ClassGrowth, Estimate, Slice, TrendResult};

/// Classes that are named where a heap leaks.
const CLASSES_TOLD_MAX: usize = 5;

/// Resident memory that grows this many times as fast as the live set grows outside the heap.
const OUTSIDE_TIMES: f64 = 2.0;

/// Shortest soak that needs no note on the growth that shorter ones do not show.
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
            reasons: vec![no_trend(why)],
            ..head(of, &rule)
        },
        Ok(trend) => {
            let mut row = of_trend(of, trend, &rule);
            let grows = trend.verdict == TrendVerdict::Growth;
            if grows && of.measure == SoakMeasure::Rss && is_outside(of, trend) {
                row.reasons.push(Reason::OutsideHeap);
            }
            if grows && of.measure == SoakMeasure::LiveSet {
                let soaks = soaks(run);
                row.reasons.extend(growth_of(&soaks, of).map(classes));
            }
            row
        }
    };
    found.iter().map(row).collect()
}

/// Fields of a row that are the same for every outcome.
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
    // Memory left by a collection that was not forced may still be garbage.
    let is_leak = of.measure == SoakMeasure::LiveSet;
    let verdict = match trend.verdict {
        TrendVerdict::Growth if is_leak => schema::TrendVerdict::Leak,
        TrendVerdict::Growth => schema::TrendVerdict::Growth,
        TrendVerdict::NoGrowth => schema::TrendVerdict::NoGrowth,
        TrendVerdict::Filling { .. } => schema::TrendVerdict::Filling,
        TrendVerdict::Undecided => schema::TrendVerdict::Undecided,
    };
    let mut reasons = vec![meaning(trend, rule, unit, of.yardstick.is_some(), is_leak)];
    if trend.verdict == TrendVerdict::Growth && of.measure == SoakMeasure::HeapLow {
        reasons.push(Reason::MayBeGarbage);
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
        reasons,
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

fn no_trend(why: &NoTrend) -> Reason {
    match *why {
        NoTrend::TooFew { have, need } => Reason::TooFewValues { have: have as u32, need: need as u32 },
        NoTrend::NotFinite { at } => Reason::ValueNotFinite { at: at as u32 },
        NoTrend::NoTime => Reason::NoTime,
    }
}

/// Explanation of a trend. `unit` is that of the values; `of_heap` tells if growth is compared with the largest heap.
fn meaning(trend: &Trend, rule: &TrendRule, unit: &str, of_heap: bool, leak: bool) -> Reason {
    let amount = |value: f64| Amount { value, unit: unit.to_string() };
    let share = |per_hour: f64| per_hour / trend.yardstick.max(f64::MIN_POSITIVE);
    let Slope { point, low, high, .. } = trend.per_hour;
    let (first, second) = (&trend.first_half, &trend.second_half);
    match trend.verdict {
        TrendVerdict::Growth => {
            let Slope { point: mean, low, high, .. } = *second;
            let second = Interval { point: mean, low, high, unit: unit.to_string() };
            Reason::Grows { growth_share: share(point), of_heap, second, leak }
        }
        TrendVerdict::NoGrowth if high <= 0.0 => Reason::GrowsNot,
        TrendVerdict::NoGrowth => {
            let hours = rule.horizon_hours;
            let (most, growth_share) = (amount(high * hours), share(high * hours));
            Reason::GrowsLittle { most, hours, growth_share, of_heap, allowed_share: rule.stays_within }
        }
        TrendVerdict::Filling { goes_on } => {
            Reason::Fills { first: amount(first.point), second: amount(second.point), goes_on }
        }
        TrendVerdict::Undecided => Reason::GrowthUnclear {
            overall: low > 0.0,
            second_half: second.low > 0.0,
            detectable: amount(trend.detectable_per_hour),
            detectable_share: share(trend.detectable_per_hour),
            of_heap,
        },
    }
}

/// The classes whose live objects grew most.
fn classes(growth: &[ClassGrowth]) -> Reason {
    let grew = |of: &ClassGrowth| {
        let more_bytes = of.after_bytes.saturating_sub(of.before_bytes);
        Reason::ClassGrew { class: of.class.clone(), more_bytes }
    };
    Reason::ClassesGrew { classes: growth.iter().map(grew).collect() }
}

/// Limits of soaks beside their trends.
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
