//! From the record to every format in which a result can be had. Reads, never runs.
//!
//! [`of_run`] has what is shown of a record; the renderers draw it. Renderers take a result and
//! return a `String`.

#![forbid(unsafe_code)]

mod bars;
mod charts;
pub mod escape;
mod figures;
pub mod formats;
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
mod shown;
mod view;

pub use formats::{Exported, FORMATS, Format, Made, Undecided, csv, csv_series, hlog, junit};
pub use lead::{Lead, brief, lead};
pub use left::{Left, minutes};
pub use messages::places::network as said_of_network;
pub use messages::{interval, tally};
pub use programs::for_programs;
pub use render::{
    Page, Reproduction, STYLE, Terminal, age, charts, diff_text, doctor_text, history_text, html, in_column,
    json, markdown, markdown_within, noise_lines, noise_text, page, page_of_two, reproductions, screen,
    script, sittings_text, text, text_within, tune_text,
};
pub use result::{history, of_run, of_run_with, sittings};
pub use shown::Tone;
