//! Exporters from outside: what they count, what they write, and what a bad collector costs.

mod documents;
mod hostile;
mod pushes;
mod scrapes;
mod sums;
mod support;
