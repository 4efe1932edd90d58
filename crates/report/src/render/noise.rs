//! Noise audits and searches, for a terminal.

use crate::escape::line;
use crate::messages;
use crate::render::screen::{Terminal, screen};
use crate::render::text::{table_lines, text_within};
use crate::shown::Table;
use proofload_language::facts::told;
use proofload_language::say;
use proofload_store::schema::{NoiseAudit, TuneResult};

fn table(title: &str, header: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let table = Table { title: title.to_string(), header, rows };
    table_lines(&table, false, usize::MAX)
}

/// An audit in full; `when` is its date.
pub fn noise_text(audit: &NoiseAudit, when: &str) -> String {
    let mut out =
        format!("{}\n{}\n", messages::noise_title(audit, when), line(&messages::noise_machine(audit)));
    let rows = audit.measures.iter().map(messages::noise_row).collect();
    let header = messages::NOISE_COLUMNS.map(str::to_string).to_vec();
    out.push_str(&format!("\n{}\n", table(messages::NOISE.text(), header, rows)));
    if !audit.slice_lengths.is_empty() {
        let header = messages::SLICE_LENGTH_COLUMNS.map(str::to_string).to_vec();
        let rows = audit.slice_lengths.iter().map(messages::slice_length_row).collect();
        out.push_str(&format!("\n{}\n", table(&messages::slice_lengths(audit), header, rows)));
    }
    let columns = audit.resolution.iter().map(messages::resolution_column);
    let header = [String::new()].into_iter().chain(columns).collect();
    let rows = audit.measures.iter();
    let rows = rows.flat_map(|noise| messages::resolution_rows(&noise.measure, &audit.resolution)).collect();
    out.push_str(&format!(
        "\n{}\n{}\n",
        table(messages::RESOLUTION.text(), header, rows),
        messages::RESOLUTION_NOTE
    ));
    for finding in &audit.findings {
        out.push_str(&format!("{}\n", line(&told(finding))));
    }
    out.push_str(&format!("{}\n", line(&say!("kept-in", run = audit.run))));
    out
}

/// Variants of a search on one screen.
const STANDINGS_MAX: usize = 3;

/// A search: its standings, marked as what they are, and the verdict of the fresh blocks; on one screen the best of them, or
/// all with every heat.
pub fn tune_text(result: &TuneResult, on: Terminal, whole: bool) -> String {
    let mut out = format!("{}\n", line(&messages::search_title(result)));
    for (number, heat) in (1..).zip(&result.heats).filter(|_| whole) {
        out.push_str(&format!("{}\n", line(&messages::heat(number, heat))));
    }
    let shown = if whole { result.standings.len() } else { STANDINGS_MAX };
    let row = |standing: &proofload_store::schema::TuneStanding| {
        vec![
            standing.variant.clone(),
            standing.search_ratio.map_or("–".to_string(), |ratio| format!("{ratio:.3}")),
            standing.blocks.to_string(),
            standing.out_after.map_or("–".to_string(), |heat| say!("out-after-heat", heat)),
        ]
    };
    let header = messages::SEARCH_COLUMNS.map(str::to_string).to_vec();
    let rows = result.standings.iter().take(shown).map(row).collect();
    let apart = if whole { "\n" } else { "" };
    out.push_str(&format!("{apart}{}\n", table(messages::SEARCH.text(), header, rows)));
    if shown < result.standings.len() {
        out.push_str(&format!("{}\n", messages::more_lines(result.standings.len() - shown)));
    }
    out.push_str(&format!("{apart}{}\n", line(&messages::search_winner(result))));
    if let Some(confirmation) = &result.confirmation {
        let drawn = if whole {
            text_within(confirmation, on.colour, on.columns)
        } else {
            screen(confirmation, &[], on)
        };
        out.push_str(&format!("\n{drawn}"));
    }
    out
}
