//! Sentences about ladders of connections.

use super::{NONE, blocks};
use crate::number;
use proofload_language::{Columns, Phrase, say, word};
use proofload_store::schema::Estimate;

/// Heading of what a ladder of connections came to.
pub const SCALABILITY: Phrase = Phrase("scalability");
pub const SCALABILITY_COLUMNS: Columns<8> = Columns("scalability-columns");

/// Stands where no peak is told.
pub fn not_observed_up_to(highest: u32) -> String {
    say!("not-observed-up-to", highest)
}

/// The first rung of a plateau, with those that may and that surely do belong to it.
pub fn from_rung(found: &Estimate) -> String {
    let rung = |end: Option<f64>| end.map_or_else(|| NONE.to_string(), |end| number::count(end as u64));
    let point = number::count(found.point as u64);
    format!("{point} [{}, {}]", rung(found.low), rung(found.high))
}

/// Which numbers of connections, over how many blocks.
pub fn ladder(connections: &[u32], n: u32) -> String {
    let [first, .., last] = connections else {
        return connections
            .first()
            .map_or_else(|| NONE.to_string(), |only| say!("ladder-of-one", only, blocks = blocks(n)));
    };
    say!("ladder", points = connections.len(), first, last, blocks = blocks(n))
}

/// A variant, and the only request that it is asked.
pub fn asked_of(variant: &str, asks: &str) -> String {
    format!("{variant}{}{asks}", word!("between-parts"))
}
