//! Sentences about soaks: what grew, what did not, and what could not be told.

use super::place_of;
use crate::number;
use proofload_stats::trend::{NoTrend, Slope, Trend, TrendRule, TrendVerdict};
use proofload_store::schema::{self, ClassGrowth, TrendResult};

/// Heading of the trends.
pub const TRENDS: &str = "Trends over the soak";
/// What a row of trends is about.
pub const TREND: &str = "of";

/// Resident memory grows, and the live set does not, or not by as much.
pub const OUTSIDE_THE_HEAP: &str = "alarm: the live set of the heap does not grow, or by less than half as much, so what grows lies outside it: direct buffers, \
                                    metaspace, threads' stacks, native code";

/// Used heap grows, and nobody forced a collection.
pub const MAY_BE_GARBAGE: &str = "no collection was forced: some of this may be garbage that none has looked at yet; only the live set tells a leak";

/// The word of a verdict.
pub fn trend_verdict(verdict: &schema::TrendVerdict) -> &str {
    match verdict {
        schema::TrendVerdict::NoGrowth => "no growth",
        other => other.name(),
    }
}

/// `live set of nio @ 64c-soak, block 2`.
pub fn trend_of(row: &TrendResult, several_blocks: bool) -> String {
    let place = place_of(&row.variant, &row.stream, &row.point);
    let block = if several_blocks { format!(", block {}", row.block) } else { String::new() };
    format!("{} of {place}{block}", trend_measure(&row.measure))
}

/// A measure of a trend in words.
fn trend_measure(name: &str) -> &str {
    match name {
        "live_set" => "live set after forced collections",
        "heap_low" => "used heap, the least between collections,",
        "rss" => "resident memory",
        "descriptors" => "open descriptors",
        "response_p50" => "p50 of each second",
        "response_p99" => "p99 of each second",
        other => other,
    }
}

/// The figures of a trend.
pub fn trend_rests_on(per_hour: &str, per_exchange: Option<&str>, level: &str, row: &TrendResult) -> String {
    let each = per_exchange.map(|each| format!(", {each} with each request")).unwrap_or_default();
    let hours = row.hours.map(number::plain).unwrap_or_default();
    format!(
        "{per_hour} in an hour{each}, {}, level {level}, {} values over {hours} h after {} left out",
        number::percent(row.confidence),
        number::count(u64::from(row.values)),
        number::count(u64::from(row.left_out))
    )
}

/// Why there is no trend.
pub fn no_trend(why: &NoTrend) -> String {
    format!("no trend: {why}")
}

/// What a trend means. `unit` is that of the values; `of_heap` says whether growth is compared with the largest heap.
pub fn trend(trend: &Trend, rule: &TrendRule, unit: &str, of_heap: bool, is_leak: bool) -> String {
    let value = |value: f64| number::with_unit(value, unit);
    let yardstick = if of_heap { "the largest heap" } else { "its level" };
    let share = |per_hour: f64| number::percent(per_hour / trend.yardstick.max(f64::MIN_POSITIVE));
    let Slope { point, low, high, .. } = trend.per_hour;
    let (first, second) = (&trend.first_half, &trend.second_half);
    match trend.verdict {
        TrendVerdict::Growth => format!(
            "it grows by {} of {yardstick} in an hour, in the second half as well ({} in an hour){}",
            share(point),
            number::with_ends(second.point, second.low, second.high, unit),
            if is_leak { ": a leak" } else { "" }
        ),
        TrendVerdict::NoGrowth if high <= 0.0 => "it does not grow".to_string(),
        TrendVerdict::NoGrowth => format!(
            "it comes to at most {} in {} hours, {} of {yardstick}; below {} counts as no growth",
            value(high * rule.horizon_hours),
            number::plain(rule.horizon_hours),
            share(high * rule.horizon_hours),
            number::percent(rule.stays_within)
        ),
        TrendVerdict::Filling { goes_on: false } => format!(
            "filling, not leaking: {} in an hour in the first half, {} in the second, which no longer counts as growth",
            value(first.point),
            value(second.point)
        ),
        TrendVerdict::Filling { goes_on: true } => format!(
            "filling, and not full yet: {} in an hour in the first half, still {} in the second; whether it ends takes \
             a longer soak to tell",
            value(first.point),
            value(second.point)
        ),
        TrendVerdict::Undecided => {
            let why = match (low > 0.0, second.low > 0.0) {
                (false, false) => "it may grow, or not",
                (false, true) => "it grows in the second half, but not surely overall",
                (true, false) => "it grows overall, but not surely in the second half",
                (true, true) => "it grows, by less than counts as growth and more than counts as none",
            };
            format!(
                "{why}; the smallest detectable growth is {} in an hour ({} of {yardstick}); a longer soak detects \
                 less",
                value(trend.detectable_per_hour),
                share(trend.detectable_per_hour)
            )
        }
    }
}

/// The classes whose live objects grew most.
pub fn classes(growth: &[ClassGrowth]) -> String {
    let one = |of: &ClassGrowth| {
        let more = number::bytes(of.after_bytes.saturating_sub(of.before_bytes) as f64);
        format!("{} +{more}", of.class)
    };
    format!("most grew: {}", growth.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// A soak that is over before much could happen.
pub fn short_soak(hours: f64) -> String {
    format!(
        "the longest soak took {} h: what grows by little, or only after hours, is not seen in less than 2 h",
        number::plain(hours)
    )
}

/// What looking at the live set did to latencies.
pub fn forced_collections(n: usize, median_ns: u64, longest_ns: u64) -> String {
    let n = if n == 1 { "1 full collection was".to_string() } else { format!("{n} full collections were") };
    format!(
        "{n} forced in the soak, half of them took {} or more, the longest {}: latencies and throughput are with them, \
         trends of latencies without those seconds",
        number::duration(median_ns as f64),
        number::duration(longest_ns as f64)
    )
}
