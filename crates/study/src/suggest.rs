//! "Did you mean": the nearest of the words that are known.

use super::problem::shown;
use proofload_facts::{Mistake, Thing};

/// The known word that was probably meant; `None` when nothing is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    // A third of the letters may be wrong, at most three: "conections", "keepalive", not "x" for "y".
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A word that is not among the possible ones.
pub fn not_one_of<S: AsRef<str>>(word: &str, known: &[S]) -> Mistake {
    // The list is as useful for a short word.
    let similar = similar_of(word, known).0.filter(|_| word.len() > 3);
    let choices = known.iter().map(|choice| choice.as_ref().to_string()).collect();
    Mistake::NotOneOf { found: shown(word), similar, choices }
}

/// A name that nothing has.
pub fn unknown<S: AsRef<str>>(what: Thing, word: &str, known: &[S]) -> Mistake {
    let (similar, known) = similar_of(word, known);
    Mistake::UnknownName { what, found: shown(word), similar, known }
}

/// The word that was probably meant, and all that are known.
pub(crate) fn similar_of<S: AsRef<str>>(word: &str, known: &[S]) -> (Option<String>, String) {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    (nearest(word, known.iter().copied()).map(str::to_string), known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_word() {
        let known = ["connections", "think", "keep_alive"];
        assert_eq!(nearest("conections", known), Some("connections"));
        assert_eq!(nearest("keepalive", known), Some("keep_alive"));
        assert_eq!(nearest("tihnk", known), Some("think"));
        assert_eq!(nearest("threads", known), None);
    }

    #[test]
    fn one_letter_is_not_taken_for_another() {
        assert_eq!(nearest("x", ["y"]), None);
    }
}
