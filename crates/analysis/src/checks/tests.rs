//! Figures of a check, and the choice of one check in place of several.

use super::*;
use proofload_store::schema::CheckOutcome::{Failed, NotMeasured, Passed};
use proofload_store::schema::{Agents, Point};

fn point(answered: u64, received: u64) -> Point {
    Point {
        seconds: 2.0,
        outcomes: [("answered".to_string(), answered)].into(),
        bytes_received: received,
        per_second: vec![answered / 4, answered * 3 / 4],
        ..Point::default()
    }
}

fn ceiling(exchanges_per_s: Option<f64>) -> Ceiling {
    Ceiling { exchanges_per_s, why: Some(Finding::CeilingStopped), ..Ceiling::default() }
}

fn outcomes(answered: u64, whole: bool, ceiling: Option<&Ceiling>) -> [CheckOutcome; 2] {
    check_ceiling(&[&point(answered, 1)], whole, ceiling, &Finding::CeilingNotRecorded)
        .map(|check| check.outcome)
}

#[test]
fn a_rate_is_held_against_the_ceiling_and_more_strictly_for_the_tail() {
    let known = ceiling(Some(1000.0));
    assert_eq!(outcomes(1000, false, Some(&known)), [Passed, Passed]);
    assert_eq!(outcomes(1002, false, Some(&known)), [Passed, Failed]);
    assert_eq!(outcomes(1400, false, Some(&known)), [Passed, Failed]);
    assert_eq!(outcomes(1402, false, Some(&known)), [Failed, Failed]);
    assert_eq!(outcomes(1000, true, Some(&known)), [Failed, Failed], "750 in its busiest second");
}

#[test]
fn without_a_ceiling_nothing_passes_and_nothing_fails() {
    let [check, _] = check_ceiling(&[&point(10, 1)], false, None, &Finding::CeilingNotRecorded);
    assert_eq!((check.outcome.name(), check.found), ("not_measured", None));
    assert_eq!(check.note, Some(Finding::NoCeiling { why: Box::new(Finding::CeilingNotRecorded) }));
    let unmeasured = ceiling(None);
    let [check, _] = check_ceiling(&[&point(10, 1)], false, Some(&unmeasured), &Finding::CeilingNotRecorded);
    assert_eq!(check.note, Some(Finding::NoCeiling { why: Box::new(Finding::CeilingStopped) }));
    assert_eq!(outcomes(10, false, Some(&ceiling(Some(0.0)))), [NotMeasured, NotMeasured]);
    let idle = Point::default();
    assert_eq!(
        check_ceiling(&[&idle], false, Some(&ceiling(Some(1.0))), &Finding::CeilingStopped)[0].outcome,
        CheckOutcome::NotMeasured
    );
    assert_eq!(finding(&check), None);
}

#[test]
fn answers_have_classes_and_the_longest_have_none() {
    assert_eq!(answer_bytes(&point(10, 11_000)), Some(1100.0));
    assert_eq!((answer_bytes(&point(0, 5)), answer_bytes(&point(5, 0))), (None, None));
    assert_eq!((answer_class(1024.0), answer_class(1025.0)), (Some(1024), Some(4096)));
    assert_eq!((answer_class(65_536.0), answer_class(65_537.0)), (Some(65_536), None));
}

#[test]
fn of_several_slices_the_check_that_is_nearest_to_its_limit_stands() {
    let check = |outcome: &str, found: Option<f64>| FitnessCheck {
        check: "at_work".into(),
        outcome: outcome.into(),
        found,
        limit: Some(0.95),
        ..FitnessCheck::default()
    };
    let all = [
        check("not_measured", None),
        check("passed", Some(0.4)),
        check("failed", Some(0.96)),
        check("failed", Some(0.99)),
        check("passed", Some(0.9)),
    ];
    assert_eq!(merged_checks(all.iter()), [check("failed", Some(0.99))]);
    assert_eq!(merged_checks(all[..2].iter()), [check("passed", Some(0.4))]);
}

#[test]
fn a_generator_that_lacks_agents_only_is_told_from_one_that_was_the_limit() {
    let generator = |lost, fit, check: &str, outcome| Generator {
        fit,
        agents: Some(Agents { count: 3, lost, ..Agents::default() }),
        checks: vec![FitnessCheck { check: check.into(), outcome, ..FitnessCheck::default() }],
        ..Generator::default()
    };
    assert!(lacks_agents_only(&generator(1, false, "at_work", Passed)));
    assert!(lacks_agents_only(&generator(1, false, "lengthened_p99", Failed)), "it concerns tails alone");
    assert!(!lacks_agents_only(&generator(1, false, "at_work", Failed)), "the others were the limit");
    assert!(!lacks_agents_only(&generator(0, false, "at_work", Failed)));
    assert!(!lacks_agents_only(&generator(0, true, "at_work", Passed)));
}
