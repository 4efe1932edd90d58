//! The table of knee, plateau and peak of each variant.

use crate::messages::{NONE, blocks};
use crate::shown::{Table, told_all};
use crate::{messages, number};
use proofload_language::{Columns, tr};
use proofload_store::schema::{Estimate, RunResult, Scalability};

/// A row for each variant; `None` without a finding on any variant.
pub(crate) fn table(result: &RunResult) -> Option<Table> {
    let cell = |found: &Option<Estimate>| {
        found.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval)
    };
    let row = |of: &Scalability| {
        let peak = match (&of.peak, &of.most, of.connections.last()) {
            (None, Some(_), Some(highest)) => tr!("not-observed-up-to", highest = *highest),
            (peak, ..) => cell(peak),
        };
        vec![
            if of.asks.is_empty() { of.variant.clone() } else { asked_of(&of.variant, &of.asks) },
            cell(&of.most),
            cell(&of.low_load_response),
            cell(&of.knee),
            of.plateau_from.as_ref().map_or_else(|| messages::NONE.to_string(), from_rung),
            peak,
            ladder(&of.connections, of.blocks),
            told_all(&of.reasons),
        ]
    };
    result.scalability.iter().any(|of| of.most.is_some()).then(|| {
        Table::with(
            tr!("scalability"),
            Columns::<8>("scalability-columns"),
            result.scalability.iter().map(row),
        )
    })
}

/// The first rung of a plateau, with those that may and that surely do belong to it.
fn from_rung(found: &Estimate) -> String {
    let rung = |end: Option<f64>| end.map_or_else(|| NONE.to_string(), |end| number::count(end as u64));
    let point = number::count(found.point as u64);
    format!("{point} [{}, {}]", rung(found.low), rung(found.high))
}

/// Range of connections, and number of blocks.
fn ladder(connections: &[u32], n: u32) -> String {
    let [first, .., last] = connections else {
        return connections
            .first()
            .map_or_else(|| NONE.to_string(), |only| tr!("ladder-of-one", only, blocks = blocks(n)));
    };
    tr!("ladder", points = connections.len(), first, last, blocks = blocks(n))
}

/// A variant, and the only request that it is asked.
fn asked_of(variant: &str, asks: &str) -> String {
    format!("{variant}{}{asks}", tr!("between-parts"))
}
