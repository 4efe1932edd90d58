//! Rules for names of studies, subjects, factors and levels: names appear in claims, in tables and in names of files.

use super::problem::shown;
use proofload_facts::{Mistake, Thing};

/// Longest name of a study, subject, factor or level.
const NAME_MAX: usize = 64;

/// Pattern of the names of studies and of folders in the catalogue.
pub(super) const FOLDER_NAME: &str = "^[a-z0-9][a-z0-9-]{0,63}$";

pub(super) const PLAIN: &str = "A-Z a-z 0-9 . _ -";
pub(super) const LEVEL_LETTERS: &str = "A-Z a-z 0-9 . _ - : + %";
/// Letters of a folder's name.
pub(super) const FOLDER_LETTERS: &str = "a-z 0-9 -";

/// A name with other letters.
pub(super) fn bad_name(what: Thing, name: &str, letters: &'static str) -> Mistake {
    Mistake::BadName { what, found: shown(name), letters }
}

/// Small letters, digits and `-`: what can neither leave its folder nor surprise a shell.
pub(super) fn is_folder_name(text: &str) -> bool {
    starts_alphanumeric(text)
        && text.len() <= NAME_MAX
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn starts_alphanumeric(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Letters, digits, `.`, `_`, `-`.
pub(super) fn is_plain_name(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    starts_alphanumeric(text) && text.len() <= NAME_MAX && text.bytes().all(fits)
}

/// True for the name of a level: it appears in claims between parentheses and commas, and in names of files.
pub fn is_level(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"._-:+%".contains(&b);
    starts_alphanumeric(text) && text.len() <= NAME_MAX && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_leave_its_folder_or_break_a_claim() {
        for name in ["", ".", "..", "-a", "a/b", "a b", "a,b", "a(b", "a=b", "ä", "a\n", &"a".repeat(65)] {
            assert!(!is_folder_name(name) && !is_plain_name(name) && !is_level(name), "{name:?}");
        }
        assert!(is_folder_name("tomcat-connectors") && !is_folder_name("Tomcat"));
        assert!(is_plain_name("max_threads") && is_level("spin:40us") && is_level("9.0.110"));
    }
}
