use super::*;
use crate::{Cell, Design, Observations, Replication, Selector, judge};

fn names() -> Names {
    let variant = |name: &str| Selector {
        name: name.to_string(),
        levels: vec![("connector".to_string(), name.to_string())],
    };
    Names {
        variants: vec![variant("nio"), variant("nio2")],
        points: vec!["16c".into(), "64c".into()],
        streams: Vec::new(),
        ..Names::default()
    }
}

/// Blocks in which `nio` has these values at `64c`.
fn observed(measure: Measure, values: &[f64]) -> Observations {
    let cell = |(block, value): (usize, &f64)| Cell {
        block: block as u32 + 1,
        variant: 0,
        point: 1,
        measure,
        cycles: vec![Some(*value)],
        merged: Some(*value),
        finished: 10_000,
        errors: if measure == Measure::Errors { *value as u64 } else { 0 },
        ..Cell::default()
    };
    Observations {
        cells: values.iter().enumerate().map(cell).collect(),
        blocks: (1..=values.len() as u32).collect(),
        excluded_blocks: 0,
        disturbed: Vec::new(),
        replication: Replication::Start,
        ..Observations::default()
    }
}

fn outcome(quantity: &str, range: &str, measure: Measure, values: &[f64]) -> (Outcome, Vec<Judged>) {
    let rows = parse_expectation(quantity, range, &names()).unwrap();
    let design = Design::at(&[values.len() as u32]);
    let judged = judge(&rows[0].claims, &observed(measure, values), &design).claims;
    (rows[0].outcome(&judged).0, judged)
}

const RATES: [f64; 6] = [10_000.0, 10_100.0, 9_900.0, 10_050.0, 9_950.0, 10_020.0];

#[test]
fn a_row_is_met_inside_not_met_outside_and_undecided_across_an_end() {
    let quantity = "throughput(nio) @ 64c";
    for (range, wanted) in [
        ("8000/s..14000/s", Outcome::Met),
        ("9k/s..", Outcome::Met),
        ("..11k/s", Outcome::Met),
        ("8000/s..9000/s", Outcome::NotMet),
        ("12k/s..14k/s", Outcome::NotMet),
        ("12k/s..", Outcome::NotMet),
        ("..9k/s", Outcome::NotMet),
        ("10k/s..14k/s", Outcome::Undecided),
        ("..10k/s", Outcome::Undecided),
    ] {
        assert_eq!(outcome(quantity, range, Measure::Throughput, &RATES).0, wanted, "{range}");
    }
    let (found, judged) = outcome(quantity, "8000/s..14000/s", Measure::Throughput, &RATES[..1]);
    assert_eq!(found, Outcome::Undecided, "one block decides nothing");
    assert!(!reasons_of(&judged).is_empty());
}

#[test]
fn the_ends_of_a_range_are_where_they_were_written() {
    let rows = parse_expectation("p99(nio) @ 64c", "1ms..9ms", &names()).unwrap();
    let Comparison::Within(share) = rows[0].claims[0].comparison else { panic!("{rows:?}") };
    let Side::Constant(middle) = rows[0].claims[0].right else { panic!("{rows:?}") };
    assert!((middle / (1.0 + share) - 1e6).abs() < 1e-3 && (middle * (1.0 + share) - 9e6).abs() < 1e-3);
    assert_eq!((rows[0].low, rows[0].high, rows[0].unit), (Some(1e6), Some(9e6), "ns"));
    // The estimate is the quantity itself, in its unit.
    let (_, judged) =
        outcome("p99(nio) @ 64c", "1ms..9ms", Measure::ResponseQuantile(9900), &[2e6, 2.1e6, 1.9e6, 2e6]);
    let estimate = judged[0].estimate.unwrap();
    assert!(estimate.unit == "ns" && estimate.low < 2e6 && 2e6 < estimate.high, "{estimate:?}");
}

#[test]
fn what_may_be_zero_is_tested_at_its_ends() {
    let quantity = "error_share(nio) @ 64c";
    let rows = parse_expectation(quantity, "0%..5%", &names()).unwrap();
    assert_eq!((rows[0].claims.len(), rows[0].claims[0].comparison), (1, Comparison::AtMost));
    let shares = [0.5, 0.52, 0.48, 0.5];
    assert_eq!(outcome(quantity, "30%..60%", Measure::ErrorShare, &shares).0, Outcome::Met);
    assert_eq!(outcome(quantity, "60%..90%", Measure::ErrorShare, &shares).0, Outcome::NotMet);
    assert_eq!(outcome(quantity, "0%..40%", Measure::ErrorShare, &shares).0, Outcome::NotMet);
    assert_eq!(outcome("errors(nio) @ 64c", "0..0", Measure::Errors, &[0.0; 4]).0, Outcome::Met);
    assert_eq!(outcome("errors(nio) @ 64c", "0..10", Measure::Errors, &[9.0; 4]).0, Outcome::NotMet);
}

#[test]
fn a_row_without_a_point_becomes_one_for_each() {
    let rows = parse_expectation("ratio(throughput, nio2, nio)", "1.05..1.2", &names()).unwrap();
    let quantities: Vec<&str> = rows.iter().map(|row| row.quantity.as_str()).collect();
    assert_eq!(quantities, ["ratio(throughput, nio2, nio) @ 16c", "ratio(throughput, nio2, nio) @ 64c"]);
    assert_eq!(rows[0].unit, "ratio");
}

#[test]
fn mistakes_say_what_to_write() {
    for (quantity, range, said) in [
        ("throughput(nio) @ 64c", "8000/s", "expected: Range"),
        ("throughput(nio) @ 64c", "..", "found: \"`..`\""),
        ("throughput(nio) @ 64c", "2k/s..1k/s", "EndsBeforeItBegins"),
        ("throughput(nio) @ 64c", "8000..9000", "WrongUnit"),
        ("throughput(nio) @ 64c", "8000/s..fast", "found: \"`8000/s..fast`\""),
        ("throughput(nio3) @ 64c", "1/s..2/s", "what: Variant"),
        ("throughput(nio) @ 65c", "1/s..2/s", "what: Point"),
        ("2 * throughput(nio) @ 64c", "1/s..2/s", "ExpectationOfMeasure"),
        ("throughput(nio) > 5/s", "1/s..2/s", ""),
        ("errors(nio) @ 64c", "0..", "EveryValueFits"),
        ("5/s", "1/s..2/s", "TwoConstants"),
    ] {
        let errors = parse_expectation(quantity, range, &names()).unwrap_err();
        assert!(format!("{:?}", errors[0].mistake).contains(said), "{quantity}: {range}: {errors:?}");
    }
    for (quantity, value, said) in [
        ("p99(nio)", "101ms", "FigureOfWhichPoint"),
        ("p99(nio) @ 64c", "0ms", "NotAFigure"),
        ("ratio(p99, nio, nio2) @ 64c", "1.1", "NotAFigure"),
        ("p99(nio) @ 64c", "p99(nio2)", "NotAFigure"),
        ("p99(nio) @ 64c", "101", "WrongUnit"),
    ] {
        let errors = parse_published(quantity, value, &names()).unwrap_err();
        assert!(format!("{:?}", errors[0].mistake).contains(said), "{quantity}: {value}: {errors:?}");
    }
    let read = parse_published("p99(nio) @ 64c", "101ms", &names()).unwrap();
    assert_eq!((read.measure, read.point, read.value), (Measure::ResponseQuantile(9900), 1, 101e6));
}
