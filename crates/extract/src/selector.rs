//! Selectors, picks, outcomes and faults.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Place of a value in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selector {
    /// RFC 9535.
    JsonPath(String),
    /// Syntax of the `regex` crate. The value is group 1 if it took part, else the whole match.
    Regex(String),
    /// Elements of a page. The value is their text, or that attribute, and then only elements that have it count.
    Css { selector: String, attribute: Option<String> },
    /// XPath 1.0 over XML, and over HTML as it is written if it is no XML. A name without prefix is that in any
    /// namespace; prefixes are those that the text has.
    XPath(String),
}

/// Choice among several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// From 1.
    Nth(u32),
    Last,
    /// By the random number that is handed in.
    Any,
    /// Their number, 0 included, instead of a value.
    Count,
}

impl Default for Pick {
    fn default() -> Pick {
        Pick::Nth(1)
    }
}

impl Pick {
    /// Index of the match that is meant among `count`.
    pub fn of(self, count: usize, random: u64) -> Option<usize> {
        match self {
            Pick::Nth(number) => (number as usize).checked_sub(1).filter(|index| *index < count),
            Pick::Last | Pick::Count => count.checked_sub(1),
            Pick::Any => random.checked_rem(count as u64).map(|index| index as usize),
        }
    }

    /// Appends what `write` makes of the match that is meant, or how many there are.
    pub fn take<T: Copy>(
        self,
        all: &[T],
        random: u64,
        out: &mut Vec<u8>,
        write: fn(T, &mut Vec<u8>),
    ) -> Found {
        match self.of(all.len(), random) {
            _ if self == Pick::Count => counted(all.len(), out),
            Some(index) => write(all[index], out),
            None => return Found::No,
        }
        Found::Yes
    }
}

pub fn counted(count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(count.to_string().as_bytes());
}

/// Outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Yes,
    No,
    /// The text cannot be searched, and why.
    Unreadable(&'static str),
}

/// Fault of an expression: in words of its language's parser, which are English.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SelectorError {
    pub what: String,
    /// Bytes before it in the expression; of a schema its place is in the words.
    pub at: Option<usize>,
}

impl SelectorError {
    pub fn new(what: impl Into<String>, at: Option<usize>) -> SelectorError {
        SelectorError { what: what.into(), at }
    }
}

/// The beginning of a value, for a message.
pub fn short(value: &impl std::fmt::Display) -> String {
    /// Takes characters up to a limit, then fails.
    struct Cut(String);
    impl Write for Cut {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.extend(text.chars().take(60 - self.0.chars().count()));
            if self.0.chars().count() < 60 { Ok(()) } else { Err(std::fmt::Error) }
        }
    }
    let mut cut = Cut(String::new());
    match write!(cut, "{value}") {
        Ok(()) => cut.0,
        Err(_) => cut.0 + "…",
    }
}
