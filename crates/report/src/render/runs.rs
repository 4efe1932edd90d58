//! History and differences, for a terminal.

use crate::escape::{line, terminal};
use crate::messages;
use crate::render::text::table_lines;
use crate::shown::Table;
use proofload_language::named;
use proofload_store::schema::{Difference, Estimate, HistoryEntry, HistorySeries, RunDiff};

/// Longest value of a difference that is shown on its line, in characters.
const VALUE_MAX: usize = 100;

/// Most differences that are told with a change or a series; JSON has all.
const DIFFERENCES_MAX: usize = 6;

/// Most figures that are in no series and are told one by one; JSON has all.
const LEFT_OUT_MAX: usize = 6;

/// Runs, one a line, oldest first. `when` turns nanoseconds since 1970 into a date.
pub fn history_text(entries: &[HistoryEntry], when: &dyn Fn(u64) -> String) -> String {
    if entries.is_empty() {
        return format!("{}\n", messages::NO_RUNS);
    }
    let header = messages::HISTORY_COLUMNS.map(str::to_string);
    let row = |entry: &HistoryEntry| {
        let began = if entry.began_unix_ns == 0 { "–".to_string() } else { when(entry.began_unix_ns) };
        vec![
            entry.study.clone(),
            began,
            named(entry.preset.name()).to_string(),
            messages::history_ended(entry).to_string(),
            entry.blocks.to_string(),
            entry.machine.clone(),
            if entry.damage.is_empty() { entry.answer.clone() } else { entry.damage.clone() },
            entry.id.clone(),
        ]
    };
    let rows = entries.iter().map(row).collect();
    let table = Table { title: messages::HISTORY.to_string(), header: header.to_vec(), rows };
    format!("{}\n\n{}", table_lines(&table, false, usize::MAX), change_lines(entries))
}

/// Series of comparable runs, each with its change points.
fn change_lines(entries: &[HistoryEntry]) -> String {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for first in entries {
        if let Some(series) = first.series.as_ref().filter(|series| series.place == 1) {
            lines.extend(series_lines(first, series, entries));
        }
    }
    if lines.is_empty() {
        lines.push((2, messages::NO_SERIES.to_string()));
    }
    let left_out = |entry: &HistoryEntry| -> Vec<String> {
        entry.left_out.iter().map(|what| messages::left_out_of_series(&entry.id, what)).collect()
    };
    lines.extend(at_most(LEFT_OUT_MAX, 2, entries.iter().flat_map(left_out).collect()));
    if entries.iter().any(|entry| !entry.changes.is_empty()) {
        lines.push((2, messages::CHANGES_NOTE.to_string()));
    }
    let mut out = format!("{}\n", messages::CHANGES);
    lines.iter().for_each(|(depth, text)| out.push_str(&format!("{:depth$}{}\n", "", line(text))));
    out
}

/// A series that begins with `first`, each line with its depth.
fn series_lines(
    first: &HistoryEntry,
    series: &HistorySeries,
    entries: &[HistoryEntry],
) -> Vec<(usize, String)> {
    let mut lines = vec![(2, messages::series(&first.study, series))];
    lines.extend(at_most(DIFFERENCES_MAX, 4, series.differences.iter().map(messages::apart).collect()));
    let is_in = |entry: &&HistoryEntry| {
        entry.study == first.study && entry.series.as_ref().is_some_and(|of| of.began == series.began)
    };
    let runs: Vec<&HistoryEntry> = entries.iter().filter(is_in).collect();
    let changes: usize = runs.iter().map(|run| run.changes.len()).sum();
    lines.push((
        4,
        match (series.figures, changes) {
            (0, _) => messages::too_few_runs(series),
            (_, 0) => messages::no_change(series),
            (_, n) => messages::followed(series, n),
        },
    ));
    for run in runs {
        lines.extend(run.changes.iter().map(|change| (4, messages::change_point(change, &run.id))));
        // What was different is the same for all that changed with one run, unless one of them has no value before.
        let differences = run.changes.first().map_or(&[][..], |change| &change.differences);
        lines.extend(at_most(DIFFERENCES_MAX, 6, differences.iter().map(messages::changed_with).collect()));
    }
    lines
}

/// So many lines, and how many more there are.
fn at_most(most: usize, depth: usize, mut lines: Vec<String>) -> Vec<(usize, String)> {
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    if more > 0 {
        lines.push(messages::more_lines(more));
    }
    lines.into_iter().map(|text| (depth, text)).collect()
}

/// Two runs side by side.
pub fn diff_text(diff: &RunDiff) -> String {
    let mut out = format!("{}\n", line(&messages::diff_title(&diff.left, &diff.right)));
    let parts = [
        (messages::DIFF_PLAN, &diff.plan),
        (messages::DIFF_ENVIRONMENT, &diff.environment),
        (messages::DIFF_VERDICTS, &diff.verdicts),
    ];
    for (title, differences) in parts {
        out.push_str(&format!("\n{title}\n"));
        if differences.is_empty() {
            out.push_str(&format!("  {}\n", messages::SAME));
        }
        differences.iter().for_each(|difference| out.push_str(&difference_lines(difference)));
    }
    let table = table_lines(&figures(diff), false, usize::MAX);
    out.push_str(&format!("\n{table}\n\n{}\n", messages::NOT_PAIRED));
    out
}

/// The figures of two runs beside each other.
pub(super) fn figures(diff: &RunDiff) -> Table {
    let header = messages::DIFF_COLUMNS.map(str::to_string).to_vec();
    let cell = |estimate: &Option<Estimate>| estimate.as_ref().map_or("–".to_string(), messages::interval);
    let rows = diff
        .figures
        .iter()
        .map(|pair| vec![messages::figure_of(pair), cell(&pair.left), cell(&pair.right), cell(&pair.ratio)]);
    Table { title: messages::FIGURES.to_string(), header, rows: rows.collect() }
}

fn difference_lines(difference: &Difference) -> String {
    let long = |value: &Option<String>| {
        value.as_ref().is_some_and(|value| value.contains('\n') || value.chars().count() > VALUE_MAX)
    };
    if !long(&difference.left) && !long(&difference.right) {
        let side = |value: &Option<String>| value.as_deref().map_or_else(|| "–".to_string(), line);
        let (left, right) = (side(&difference.left), side(&difference.right));
        return format!("  {}: {left} → {right}\n", line(&difference.what));
    }
    let mut lines = format!("  {}:\n", line(&difference.what));
    let text = |value: &Option<String>| terminal(value.as_deref().unwrap_or_default());
    let (left, right) = (text(&difference.left), text(&difference.right));
    for (sign, here, there) in [('-', &left, &right), ('+', &right, &left)] {
        for told in here.lines().filter(|told| !there.lines().any(|other| other == *told)) {
            lines.push_str(&format!("    {sign} {told}\n"));
        }
    }
    lines
}
