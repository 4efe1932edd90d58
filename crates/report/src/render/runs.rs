//! History and differences, for a terminal.

use crate::escape::{line, terminal};
use crate::render::lines::Terminal;
use crate::render::text::table_lines;
use crate::shown::Table;
use crate::{messages, number};
use proofload_facts::Finding;
use proofload_language::facts::told;
use proofload_language::{Columns, named, tr};
use proofload_store::schema::{Difference, Estimate, HistoryChange, HistoryEntry, HistorySeries, RunDiff};

/// Longest value of a difference that is shown on its line, in characters.
const VALUE_MAX: usize = 100;

/// Most differences that are shown with a change or a series; JSON has all.
const DIFFERENCES_MAX: usize = 6;

/// Most figures outside any series that are shown one by one; JSON has all.
const LEFT_OUT_MAX: usize = 6;

/// Runs, one a line, oldest first. `when` turns nanoseconds since 1970 into a date.
pub fn history_text(entries: &[HistoryEntry], when: &dyn Fn(u64) -> String) -> String {
    if entries.is_empty() {
        return format!("{}\n", tr!("no-runs"));
    }
    let row = |entry: &HistoryEntry| {
        let began = if entry.began_unix_ns == 0 { "–".to_string() } else { when(entry.began_unix_ns) };
        vec![
            entry.study.clone(),
            began,
            named(entry.preset.name()).to_string(),
            history_ended(entry).to_string(),
            entry.blocks.to_string(),
            entry.machine.clone(),
            if entry.damage.is_empty() { entry.answer.clone() } else { entry.damage.clone() },
            entry.id.clone(),
        ]
    };
    let table = Table::with(tr!("history"), Columns::<8>("history-columns"), entries.iter().map(row));
    format!("{}\n\n{}", table_lines(&table, Terminal::FILE), change_lines(entries))
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
        lines.push((2, tr!("no-series").to_string()));
    }
    let left_out = |entry: &HistoryEntry| -> Vec<String> {
        entry
            .left_out
            .iter()
            .map(|what| tr!("left-out-of-series", run = entry.id, what = told(what)))
            .collect()
    };
    lines.extend(at_most(LEFT_OUT_MAX, 2, entries.iter().flat_map(left_out).collect()));
    if entries.iter().any(|entry| !entry.changes.is_empty()) {
        lines.push((2, tr!("changes-note").to_string()));
    }
    let mut out = format!("{}\n", tr!("changes"));
    lines.iter().for_each(|(depth, text)| out.push_str(&format!("{:depth$}{}\n", "", line(text))));
    out
}

/// A series that begins with `first`, each line with its depth.
fn series_lines(
    first: &HistoryEntry,
    series: &HistorySeries,
    entries: &[HistoryEntry],
) -> Vec<(usize, String)> {
    let mut lines = vec![(2, series_text(&first.study, series))];
    lines.extend(at_most(DIFFERENCES_MAX, 4, series.differences.iter().map(apart).collect()));
    let is_in = |entry: &&HistoryEntry| {
        entry.study == first.study && entry.series.as_ref().is_some_and(|of| of.began == series.began)
    };
    let runs: Vec<&HistoryEntry> = entries.iter().filter(is_in).collect();
    let changes: usize = runs.iter().map(|run| run.changes.len()).sum();
    lines.push((
        4,
        match (series.figures, changes) {
            (0, _) => too_few_runs(series),
            (_, 0) => tr!("no-change", figures = series.figures),
            (_, n) => tr!("changes-found", changes = n, figures = series.figures),
        },
    ));
    for run in runs {
        lines.extend(run.changes.iter().map(|change| (4, change_point(change, &run.id))));
        // What was different is the same for all that changed with one run, unless one of them has no value before.
        let differences = run.changes.first().map_or(&[][..], |change| &change.differences);
        lines.extend(at_most(DIFFERENCES_MAX, 6, differences.iter().map(changed_with).collect()));
    }
    lines
}

/// At most that many lines, and the number of those left out.
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
    let mut out =
        format!("{}\n", line(&tr!("diff-title-first-second", left = diff.left, right = diff.right)));
    let parts = [
        (tr!("diff-plan"), &diff.plan),
        (tr!("diff-environment"), &diff.environment),
        (tr!("diff-verdicts"), &diff.verdicts),
    ];
    for (title, differences) in parts {
        out.push_str(&format!("\n{title}\n"));
        if differences.is_empty() {
            out.push_str(&format!("  {}\n", tr!("same")));
        }
        differences.iter().for_each(|difference| out.push_str(&difference_lines(difference)));
    }
    let table = table_lines(&figures(diff), Terminal::FILE);
    out.push_str(&format!("\n{table}\n\n{}\n", tr!("not-paired")));
    out
}

/// The figures of two runs beside each other.
pub(super) fn figures(diff: &RunDiff) -> Table {
    let cell = |estimate: &Option<Estimate>| estimate.as_ref().map_or("–".to_string(), messages::interval);
    let rows = diff
        .figures
        .iter()
        .map(|pair| vec![messages::figure_of(pair), cell(&pair.left), cell(&pair.right), cell(&pair.ratio)]);
    Table::with(tr!("figures"), Columns::<4>("diff-columns"), rows)
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

/// State in which a run ended, or that its record is unreadable.
fn history_ended(entry: &HistoryEntry) -> &str {
    if entry.damage.is_empty() { named(entry.status.state.name()) } else { tr!("history-unreadable") }
}

/// Comparable runs of a study.
fn series_text(study: &str, series: &HistorySeries) -> String {
    match series.runs {
        1 => tr!("series-run", study, began = series.began),
        n => tr!("series-comparable-runs-the-first", study, n, began = series.began),
    }
}

/// Difference that begins a new series.
fn apart(difference: &Finding) -> String {
    tr!("apart", difference = told(difference))
}

/// Too few runs to detect a change.
fn too_few_runs(series: &HistorySeries) -> String {
    let (runs, needs) = (series.runs, series.needs);
    match runs < needs {
        true => tr!("too-few-runs", runs, needs),
        false => tr!("too-few-runs-no-figure-has-a", needs),
    }
}

/// `p99 of nio @ 64c rose by 12.3 % [9.10, 15.6] with run ID, 9 runs before it, 7 from it on`.
fn change_point(of: &HistoryChange, run: &str) -> String {
    let place = messages::place_of(&of.variant, &of.stream, &of.point);
    let (rose, by, points) = moved(&of.change);
    let (before, after) = (of.runs_before, of.runs_after);
    tr!("change-point", measure = of.measure, place, rose, by, points, run, before, after)
}

/// True if it rose, the amount, and true if that is in percentage points: beside changes that are ratios, 2 % of a
/// share would be read as one.
fn moved(change: &Estimate) -> (bool, String, bool) {
    let is_ratio = change.unit == "ratio";
    let (unit, level) = if is_ratio { ("share", 1.0) } else { (change.unit.as_str(), 0.0) };
    let rose = change.point >= level;
    let by = |value: f64| if rose { value - level } else { level - value };
    let said = match (change.low, change.high) {
        (Some(low), Some(high)) => {
            let (near, far) = if rose { (low, high) } else { (high, low) };
            number::with_ends(by(change.point), by(near), by(far), unit)
        }
        _ => number::with_unit(by(change.point), unit),
    };
    (rose, said, unit == "share_difference")
}

/// Difference between the runs before and after a change.
fn changed_with(difference: &Finding) -> String {
    tr!("changed-with", difference = told(difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(point: f64, ends: Option<(f64, f64)>, unit: &str) -> Estimate {
        let (low, high) = (ends.map(|(low, _)| low), ends.map(|(_, high)| high));
        Estimate { point, low, high, unit: unit.to_string() }
    }

    #[test]
    fn a_level_rises_or_falls_by_so_much_of_the_old_one() {
        for (change, expected) in [
            (estimate(1.123, Some((1.091, 1.156)), "ratio"), (true, "12.3 % [9.1, 15.6]", false)),
            (estimate(0.88, Some((0.85, 0.91)), "ratio"), (false, "12.0 % [9.0, 15.0]", false)),
            (estimate(3.2, Some((3.0, 3.4)), "ratio"), (true, "220 % [200, 240]", false)),
            (estimate(1.5, None, "ratio"), (true, "50.0 %", false)),
            (estimate(-0.02, Some((-0.03, -0.01)), "share_difference"), (false, "2.00 % [1.00, 3.00]", true)),
            (estimate(4.0, Some((3.0, 5.0)), "count_difference"), (true, "4.00 [3.00, 5.00]", false)),
        ] {
            let (rose, by, points) = moved(&change);
            assert_eq!((rose, by.as_str(), points), expected);
        }
    }

    #[test]
    fn too_few_runs_say_how_many_it_takes() {
        let of = |runs| HistorySeries { runs, needs: 6, ..HistorySeries::default() };
        assert_eq!(too_few_runs(&of(1)), "1 run: too few to tell a change; it needs 6 that are comparable");
        assert!(too_few_runs(&of(5)).starts_with("5 runs: too few"));
        assert!(too_few_runs(&of(8)).starts_with("no figure has a value in 6 of these runs"));
    }
}
