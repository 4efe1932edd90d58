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
mod runs;
mod view;

pub use expected::Looking;
pub use render::{diff_text, history_text, html, json, markdown, text};
pub use result::{Overall, ReportError, of_run, overall, restore};
pub use runs::{baseline, diff, history_entry};
