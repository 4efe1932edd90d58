//! Effects of a generator that is late or busy on a claim.

use super::*;

const LATE: Finding = Finding::SendsLate { p90_ns: 2, allowed_ns: 1 };
const BUSY: Finding = Finding::WorkerBusy { worker: 0, busy_share: 0.9, allowed_share: 0.8 };

#[test]
fn a_generator_at_its_limit_on_the_faster_side_makes_a_difference_no_smaller() {
    let mut record = throughputs(1.5, 4);
    record.cell(3, 0).unfit = vec![BUSY];
    for (claim, verdict) in [
        (FASTER, Verdict::Supported),
        ("throughput(a) >= 1.2 * throughput(b) @ 64c", Verdict::Supported),
        ("throughput(a) <= throughput(b) @ 64c", Verdict::Refuted),
        ("throughput(b) < throughput(a) @ 64c", Verdict::Supported),
        ("throughput(b) > throughput(a) @ 64c", Verdict::Refuted),
        ("throughput(a) >= 1100/s @ 64c", Verdict::Supported),
        ("throughput(a) ~ throughput(b) within 1% @ 64c", Verdict::Refuted),
    ] {
        let judged = record.one(claim);
        assert_eq!(
            (judged.verdict, &judged.reasons[..]),
            (verdict, &[Reason::LimitedOnTheFasterSide][..]),
            "{claim}"
        );
    }
    let limited = Reason::ClientLimited { what: BUSY };
    for claim in [
        "throughput(a) >= 2 * throughput(b) @ 64c",
        "throughput(a) <= 2 * throughput(b) @ 64c",
        "throughput(a) ~ throughput(b) within 60% @ 64c",
    ] {
        let judged = record.one(claim);
        assert_eq!((judged.verdict, &judged.reasons[0]), (Verdict::Undecided, &limited), "{claim}");
    }
    record.cell(3, 0).unfit_reach = Reach::ANY;
    assert_eq!(record.one(FASTER).verdict, Verdict::Undecided, "it may have raised it");
    record.cell(3, 0).unfit_reach = Reach::AT_LEAST;
    record.cell(2, 1).unfit = vec![LATE];
    assert_eq!(record.one(FASTER).verdict, Verdict::Undecided, "both sides");
    let mut few = throughputs(1.5, 2);
    few.cell(2, 0).unfit = vec![BUSY];
    assert!(matches!(
        few.one(FASTER).reasons[..],
        [Reason::TooFewBlocks { .. }, Reason::ClientLimited { .. }]
    ));
}

#[test]
fn what_the_generator_lengthened_widens_the_interval_on_the_side_that_it_threatens() {
    const P99: Measure = Measure::ResponseQuantile(9900);
    let values = |ns: f64| [1.0, 1.01, 0.99, 1.02].map(|wobble| ns * wobble);
    let shorter = |share: f64| Reach { below: (2.0 * share).ln_1p(), above: 0.0 };
    let record = |a: f64, b: f64| {
        let mut record = Record::new(4).with(P99, 0, 0, &values(1.2e6)).with(P99, 1, 0, &values(1e6));
        (1..=4).for_each(|block| record.cell(block, 0).moved = shorter(a));
        (1..=4).for_each(|block| record.cell(block, 1).moved = shorter(b));
        record
    };
    let verdict = |a, b, claim: &str| record(a, b).one(claim).verdict;
    let slower = "p99(a) > 1.1 * p99(b) @ 64c";
    assert_eq!(verdict(0.0, 0.0, slower), Verdict::Supported);
    assert_eq!(verdict(0.09, 0.0, slower), Verdict::Undecided, "a itself may take no longer");
    assert_eq!(verdict(0.0, 0.09, slower), Verdict::Supported, "b may take less still");
    // A time that is short enough all the same is.
    assert_eq!(verdict(0.09, 0.0, "p99(a) < 1.5ms @ 64c"), Verdict::Supported);
    assert_eq!(verdict(0.0, 0.0, "p99(a) < 1.1ms @ 64c"), Verdict::Refuted);
    assert_eq!(verdict(0.09, 0.0, "p99(a) < 1.1ms @ 64c"), Verdict::Undecided);
    let judged = record(0.09, 0.0).one("p99(a) < 1.5ms @ 64c");
    assert!(matches!(judged.reasons[..], [Reason::Widened { share }] if (share - 0.18).abs() < 1e-9));
    let (low, high) = judged.estimate.map(|estimate| (estimate.low, estimate.high)).expect("an estimate");
    let sharp = record(0.0, 0.0).one("p99(a) < 1.5ms @ 64c").estimate.expect("an estimate");
    assert!((sharp.low / low - 1.18).abs() < 1e-9 && high == sharp.high, "{low} {high} {sharp:?}");
}

#[test]
fn a_few_blocks_that_the_generator_spoiled_are_left_out_for_all_variants_alike() {
    let mut record = throughputs(1.5, 6);
    let cell = record.cell(2, 1);
    (cell.unfit, cell.unfit_reach) = (vec![LATE], Reach::ANY);
    // It would have turned the answer, had it counted.
    cell.merged = Some(1e6);
    cell.cycles = vec![Some(1e6); 2];
    let judged = record.one(FASTER);
    let spoiled = Reason::SpoiledBlocks { blocks: 1, of: 5 };
    assert_eq!((judged.verdict, &judged.reasons[..]), (Verdict::Supported, std::slice::from_ref(&spoiled)));
    // The look at four usable blocks is after the fifth.
    assert_eq!((judged.blocks, judged.settled), (4, true));
    // What is spoiled with one variant is left out for a claim about the other, too.
    let alone = record.judge(&["throughput(a) > 1100/s @ 64c"], &Design::at(&[5, 6])).claims.remove(0);
    assert_eq!((alone.blocks, &alone.reasons[..]), (5, &[Reason::SpoiledBlocks { blocks: 1, of: 6 }][..]));
    // Two of six are too many.
    record.cell(3, 1).unfit = vec![LATE];
    assert_eq!(record.one(FASTER).verdict, Verdict::Undecided);
}

#[test]
fn a_quantile_that_is_a_lower_end_can_only_be_shown_to_be_too_long() {
    const P99: Measure = Measure::ResponseQuantile(9900);
    let times = |ns: f64| [1.0, 1.01, 0.99, 1.02].map(|wobble| ns * wobble);
    let mut record = Record::new(4).with(P99, 0, 0, &times(2e9)).with(P99, 1, 0, &times(1e9));
    for block in 1..=4 {
        let cell = record.cell(block, 0);
        (cell.errors, cell.unanswered, cell.at_least) = (200, 200, true);
    }
    let unended = Reason::Unended { measure: P99, variant: 0, unanswered: 800, unsent: 0 };
    for (claim, verdict) in [
        ("p99(a) < 100ms @ 64c", Verdict::Refuted),
        ("p99(a) > 100ms @ 64c", Verdict::Supported),
        ("p99(a) < p99(b) @ 64c", Verdict::Refuted),
        ("p99(b) < p99(a) @ 64c", Verdict::Supported),
        // The true value may be longer still.
        ("p99(a) < 5s @ 64c", Verdict::Undecided),
        ("p99(a) > 5s @ 64c", Verdict::Undecided),
        ("p99(a) < 4 * p99(b) @ 64c", Verdict::Undecided),
        ("p99(a) ~ 2s within 10% @ 64c", Verdict::Undecided),
    ] {
        let judged = record.one(claim);
        assert_eq!(
            (judged.verdict, &judged.reasons[..]),
            (verdict, std::slice::from_ref(&unended)),
            "{claim}"
        );
    }
    record.cell(2, 0).errors = 400;
    assert_eq!(record.one("p99(a) < 100ms @ 64c").verdict, Verdict::Undecided, "others ended, and fast");
}

#[test]
fn times_that_the_generator_only_lengthened_are_short_enough_or_not_known() {
    const P99: Measure = Measure::ResponseQuantile(9900);
    let mut record = Record::new(4).with(P99, 0, 0, &[9e6, 9.1e6, 8.9e6, 9e6]);
    record.cell(2, 0).unfit = vec![LATE];
    record.cell(2, 0).unfit_reach = Reach::AT_MOST;
    let judged = record.one("p99(a) < 15ms @ 64c");
    assert_eq!((judged.verdict, &judged.reasons[..]), (Verdict::Supported, &[Reason::OnlyLengthened][..]));
    let limited = Reason::ClientLimited { what: LATE };
    for claim in ["p99(a) < 5ms @ 64c", "p99(a) > 5ms @ 64c"] {
        let judged = record.one(claim);
        assert_eq!((judged.verdict, &judged.reasons[0]), (Verdict::Undecided, &limited), "{claim}");
    }
    record.cell(3, 0).at_least = true;
    assert_eq!(record.one("p99(a) < 15ms @ 64c").verdict, Verdict::Undecided, "longer and shorter");
}

#[test]
fn a_generator_at_its_limit_forbids_every_verdict() {
    let mut record = throughputs(1.5, 4);
    record.cell(3, 1).unfit = vec![LATE, LATE, BUSY];
    let judged = record.one(FASTER);
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert_eq!(judged.reasons, [LATE, BUSY].map(|what| Reason::ClientLimited { what }));
}

#[test]
fn of_each_kind_of_finding_the_first_is_a_reason() {
    let busy = |cycle: u32| Finding::InSlice {
        variant: "a".into(),
        point: "64c".into(),
        stream: String::new(),
        block: 3,
        cycle,
        what: Box::new(Finding::WorkerBusy { worker: cycle, busy_share: 0.9, allowed_share: 0.8 }),
    };
    let mut record = throughputs(1.5, 4);
    record.cell(3, 1).unfit = (1..9).map(busy).chain([LATE]).collect();
    assert_eq!(record.one(FASTER).reasons, [busy(1), LATE].map(|what| Reason::ClientLimited { what }));
}
