//! Sentences about ladders of connections.

use super::{NONE, blocks};
use crate::number;
use proofload_language::{Columns, Phrase, again, say, word};
use proofload_stats::{NoKnee, NoLadder, NoPeak};
use proofload_store::schema::Estimate;

/// Heading of what a ladder of connections came to.
pub const SCALABILITY: Phrase = Phrase("scalability");
/// Its columns.
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

/// Why nothing is told of a ladder.
pub fn no_ladder(why: NoLadder) -> String {
    match why {
        NoLadder::TooFewRungs { have, need } => {
            say!("no-ladder-too-few-load-levels", have, need)
        }
        NoLadder::TooFewBlocks { have, need } => {
            say!("no-ladder-too-few-blocks", blocks = blocks(have as u32), need)
        }
        NoLadder::Unsound => word!("no-ladder-not-finite").to_string(),
    }
}

/// The same among the limits of a test.
pub fn no_scalability(reasons: &[String]) -> String {
    say!("no-scalability", reasons = reasons.join(word!("between-sentences")))
}

/// Why there is no knee.
pub fn no_knee(why: NoKnee, lowest: u32, highest: u32) -> String {
    match why {
        NoKnee::StillRising => say!("no-knee-knee-not-observed-up", highest),
        NoKnee::AtLowest => say!("no-knee-the-knee-is-at", lowest),
        NoKnee::BeyondHighest => say!("no-knee-knee-not-observed-up-to-connections", highest, lowest),
    }
}

/// The knee rests on a response time that is too long.
pub fn loaded_at(lowest: u32) -> String {
    say!("loaded-at", lowest)
}

/// Why no peak is told.
pub fn no_peak(why: NoPeak, highest: u32) -> String {
    say!("no-peak", highest, falls = why == NoPeak::OpenEnd)
}

/// A load point that says nothing of the server.
pub fn rung_left_out(connections: u32, why: &str) -> String {
    say!("rung-left-out", connections, why)
}

/// The generator was the limit.
pub fn client_limited(finding: &str) -> String {
    say!("client-limited", finding = again(finding))
}

/// Too many exchanges failed.
pub fn failed_share(share: f64) -> String {
    say!("failed-share", share = number::percent(share))
}

/// A variant, and the only request that it is asked.
pub fn asked_of(variant: &str, asks: &str) -> String {
    format!("{variant}{}{asks}", word!("between-parts"))
}
