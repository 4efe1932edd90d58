//! Views as text, Markdown and HTML, results as JSON. A renderer reads no file.

mod html;
mod markdown;
mod runs;
mod text;

pub use html::html;
pub use markdown::markdown;
pub use runs::{diff_text, history_text};
pub use text::text;

use proofload_store::schema::RunResult;

/// The result for programs; `schema/result.schema.json` describes it.
pub fn json(result: &RunResult) -> String {
    match serde_json::to_string_pretty(result) {
        Ok(mut text) => {
            text.push('\n');
            text
        }
        // Maps with text keys and plain fields always serialise; if that ever changes, say it where it is read.
        Err(error) => format!("{{\"error\": {:?}}}\n", error.to_string()),
    }
}
