//! Results drawn for people: text, Markdown and HTML. A renderer reads no file.

mod doctor;
mod html;
mod lines;
mod markdown;
mod noise;
mod reproductions;
mod runs;
mod screen;
mod sittings;
mod text;

pub use doctor::{doctor_text, in_column};
pub use html::{Page, STYLE, html, page, page_of_two, script};
pub use lines::Terminal;
pub use markdown::{markdown_report as markdown, markdown_within};
pub use noise::{age, noise_lines, noise_text, tune_text};
pub use reproductions::{Reproduction, reproductions};
pub use runs::{diff_text, history_text};
pub use screen::screen;
pub use sittings::sittings_text;
pub use text::{text, text_within};

use crate::escape;
use proofload_store::schema::{Durations, Model, RunResult, Slice};

/// One measurement has figures as a study has, and no closed loop has a send delay: nothing was due before it was sent.
fn complete(result: &RunResult) -> RunResult {
    let mut result = result.clone();
    if result.plan.is_none() && result.figures.is_empty() {
        result.figures = result.points.iter().flat_map(proofload_analysis::figures::of_one).collect();
    }
    result.limits = proofload_analysis::limits::of_result(&result);
    for point in result.points.iter_mut().filter(|point| point.model == Model::Closed) {
        point.send_delay_ns = Durations::default();
    }
    result
}

/// The result for programs; `schema/result.schema.json` describes it.
pub fn json(result: &RunResult) -> String {
    match crate::programs::for_programs(&complete(result)) {
        Ok(value) => format!("{}\n", escape::json(&format!("{value:#}"))),
        // Maps with text keys and plain fields always serialise; if that ever changes, the output reports it.
        Err(error) => format!("{{\"error\": {:?}}}\n", error.to_string()),
    }
}

/// Charts of the page, for programs: a list of tables, each with its title, its axes, names and units of its columns,
/// and its rows, in base units.
pub fn charts(result: &RunResult, slices: &[&Slice]) -> String {
    let listed = crate::charts::listed(&crate::charts::charts(result, slices));
    format!("{}\n", escape::json(&format!("{listed:#}")))
}
