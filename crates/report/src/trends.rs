//! Whether something grew over soaks, as it is shown.

use crate::shown::{Tone, VerdictView};
use crate::{messages, number};
use proofload_language::facts::told;
use proofload_store::schema::{self, TrendResult};

/// The rows as they are shown.
pub(crate) fn views(trends: &[TrendResult]) -> Vec<VerdictView> {
    let several_blocks = trends.iter().any(|row| row.block != trends[0].block);
    let view = |row: &TrendResult| VerdictView {
        verdict: messages::trend_verdict(&row.verdict).to_string(),
        tone: tone(&row.verdict),
        name: messages::trend_of(row, several_blocks),
        text: String::new(),
        rests_on: rests_on(row),
        amount: String::new(),
        found: String::new(),
        sentence: String::new(),
        reason_in_sentence: None,
        reasons: row.reasons.iter().map(told).collect(),
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
