//! Parameters that a folder of the catalogue declares; implemented by the catalogue.

use super::problem::shown;
use super::protocol::Speaks;
use super::quantity::duration;
use super::source::is_memory;
use super::suggest::not_one_of;
use proofload_facts::{Expected, Mistake};
use std::collections::BTreeMap;

/// The subjects that can be started by name.
pub trait Declarations {
    /// The parameters of a folder of the catalogue, in declared order; `None` when there is no such folder.
    fn parameters(&self, folder: &str) -> Option<Vec<Parameter>>;

    /// Names of all folders, for "did you mean" and "known are".
    fn folders(&self) -> Vec<String> {
        Vec::new()
    }

    /// Last check of a value that already fits its kind.
    ///
    /// # Errors
    /// A value that the folder cannot take.
    fn check(&self, folder: &str, parameter: &str, value: &str) -> Result<(), Mistake> {
        let _ = (folder, parameter, value);
        Ok(())
    }

    /// Checks that these values go together; parameters that are not given have their default.
    ///
    /// # Errors
    /// One for each combination that does not apply.
    fn check_combination(&self, folder: &str, given: &BTreeMap<String, String>) -> Result<(), Vec<Mistake>> {
        let _ = (folder, given);
        Ok(())
    }

    /// True if a folder's subject needs a JDK.
    fn needs_jdk(&self, folder: &str) -> bool {
        let _ = folder;
        false
    }

    /// Protocol of a folder's subject that has these values; parameters that are not given have their default.
    ///
    /// # Errors
    /// A wrong declaration of the folder.
    fn speaks(&self, folder: &str, given: &BTreeMap<String, String>) -> Result<Speaks, Mistake> {
        let _ = (folder, given);
        Ok(Speaks::Http)
    }

    /// The parameter in which variants may differ that share one process; `None` when they cannot share.
    fn shares(&self, folder: &str) -> Option<String> {
        let _ = folder;
        None
    }
}

impl Parameter {
    /// Checks that a value fits.
    ///
    /// # Errors
    /// The expected value.
    pub fn check(&self, value: &str) -> Result<(), Mistake> {
        match &self.kind {
            ParameterKind::Choice(words) if !words.iter().any(|word| word == value) => {
                Err(not_one_of(value, words))
            }
            ParameterKind::Integer { min, max }
                if !value.parse::<u64>().is_ok_and(|number| (*min..=*max).contains(&number)) =>
            {
                let (low, high) = (min.to_string(), max.to_string());
                Err(Mistake::NotWhole { found: shown(value), low, high })
            }
            ParameterKind::Memory if !is_memory(value) => {
                Err(Mistake::not(shown(value), Expected::Memory, "256m, 1g"))
            }
            ParameterKind::Duration => duration(value).map(drop),
            ParameterKind::Text if value.chars().any(char::is_control) => Err(Mistake::ControlCharacter),
            ParameterKind::Words(begin) => check_words(begin, value),
            _ => Ok(()),
        }
    }
}

/// One parameter of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its key under `with:` or `vary:`.
    pub name: String,
    pub kind: ParameterKind,
    /// The value without one; `None` when it must be given.
    pub default: Option<String>,
    /// Purpose, one line.
    pub doc: String,
}

/// Values that a parameter takes. Values are text in the checked study; this defines the valid texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    Choice(Vec<String>),
    /// A whole number in a range, both ends included.
    Integer {
        min: u64,
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

/// Checks that each word of a value begins with one of these.
///
/// # Errors
/// The word that does not.
fn check_words(begin: &[String], value: &str) -> Result<(), Mistake> {
    if value.chars().any(char::is_control) {
        return Err(Mistake::ControlCharacter);
    }
    // -X and -D mean nothing alone; -server does.
    let whole = |begin: &str| begin.len() > "-X".len();
    let begins = |word: &str, begin: &str| word.starts_with(begin) && (word != begin || whole(begin));
    let fits = |word: &str| begin.iter().any(|begin| begins(word, begin));
    match value.split_whitespace().find(|word| !fits(word)) {
        Some(word) => Err(Mistake::BadBeginning { word: shown(word), known: begin.join(", ") }),
        None => Ok(()),
    }
}
