//! Sentences about ladders of connections.

use super::{NONE, blocks};
use crate::number;
use proofload_stats::{NoKnee, NoLadder, NoPeak};
use proofload_store::schema::Estimate;

/// Heading of what a ladder of connections came to.
pub const SCALABILITY: &str = "Scalability";
/// Its columns.
pub const SCALABILITY_COLUMNS: [&str; 8] = [
    "variant",
    "most answered",
    "response at low load",
    "knee, connections",
    "95 % of the most from",
    "peak, connections",
    "based on",
    "note",
];

/// Stands where no peak is told.
pub fn not_observed_up_to(highest: u32) -> String {
    format!("not observed up to {highest}")
}

/// The first rung of a plateau, with those that may and that surely do belong to it.
pub fn from_rung(found: &Estimate) -> String {
    let rung = |end: Option<f64>| end.map_or_else(|| NONE.to_string(), |end| number::count(end as u64));
    format!("{} [{}, {}]", number::count(found.point as u64), rung(found.low), rung(found.high))
}

/// Which numbers of connections, over how many blocks.
pub fn ladder(connections: &[u32], n: u32) -> String {
    match connections {
        [] => NONE.to_string(),
        [first, .., last] => {
            format!("{} load points, {first} to {last} connections, {}", connections.len(), blocks(n))
        }
        [only] => format!("{only} connections, {}", blocks(n)),
    }
}

/// Why nothing is told of a ladder.
pub fn no_ladder(why: NoLadder) -> String {
    match why {
        NoLadder::TooFewRungs { have, need } => {
            format!("too few load levels ({have} of {need}) to find a knee")
        }
        NoLadder::TooFewBlocks { have, need } => {
            format!(
                "{} in which each number of connections has a value, {need} are needed",
                blocks(have as u32)
            )
        }
        NoLadder::Unsound => "the figures of the record are beyond all measure".to_string(),
    }
}

/// The same among the limits of a test.
pub fn no_scalability(reasons: &[String]) -> String {
    format!("no knee or peak can be given: {}", reasons.join("; "))
}

/// Why there is no knee.
pub fn no_knee(why: NoKnee, lowest: u32, highest: u32) -> String {
    match why {
        NoKnee::StillRising => format!(
            "knee not observed up to {highest} connections: none well below them come near their throughput, which may \
             still rise"
        ),
        NoKnee::AtLowest => format!(
            "the knee is at {lowest} connections or below: that many already reach 95 % of the most; begin with fewer"
        ),
        NoKnee::BeyondHighest => format!(
            "knee not observed up to {highest} connections: {lowest} took longer for each exchange than more of them did"
        ),
    }
}

/// The knee rests on a response time that is too long.
pub fn loaded_at(lowest: u32) -> String {
    format!(
        "{lowest} connections are no low load: they wait for each other already, so the knee may be too high; begin \
         with fewer"
    )
}

/// Why no peak is told.
pub fn no_peak(why: NoPeak, highest: u32) -> String {
    let why = match why {
        NoPeak::NoFall => "throughput may still be at its most there",
        NoPeak::OpenEnd => "throughput falls, but the interval of the peak does not end below that",
    };
    format!("peak not observed up to {highest} connections: {why}")
}

/// A load point that says nothing of the server.
pub fn rung_left_out(connections: u32, why: &str) -> String {
    format!("{connections} connections left out: {why}")
}

/// The generator was the limit.
pub fn client_limited(finding: &str) -> String {
    format!("client-limited: {finding}")
}

/// Too many exchanges failed.
pub fn failed_share(share: f64) -> String {
    format!("{} of the exchanges failed", number::percent(share))
}

/// A variant, and the only request that it is asked.
pub fn asked_of(variant: &str, asks: &str) -> String {
    format!("{variant}, {asks}")
}
