//! Conditions of measuring: what depends on one is undecided unless it holds at each of its levels.

use super::*;

/// Eight blocks whose ratio is 1.12 where the condition has its first level, and `upper` where it has its second.
fn record(upper: f64) -> Record {
    between(1.12, upper)
}

/// Eight blocks whose ratio is one of these by the level of a condition; the condition beside it does nothing.
fn between(lower: f64, upper: f64) -> Record {
    let tiny = [1.0, 1.004, 1.004, 1.0, 0.998, 1.002, 1.002, 0.998];
    let left: Vec<f64> =
        tiny.iter().enumerate().map(|(at, tiny)| tiny * if at % 2 == 0 { lower } else { upper }).collect();
    let mut record =
        Record::new(8).with(Measure::Throughput, 0, 0, &left).with(Measure::Throughput, 1, 0, &[1.0; 8]);
    let beside = vec![0, 0, 1, 1, 0, 0, 1, 1];
    record.observations.conditions = vec![(0..8).map(|block| block % 2).collect(), beside];
    record
}

fn judged(record: &Record, claim: &str) -> Judged {
    judge(&claims(&[claim]), &record.observations, &Design::at(&[8])).claims.remove(0)
}

#[test]
fn an_answer_that_differs_between_levels_is_undecided_and_says_what_it_is_at_each() {
    let found = judged(&record(1.01), "throughput(a) > 1.03 * throughput(b) @ 64c");
    assert_eq!(found.verdict, Verdict::Undecided);
    let Reason::DependsOn { condition, levels, alike } = &found.reasons[0] else {
        panic!("{:?}", found.reasons)
    };
    assert_eq!((*condition, *alike, levels.len()), (0, false, 2));
    let points = levels.iter().map(|(_, estimate)| estimate.point);
    assert!(
        points.zip([1.12, 1.01]).all(|(found, planted)| (found / planted - 1.0).abs() < 0.01),
        "{levels:?}"
    );
    assert!(levels[0].1.low > 1.03 && levels[1].1.high < 1.03, "{levels:?}");
}

#[test]
fn an_interval_over_all_levels_decides_nothing_that_fails_at_one_of_them() {
    let claim = "throughput(a) > 1.02 * throughput(b) @ 64c";
    let mut record = between(1.30, 1.01);
    let found = judged(&record, claim);
    assert!(found.estimate.is_some_and(|all| all.low > 1.02), "planted: {found:?}");
    assert_eq!(found.verdict, Verdict::Undecided);
    assert!(matches!(found.reasons[0], Reason::DependsOn { condition: 0, alike: false, .. }), "{found:?}");
    record.observations.conditions.clear();
    assert_eq!(judged(&record, claim).verdict, Verdict::Supported, "whoever does not know the conditions");
}

#[test]
fn without_the_conditions_on_record_the_same_blocks_only_have_a_wide_interval() {
    let mut record = record(1.01);
    record.observations.conditions.clear();
    let found = judged(&record, "throughput(a) > 1.03 * throughput(b) @ 64c");
    assert!(!found.reasons.iter().any(|reason| matches!(reason, Reason::DependsOn { .. })), "{found:?}");
}

#[test]
fn an_answer_that_holds_at_every_level_stands_and_tells_the_dependence() {
    let found = judged(&record(1.08), "throughput(a) > 1.03 * throughput(b) @ 64c");
    assert_eq!(found.verdict, Verdict::Supported);
    assert!(matches!(found.reasons[0], Reason::DependsOn { condition: 0, alike: true, .. }), "{found:?}");
}

#[test]
fn what_does_not_depend_says_nothing() {
    let found = judged(&record(1.12), "throughput(a) > 1.03 * throughput(b) @ 64c");
    assert_eq!(found.verdict, Verdict::Supported);
    assert_eq!(found.reasons, []);
}

/// Eight sittings of two blocks each, the condition fixed in each: its second level in every second one. `shift` is what that
/// does to the ratio; sittings themselves differ by about 1 %.
fn fixed_in_sittings(shift: f64) -> Record {
    let own = [1.0, 1.006, 0.994, 1.0, 1.006, 0.994, 1.012, 0.99];
    let of_block = |block: usize| {
        let sitting = block / 2;
        let tiny = if block.is_multiple_of(2) { 1.001 } else { 0.999 };
        1.05 * own[sitting] * tiny * if sitting % 2 == 1 { shift } else { 1.0 }
    };
    let left: Vec<f64> = (0..16).map(of_block).collect();
    let mut record =
        Record::new(16).with(Measure::Throughput, 0, 0, &left).with(Measure::Throughput, 1, 0, &[1.0; 16]);
    record.observations.sittings = (0..16).map(|block| block / 2 + 1).collect();
    record.observations.conditions = vec![(0..16).map(|block| (block / 2) % 2).collect()];
    record
}

fn over_sittings(record: &Record) -> Judged {
    let claims = claims(&["throughput(a) > 1.02 * throughput(b) @ 64c"]);
    judge(&claims, &record.observations, &Design::at(&[8])).claims.remove(0)
}

#[test]
fn a_condition_that_each_sitting_has_fixed_is_held_against_the_spread_between_sittings() {
    let found = over_sittings(&fixed_in_sittings(0.9));
    let Some(Reason::DependsOn { condition: 0, levels, alike: false }) = found.reasons.first() else {
        panic!("{:?}", found.reasons)
    };
    assert!((levels[1].1.point / levels[0].1.point - 0.9).abs() < 0.02, "{levels:?}");
    assert_eq!(found.verdict, Verdict::Undecided);
    // Within the sittings the blocks agree to a thousandth: judged by them, half a percent would be told.
    let same = over_sittings(&fixed_in_sittings(0.995));
    assert!(!same.reasons.iter().any(|reason| matches!(reason, Reason::DependsOn { .. })), "{same:?}");
    assert_eq!(same.verdict, Verdict::Supported);
}

#[test]
fn a_condition_that_varies_within_sittings_is_told_over_several() {
    let mut record = fixed_in_sittings(1.0);
    for block in (2..=16).step_by(2) {
        let cell = record.cell(block, 0);
        cell.cycles.iter_mut().for_each(|value| *value = value.map(|value| value * 0.9));
        cell.merged = cell.merged.map(|value| value * 0.9);
    }
    record.observations.conditions = vec![(0..16).map(|block| block % 2).collect()];
    let found = over_sittings(&record);
    assert!(
        matches!(found.reasons.first(), Some(Reason::DependsOn { condition: 0, alike: false, .. })),
        "{found:?}"
    );
}
