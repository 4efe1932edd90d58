//! Values out of answers, and checks of them: JSONPath, regular expressions, CSS selectors, XPath, JSON Schema.
//! Expressions are made ready once; answers are hostile: whatever they hold, time, memory and depth have limits.

mod css;
mod json;
mod markup;
mod pattern;
mod schema;
#[cfg(test)]
mod tests;
mod xpath;

use markup::Tree;
pub use schema::Schema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::sync::Arc;

/// Most bytes of an expression, and how deep its brackets may be nested: parsers descend with them.
const MOST_TEXT: usize = 2_000;
const MOST_NESTING: usize = 12;

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
    /// How many there are, 0 included, instead of a value.
    Count,
}

impl Default for Pick {
    fn default() -> Pick {
        Pick::Nth(1)
    }
}

impl Pick {
    /// Index of the match that is meant among `count`.
    fn of(self, count: usize, random: u64) -> Option<usize> {
        match self {
            Pick::Nth(number) => (number as usize).checked_sub(1).filter(|index| *index < count),
            Pick::Last | Pick::Count => count.checked_sub(1),
            Pick::Any => random.checked_rem(count as u64).map(|index| index as usize),
        }
    }

    /// Appends what `write` makes of the match that is meant, or how many there are.
    fn take<T: Copy>(self, all: &[T], random: u64, out: &mut Vec<u8>, write: fn(T, &mut Vec<u8>)) -> Found {
        match self.of(all.len(), random) {
            _ if self == Pick::Count => counted(all.len(), out),
            Some(index) => write(all[index], out),
            None => return Found::No,
        }
        Found::Yes
    }
}

fn counted(count: usize, out: &mut Vec<u8>) {
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
    fn new(what: impl Into<String>, at: Option<usize>) -> SelectorError {
        SelectorError { what: what.into(), at }
    }
}

/// Selector made ready: once for each load, used on every answer.
#[derive(Clone, Debug)]
pub struct Finder(Arc<Way>);

#[derive(Debug)]
enum Way {
    Json(json::Path),
    Regex(regex::bytes::Regex),
    Page(xpath_eval::Expr),
    Markup(xpath_eval::Expr),
}

impl Finder {
    pub fn new(selector: &Selector) -> Result<Finder, SelectorError> {
        let (Selector::JsonPath(text)
        | Selector::Regex(text)
        | Selector::XPath(text)
        | Selector::Css { selector: text, .. }) = selector;
        fits(text)?;
        Ok(Finder(Arc::new(match selector {
            Selector::JsonPath(text) => Way::Json(json::Path::new(text)?),
            Selector::Regex(text) => Way::Regex(pattern::compile(text)?),
            Selector::Css { selector, attribute } => {
                Way::Page(xpath::compile(&css::to_xpath(selector, attribute.as_deref())?)?)
            }
            Selector::XPath(text) => Way::Markup(xpath::compile(text)?),
        })))
    }

    /// Appends the value to `out`, if there is one: strings of JSON without quotes, its other values as JSON.
    pub fn find(&self, text: &[u8], pick: Pick, random: u64, out: &mut Vec<u8>) -> Found {
        match &*self.0 {
            Way::Json(path) => path.find(text, pick, random, out),
            Way::Regex(regex) => pattern::find(regex, text, pick, random, out),
            Way::Page(xpath) => xpath::find(xpath, &Tree::html(text), pick, random, out),
            Way::Markup(xpath) => xpath::find(xpath, &Tree::any(text), pick, random, out),
        }
    }
}

/// Refuses expressions that are long or nested beyond what parsers stand.
fn fits(text: &str) -> Result<(), SelectorError> {
    if text.len() > MOST_TEXT {
        let what = format!("it has {} bytes, more than {MOST_TEXT}", text.len());
        return Err(SelectorError::new(what, Some(MOST_TEXT)));
    }
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_NESTING {
            return Err(SelectorError::new(
                format!("brackets are nested deeper than {MOST_NESTING}"),
                Some(at),
            ));
        }
    }
    Ok(())
}

/// The beginning of a value, for a message.
fn short(value: &impl std::fmt::Display) -> String {
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
