//! The table of knee, plateau and peak of each variant.

use crate::messages;
use crate::shown::{Table, told_all};
use proofload_store::schema::{Estimate, RunResult, Scalability};

/// A row for each variant; nothing where of no variant anything is told.
pub(crate) fn table(result: &RunResult) -> Option<Table> {
    let cell = |found: &Option<Estimate>| {
        found.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval)
    };
    let row = |of: &Scalability| {
        let peak = match (&of.peak, &of.most, of.connections.last()) {
            (None, Some(_), Some(highest)) => messages::not_observed_up_to(*highest),
            (peak, ..) => cell(peak),
        };
        vec![
            if of.asks.is_empty() { of.variant.clone() } else { messages::asked_of(&of.variant, &of.asks) },
            cell(&of.most),
            cell(&of.low_load_response),
            cell(&of.knee),
            of.plateau_from.as_ref().map_or_else(|| messages::NONE.to_string(), messages::from_rung),
            peak,
            messages::ladder(&of.connections, of.blocks),
            told_all(&of.reasons),
        ]
    };
    result.scalability.iter().any(|of| of.most.is_some()).then(|| Table {
        title: messages::SCALABILITY.to_string(),
        header: messages::SCALABILITY_COLUMNS.map(str::to_string).to_vec(),
        rows: result.scalability.iter().map(row).collect(),
    })
}
