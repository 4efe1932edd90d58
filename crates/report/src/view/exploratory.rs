//! The table of comparisons that no claim declares.

use crate::messages;
use crate::shown::Table;
use proofload_language::facts::told;
use proofload_language::{Columns, tr};
use proofload_store::schema::{Exploratory, RunResult};

/// The comparisons as a table; nothing where there are none.
pub(crate) fn table(result: &RunResult) -> Option<Table> {
    let row = |found: &Exploratory| {
        let count = crate::number::count;
        let load = result.plan.iter().flat_map(|plan| &plan.points).find(|load| load.label == found.point);
        let sure = |_: f64| crate::number::confidence(found.confidence);
        let word = if found.stands_out { tr!("stands-out").to_string() } else { String::new() };
        vec![
            compared(&found.measure, &found.over, &found.under, &found.point),
            found.ratio.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval),
            found
                .ratio
                .as_ref()
                .and_then(|ratio| ratio.high)
                .map_or_else(|| messages::NONE.to_string(), sure),
            found.blocks.to_string(),
            load.map_or_else(String::new, messages::arrivals),
            format!("{} / {}", count(found.over_exchanges), count(found.under_exchanges)),
            std::iter::once(word)
                .chain(found.reasons.iter().map(told))
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(tr!("between-sentences")),
        ]
    };
    Table::of(tr!("exploratory"), Columns::<7>("exploratory-columns"), result.exploratory.iter().map(row))
}

/// `p99(nio2) / p99(nio) @ 64c`.
fn compared(measure: &str, over: &str, under: &str, point: &str) -> String {
    format!("{measure}({over}) / {measure}({under}) @ {point}")
}
