//! From the record to text, Markdown, JSON and HTML. Reads, never runs.
//!
//! [`of_run`] judges a record and gathers what is shown; the renderers draw it. Renderers take a result and
//! return a `String`.

#![forbid(unsafe_code)]

pub mod escape;
mod expected;
mod messages;
mod number;
mod render;
mod result;
mod threshold;
mod view;

pub use expected::Looking;
pub use render::{html, json, markdown, text};
pub use result::{Overall, ReportError, of_run, overall, restore};
pub use threshold::{judged_on_one, names_of_one, of_run_with, thresholds};
