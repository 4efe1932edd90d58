//! Sentences about what others published: conclusions, and figures that cannot all be true.

use proofload_language::{Phrase, say};

/// Heading of the published conclusions.
pub const CONCLUSIONS: Phrase = Phrase("conclusions");
/// What a row of conclusions is about.
pub const CONCLUSION: Phrase = Phrase("conclusion");
/// Heading of the published figures that contradict themselves.
pub const CONTRADICTIONS: Phrase = Phrase("contradictions");

/// Why the old figure is no evidence.
pub fn beware(why: &str) -> String {
    say!("beware", why)
}

/// What the old figure rests on contradicts itself.
pub fn rests_on_contradiction(sentence: &str) -> String {
    say!("rests-on-contradiction", sentence)
}
