//! For a terminal.

use crate::escape::{line, terminal};
use crate::messages;
use crate::view::{Table, VerdictView, view};
use proofload_store::schema::RunResult;

/// The result as text; with colours if asked for. The last line is the one to remember.
pub fn text(result: &RunResult, colour: bool) -> String {
    let view = view(result);
    let mut out = String::new();
    let mut say = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    say(&bold(&line(&view.title), colour));
    for line in [&view.question, &view.ended].into_iter().filter(|text| !text.is_empty()) {
        say(&terminal(line));
    }
    if !view.verdicts.is_empty() {
        say("");
        view.verdicts.iter().for_each(|verdict| say(&verdict_lines(verdict, colour)));
    }
    if !view.expectations.is_empty() {
        say("");
        say(&bold(messages::EXPECTATIONS, colour));
        view.expectations.iter().for_each(|row| say(&verdict_lines(row, colour)));
    }
    for table in &view.tables {
        say("");
        say(&table_lines(table, colour));
    }
    if !view.bad_answers.is_empty() {
        say("");
        say(&bold(messages::BAD_ANSWERS, colour));
        for answer in &view.bad_answers {
            say(&format!("  {}: {}", line(&answer.outcome), line(&answer.what)));
            if let Some(first) = answer.received.lines().next() {
                say(&format!("    {}", line(first)));
            }
        }
    }
    say("");
    view.parameters.iter().for_each(|(name, value)| say(&format!("{:<10} {}", line(name), line(value))));
    if !view.limits.is_empty() {
        say("");
        say(&bold(messages::LIMITS, colour));
        view.limits.iter().for_each(|limit| say(&format!("  - {}", line(limit))));
    }
    say("");
    if !view.headline.is_empty() {
        say(&bold(&line(&view.headline), colour));
    }
    out
}

fn verdict_lines(verdict: &VerdictView, colour: bool) -> String {
    let word = format!("{:<9}", line(&verdict.verdict));
    let word = match (colour, verdict.verdict.as_str()) {
        (false, _) => word,
        (true, "supported" | "met") => format!("\u{1b}[32m{word}\u{1b}[0m"),
        (true, "refuted" | "not met") => format!("\u{1b}[31m{word}\u{1b}[0m"),
        (true, _) => format!("\u{1b}[33m{word}\u{1b}[0m"),
    };
    let mut lines = format!("{word}  {}: {}", line(&verdict.name), line(&verdict.text));
    if !verdict.rests_on.is_empty() {
        lines.push_str(&format!("\n           {}", line(&verdict.rests_on)));
    }
    for reason in &verdict.reasons {
        lines.push_str(&format!("\n           {}", line(reason)));
    }
    lines
}

pub(super) fn table_lines(table: &Table, colour: bool) -> String {
    let rows: Vec<Vec<String>> = std::iter::once(&table.header)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| line(cell)).collect())
        .collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let mut lines = bold(&line(&table.title), colour);
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        lines.push_str(&format!("\n  {}", cells.collect::<Vec<_>>().join("  ").trim_end()));
    }
    lines
}

fn bold(text: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_string() }
}
