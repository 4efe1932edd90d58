//! Sentences about the generator's fitness and the machine's.

use proofload_language::{Columns, Phrase, named, word};
use proofload_store::schema::{CheckName, CheckOutcome};

/// Heading of the generator's checks.
pub const FITNESS: Phrase = Phrase("fitness");
/// Columns of the generator's checks.
pub const FITNESS_COLUMNS: Columns<6> = Columns("fitness-columns");

pub fn check(name: &CheckName) -> &str {
    match name {
        CheckName::SendDelay => word!("check-send-delay-of-its"),
        // Earlier records have it for all claims.
        CheckName::SendDelayEarly | CheckName::SendDelayTail => word!("check-send-delay-of-its-own-p99"),
        CheckName::Unsent => word!("check-requests-left-unsent-a"),
        CheckName::AtWork => word!("check-time-a-worker-was"),
        CheckName::Away => word!("check-time-a-worker-was-kept-from"),
        CheckName::LengthenedMean => word!("check-mean-lengthened-by-its"),
        CheckName::LengthenedP99 => word!("check-p99-lengthened-by-its"),
        CheckName::LengthenedP999 => word!("check-p99-lengthened-by-its-own-delays"),
        CheckName::Hiccups => word!("check-away-from-its-sockets"),
        CheckName::LittlesLaw => word!("check-littles-law-connections-unaccounted"),
        CheckName::Ports => word!("check-connections-without-a-local"),
        CheckName::Descriptors => word!("check-connections-without-a-descriptor"),
        CheckName::Ceiling => word!("check-share-of-the-ceiling"),
        CheckName::CeilingTail => word!("check-share-of-the-ceiling-for-p99"),
        CheckName::PerturbedThroughput => word!("check-throughput-with-twice-the"),
        CheckName::PerturbedP99 => word!("check-p99-with-twice-the"),
        CheckName::Other(name) => name,
    }
}

/// How a check came out.
pub fn check_outcome(outcome: &CheckOutcome) -> &str {
    match outcome {
        CheckOutcome::Failed => word!("check-outcome-failed"),
        CheckOutcome::NotMeasured => word!("check-outcome-not-measured"),
        CheckOutcome::Unresolved => word!("check-outcome-not-resolved"),
        other => named(other.name()),
    }
}
