//! Sentences about ceilings: why there is none.

use crate::ceiling::why::{Refusal, Unusable};

/// Why the null server cannot stand for the load's servers.
pub fn refusal(why: Refusal) -> String {
    let said = match why {
        Refusal::EndAfterSome => "connections that end after some exchanges are none of the null server's",
        Refusal::UnixSocket => "the null server listens on no Unix socket",
        Refusal::Proxy => "the null server stands behind no proxy",
        Refusal::DifferentPassages => {
            "connections pass through different things, and the null server's all through the same"
        }
        Refusal::ClientCertificate => "the null server asks nobody for a certificate",
        Refusal::Protocol => "the null server speaks HTTP alone",
    };
    said.to_string()
}

/// Why the ceiling that the cache has is of no use; it is believed for so many days.
pub fn unusable(why: &Unusable, believed_days: u64) -> String {
    match why {
        Unusable::Absent => "the cache knows none of this setting".to_string(),
        Unusable::Damaged => "the one in the cache cannot be read".to_string(),
        Unusable::TooOld => format!("the one in the cache is not of the last {believed_days} days"),
        Unusable::AnotherSpeed(then_ns, now_ns) => format!(
            "the one in the cache is of the machine at another speed: a fixed piece of work took {:.0} µs then \
             and takes {:.0} µs now",
            *then_ns as f64 / 1e3,
            *now_ns as f64 / 1e3
        ),
    }
}

/// Measuring was ended from outside.
pub const STOPPED: &str = "it was stopped";

/// Too many exchanges failed for a ceiling.
pub fn exchanges_failed(share: f64) -> String {
    format!("{:.1} % of the exchanges with the null server failed", share * 100.0)
}

/// A file of certificates without one.
pub fn no_certificate(file: &std::path::Path) -> String {
    format!("{} is empty", file.display())
}
