//! Sentences about what others published: conclusions, and figures that cannot all be true.

use proofload_language::{Phrase, say};

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
