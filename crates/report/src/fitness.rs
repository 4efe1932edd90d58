//! How fit the generator was: every check with its figure, passed or not.

use crate::shown::Table;
use crate::{messages, number};
use proofload_facts::{Finding, Limit};
use proofload_language::facts::told;
use proofload_store::schema::{CheckName, CheckOutcome, FitnessCheck, Point, RunResult};

/// Outcomes, the worst first.
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
            messages::check(&check.check).to_string(),
            check.found.map_or_else(|| messages::NONE.to_string(), |found| value(found, &check.unit)),
            allowed(check),
            messages::check_outcome(&check.outcome).to_string(),
            place,
            check.note.as_ref().map(told).unwrap_or_default(),
        ]
    };
    (!rows.is_empty()).then(|| Table {
        title: messages::FITNESS.to_string(),
        header: messages::FITNESS_COLUMNS.map(str::to_string).to_vec(),
        rows: rows.iter().map(row).collect(),
    })
}

/// A single measurement without an answer says nothing of the generator.
fn says(result: &RunResult, point: &Point) -> bool {
    result.load.is_none() || crate::figures::outcome(point, "answered") > 0
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

/// What the record as a whole says against the generator, for each variant and load point. Delays that lengthen times are one
/// limit, from the lowest quantile that they reach on.
pub(crate) fn limits(points: &[Point]) -> Vec<Limit> {
    let mut limits = Vec::new();
    for point in points.iter().filter(|point| point.stream.is_empty()) {
        limits.extend(delays(point));
        for check in &point.generator.checks {
            // What a slice found about itself is told of the slices.
            let tails_only = proofload_analysis::concerns_tails_only(&check.check);
            let of_record = tails_only || check.check == CheckName::Ceiling || is_perturbation(&check.check);
            let fails = |c: &FitnessCheck| c.check == CheckName::Ceiling && c.outcome == CheckOutcome::Failed;
            let fails_whole =
                check.check == CheckName::CeilingTail && point.generator.checks.iter().any(fails);
            let finding = proofload_analysis::finding(check).filter(|_| of_record && !fails_whole);
            let of_delays = |what: &Finding| matches!(what, Finding::TimesLengthened { .. });
            limits.extend(finding.filter(|what| !of_delays(what)).map(|what| Limit::GeneratorLimited {
                variant: point.variant.clone(),
                point: point.point.clone(),
                what,
            }));
        }
    }
    limits.extend(unresolved(points));
    limits
}

/// The lowest quantile that the generator's own delays lengthen by more than is allowed.
fn delays(point: &Point) -> Option<Limit> {
    let found = point.generator.checks.iter().filter_map(proofload_analysis::finding);
    let lengthened = found.filter_map(|finding| match finding {
        Finding::TimesLengthened { measure, longer_share, allowed_share } => {
            Some((measure, longer_share, allowed_share))
        }
        _ => None,
    });
    let (from, longer_share, allowed_share) = lengthened.min_by_key(|(measure, ..)| *measure)?;
    let (variant, point) = (point.variant.clone(), point.point.clone());
    Some(Limit::GeneratorDelays { variant, point, from, longer_share, allowed_share })
}

fn is_perturbation(check: &CheckName) -> bool {
    matches!(check, CheckName::PerturbedThroughput | CheckName::PerturbedP99)
}

/// Where the perturbation could neither acquit the generator nor show that it was the limit.
fn unresolved(points: &[Point]) -> Option<Limit> {
    let is_open = |check: &FitnessCheck| {
        let is_open = matches!(check.outcome, CheckOutcome::Unresolved | CheckOutcome::NotMeasured);
        is_perturbation(&check.check) && is_open
    };
    let whole = points.iter().filter(|point| point.stream.is_empty());
    let open = whole.filter(|point| point.generator.checks.iter().any(is_open));
    let places: Vec<String> = open.map(messages::place).collect();
    (!places.is_empty()).then_some(Limit::ThreadsNotChecked { places })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::Generator;

    fn check(name: &str, outcome: &str, found: Option<f64>, unit: &str) -> FitnessCheck {
        FitnessCheck {
            check: name.into(),
            outcome: outcome.into(),
            found,
            limit: Some(0.7),
            unit: unit.into(),
            note: "said".into(),
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
        assert_eq!(table.rows, [["share of the ceiling", "90.0 %", "70.0 %", "FAILED", "b @ 8c", "said"]]);
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

    #[test]
    fn what_forbids_everything_is_said_once_and_what_forbids_tails_says_so() {
        let tail = check("ceiling_tail", "failed", Some(0.9), "share");
        let whole = vec![check("ceiling", "failed", Some(0.9), "share"), tail.clone()];
        assert_eq!(limits(&[point("a", whole)]).len(), 1);
        let alone = limits(&[point("a", vec![check("ceiling", "passed", Some(0.6), "share"), tail])]);
        assert!(alone.len() == 1 && alone[0].contains("p99 and beyond"), "{alone:?}");
    }

    #[test]
    fn where_the_perturbation_is_not_resolved_is_said() {
        let at = |name: &str, outcome: &str| {
            point(name, vec![check("perturbation_throughput", outcome, Some(1.0), "ratio")])
        };
        assert_eq!(limits(&[at("a", "passed"), point("b", Vec::new())]), Vec::<String>::new());
        let said = limits(&[at("a", "unresolved"), at("b", "passed"), at("c", "not_measured")]);
        let [sentence] = &said[..] else { panic!("{said:?}") };
        assert!(sentence.contains("a @ 8c, c @ 8c"), "{sentence}");
    }
}
