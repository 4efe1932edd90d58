//! What a run repeats: restarts of its servers, or rounds of load on running ones.

use proofload_store::schema::{Plan, Replication};

/// `6 restarts`, `8 rounds`.
pub fn replicates(blocks: u32, plan: &Plan) -> String {
    let (one, many) = words_of(plan);
    format!("{blocks} {}", if blocks == 1 { one } else { many })
}

/// One and several of them.
pub fn words_of(plan: &Plan) -> (&'static str, &'static str) {
    match plan.replication {
        Replication::Process => ("round", "rounds"),
        _ => ("restart", "restarts"),
    }
}
