//! Sentences about what others published: conclusions, and figures that cannot all be true.

use crate::number;
use proofload_stats::{Contradiction, Measure};

/// Heading of the published conclusions.
pub const CONCLUSIONS: &str = "Published conclusions";
/// What a row of conclusions is about.
pub const CONCLUSION: &str = "conclusion";
/// Heading of the published figures that contradict themselves.
pub const CONTRADICTIONS: &str = "Published figures that contradict themselves";

/// A smoke run judges nothing.
pub const NOT_TESTED_BY_SMOKE: &str = "one block gives no verdict: run the study without --smoke";

/// The figure that a conclusion rested on, and who published it.
pub fn was(figure: &str, published_in: &str) -> String {
    match figure {
        "" => published_in.to_string(),
        figure => format!("was {figure} ({published_in})"),
    }
}

/// One of the tests of a conclusion: what it asks, and what it comes to here.
pub fn conclusion_test(text: &str, rests_on: &str) -> String {
    if rests_on.is_empty() { text.to_string() } else { format!("{text}: here {rests_on}") }
}

/// One of several tests of a conclusion.
pub fn one_of_several(outcome: &str, test: &str) -> String {
    format!("{outcome}: {test}")
}

/// Why the old figure is no evidence.
pub fn beware(why: &str) -> String {
    format!("beware of the old figure: {why}")
}

/// What the old figure rests on contradicts itself.
pub fn rests_on_contradiction(sentence: &str) -> String {
    format!("the published figures contradict themselves: {sentence}")
}

/// A claim that this run left out, as its plan says it, with what the plan says of its variants.
pub fn claim_left_out<'a>(dropped: &str, variants: impl Iterator<Item = &'a str>) -> String {
    let why: String = variants.map(|line| format!("; {line}")).collect();
    format!("this run leaves out {}{why}", super::taken_out(dropped))
}

/// A claim that the plan does not know.
pub fn claim_unknown(name: &str) -> String {
    format!("this run has no claim {name}")
}

/// A contradiction with who published the figures.
pub fn contradiction_in(source: &str, sentence: &str) -> String {
    format!("{source}: {sentence}")
}

/// Whether figures can be explained at all.
pub fn contradiction_finding(contradiction: &Contradiction) -> &'static str {
    if contradiction.is_impossible() { "cannot be true" } else { "does not add up" }
}

/// What contradicts what, with the place.
pub fn contradiction(contradiction: &Contradiction, place: &str) -> String {
    let finding = contradiction_finding(contradiction);
    let name = |measure: Measure| measure.name();
    let why = match *contradiction {
        Contradiction::MoreInFlight { in_flight, connections } => format!(
            "throughput × mean is {} requests in flight at the least, on {} connections (Little's law)",
            number::plain(in_flight),
            number::plain(connections)
        ),
        Contradiction::Unaccounted { missing, connections } => format!(
            "the time of {} of the {} connections is unaccounted for: throughput × mean is {} at the most \
             (Little's law)",
            number::plain(missing),
            number::plain(connections),
            number::plain(connections - missing)
        ),
        Contradiction::Below { of, than } => format!("{} is below {}", name(of), name(than)),
        Contradiction::AboveWhole { of } => format!("{} is above 100 %", name(of)),
        Contradiction::Utilisation { product, cores } => format!(
            "throughput × cpu_per_request is {} cores, and cpu says {}",
            number::plain(product),
            number::plain(cores)
        ),
    };
    format!("{place}: {finding}: {why}")
}
