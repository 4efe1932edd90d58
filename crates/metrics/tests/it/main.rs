//! Exporters from outside: what they count, what they write, and what a bad collector costs.

#![allow(clippy::disallowed_methods, reason = "tests may")]

mod documents;
mod hostile;
mod pushes;
mod scrapes;
mod sums;
mod support;
