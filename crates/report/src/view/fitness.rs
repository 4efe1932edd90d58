//! Fitness of the generator: every check with its figure, passed or not.

use crate::shown::Table;
use crate::{messages, number};
use proofload_language::facts::told;
use proofload_language::{Columns, named, tr};
use proofload_store::schema::{CheckName, CheckOutcome, FitnessCheck, Point, RunResult};

const WORST_FIRST: [CheckOutcome; 4] =
    [CheckOutcome::Failed, CheckOutcome::Unresolved, CheckOutcome::Passed, CheckOutcome::NotMeasured];

/// One row for each check: where it came nearest to its limit, or over it. Nothing for a record without checks.
pub(crate) fn table(result: &RunResult) -> Option<Table> {
    let points: Vec<&Point> =
        result.points.iter().filter(|point| point.stream.is_empty() && says(result, point)).collect();
    let mut rows: Vec<(&Point, &FitnessCheck)> = Vec::new();
    for point in &points {
        for check in &point.generator.checks {
            match rows.iter_mut().find(|(_, known)| known.check == check.check) {
                Some(row) if is_worse(check, row.1) => *row = (point, check),
                Some(_) => {}
                None => rows.push((point, check)),
            }
        }
    }
    let several = points.len() > 1;
    let row = |(point, check): &(&Point, &FitnessCheck)| {
        let place = if several { messages::place(point) } else { String::new() };
        vec![
            check_text(&check.check).to_string(),
            check.found.map_or_else(|| messages::NONE.to_string(), |found| value(found, &check.unit)),
            allowed(check),
            check_outcome(&check.outcome).to_string(),
            place,
            check.note.as_ref().map(told).unwrap_or_default(),
        ]
    };
    Table::of(tr!("fitness"), Columns::<6>("fitness-columns"), rows.iter().map(row))
}

/// A single measurement without an answer shows nothing about the generator.
fn says(result: &RunResult, point: &Point) -> bool {
    result.load.is_none() || proofload_analysis::figures::outcome(point, "answered") > 0
}

fn is_worse(check: &FitnessCheck, known: &FitnessCheck) -> bool {
    let rank = |check: &FitnessCheck| WORST_FIRST.iter().position(|outcome| *outcome == check.outcome);
    let used = |check: &FitnessCheck| match (check.found, check.limit) {
        (Some(found), _) if check.unit == "ratio" => (found - 1.0).abs(),
        (Some(found), Some(limit)) if limit > 0.0 => found / limit,
        (found, _) => found.unwrap_or(f64::NEG_INFINITY),
    };
    let (here, there) = (rank(check).unwrap_or(WORST_FIRST.len()), rank(known).unwrap_or(WORST_FIRST.len()));
    here < there || (here == there && used(check) > used(known))
}

fn value(found: f64, unit: &str) -> String {
    match unit {
        "ratio" => number::signed_percent(found - 1.0),
        "share" => number::percent(found),
        "ns" => number::duration(found),
        _ => number::plain(found),
    }
}

fn allowed(check: &FitnessCheck) -> String {
    match (check.limit, check.unit.as_str()) {
        (None, _) => messages::NONE.to_string(),
        (Some(limit), "ratio") => format!("±{}", number::percent(limit)),
        (Some(limit), unit) => value(limit, unit),
    }
}

fn check_text(name: &CheckName) -> &str {
    match name {
        CheckName::SendDelay => tr!("check-send-delay-of-its"),
        // Earlier records have it for all claims.
        CheckName::SendDelayEarly | CheckName::SendDelayTail => tr!("check-send-delay-of-its-own-p99"),
        CheckName::Unsent => tr!("check-requests-left-unsent-a"),
        CheckName::AtWork => tr!("check-time-a-worker-was"),
        CheckName::Away => tr!("check-time-a-worker-was-kept-from"),
        CheckName::LengthenedMean => tr!("check-mean-lengthened-by-its"),
        CheckName::LengthenedP99 => tr!("check-p99-lengthened-by-its"),
        CheckName::LengthenedP999 => tr!("check-p99-lengthened-by-its-own-delays"),
        CheckName::Hiccups => tr!("check-away-from-its-sockets"),
        CheckName::LittlesLaw => tr!("check-littles-law-connections-unaccounted"),
        CheckName::Ports => tr!("check-connections-without-a-local"),
        CheckName::Descriptors => tr!("check-connections-without-a-descriptor"),
        CheckName::Ceiling => tr!("check-share-of-the-ceiling"),
        CheckName::CeilingTail => tr!("check-share-of-the-ceiling-for-p99"),
        CheckName::PerturbedThroughput => tr!("check-throughput-with-twice-the"),
        CheckName::PerturbedP99 => tr!("check-p99-with-twice-the"),
        CheckName::Other(name) => name,
    }
}

/// Word for the outcome of a check.
fn check_outcome(outcome: &CheckOutcome) -> &str {
    match outcome {
        CheckOutcome::Failed => tr!("check-outcome-failed"),
        CheckOutcome::NotMeasured => tr!("check-outcome-not-measured"),
        CheckOutcome::Unresolved => tr!("check-outcome-not-resolved"),
        other => named(other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_facts::Finding;
    use proofload_store::schema::Generator;

    fn check(name: &str, outcome: &str, found: Option<f64>, unit: &str) -> FitnessCheck {
        FitnessCheck {
            check: name.into(),
            outcome: outcome.into(),
            found,
            limit: Some(0.7),
            unit: unit.into(),
            note: Some(Finding::MedianOfSlices { slices: 3 }),
        }
    }

    fn point(name: &str, checks: Vec<FitnessCheck>) -> Point {
        let generator = Generator { checks, ..Generator::default() };
        Point { variant: name.into(), point: "8c".into(), generator, ..Point::default() }
    }

    #[test]
    fn each_check_is_told_where_it_was_worst() {
        let result = RunResult {
            points: vec![
                point("a", vec![check("ceiling", "passed", Some(0.6), "share")]),
                point("b", vec![check("ceiling", "failed", Some(0.9), "share")]),
                point("c", vec![check("ceiling", "not_measured", None, "share")]),
            ],
            ..RunResult::default()
        };
        let table = table(&result).unwrap();
        assert_eq!(
            table.rows,
            [["share of the ceiling", "90.0 %", "70.0 %", "FAILED", "b @ 8c", "median of 3 slices"]]
        );
        assert_eq!(super::table(&RunResult::default()), None);
    }

    #[test]
    fn a_change_is_told_with_its_sign() {
        let found = check("perturbation_throughput", "passed", Some(0.99), "ratio");
        let result = RunResult { points: vec![point("a", vec![found])], ..RunResult::default() };
        let rows = table(&result).unwrap().rows;
        assert_eq!(
            (rows[0][1].as_str(), rows[0][2].as_str(), rows[0][4].as_str()),
            ("-1.0 %", "±70.0 %", "")
        );
    }
}
