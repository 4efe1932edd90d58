//! Sentences about ceilings: why there is none.

use crate::ceiling::why::{Refusal, Unusable};
use proofload_language::{Kept, kept, kept_word};

/// Why the null server cannot stand for the load's servers.
pub fn refusal(why: Refusal) -> String {
    let said = match why {
        Refusal::EndAfterSome => kept_word!("kept-refusal-connections-that-end-after"),
        Refusal::UnixSocket => kept_word!("kept-refusal-the-null-server-listens"),
        Refusal::Proxy => kept_word!("kept-refusal-the-null-server-stands"),
        Refusal::DifferentPassages => {
            kept_word!("kept-refusal-connections-pass-through-different")
        }
        Refusal::ClientCertificate => kept_word!("kept-refusal-the-null-server-asks"),
        Refusal::Protocol => kept_word!("kept-refusal-the-null-server-speaks"),
    };
    said.to_string()
}

/// Why the ceiling that the cache has is of no use; it is believed for so many days.
pub fn unusable(why: &Unusable, believed_days: u64) -> String {
    match why {
        Unusable::Absent => kept_word!("kept-unusable-the-cache-knows-none").to_string(),
        Unusable::Damaged => kept_word!("kept-unusable-the-one-in-the").to_string(),
        Unusable::TooOld => kept!("kept-unusable-the-one-in-the-cache-is", believed_days),
        Unusable::AnotherSpeed(then_ns, now_ns) => kept!(
            "kept-unusable-the-one-in-the-cache-is-of-the-machine",
            then_ns = format!("{:.0}", *then_ns as f64 / 1e3),
            now_ns = format!("{:.0}", *now_ns as f64 / 1e3)
        ),
    }
}

/// Measuring was ended from outside.
pub const STOPPED: Kept = Kept("kept-stopped");
/// An agent was lost while it was measured, or before.
pub const AGENT_LOST: Kept = Kept("kept-ceiling-agent-lost");

/// Too many exchanges failed for a ceiling.
pub fn exchanges_failed(share: f64) -> String {
    kept!("kept-exchanges-failed", share = format!("{:.1}", share * 100.0))
}

/// A file of certificates without one.
pub fn no_certificate(file: &std::path::Path) -> String {
    kept!("kept-no-certificate", file = file.display().to_string())
}
