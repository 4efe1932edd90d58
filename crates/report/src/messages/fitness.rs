//! Sentences about the generator's fitness and the machine's.

/// Heading of the generator's checks.
pub const FITNESS: &str = "How fit the generator was";
/// Columns of the generator's checks.
pub const FITNESS_COLUMNS: [&str; 6] = ["check", "found", "allowed", "", "worst at", "note"];

/// A check in words.
pub fn check(name: &str) -> &str {
    match name {
        "send_delay_p90" => "send delay of its own, p90",
        // Earlier records have it for all claims.
        "send_delay" | "send_delay_p99" => "send delay of its own, p99",
        "unsent" => "intended requests left unsent",
        "at_work" => "time a worker was at work",
        "hiccups" => "away from its sockets, p99.9 of the time",
        "littles_law" => "Little's law, connections unaccounted for",
        "ports" => "connections without a local port",
        "descriptors" => "connections without a descriptor",
        "ceiling" => "share of the ceiling",
        "ceiling_tail" => "share of the ceiling, for p99 and beyond",
        "perturbation_throughput" => "throughput with twice the threads",
        "perturbation_p99" => "p99 with twice the threads",
        other => other,
    }
}

/// How a check came out.
pub fn check_outcome(outcome: &str) -> &str {
    match outcome {
        "failed" => "FAILED",
        "not_measured" => "not measured",
        "unresolved" => "not resolved",
        other => other,
    }
}

/// `+1.5 %` of a ratio.
pub fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// A check of the whole record that failed for one variant at one load point.
pub fn limited_at(place: &str, finding: &str, tails_only: bool) -> String {
    match tails_only {
        true => format!("client-limited at {place} for claims about p99 and beyond: {finding}"),
        false => format!("client-limited at {place}: {finding}"),
    }
}

/// Where pairs of slices with other threads settled nothing.
pub fn perturbation_unresolved(places: &[String]) -> String {
    let places = places.join(", ");
    format!(
        "perturbation not resolved at {places}: that more threads would have changed nothing is not shown there"
    )
}

/// A block that the machine disturbed.
pub fn disturbed(block: u32, why: &str, left_out: bool) -> String {
    let out = if left_out { ", and was left out for all variants" } else { "" };
    format!("block {block} was disturbed by the machine{out}: {why}")
}
