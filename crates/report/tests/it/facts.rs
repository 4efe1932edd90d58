//! Facts in tests about words.

use proofload_facts::Fact;
use proofload_language::facts::in_english;

/// Facts as sentences.
pub fn told(facts: &[impl Fact]) -> Vec<String> {
    facts.iter().map(in_english).collect()
}
