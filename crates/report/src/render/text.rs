//! For a terminal.

use crate::escape::{line, terminal};
use crate::messages;
use crate::render::lines::{Colour, Terminal, aligned, padded};
use crate::shown::{Table, Tone, VerdictView};
use crate::view::view;
use proofload_store::schema::RunResult;
use unicode_width::UnicodeWidthStr;

/// Longest name that others are aligned with.
const NAME_MAX: usize = 32;

/// The result as text; with colours if asked for. The last line is the one to remember.
pub fn text(result: &RunResult, colour: bool) -> String {
    text_within(result, Terminal { colour, ..Terminal::FILE })
}

/// The same for a terminal: a table that is wider is drawn row by row.
pub fn text_within(result: &RunResult, on: Terminal) -> String {
    let view = view(result);
    let mut out = String::new();
    let mut say = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    for lead in view.lead.iter().filter(|lead| lead.tone != Tone::Good) {
        say(&on.paint(lead.tone, &line(&lead.line())));
        if !lead.sample.is_empty() {
            say(&format!("  {}", line(&lead.sample)));
        }
    }
    say(&on.paint(Colour::Bold, &line(&view.title)));
    for line in [&view.question, &view.ended].into_iter().filter(|text| !text.is_empty()) {
        say(&terminal(line));
    }
    if !view.verdicts.is_empty() {
        say("");
        judged_lines(&view.verdicts, on).iter().for_each(|lines| say(lines));
    }
    for (title, rows) in [
        (messages::EXPECTATIONS, &view.expectations),
        (messages::CONCLUSIONS, &view.conclusions),
        (messages::TRENDS, &view.trends),
    ] {
        if !rows.is_empty() {
            say("");
            say(&on.paint(Colour::Bold, &title));
            judged_lines(rows, on).iter().for_each(|lines| say(lines));
        }
    }
    for table in &view.tables {
        say("");
        say(&table_lines(table, on));
    }
    if !view.contradictions.is_empty() {
        say("");
        say(&on.paint(Colour::Bold, messages::CONTRADICTIONS.text()));
        view.contradictions.iter().for_each(|sentence| say(&format!("  - {}", line(sentence))));
    }
    if !view.bad_answers.is_empty() {
        say("");
        say(&on.paint(Colour::Bold, messages::BAD_ANSWERS.text()));
        for answer in &view.bad_answers {
            say(&format!("  {}: {}", line(&answer.outcome), line(&answer.what)));
            if let Some(first) = answer.received.lines().next() {
                say(&format!("    {}", line(first)));
            }
        }
    }
    say("");
    let names = view.parameters.iter().map(|(name, _)| line(name).width());
    let width = names.filter(|length| *length <= NAME_MAX).max().unwrap_or(0);
    view.parameters
        .iter()
        .for_each(|(name, value)| say(&format!("{}  {}", padded(&line(name), width), line(value))));
    if !view.limits.is_empty() {
        say("");
        say(&on.paint(Colour::Bold, messages::LIMITS.text()));
        view.limits.iter().for_each(|limit| say(&format!("  - {}", line(limit))));
    }
    say("");
    if !view.headline.is_empty() {
        say(&on.paint(Colour::Bold, &line(&view.headline)));
    }
    out
}

/// Width of the words of verdicts, unless there is a longer one.
const WORD: usize = 9;

pub(super) fn judged_lines(rows: &[VerdictView], on: Terminal) -> Vec<String> {
    let words = rows.iter().map(|row| line(&row.verdict).width());
    let width = words.max().unwrap_or(0).max(WORD);
    rows.iter().map(|row| verdict_lines(row, on, width)).collect()
}

fn verdict_lines(verdict: &VerdictView, on: Terminal, width: usize) -> String {
    let word = padded(&line(&verdict.verdict), width);
    let word = on.paint(verdict.tone, &word);
    let below = " ".repeat(width + 2);
    let mut lines = format!("{word}  {}", line(&messages::claimed(&verdict.name, &verdict.text)));
    if !verdict.rests_on.is_empty() {
        lines.push_str(&format!("\n{below}{}", line(&verdict.rests_on)));
    }
    if !verdict.sentence.is_empty() {
        lines.push_str(&format!("\n{below}{}", line(&verdict.sentence)));
    }
    for reason in verdict.further_reasons() {
        lines.push_str(&format!("\n{below}{}", line(reason)));
    }
    lines
}

pub(crate) fn table_lines(table: &Table, on: Terminal) -> String {
    let rows: Vec<Vec<String>> = std::iter::once(&table.header)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| line(cell)).collect())
        .collect();
    let mut lines = on.paint(Colour::Bold, &line(&table.title));
    match aligned(&rows, on.columns.saturating_sub(2), |column| table.is_text(column)) {
        Some(rows) => rows.iter().for_each(|row| lines.push_str(&format!("\n  {row}"))),
        None => lines.push_str(&row_by_row(&rows)),
    }
    lines
}

/// Each row as its first cell with the others below it, one a line with the name of its column.
fn row_by_row(rows: &[Vec<String>]) -> String {
    let Some((header, rows)) = rows.split_first() else { return String::new() };
    let width = header.iter().skip(1).map(|name| name.width()).max().unwrap_or(0);
    let mut lines = String::new();
    for row in rows {
        lines.push_str(&format!("\n  {}", row.first().map_or("", String::as_str)));
        for (name, cell) in header.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty()) {
            lines.push_str(&format!("\n    {}  {cell}", padded(name, width)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_where_characters_are_wide() {
        let row = |cells: [&str; 2]| cells.map(str::to_string).to_vec();
        let table = Table {
            title: String::new(),
            header: row(["", "p99"]),
            rows: vec![row(["连接器", "1 ms"]), row(["nio", "12 ms"])],
        };
        assert_eq!(
            table_lines(&table, Terminal { columns: 80, ..Terminal::FILE }),
            "\n            p99\n  连接器   1 ms\n  nio     12 ms"
        );
        let narrow = table_lines(&table, Terminal { columns: 10, ..Terminal::FILE });
        assert_eq!(narrow, "\n  连接器\n    p99  1 ms\n  nio\n    p99  12 ms");
    }
}
