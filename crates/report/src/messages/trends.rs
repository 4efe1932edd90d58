//! Sentences about soaks: what grew, what did not, and what could not be told.

use super::place_of;
use crate::number;
use proofload_language::{Phrase, named, say, word};
use proofload_store::schema::{self, TrendResult};

pub const TRENDS: Phrase = Phrase("trends-over-the-soak");
/// What a row of trends is about.
pub const TREND: Phrase = Phrase("trend");

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
