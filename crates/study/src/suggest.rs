//! "Did you mean": the nearest of the words that are known.

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

/// `a, b, c or d`.
pub(crate) fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => "nothing".to_string(),
        [only] => only.as_ref().to_string(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
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
