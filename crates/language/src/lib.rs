//! The catalogue of messages, in every language that Proofload speaks, and which of them is spoken.
//!
//! A message has an identifier and, in `locales/LANGUAGE/*.ftl`, a text in each language, in the format of Project Fluent.
//! [`tr!`] fills in its variables; [`Phrase`] and [`Columns`] are for constants. Which language they
//! speak is a matter of the scope: [`Language::within`] opens one, outside of all it is English.
//!
//! Figures are formatted before they are filled in: the digits are the same in every language.

#![forbid(unsafe_code)]

mod catalogue;
mod choice;
mod condition;
pub mod facts;
pub mod number;
mod value;

pub use catalogue::{CHINESE_FILES, ENGLISH_FILES};
pub use choice::Language;
pub use condition::condition;
pub use value::{Argument, Value};

use std::fmt;
use std::ops::Deref;

/// A message in the language of the scope: with variables a `String`, `tr!("blocks", n)`,
/// `tr!("bytes-sent", sent = number::bytes(sent))`; without any a `&'static str`, `tr!("verdicts")`.
///
/// Variables are texts or numbers. A whole number chooses between singular and plural where the language has these.
#[macro_export]
macro_rules! tr {
    ($id:literal) => {
        $crate::text($id)
    };
    ($id:literal $(, $name:ident $(= $value:expr)?)+ $(,)?) => {
        $crate::translate($id, &[$((stringify!($name), $crate::Argument::of(&$crate::given!($name $(, $value)?)))),*])
    };
}

/// Value of a variable: the expression, or the Rust variable of its name.
#[doc(hidden)]
#[macro_export]
macro_rules! given {
    ($name:ident) => {
        $name
    };
    ($name:ident, $value:expr) => {
        $value
    };
}

/// A message with these variables in the language that is spoken; [`tr!`] calls it. The identifier itself where the
/// catalogue does not have it, which a test excludes.
pub fn translate(id: &str, arguments: &[(&'static str, Value<'_>)]) -> String {
    if proofload_facts::is_coded() {
        return facts::as_code(id, arguments);
    }
    catalogue::formatted(Language::spoken(), id, arguments)
}

/// A message without variables in the language that is spoken.
pub fn text(id: &'static str) -> &'static str {
    let language = if proofload_facts::is_coded() { Language::English } else { Language::spoken() };
    catalogue::text(language, id)
}

/// A word that a stored field holds, as a person reads it; the word itself where the language has no other.
pub fn named(word: &str) -> &str {
    catalogue::of_word(Language::spoken(), "named", word).unwrap_or(word)
}

/// A measure, or a series of one, as headings have it; its own name where that needs no translation, as `p99`.
pub fn measure_in_words(name: &str) -> &str {
    catalogue::of_word(Language::spoken(), "measure", name).unwrap_or(name)
}

/// A message without variables, by its identifier: what a constant of type `&str` would be if there were one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase(pub &'static str);

impl Phrase {
    /// The text in the language that is spoken.
    pub fn text(self) -> &'static str {
        text(self.0)
    }
}

impl Deref for Phrase {
    type Target = str;

    fn deref(&self) -> &str {
        self.text()
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl AsRef<str> for Phrase {
    fn as_ref(&self) -> &str {
        self.text()
    }
}

impl From<Phrase> for String {
    fn from(phrase: Phrase) -> String {
        phrase.text().to_string()
    }
}

/// The headings of a table with `N` columns, by the identifier of a message that has them between ` | `.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns<const N: usize>(pub &'static str);

impl<const N: usize> Columns<N> {
    /// The headings in the language that is spoken; one that the message does not have is empty, which a test excludes.
    pub fn texts(self) -> [&'static str; N] {
        let mut parts = text(self.0).split(" | ");
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    }

    /// Each of them turned into something else.
    pub fn map<T>(self, turned: impl FnMut(&'static str) -> T) -> [T; N] {
        self.texts().map(turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_chooses_the_language_and_ends() {
        assert_eq!(VERDICTS.text(), "Verdicts");
        let inner =
            Language::Chinese.within(|| (VERDICTS.text(), Language::English.within(|| VERDICTS.text())));
        assert_eq!(inner, ("判定", "Verdicts"));
        assert_eq!(VERDICTS.to_string(), "Verdicts");
    }

    const VERDICTS: Phrase = Phrase("verdicts");

    #[test]
    fn a_number_chooses_between_singular_and_plural() {
        let blocks = |n: u32| tr!("blocks", n);
        assert_eq!([blocks(1), blocks(0), blocks(12)], ["1 block", "0 blocks", "12 blocks"]);
        assert_eq!(Language::Chinese.within(|| blocks(1)), "1 个区组");
    }

    #[test]
    fn no_digit_of_a_large_number_changes() {
        for seed in [0, 7, 1 << 53, (1 << 53) + 1, 1_795_602_518_601_935_466, u64::MAX] {
            assert_eq!(tr!("explain-seed", seed), format!("seed: {seed}"));
        }
    }

    #[test]
    fn what_is_filled_in_stays_as_it_is() {
        let hostile = "{ $n } \u{202e} <b> | \n x";
        assert_eq!(tr!("machine-fact", what = hostile), format!("machine: {hostile}"));
        assert!(Language::Chinese.within(|| tr!("machine-fact", what = hostile)).ends_with(hostile));
    }

    #[test]
    fn headings_are_as_many_as_the_table_has_columns() {
        const COLUMNS: Columns<5> = Columns("factor-columns");
        assert_eq!(COLUMNS.texts()[4], "based on");
        assert!(Language::Chinese.within(|| COLUMNS.texts()).iter().all(|text| !text.is_empty()));
    }
}
