//! Claims about errors, and claims that errors forbid.

use super::*;

#[test]
fn errors_that_were_seen_refute_however_few_the_blocks_and_whatever_the_generator_was() {
    let mut record = Record::new(1).with(Measure::Errors, 0, 0, &[3.0]);
    record.cell(1, 0).errors = 3;
    for unfit in [Vec::new(), vec![Finding::Unfit]] {
        record.cell(1, 0).unfit = unfit;
        let judged = record.judge(&["errors(a) == 0 @ 64c"], &Design::smoke()).claims.remove(0);
        assert_eq!((judged.verdict, judged.estimate.expect("a count").point), (Verdict::Refuted, 3.0));
        assert_eq!(record.one("errors(a) > 2 @ 64c").verdict, Verdict::Supported);
        assert_eq!(record.one("errors(a) < 10 @ 64c").verdict, Verdict::Undecided, "more may come");
    }
    let mut clean = Record::new(4).with(Measure::Errors, 0, 0, &[0.0; 4]);
    (clean.cell(2, 0).unfit, clean.cell(2, 0).unfit_reach) = (vec![Finding::Unfit], Reach::AT_LEAST);
    assert_eq!(clean.one("errors(a) == 0 @ 64c").verdict, Verdict::Supported, "of those it asked for");
    // Errors of the generator's own making excuse, and are reported.
    record.cell(1, 0).own_errors = 3;
    let judged = record.one("errors(a) == 0 @ 64c");
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert!(judged.reasons.contains(&Reason::OwnErrors { errors: 3 }), "{:?}", judged.reasons);
    record.cell(1, 0).errors = 4;
    assert_eq!(record.one("errors(a) == 0 @ 64c").verdict, Verdict::Refuted, "one is the server's");
}

#[test]
fn errors_of_a_block_that_a_server_did_not_get_through_are_errors() {
    let mut record = Record::new(4).with(Measure::Errors, 0, 0, &[0.0; 4]);
    record.observations.lost = vec![lost(2, 1, 9, None), lost(3, 0, 0, None)];
    assert_eq!(record.one("errors(a) == 0 @ 64c").verdict, Verdict::Supported, "another's");
    record.observations.lost.push(lost(4, 0, 7, None));
    let judged = record.one("errors(a) == 0 @ 64c");
    assert_eq!((judged.verdict, judged.estimate.expect("a count").point), (Verdict::Refuted, 7.0));
    assert_eq!(judged.reasons, [Reason::InLostBlocks { errors: 7 }]);
}

#[test]
fn a_server_that_died_under_load_had_errors() {
    let share = [0.0; 4];
    let mut record =
        Record::new(4).with(Measure::Errors, 0, 0, &share).with(Measure::ErrorShare, 0, 0, &share);
    let claims = ["errors(a) == 0 @ 64c", "errors(a) < 50 @ 64c", "error_share(a) < 1% @ 64c"];
    for claim in claims {
        assert_eq!(record.one(claim).verdict, Verdict::Supported, "{claim}");
    }
    record.observations.lost = vec![lost(2, 0, 0, Some("exit status 137"))];
    let died = Reason::Died { variant: 0, what: Finding::failed("exit status 137") };
    for claim in claims {
        let judged = record.one(claim);
        assert_eq!(
            (judged.verdict, &judged.reasons[..]),
            (Verdict::Refuted, std::slice::from_ref(&died)),
            "{claim}"
        );
    }
    // Not even one block may be left.
    let mut none = Record::new(0);
    none.observations.excluded_blocks = 1;
    none.observations.lost = vec![lost(1, 0, 0, Some("exit status 137"))];
    assert_eq!(none.one(claims[0]).verdict, Verdict::Refuted);
}

#[test]
fn many_errors_forbid_claims_of_speed_but_not_claims_about_errors() {
    let mut record = throughputs(1.5, 4).with(Measure::Errors, 0, 0, &[0.0; 4]);
    record.cell(2, 1).errors = 41;
    let judged = record.one(FASTER);
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert_eq!(judged.reasons, [Reason::Errors { variant: 1, share: 41.0 / 40_000.0 }]);
    assert!(judged.estimate.is_some());
    assert_eq!(record.one("errors(a) == 0 @ 64c").verdict, Verdict::Supported);
    record.cell(2, 1).errors = 40;
    assert_eq!(record.one(FASTER).verdict, Verdict::Supported);
}

#[test]
fn no_error_holds_for_the_exchanges_seen() {
    let record = throughputs(1.0, 4).with(Measure::Errors, 0, 0, &[0.0; 4]);
    let judged = record.one("errors(a) == 0 @ 64c");
    assert_eq!((judged.verdict, judged.settled), (Verdict::Supported, true));
    // Of forty thousand exchanges hardly one fails; of four starts one in two may.
    let [Reason::SeenOnly { exchanges, upper, starts, upper_starts }] = judged.reasons[..] else {
        panic!("{:?}", judged.reasons)
    };
    assert_eq!((exchanges, upper, starts), (40_000, 3.0 / 40_000.0, 4));
    assert!((upper_starts - 0.527).abs() < 1e-3, "{upper_starts}");
    // Another claim is open, and an error may still come: not settled.
    let both = record.judge(&["errors(a) == 0 @ 64c", FASTER], &Design::quick());
    assert_eq!((both.claims[0].verdict, both.claims[0].settled), (Verdict::Supported, false));
    assert_eq!(both.claims[1].confidence, 0.95, "a count takes no share of the error rate");
}

#[test]
fn an_error_seen_is_final() {
    let mut record = throughputs(1.0, 5).with(Measure::Errors, 0, 0, &[0.0; 5]);
    let errors_cell = |record: &mut Record, block: u32| {
        let mut cells = record.observations.cells.iter_mut();
        let cell = cells.find(|cell| cell.block == block && cell.measure == Measure::Errors).expect("a cell");
        cell.errors = 1;
    };
    errors_cell(&mut record, 5);
    // Between looks too: what was seen was seen, but it settles at the next look.
    let late = record.judge(&["errors(a) == 0 @ 64c", FASTER], &Design::quick()).claims.remove(0);
    assert_eq!((late.verdict, late.settled), (Verdict::Refuted, false));
    errors_cell(&mut record, 2);
    let early = record.judge(&["errors(a) == 0 @ 64c", FASTER], &Design::quick()).claims.remove(0);
    assert_eq!((early.verdict, early.settled, early.blocks), (Verdict::Refuted, true, 4));
}
