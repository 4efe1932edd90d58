//! Repetitions within a run: restarts of its servers, or rounds of load on running ones.

use proofload_language::tr;
use proofload_store::schema::{Plan, Replication};

/// `6 restarts`, `8 rounds`.
pub fn replicates(blocks: u32, plan: &Plan) -> String {
    let (one, many) = words_of(plan);
    tr!("replicates", blocks, word = if blocks == 1 { one } else { many })
}

/// One and several of them.
pub fn words_of(plan: &Plan) -> (&'static str, &'static str) {
    match plan.replication {
        Replication::Process => (tr!("replicate-round"), tr!("replicate-rounds")),
        _ => (tr!("replicate-restart"), tr!("replicate-restarts")),
    }
}
