//! Starts without a steady state.

use super::*;
use crate::Unsteady;

fn with_unsteady(blocks: &[u32], variant: usize) -> Record {
    let mut record = throughputs(1.1, 8);
    record.observations.unsteady =
        blocks.iter().map(|&block| Unsteady { block, variant, ..Unsteady::default() }).collect();
    record
}

#[test]
fn more_than_a_quarter_of_the_starts_without_a_steady_state_forbid_a_verdict() {
    let quarter = with_unsteady(&[1], 0).one(FASTER);
    assert_eq!((quarter.verdict, quarter.blocks), (Verdict::Supported, 4), "one of four is no more");
    let held = with_unsteady(&[1, 3], 0).one(FASTER);
    assert_eq!((held.verdict, held.blocks), (Verdict::Supported, 8), "two of eight are no more");
    let beyond = with_unsteady(&[1, 3, 6], 1).one(FASTER);
    assert_eq!(beyond.verdict, Verdict::Undecided);
    assert_eq!(beyond.reasons, [Reason::NoSteadyState { blocks: 3, of: 8, per_10s: None }]);
}

#[test]
fn a_start_counts_once_and_only_for_claims_that_rest_on_it() {
    let mut both = with_unsteady(&[1], 0);
    both.observations.unsteady.push(Unsteady { block: 1, variant: 1, ..Unsteady::default() });
    assert_eq!(both.one(FASTER).verdict, Verdict::Supported, "one block of four, whoever it was");
    let mut of_one = with_unsteady(&[1, 2, 3], 1);
    of_one = of_one.with(Measure::Rss, 0, 0, &[100.0; 8]);
    assert_eq!(
        of_one.one("rss(a) < 200B @ 64c").verdict,
        Verdict::Supported,
        "it rests on the other variant"
    );
    assert_eq!(of_one.one(FASTER).verdict, Verdict::Undecided);
    let errors = of_one.with(Measure::Errors, 1, 0, &[0.0; 8]).one("errors(b) == 0 @ 64c");
    assert_eq!(errors.verdict, Verdict::Supported, "what was seen was seen");
}

#[test]
fn warming_that_all_share_is_held_against_absolute_values_alone_and_told_with_its_slope() {
    let mut record = throughputs(1.1, 8);
    let start = |block, variant, per_10s| Unsteady {
        block,
        variant,
        shared: true,
        per_10s: Some(per_10s),
        rest: None,
    };
    let slopes = [0.01, 0.05, 0.03];
    record.observations.unsteady =
        (1..=3).flat_map(|block| [0, 1].map(|v| start(block, v, slopes[block as usize - 1]))).collect();
    assert_eq!(record.one(FASTER).verdict, Verdict::Supported, "it falls out of the ratio");
    let absolute = record.one("throughput(b) > 1/s @ 64c");
    assert_eq!(absolute.verdict, Verdict::Undecided);
    let [reason] = &absolute.reasons[..] else { panic!("{:?}", absolute.reasons) };
    assert_eq!(*reason, Reason::NoSteadyState { blocks: 3, of: 8, per_10s: Some(0.03) });
}

/// Throughput of `b` over that of `a`, while `a` was still warming in each of eight blocks and may change by `rest` more.
fn warming(ratio: f64, rest: &[Option<f64>]) -> Record {
    let mut record = throughputs(ratio, 8);
    let start = |(at, rest): (usize, &Option<f64>)| Unsteady {
        block: at as u32 + 1,
        rest: *rest,
        ..Unsteady::default()
    };
    record.observations.unsteady = rest.iter().enumerate().map(start).collect();
    record
}

#[test]
fn a_claim_that_no_rest_of_a_warm_up_can_turn_is_decided_all_the_same() {
    let faster = warming(3.0, &[Some(0.01); 8]).one(FASTER);
    assert_eq!(faster.verdict, Verdict::Supported, "{:?}", faster.reasons);
    let told = |reason: &Reason| match reason {
        Reason::BeyondWarmUp { blocks, of, share } => Some((*blocks, *of, (share * 100.0).round())),
        _ => None,
    };
    let stood = faster.reasons.iter().find_map(told).expect("it is said");
    assert_eq!((stood.0 == stood.1, stood.2), (true, 20.0), "a small change is not trusted: {stood:?}");
    assert_eq!(warming(0.3, &[Some(0.01); 8]).one(FASTER).verdict, Verdict::Refuted, "nor the other way");
}

#[test]
fn a_claim_that_the_rest_of_a_warm_up_could_turn_stays_undecided() {
    let undecided = |record: Record, why: &str| {
        let judged = record.one(FASTER);
        assert_eq!(judged.verdict, Verdict::Undecided, "{why}: {:?}", judged.reasons);
        assert!(matches!(judged.reasons[0], Reason::NoSteadyState { .. }), "{why}: {:?}", judged.reasons);
    };
    undecided(warming(1.15, &[Some(0.01); 8]), "a fifth is the least");
    undecided(warming(3.0, &[Some(1.2); 8]), "it may become 3.3 times as fast");
    undecided(warming(3.0, &[Some(0.01), None, Some(0.01), Some(0.01)]), "of one start nothing is known");
    let mut both = warming(3.0, &[Some(0.6); 8]);
    let others = both.observations.unsteady.clone().into_iter();
    both.observations.unsteady.extend(others.map(|start| Unsteady { variant: 1, ..start }));
    undecided(both, "what two may change adds up");
    assert_eq!(
        warming(3.0, &[Some(0.6); 8]).one(FASTER).verdict,
        Verdict::Supported,
        "by itself it does not"
    );
}

#[test]
fn other_doubts_are_not_swept_aside_by_a_clear_warm_up() {
    let mut record = warming(3.0, &[Some(0.01); 8]);
    for block in 1..=8 {
        record.cell(block, 0).errors = 50;
    }
    assert_eq!(record.one(FASTER).verdict, Verdict::Undecided, "errors forbid it as before");
}
