//! Values out of answers, and checks of them: JSONPath, regular expressions, CSS selectors, XPath, JSON Schema.
//! Expressions are made ready once; answers are hostile: whatever they hold, time, memory and depth have limits.

mod css;
mod finder;
mod json;
mod markup;
mod pattern;
mod schema;
mod selector;
#[cfg(test)]
mod tests;
mod xpath;

pub use finder::Finder;
pub use schema::Schema;
pub use selector::{Found, Pick, Selector, SelectorError};
