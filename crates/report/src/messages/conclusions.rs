//! Sentences about what others published: conclusions, and figures that cannot all be true.

use crate::number;
use proofload_language::{Phrase, say, word};
use proofload_stats::{Contradiction, Measure};

/// Heading of the published conclusions.
pub const CONCLUSIONS: Phrase = Phrase("conclusions");
/// What a row of conclusions is about.
pub const CONCLUSION: Phrase = Phrase("conclusion");
/// Heading of the published figures that contradict themselves.
pub const CONTRADICTIONS: Phrase = Phrase("contradictions");

/// The figure that a conclusion rested on, and who published it.
pub fn was(figure: &str, published_in: &str) -> String {
    match figure {
        "" => published_in.to_string(),
        figure => say!("was", figure, published_in),
    }
}

/// One of the tests of a conclusion: what it asks, and what it comes to here.
pub fn conclusion_test(text: &str, rests_on: &str) -> String {
    if rests_on.is_empty() { text.to_string() } else { say!("conclusion-test", text, rests_on) }
}

/// One of several tests of a conclusion.
pub fn one_of_several(outcome: &str, test: &str) -> String {
    say!("one-of-several", outcome, test)
}

/// Why the old figure is no evidence.
pub fn beware(why: &str) -> String {
    say!("beware", why)
}

/// What the old figure rests on contradicts itself.
pub fn rests_on_contradiction(sentence: &str) -> String {
    say!("rests-on-contradiction", sentence)
}

/// A contradiction with who published the figures.
pub fn contradiction_in(source: &str, sentence: &str) -> String {
    say!("contradiction-in", source, sentence)
}

/// Whether figures can be explained at all.
pub fn contradiction_finding(contradiction: &Contradiction) -> &'static str {
    if contradiction.is_impossible() {
        word!("contradiction-finding-cannot-be-true")
    } else {
        word!("contradiction-finding-does-not-add-up")
    }
}

/// What contradicts what, with the place.
pub fn contradiction(contradiction: &Contradiction, place: &str) -> String {
    let finding = contradiction_finding(contradiction);
    let name = |measure: Measure| measure.name();
    let why = match *contradiction {
        Contradiction::MoreInFlight { in_flight, connections } => say!(
            "contradiction-throughput-mean-is-requests",
            in_flight = number::plain(in_flight),
            connections = number::plain(connections)
        ),
        Contradiction::Unaccounted { missing, connections } => say!(
            "contradiction-the-time-of-of",
            missing = number::plain(missing),
            connections = number::plain(connections),
            connections2 = number::plain(connections - missing)
        ),
        Contradiction::Below { of, than } => {
            say!("contradiction-is-below", name = name(of), name2 = name(than))
        }
        Contradiction::AboveWhole { of } => say!("contradiction-is-above", name = name(of)),
        Contradiction::Utilisation { product, cores } => say!(
            "contradiction-throughput-cpu-per-request",
            product = number::plain(product),
            cores = number::plain(cores)
        ),
    };
    say!("contradiction-whole", place, finding, why)
}
