//! Spreads lent to claims: whose, when, and the intervals that come of them.

use super::*;
use crate::rng::Rng;
use crate::{Lender, LentSpread};

const POINTS: usize = 6;

/// `blocks` blocks of two variants at six load points; the logarithm of their ratio is `log` of block and point.
fn study(blocks: u32, points: usize, log: impl Fn(u32, usize) -> f64) -> Record {
    let mut record = Record::new(blocks);
    for point in 0..points {
        let values: Vec<f64> = (1..=blocks).map(|block| 1000.0 * log(block, point).exp()).collect();
        record = record.with(Measure::Throughput, 0, point, &values).with(
            Measure::Throughput,
            1,
            point,
            &vec![1000.0; blocks as usize],
        );
    }
    record
}

/// The same values whichever blocks and points are asked for.
fn noise(block: u32, point: usize) -> f64 {
    Rng::new(u64::from(block) * 100 + point as u64).normal()
}

fn judged(record: &Record, design: &Design) -> Judged {
    record.judge(&[FASTER], design).claims.remove(0)
}

fn earlier(spread: f64) -> Design {
    let lent = LentSpread { claim: FASTER.into(), spread, relatives: 12 };
    Design { lent: vec![lent], ..Design::default() }
}

#[test]
fn other_load_points_lend_their_spread_and_the_interval_is_narrower() {
    let record = study(5, POINTS, |block, point| 0.07 + 0.02 * noise(block, point));
    let design = Design::default();
    let found = judged(&record, &design);
    let borrowed = found.borrowed.expect("lent");
    assert_eq!((borrowed.lent.from, borrowed.lent.relatives, borrowed.is_used), (Lender::Study, 5, true));
    assert!((0.013..0.03).contains(&borrowed.lent.spread), "{borrowed:?}");
    let alone = judged(&record, &Design { method: 1, ..design });
    assert_eq!(alone.borrowed, None);
    let width = |of: crate::Estimate| of.high.ln() - of.low.ln();
    let (estimate, plain) = (found.estimate.expect("an estimate"), borrowed.plain);
    assert!(width(estimate) < width(plain), "{estimate:?}, {plain:?}");
    assert!(width(plain) < width(alone.estimate.expect("an estimate")), "the error rate was spent late then");
}

#[test]
fn too_few_relatives_lend_nothing_and_earlier_runs_do() {
    let few = study(5, 2, |block, point| 0.02 * noise(block, point));
    assert_eq!(judged(&few, &Design::default()).borrowed, None, "three degrees of freedom");
    let lent = |record: &Record| judged(record, &earlier(0.02)).borrowed.expect("lent").lent;
    assert_eq!((lent(&few).from, lent(&few).relatives), (Lender::History, 12));
    let many = study(5, POINTS, |block, point| 0.02 * noise(block, point));
    assert_eq!(lent(&many).from, Lender::Study, "its own relatives know it better");
    let other = Design {
        lent: vec![LentSpread { claim: "another".into(), ..earlier(0.02).lent.remove(0) }],
        ..Design::default()
    };
    assert_eq!(judged(&few, &other).borrowed, None);
}

/// The claim's own blocks have no part in the spread that is lent, however much the relatives follow them.
#[test]
fn nothing_of_the_claim_goes_into_what_is_lent_to_it() {
    let with = |times: f64, shift: f64| {
        let own = |block: u32| noise(block, 0);
        study(5, POINTS, |block, point| match point {
            0 => shift + times * own(block),
            _ => 3.0 * own(block) + 0.02 * noise(block, point),
        })
    };
    let lent = |record: &Record| judged(record, &Design::default()).borrowed.expect("lent").lent.spread;
    let found = lent(&with(0.02, 0.0));
    assert!((0.01..0.03).contains(&found), "{found}");
    assert!((lent(&with(0.5, 0.4)) / found - 1.0).abs() < 1e-9);
}

#[test]
fn what_was_lent_at_the_first_look_stays() {
    let louder = |block: u32| if block > 5 { 0.2 } else { 0.02 };
    let record = study(30, POINTS, |block, point| {
        if point == 0 { 0.01 * noise(block, 0) } else { louder(block) * noise(block, point) }
    });
    let first = judged(&of_first(&record, 5), &Design::default()).borrowed.expect("lent").lent;
    for blocks in [6, 8, 12, 30] {
        let later = judged(&of_first(&record, blocks), &Design::default()).borrowed.expect("lent").lent;
        assert_eq!(later, first, "{blocks}");
    }
    assert_eq!(judged(&of_first(&record, 4), &Design::default()).borrowed, None, "before the first look");
}

fn of_first(record: &Record, blocks: u32) -> Record {
    let mut observations = record.observations.clone();
    observations.blocks.truncate(blocks as usize);
    observations.cells.retain(|cell| cell.block <= blocks);
    Record { observations }
}

#[test]
fn a_spread_far_beyond_the_lent_one_is_judged_by_itself() {
    let record = study(8, POINTS, |block, point| noise(block, point) * if point == 0 { 0.2 } else { 0.02 });
    let found = judged(&record, &Design::default());
    let borrowed = found.borrowed.expect("lent");
    assert!(!borrowed.is_used && borrowed.own > 3.0 * borrowed.lent.spread, "{borrowed:?}");
    let (low, plain) = (found.estimate.expect("an estimate").low, borrowed.plain.low);
    assert!(low < plain, "a third of the error rate is left for it: {low}, {plain}");
}

#[test]
fn levels_lend_to_levels_and_other_measures_to_nobody() {
    let mut record = study(5, 2, |block, point| 0.02 * noise(block, point));
    for point in 0..POINTS {
        let values: Vec<f64> = (1..=5).map(|block| 1e6 * (0.3 * noise(block, point)).exp()).collect();
        record = record.with(Measure::ResponseQuantile(9900), 0, point, &values);
    }
    assert_eq!(judged(&record, &Design::default()).borrowed, None, "three degrees of freedom of throughput");
    let lent = |record: &Record, text| record.judge(&[text], &Design::default()).claims.remove(0).borrowed;
    let p99 = lent(&record, "p99(a) < 2ms @ 64c").expect("lent").lent;
    assert!((0.15..0.6).contains(&p99.spread) && p99.relatives == 5, "{p99:?}");
}

#[test]
fn where_several_sittings_are_judged_or_every_block_nothing_is_lent() {
    let of = |points: usize, design: &Design| {
        let mut record = study(12, points, |block, point| 0.02 * noise(block, point));
        record.observations.sittings = (0..12).map(|block| 1 + block / 2).collect();
        judged(&record, design)
    };
    let (alone, beside) = (of(1, &Design::default()), of(POINTS, &Design::default()));
    assert_eq!(
        (beside.borrowed, beside.estimate),
        (None, alone.estimate),
        "all of the error rate is its own"
    );
    let record = study(12, POINTS, |block, point| 0.02 * noise(block, point));
    assert_eq!(judged(&record, &Design::anytime(30)).borrowed, None);
}
