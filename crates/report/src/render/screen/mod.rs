//! For a terminal, on one screen: the answer, the figures it needs, and what to beware of. Everything else is in the text
//! of `--verbose`, in the report and in JSON.

mod bars;
mod gauge;
mod study;
mod url;

use super::lines::Terminal;
use super::text::text_within;
use proofload_store::schema::{RunResult, Slice};

/// The result on one screen. The slices are those it was made of.
pub fn screen(result: &RunResult, slices: &[&Slice], terminal: Terminal) -> String {
    match (&result.plan, result.points.first()) {
        (Some(plan), _) => study::study(result, plan, terminal),
        (None, Some(point)) => url::screen(result, point, slices.first().copied(), terminal),
        _ => text_within(result, terminal),
    }
}
