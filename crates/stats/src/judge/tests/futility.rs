//! Claims that are closed before the last look, and the forecast of the blocks that are left.

use super::*;
use crate::Outlook;

fn study(factor: f64, blocks: usize) -> Record {
    let wobble = [1.03, 0.97, 1.02, 0.99, 1.035, 0.965, 1.01, 0.98, 1.03, 0.975, 1.02, 0.98];
    let a: Vec<f64> = wobble[..blocks].iter().map(|wobble| 1000.0 * factor * wobble).collect();
    Record::new(blocks as u32).with(Measure::Throughput, 0, 0, &a).with(
        Measure::Throughput,
        1,
        0,
        &vec![1000.0; blocks],
    )
}

fn futile(judged: &Judged) -> bool {
    judged.reasons.iter().any(|reason| matches!(reason, Reason::Futile { .. }))
}

#[test]
fn a_claim_that_the_last_look_would_hardly_settle_is_closed_before_it() {
    let design = Design::quick().with_futility();
    let closed = study(1.0, 8).judge(&[FASTER], &design);
    let judged = &closed.claims[0];
    assert_eq!(
        (judged.verdict, judged.settled, closed.settled),
        (Verdict::Undecided, true, true),
        "{judged:?}"
    );
    let [Reason::Futile { last: 12, chance }, Reason::IntervalCrosses { .. }] = judged.reasons[..] else {
        panic!("{:?}", judged.reasons)
    };
    assert!(chance < 0.02, "{chance}");
    // Later blocks do not open it again, and without the rule it would have gone on.
    assert_eq!(study(1.0, 12).judge(&[FASTER], &design).claims[0], *judged);
    assert!(!study(1.0, 8).judge(&[FASTER], &Design::quick()).settled);
    // A claim that may still be settled is not closed, nor is any at the last look.
    let open = study(1.02, 8).judge(&[FASTER], &design);
    assert!(!open.settled && !futile(&open.claims[0]), "{open:?}");
    assert!(!futile(&study(1.02, 12).judge(&[FASTER], &design).claims[0]));
}

#[test]
fn a_claim_that_was_closed_hands_its_share_to_nobody() {
    let design = Design::quick().with_futility();
    let texts = [FASTER, "throughput(a) > 0.98 * throughput(b) @ 64c"];
    let claims = study(1.0, 12).judge(&texts, &design).claims;
    assert!(futile(&claims[0]), "{claims:?}");
    assert!(!futile(&claims[1]) && claims[1].verdict == Verdict::Undecided, "{claims:?}");
    assert_eq!(claims[1].confidence, 0.975, "two share the error rate still");
}

#[test]
fn equivalence_is_closed_when_the_spread_is_too_wide_for_the_band() {
    let design = Design::quick().with_futility();
    let within = |percent: &str| format!("throughput(a) ~ throughput(b) within {percent}% @ 64c");
    let narrow = study(1.0, 8).judge(&[&within("0.5")], &design).claims.remove(0);
    assert!(futile(&narrow), "{narrow:?}");
    let wide = study(1.0, 8).judge(&[&within("3")], &design).claims.remove(0);
    assert!(!futile(&wide), "{wide:?}");
}

#[test]
fn counts_wait_for_no_claim_that_was_closed() {
    let record = study(1.0, 8).with(Measure::Errors, 0, 0, &[0.0; 8]);
    let judgement = record.judge(&[FASTER, "errors(a) == 0 @ 64c"], &Design::quick().with_futility());
    assert!(judgement.settled, "{judgement:?}");
    assert_eq!(judgement.claims[1].verdict, Verdict::Supported);
}

#[test]
fn an_anytime_design_settles_between_looks_and_closes_nothing() {
    let design = Design::anytime(12);
    let judged = throughputs(1.1, 5).judge(&[FASTER], &design).claims.remove(0);
    assert_eq!((judged.verdict, judged.blocks, judged.settled), (Verdict::Supported, 5, true), "{judged:?}");
    let estimate = judged.estimate.expect("an estimate");
    let logs: Vec<f64> = [1.0, 1.01, 0.99, 1.02, 0.985].map(|w: f64| (1.1 * w).ln()).to_vec();
    let moments = crate::sample::Moments::of(&logs).expect("finite");
    let half = crate::bounds::anytime(5, 0.05) * moments.standard_error();
    assert!((estimate.low.ln() - (moments.mean - half)).abs() < 1e-9, "{estimate:?}");
    let early = throughputs(1.5, 4).judge(&[FASTER], &design).claims.remove(0);
    assert_eq!(
        (early.verdict, &early.reasons[..]),
        (Verdict::Undecided, &[Reason::TooFewBlocks { have: 4, need: 5 }][..])
    );
    let open = study(1.0, 11).judge(&[FASTER], &design);
    assert!(!open.settled && !futile(&open.claims[0]));
    // With five claims five blocks tell nothing yet, and six do.
    let texts = [">", ">=", "<", "<=", "=="].map(|sign| format!("throughput(a) {sign} throughput(b) @ 64c"));
    let texts = texts.each_ref().map(String::as_str);
    assert_eq!(throughputs(1.5, 5).judge(&texts, &design).claims[0].verdict, Verdict::Undecided);
    assert!(
        throughputs(1.5, 7)
            .judge(&texts, &design)
            .claims
            .iter()
            .all(|claim| claim.verdict != Verdict::Undecided)
    );
}

fn left(record: &Record, texts: &[&str], design: &Design) -> Option<Outlook> {
    outlook(&claims(texts), &record.observations, design)
}

#[test]
fn what_is_left_is_nothing_when_all_is_settled_and_all_when_nothing_is_known() {
    let design = Design::quick();
    assert_eq!(left(&throughputs(1.1, 4), &[FASTER], &design), None);
    assert_eq!(left(&throughputs(1.1, 4), &[], &design), None);
    assert_eq!(
        left(&throughputs(1.1, 1), &[FASTER], &design),
        Some(Outlook { low: 3, median: 11, high: 11, last: 11 })
    );
    assert_eq!(left(&throughputs(1.0, 12), &[FASTER], &design), None, "no look is ahead");
    let clear = left(&throughputs(2.0, 3), &[FASTER], &design).expect("a look is ahead");
    assert_eq!((clear.low, clear.median, clear.last), (1, 1, 9), "{clear:?}");
    assert_eq!(
        left(&throughputs(2.0, 3), &[FASTER], &design),
        Some(clear),
        "the same blocks, the same answer"
    );
    let mut held = throughputs(2.0, 3);
    held.cell(1, 0).unfit = vec![Finding::Unfit];
    let held = left(&held, &[FASTER], &design).expect("a look is ahead");
    assert_eq!((held.low, held.high), (9, 9), "an unfit generator does not become fit");
}
