//! Sentences about the generator's fitness and the machine's.

use proofload_store::schema::{CheckName, CheckOutcome};

/// Heading of the generator's checks.
pub const FITNESS: &str = "How fit the generator was";
/// Columns of the generator's checks.
pub const FITNESS_COLUMNS: [&str; 6] = ["check", "found", "allowed", "", "worst at", "note"];

/// A check in words.
pub fn check(name: &CheckName) -> &str {
    match name {
        CheckName::SendDelay => "send delay of its own, p90",
        // Earlier records have it for all claims.
        CheckName::SendDelayEarly | CheckName::SendDelayTail => "send delay of its own, p99",
        CheckName::Unsent => "requests left unsent, a connection free",
        CheckName::AtWork => "time a worker was at work",
        CheckName::Away => "time a worker was kept from waking",
        CheckName::LengthenedMean => "mean lengthened by its own delays",
        CheckName::LengthenedP99 => "p99 lengthened by its own delays",
        CheckName::LengthenedP999 => "p99.9 lengthened by its own delays",
        CheckName::Hiccups => "away from its sockets, p99.9 of the time",
        CheckName::LittlesLaw => "Little's law, connections unaccounted for",
        CheckName::Ports => "connections without a local port",
        CheckName::Descriptors => "connections without a descriptor",
        CheckName::Ceiling => "share of the ceiling",
        CheckName::CeilingTail => "share of the ceiling, for p99 and beyond",
        CheckName::PerturbedThroughput => "throughput with twice the threads",
        CheckName::PerturbedP99 => "p99 with twice the threads",
        CheckName::Other(name) => name,
    }
}

/// How a check came out.
pub fn check_outcome(outcome: &CheckOutcome) -> &str {
    match outcome {
        CheckOutcome::Failed => "FAILED",
        CheckOutcome::NotMeasured => "not measured",
        CheckOutcome::Unresolved => "not resolved",
        other => other.name(),
    }
}

/// `+1.5 %` of a ratio.
pub fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// A check of the whole record that failed for one variant at one load point; with the times that it concerns alone.
pub fn limited_at(place: &str, finding: &str, check: &CheckName, tails_only: bool) -> String {
    let times = match check {
        CheckName::LengthenedMean => "the mean",
        CheckName::LengthenedP999 => "p99.9 and beyond",
        _ => "p99 and beyond",
    };
    match tails_only {
        true => format!("client-limited at {place} for claims about {times}: {finding}"),
        false => format!("client-limited at {place}: {finding}"),
    }
}

/// Where pairs of slices with other threads settled nothing.
pub fn perturbation_unresolved(places: &[String]) -> String {
    let places = places.join(", ");
    format!(
        "could not check whether a second generator thread helps at {places}: more threads might change the result"
    )
}

/// A block that the machine disturbed.
pub fn disturbed(block: u32, why: &str, left_out: bool) -> String {
    let out = if left_out { ", and was left out for all variants" } else { "" };
    format!("block {block} was disturbed by the machine{out}: {why}")
}
