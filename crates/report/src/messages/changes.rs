//! Sentences about change points in a history of runs.

use crate::number;
use proofload_facts::{Finding, Limit};
use proofload_language::facts::told;
use proofload_language::{Phrase, say};
use proofload_store::schema::{Estimate, HistoryChange, HistorySeries};

/// Heading of the change points.
pub const CHANGES: Phrase = Phrase("changes");

/// No run has anything to follow.
pub const NO_SERIES: Phrase = Phrase("no-series");

/// What a change point is, and what it is not.
pub const CHANGES_NOTE: Phrase = Phrase("changes-note");

/// `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place_of(variant: &str, stream: &str, point: &str) -> String {
    match stream {
        "" => format!("{variant} @ {point}"),
        stream => format!("{variant} [{stream}] @ {point}"),
    }
}

/// Comparable runs of a study.
pub fn series(study: &str, series: &HistorySeries) -> String {
    match series.runs {
        1 => say!("series-run", study, began = series.began),
        n => say!("series-comparable-runs-the-first", study, n, began = series.began),
    }
}

/// Why a series begins where it does.
pub fn apart(difference: &Finding) -> String {
    say!("apart", difference = told(difference))
}

/// A change cannot be told yet.
pub fn too_few_runs(series: &HistorySeries) -> String {
    let (runs, needs) = (series.runs, series.needs);
    match runs < needs {
        true => say!("too-few-runs", runs, needs),
        false => say!("too-few-runs-no-figure-has-a", needs),
    }
}

/// Nothing changed that could be told.
pub fn no_change(series: &HistorySeries) -> String {
    say!("no-change", figures = series.figures)
}

/// How many figures were looked through, where some changed.
pub fn followed(series: &HistorySeries, changes: usize) -> String {
    say!("changes-found", changes, figures = series.figures)
}

/// `p99 of nio @ 64c rose by 12.3 % [9.10, 15.6] with run ID, 9 runs before it, 7 from it on`.
pub fn change_point(of: &HistoryChange, run: &str) -> String {
    let place = place_of(&of.variant, &of.stream, &of.point);
    let (rose, by, points) = moved(&of.change);
    let (before, after) = (of.runs_before, of.runs_after);
    say!("change-point", measure = of.measure, place, rose, by, points, run, before, after)
}

/// Whether it rose, by how much, and whether that is in percentage points: beside changes that are ratios, 2 % of a share
/// would be read as one.
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

/// What was not the same before and after a change.
pub fn changed_with(difference: &Finding) -> String {
    say!("changed-with", difference = told(difference))
}

/// What of a run is in no series.
pub fn left_out_of_series(run: &str, what: &Limit) -> String {
    say!("left-out-of-series", run, what = told(what))
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
