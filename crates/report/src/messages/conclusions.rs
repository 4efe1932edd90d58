//! Sentences about what others published: conclusions, and figures that cannot all be true.

use crate::number;
use proofload_language::{Phrase, say};
use proofload_stats::Contradiction;

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

/// What contradicts what, with the place.
pub fn contradiction(contradiction: &Contradiction, place: &str) -> String {
    let plain = number::plain;
    match *contradiction {
        Contradiction::MoreInFlight { in_flight, connections } => {
            let (in_flight, connections) = (plain(in_flight), plain(connections));
            say!("contradiction-more-in-flight", place, in_flight, connections)
        }
        Contradiction::Unaccounted { missing, connections } => {
            let used = plain(connections - missing);
            let (missing, connections) = (plain(missing), plain(connections));
            say!("contradiction-unaccounted", place, missing, connections, used)
        }
        Contradiction::Below { of, than } => {
            say!("contradiction-below", place, measure = of.name(), than = than.name())
        }
        Contradiction::AboveWhole { of } => say!("contradiction-above-whole", place, measure = of.name()),
        Contradiction::Utilisation { product, cores } => {
            say!("contradiction-utilisation", place, product = plain(product), cores = plain(cores))
        }
    }
}
