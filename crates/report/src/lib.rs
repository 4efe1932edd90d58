//! From the record to every format in which a result can be had. Reads, never runs.
//!
//! [`of_run`] has what is shown of a record; the renderers draw it. Renderers take a result and
//! return a `String`.

#![forbid(unsafe_code)]

mod bars;
mod capacity;
mod charts;
mod conclusions;
pub mod escape;
mod exploratory;
pub mod export;
mod factors;
mod figures;
mod fitness;
mod formats;
mod headline;
mod lead;
mod left;
mod messages;
mod names;
mod programs;
mod two_sided;
pub use proofload_language::number;
mod render;
mod replicates;
mod result;
mod scalability;
mod shown;
mod steady;
mod trends;
mod view;

pub use formats::{Exported, FORMATS, Format, Made};
pub use lead::{Lead, brief, lead};
pub use left::{Left, minutes};
pub use messages::places::network as said_of_network;
pub use messages::{interval, tally};
pub use programs::for_programs;
pub use render::{
    Page, Reproduction, STYLE, Terminal, Undecided, age, charts, csv, csv_series, diff_text, doctor_text,
    history_text, hlog, html, in_column, json, junit, markdown, markdown_within, noise_lines, noise_text,
    page, page_of_two, reproductions, screen, script, sittings_text, text, text_within, tune_text,
};
pub use result::{history, of_run, of_run_with, sittings};
pub use shown::Tone;
