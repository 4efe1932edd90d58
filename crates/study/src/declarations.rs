//! What a folder of the catalogue says about its parameters; implemented by the catalogue.

use super::speaks::Speaks;
use std::collections::BTreeMap;

/// Knows the subjects that can be started by name.
pub trait Declarations {
    /// The parameters of a folder of the catalogue, in declared order; `None` when there is no such folder.
    fn parameters(&self, folder: &str) -> Option<Vec<Parameter>>;

    /// Names of all folders, for "did you mean" and "known are".
    fn folders(&self) -> Vec<String> {
        Vec::new()
    }

    /// A last word on a value that already fits its kind.
    ///
    /// # Errors
    /// `what; remedy`, when the folder cannot take it.
    fn check(&self, folder: &str, parameter: &str, value: &str) -> Result<(), String> {
        let _ = (folder, parameter, value);
        Ok(())
    }

    /// Whether these values go together; what is not given has its default.
    ///
    /// # Errors
    /// `what; remedy` for each combination that does not apply.
    fn check_combination(&self, folder: &str, given: &BTreeMap<String, String>) -> Result<(), Vec<String>> {
        let _ = (folder, given);
        Ok(())
    }

    /// Whether a folder's subject needs a JDK.
    fn needs_jdk(&self, folder: &str) -> bool {
        let _ = folder;
        false
    }

    /// What is spoken with a folder's subject that has these values; what is not given has its default.
    ///
    /// # Errors
    /// `what; remedy`, when the folder's declaration is wrong.
    fn speaks(&self, folder: &str, given: &BTreeMap<String, String>) -> Result<Speaks, String> {
        let _ = (folder, given);
        Ok(Speaks::Http)
    }

    /// The parameter in which variants may differ that share one process; `None` when they cannot share.
    fn shares(&self, folder: &str) -> Option<String> {
        let _ = folder;
        None
    }
}

/// One parameter of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its key under `with:` or `vary:`.
    pub name: String,
    /// What values it takes.
    pub kind: ParameterKind,
    /// The value without one; `None` when it must be given.
    pub default: Option<String>,
    /// What it does, one line.
    pub doc: String,
}

/// What values a parameter takes. Values are text in the checked study; this says which texts are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// One of these words.
    Choice(Vec<String>),
    /// A whole number in a range, both ends included.
    Integer {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A size as the subject writes it: a number and one of `k`, `m`, `g` (as in `-Xmx256m`).
    Memory,
    /// A duration such as `10s` or `40us`.
    Duration,
    /// Any one line of text.
    Text,
    /// Words with spaces between them, each of which begins with one of these; empty for none.
    Words(Vec<String>),
}

/// Whether each word of a value begins with one of these.
///
/// # Errors
/// `what; remedy`.
pub fn check_words(begin: &[String], value: &str) -> Result<(), String> {
    if value.chars().any(char::is_control) {
        return Err("holds a line break or another control character; write one line of words".to_string());
    }
    // -X and -D say nothing alone; -server does.
    let whole = |begin: &str| begin.len() > "-X".len();
    let begins = |word: &str, begin: &str| word.starts_with(begin) && (word != begin || whole(begin));
    let fits = |word: &str| begin.iter().any(|begin| begins(word, begin));
    match value.split_whitespace().find(|word| !fits(word)) {
        Some(word) => Err(format!(
            "`{}` does not begin with {}; write words that do, with spaces between them",
            word.escape_debug(),
            begin.join(" or ")
        )),
        None => Ok(()),
    }
}
