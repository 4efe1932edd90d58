//! Selectors that are ready to be used.

use crate::markup::Tree;
use crate::selector::{Found, Pick, Selector, SelectorError};
use crate::{css, json, pattern, xpath};
use std::sync::Arc;

/// Most bytes of an expression, and how deep its brackets may be nested: parsers descend with them.
const MOST_TEXT: usize = 2_000;
const MOST_NESTING: usize = 12;

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
