//! From the record to text, Markdown, JSON, HTML, JUnit's XML, CSV and histogram logs. Reads, never runs.
//!
//! [`of_run`] judges a record and gathers what is shown; the renderers draw it. Renderers take a result and
//! return a `String`.

#![forbid(unsafe_code)]

mod bars;
mod both_ways;
mod capacity;
mod cells;
mod changes;
mod charts;
mod claims;
mod conclusions;
mod error;
pub mod escape;
mod estimate;
mod expected;
mod exploratory;
mod factors;
mod figures;
mod fitness;
mod guard;
mod headline;
mod hints;
mod lead;
mod limits;
mod messages;
mod names;
pub use proofload_language::number;
mod render;
mod replicates;
mod result;
mod runs;
mod scalability;
mod shown;
mod sittings;
mod steady;
mod threshold;
mod trends;
mod view;

pub use error::ReportError;
pub use expected::reported_measures;
pub use hints::hints;
pub use lead::{Lead, brief, lead};
pub use messages::places::network as said_of_network;
pub use messages::{age, doctor_text, in_column, interval, noise_lines, tally};
pub use render::{
    Page, Reproduction, STYLE, Terminal, Undecided, charts, csv, csv_series, diff_text, history_text, hlog,
    html, json, junit, markdown, markdown_within, noise_text, page, page_of_two, reproductions, screen,
    script, sittings_text, text, text_within, tune_text,
};
pub use result::{Overall, of_run, overall};
pub use runs::{baseline, diff, diff_of, history};
pub use shown::Tone;
pub use sittings::{overall_of_sittings, sittings};
pub use threshold::{judged_on_one, names_of_one, of_run_with, thresholds};
