//! Times of the looks at a claim, and their share of the error rate.

use super::*;

/// `throughputs` in which block 2 has no value, because the generator was unfit.
fn with_spoiled(factor: f64, blocks: usize) -> Record {
    let mut record = throughputs(factor, blocks);
    let cell = record.cell(2, 1);
    (cell.unfit, cell.unfit_reach) = (vec![Finding::Unfit], Reach::ANY);
    record
}

#[test]
fn a_lost_block_costs_a_block_and_no_look() {
    let design = Design::at(&[5, 8]);
    let after = |record: &Record| record.judge(&[FASTER], &design);
    let five = after(&with_spoiled(1.1, 5));
    assert_eq!(five.claims[0].reasons[0], Reason::TooFewBlocks { have: 4, need: 5 });
    assert_eq!((five.settled, &five.to_replace[..]), (false, &[2][..]));
    let six = after(&with_spoiled(1.1, 6)).claims.remove(0);
    assert_eq!((six.verdict, six.blocks, six.settled), (Verdict::Supported, 5, true));
    let mut lost = throughputs(1.1, 6);
    lost.observations.cells.retain(|cell| (cell.block, cell.variant) != (4, 1));
    assert_eq!(after(&lost).claims[0].blocks, 5, "whatever it lacks the block for");
    assert!(after(&lost).to_replace.is_empty());
    // Missing values are not made up for; a start that did not get through is.
    let mut open = throughputs(1.002, 6);
    open.observations.cells.retain(|cell| (cell.block, cell.variant) != (4, 1));
    let start = LostStart { block: 4, variant: 1, died: None, seen: Vec::new() };
    assert!(after(&open).to_replace.is_empty());
    open.observations.lost.push(start);
    assert_eq!(after(&open).to_replace, [4]);
}

#[test]
fn each_claim_has_looks_of_its_own() {
    let mut record = with_spoiled(1.1, 5).with(Measure::Rss, 0, 0, &[2e6, 2.1e6, 1.9e6, 2e6, 2.05e6]);
    record = record.with(Measure::Rss, 1, 0, &[1e6; 5]);
    let both = [FASTER, "rss(a) > rss(b) @ 64c"];
    let judged = record.judge(&both, &Design::at(&[5, 8])).claims;
    assert_eq!((judged[0].settled, judged[0].verdict), (false, Verdict::Undecided));
    assert_eq!((judged[1].settled, judged[1].verdict, judged[1].blocks), (true, Verdict::Supported, 5));
}

/// After seven blocks the mean is 3.2 standard errors from no difference: too few for the look at five, and enough for a look that
/// nothing follows.
#[test]
fn the_end_of_a_budget_is_a_look_that_spends_the_rest() {
    let factors = [1.02, 1.05, 1.0, 1.04, 1.0, 1.03, 1.02].map(|factor| 1000.0 * factor);
    let mut record = Record::new(7).with(Measure::Throughput, 0, 0, &factors).with(
        Measure::Throughput,
        1,
        0,
        &[1000.0; 7],
    );
    let design = Design::at(&[5, 8, 30]);
    let before = record.judge(&[FASTER], &design);
    assert_eq!((before.claims[0].verdict, before.settled), (Verdict::Undecided, false));
    record.observations.out_of_budget = true;
    let ended = record.judge(&[FASTER], &design).claims.remove(0);
    assert_eq!((ended.verdict, ended.blocks, ended.settled), (Verdict::Supported, 7, true));
    let older = record.judge(&[FASTER], &Design { method: 0, ..design.clone() });
    assert_eq!((older.claims[0].verdict, older.settled), (Verdict::Undecided, false), "by the older rules");
    // The share that one claim leaves is the other's, then as at every look; a claim that was given up leaves
    // nothing.
    let both = [FASTER, "throughput(a) < 2 * throughput(b) @ 64c"];
    assert!(record.judge(&both, &design).claims.iter().all(|judged| judged.verdict == Verdict::Supported));
    // Three blocks are too few for any interval, whatever is left.
    let few =
        Record { observations: Observations { out_of_budget: true, ..throughputs(1.5, 3).observations } };
    let judged = few.judge(&[FASTER], &design).claims.remove(0);
    assert_eq!((judged.verdict, judged.settled), (Verdict::Undecided, false));
}

#[test]
fn what_its_bound_alone_keeps_open_ends_at_a_look() {
    let design = Design::at(&[5, 8, 30]);
    let moved = |share: f64| {
        let mut record = throughputs(1.1, 5);
        for block in 1..=5 {
            record.cell(block, 0).moved = Reach { below: share.ln_1p(), above: 0.0 };
        }
        record.judge(&[FASTER], &design)
    };
    assert_eq!(moved(0.02).claims[0].verdict, Verdict::Supported);
    // A bound of 50 % may be less on the mean of thirty blocks, but hardly a fifth of that.
    let ended = moved(0.5);
    assert!(ended.settled && ended.claims[0].verdict == Verdict::Undecided);
    assert!(
        matches!(ended.claims[0].reasons[..], [Reason::MayAccountFor { .. }]),
        "{:?}",
        ended.claims[0].reasons
    );
    assert!(!moved(0.11).settled, "it may become less");
    let mut ends = throughputs(0.9, 5);
    ends.cell(1, 0).unfit = vec![Finding::Unfit];
    assert!(ends.judge(&[FASTER], &design).settled, "a lower end below the limit stays one");
}

/// Blocks of the faster half without a value may have been the faster ones.
#[test]
fn what_is_left_out_may_have_been_as_far_as_the_farthest() {
    let mut record = throughputs(1.01, 11);
    let narrow = record.one("throughput(a) < 1.025 * throughput(b) @ 64c");
    assert_eq!(narrow.verdict, Verdict::Supported);
    for block in [5, 10] {
        let cell = record.cell(block, 0);
        (cell.unfit, cell.unfit_reach) = (vec![Finding::Unfit], Reach::ANY);
    }
    let judged = record.one("throughput(a) < 1.025 * throughput(b) @ 64c");
    let (wide, sharp) = (judged.estimate.expect("wide"), narrow.estimate.expect("sharp"));
    assert!(wide.high > 1.005 * sharp.high, "{wide:?} {sharp:?}");
}
