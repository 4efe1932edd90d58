//! Growth over soaks, as it is shown.

use crate::messages::place_of;
use crate::shown::{Tone, VerdictView};
use crate::{messages, number};
use proofload_language::facts::told;
use proofload_language::{named, tr};
use proofload_store::schema::{self, TrendResult};

/// The rows as they are shown.
pub(crate) fn views(trends: &[TrendResult]) -> Vec<VerdictView> {
    let several_blocks = trends.iter().any(|row| row.block != trends[0].block);
    let view = |row: &TrendResult| VerdictView {
        verdict: trend_verdict(&row.verdict).to_string(),
        tone: tone(&row.verdict),
        name: trend_of(row, several_blocks),
        rests_on: rests_on(row),
        reasons: row.reasons.iter().map(told).collect(),
        ..VerdictView::default()
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
    trend_rests_on(
        &messages::interval(per_hour),
        each.as_deref(),
        &number::with_unit(level, &per_hour.unit),
        row,
    )
}

/// The word of a verdict.
fn trend_verdict(verdict: &schema::TrendVerdict) -> &str {
    match verdict {
        schema::TrendVerdict::NoGrowth => tr!("trend-verdict"),
        other => named(other.name()),
    }
}

/// `live set of nio @ 64c-soak, block 2`.
fn trend_of(row: &TrendResult, several_blocks: bool) -> String {
    let place = place_of(&row.variant, &row.stream, &row.point);
    let block = several_blocks.then_some(row.block);
    tr!("trend-of", measure = trend_measure(&row.measure), place, block)
}

/// A measure of a trend in words.
fn trend_measure(name: &str) -> &str {
    match name {
        "live_set" => tr!("trend-measure-live-set-after-forced"),
        "heap_low" => tr!("trend-measure-used-heap-the-least"),
        "rss" => tr!("trend-measure-resident-memory"),
        "descriptors" => tr!("trend-measure-open-descriptors"),
        "response_p50" => tr!("trend-measure-p50-of-each-second"),
        "response_p99" => tr!("trend-measure-p99-of-each-second"),
        other => other,
    }
}

/// The figures of a trend.
fn trend_rests_on(per_hour: &str, each: Option<&str>, level: &str, row: &TrendResult) -> String {
    tr!(
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
