//! Sentences about soaks: what grew, what did not, and what could not be told.

use super::place_of;
use crate::number;
use proofload_language::{Phrase, named, say, word};
use proofload_stats::trend::{NoTrend, Slope, Trend, TrendRule, TrendVerdict};
use proofload_store::schema::{self, ClassGrowth, TrendResult};

/// Heading of the trends.
pub const TRENDS: Phrase = Phrase("trends-over-the-soak");
/// What a row of trends is about.
pub const TREND: Phrase = Phrase("trend");

/// Resident memory grows, and the live set does not, or not by as much.
pub const OUTSIDE_THE_HEAP: Phrase = Phrase("outside-the-heap");

/// Used heap grows, and nobody forced a collection.
pub const MAY_BE_GARBAGE: Phrase = Phrase("may-be-garbage");

/// The word of a verdict.
pub fn trend_verdict(verdict: &schema::TrendVerdict) -> &str {
    match verdict {
        schema::TrendVerdict::NoGrowth => word!("trend-verdict"),
        other => named(other.name()),
    }
}

/// `live set of nio @ 64c-soak, block 2`.
pub fn trend_of(row: &TrendResult, several_blocks: bool) -> String {
    let place = place_of(&row.variant, &row.stream, &row.point);
    let block = several_blocks.then_some(row.block);
    say!("trend-of", measure = trend_measure(&row.measure), place, block)
}

/// A measure of a trend in words.
fn trend_measure(name: &str) -> &str {
    match name {
        "live_set" => word!("trend-measure-live-set-after-forced"),
        "heap_low" => word!("trend-measure-used-heap-the-least"),
        "rss" => word!("trend-measure-resident-memory"),
        "descriptors" => word!("trend-measure-open-descriptors"),
        "response_p50" => word!("trend-measure-p50-of-each-second"),
        "response_p99" => word!("trend-measure-p99-of-each-second"),
        other => other,
    }
}

/// The figures of a trend.
pub fn trend_rests_on(per_hour: &str, each: Option<&str>, level: &str, row: &TrendResult) -> String {
    say!(
        "trend-rests-on",
        per_hour,
        each,
        confidence = number::percent(row.confidence),
        level,
        values = number::count(u64::from(row.values)),
        hours = row.hours.map(number::plain),
        left_out = number::count(u64::from(row.left_out))
    )
}

/// Why there is no trend.
pub fn no_trend(why: &NoTrend) -> String {
    match why {
        NoTrend::TooFew { have, need } => say!("no-trend-too-few", have, need),
        NoTrend::NotFinite { at } => say!("no-trend-not-finite", at),
        NoTrend::NoTime => word!("no-trend-no-time").to_string(),
    }
}

/// What a trend means. `unit` is that of the values; `of_heap` says whether growth is compared with the largest heap.
pub fn trend(trend: &Trend, rule: &TrendRule, unit: &str, of_heap: bool, is_leak: bool) -> String {
    let value = |value: f64| number::with_unit(value, unit);
    let share = |per_hour: f64| number::percent(per_hour / trend.yardstick.max(f64::MIN_POSITIVE));
    let Slope { point, low, high, .. } = trend.per_hour;
    let (first, second) = (&trend.first_half, &trend.second_half);
    match trend.verdict {
        TrendVerdict::Growth => say!(
            "trend-growth",
            share = share(point),
            of_heap,
            second = number::with_ends(second.point, second.low, second.high, unit),
            is_leak
        ),
        TrendVerdict::NoGrowth if high <= 0.0 => word!("trend-it-does-not-grow").to_string(),
        TrendVerdict::NoGrowth => say!(
            "trend-no-growth",
            most = value(high * rule.horizon_hours),
            hours = number::plain(rule.horizon_hours),
            share = share(high * rule.horizon_hours),
            of_heap,
            allowed = number::percent(rule.stays_within)
        ),
        TrendVerdict::Filling { goes_on } => {
            say!("trend-filling", goes_on, first = value(first.point), second = value(second.point))
        }
        TrendVerdict::Undecided => say!(
            "trend-undecided",
            grows = match (low > 0.0, second.low > 0.0) {
                (false, false) => "perhaps",
                (false, true) => "late",
                (true, false) => "overall",
                (true, true) => "little",
            },
            detectable = value(trend.detectable_per_hour),
            share = share(trend.detectable_per_hour),
            of_heap
        ),
    }
}

/// The classes whose live objects grew most.
pub fn classes(growth: &[ClassGrowth]) -> String {
    let one = |of: &ClassGrowth| {
        let more = number::bytes(of.after_bytes.saturating_sub(of.before_bytes) as f64);
        format!("{} +{more}", of.class)
    };
    say!("classes", growth = growth.iter().map(one).collect::<Vec<_>>().join(word!("between-items")))
}
