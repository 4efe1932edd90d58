//! For each guard the failure that it is there for, planted in data that would decide otherwise, on both sides of its
//! limit. (Unfit generators, errors, lost blocks and Hodges–Lehmann are with the other laws of the judge.)

use super::*;
use crate::student;

/// A pair for each logarithm of the ratio.
fn ratios(logs: &[f64]) -> Record {
    let a: Vec<f64> = logs.iter().map(|log| 1000.0 * log.exp()).collect();
    let b = vec![1000.0; logs.len()];
    Record::new(logs.len() as u32).with(Measure::Throughput, 0, 0, &a).with(Measure::Throughput, 1, 0, &b)
}

/// Half as many again, give or take a little, which is clear at any look.
fn clear(blocks: usize) -> Record {
    ratios(&(0..blocks).map(|block| 0.4 + 0.001 * (block % 3) as f64).collect::<Vec<_>>())
}

fn alone(record: &Record, look: u32) -> Judged {
    record.judge(&[FASTER], &Design::at(&[look])).claims.remove(0)
}

#[test]
fn a_study_whose_halves_differ_by_more_than_chance_explains_has_no_verdict() {
    // Twelve blocks of ±w: each half has a spread of w √(6/5), their difference a standard error of w √0.4.
    let w = 0.002;
    let study = |shift: f64| {
        let log = |block: usize| {
            let wobble = if block.is_multiple_of(2) { w } else { -w };
            0.4 + wobble + if block < 6 { 0.0 } else { shift }
        };
        alone(&ratios(&(0..12).map(log).collect::<Vec<_>>()), 12)
    };
    let limit = student::critical(0.0027, 10) * w * 0.4_f64.sqrt();
    for sign in [1.0, -1.0] {
        let just = study(sign * limit * 0.999);
        assert_eq!((just.verdict, just.reasons.len()), (Verdict::Supported, 0), "{just:?}");
        let beyond = study(sign * limit * 1.001);
        assert_eq!(beyond.verdict, Verdict::Undecided);
        let [Reason::HalvesDiffer { first, second, errors, allowed }] = beyond.reasons[..] else {
            panic!("{:?}", beyond.reasons)
        };
        assert!((first - 0.4_f64.exp()).abs() < 1e-9);
        assert!((second / first - (sign * limit * 1.001).exp()).abs() < 1e-9);
        assert!((errors / allowed - 1.001).abs() < 1e-6 && (3.9..4.0).contains(&allowed), "{allowed}");
    }
}

#[test]
fn halves_that_never_vary_differ_when_they_are_not_the_same() {
    let step = |second: f64| ratios(&[0.4, 0.4, 0.4, second, second, second]);
    assert_eq!(alone(&step(0.4), 6).verdict, Verdict::Supported);
    let judged = alone(&step(0.41), 6);
    assert!(matches!(judged.reasons[..], [Reason::HalvesDiffer { .. }]), "{judged:?}");
    assert_eq!(judged.verdict, Verdict::Undecided);
}

#[test]
fn three_blocks_have_no_halves() {
    let judged = alone(&ratios(&[0.400, 0.401, 0.430]), 3);
    assert!(!judged.reasons.iter().any(|reason| matches!(reason, Reason::HalvesDiffer { .. })), "{judged:?}");
}

/// The clear record with a long slice in each block, whose ratio is `factor` times that of the short ones, give or
/// take.
fn held_against_long(factor: f64, blocks: usize, give: f64) -> Record {
    let mut record = clear(blocks);
    for block in 1..=blocks as u32 {
        let wobble = 1.0 + give * (f64::from(block % 3) - 1.0);
        let cell = record.cell(block, 0);
        cell.long = vec![cell.cycles[0].map(|value| value * factor * wobble)];
        let cell = record.cell(block, 1);
        cell.long = vec![cell.cycles[0]];
    }
    record
}

#[test]
fn a_ratio_that_long_slices_show_otherwise_has_no_verdict() {
    for factor in [0.95, 1.05] {
        let judged = alone(&held_against_long(factor, 6, 0.001), 6);
        let [Reason::SliceLength { ratio, blocks: 6 }] = judged.reasons[..] else {
            panic!("{:?}", judged.reasons)
        };
        assert!((ratio - factor).abs() < 1e-3, "{ratio}");
        assert_eq!(judged.verdict, Verdict::Undecided);
    }
}

#[test]
fn long_slices_that_show_the_same_or_nothing_definite_forbid_nothing() {
    let cases = [(1.009, 6, 0.0001), (1.05, 6, 0.05), (1.05, 2, 0.0), (1.0, 6, 0.001)];
    for (factor, blocks, give) in cases {
        let judged = alone(&held_against_long(factor, blocks, give), blocks as u32);
        let told = judged.reasons.iter().any(|reason| matches!(reason, Reason::SliceLength { .. }));
        assert!(!told, "{factor} in {blocks} blocks: {:?}", judged.reasons);
    }
}

#[test]
fn what_is_not_compared_slice_by_slice_is_not_held_against_long_slices() {
    let record = held_against_long(1.2, 6, 0.001);
    let claim = |text: &str| claims(&[text]).remove(0);
    assert!(slice_length(&claim(FASTER), &record.observations).is_some());
    assert_eq!(slice_length(&claim("throughput(a) > 10/s @ 64c"), &record.observations), None);
    assert_eq!(slice_length(&claim("p99(a) < p99(b) @ 64c"), &record.observations), None);
}

/// A variant's values are missing in these blocks.
fn without(mut record: Record, variant: usize, blocks: &[u32]) -> Record {
    let gone = |cell: &Cell| cell.variant == variant && blocks.contains(&cell.block);
    record.observations.cells.retain(|cell| !gone(cell));
    record
}

#[test]
fn a_variant_that_is_lost_much_more_often_than_the_other_has_no_verdict() {
    // The claim has as many blocks of its own as at the first look when the study is at the last.
    let at = |record: &Record, own: u32, all: u32| {
        record.judge(&[FASTER], &Design::at(&[own, all])).claims.remove(0)
    };
    for variant in [0, 1] {
        // Two blocks of difference are a tenth of twenty, and more than that of nineteen.
        let tenth = at(&without(clear(20), variant, &[4, 9]), 18, 20);
        assert_eq!((tenth.verdict, tenth.blocks), (Verdict::Supported, 18), "{:?}", tenth.reasons);
        let more = at(&without(clear(19), variant, &[4, 9]), 17, 19);
        assert_eq!(more.verdict, Verdict::Undecided);
        let expected = Reason::LostUnevenly { variant, lost: 2, other: 0, of: 19 };
        assert_eq!(more.reasons[0], expected, "two of nineteen are not a fifth, but a variant's alone");
    }
    let both = at(&without(without(clear(12), 0, &[3]), 1, &[7]), 10, 12);
    assert_eq!(both.verdict, Verdict::Supported, "each lost one: {:?}", both.reasons);
    let once = at(&without(clear(9), 0, &[4]), 8, 9);
    assert_eq!(once.verdict, Verdict::Supported, "one block is no pattern: {:?}", once.reasons);
    let threshold = without(clear(12), 0, &[3, 7]);
    let design = Design::at(&[10, 12]);
    let alone = threshold.judge(&["throughput(a) > 1000/s @ 64c"], &design).claims.remove(0);
    assert_eq!(alone.verdict, Verdict::Supported, "there is no other: {:?}", alone.reasons);
}

#[test]
fn a_machine_that_disturbed_most_blocks_forbids_a_verdict() {
    let mut record = clear(4);
    record.observations.disturbed = vec![0, 1, 2, 3];
    assert_eq!(alone(&record, 4).verdict, Verdict::Supported, "as many as count");
    record.observations.disturbed = vec![0, 1, 1, 2, 3];
    let judged = alone(&record, 4);
    assert_eq!(judged.reasons, [Reason::Disturbed { blocks: 5, of: 9 }]);
    assert_eq!(judged.verdict, Verdict::Undecided);
    // Behind the last that counts, where no look came any more.
    record.observations.disturbed = vec![0, 1, 1, 4, 4, 4];
    let judged = record.judge(&[FASTER], &Design::at(&[3, 8])).claims.remove(0);
    assert_eq!((judged.verdict, judged.settled), (Verdict::Supported, true), "settled at the look at 3");
    let judged = record.judge(&[FASTER], &Design::at(&[8, 10])).claims.remove(0);
    assert!(judged.reasons.contains(&Reason::Disturbed { blocks: 6, of: 10 }), "{:?}", judged.reasons);
}

/// The p99 of starts, which in those of a rests on that many exchanges.
fn tail(exchanges: &[u64]) -> Record {
    let p99 = Measure::ResponseQuantile(9900);
    let values: Vec<f64> = (0..exchanges.len()).map(|block| 40e6 + 1e5 * (block % 3) as f64).collect();
    let mut record = Record::new(exchanges.len() as u32).with(p99, 0, 0, &values).with(
        p99,
        1,
        0,
        &vec![40e6; values.len()],
    );
    for (block, finished) in exchanges.iter().enumerate() {
        record.cell(block as u32 + 1, 0).finished = *finished;
    }
    record
}

#[test]
fn a_quantile_that_some_start_hardly_saw_has_no_verdict() {
    let of = |record: &Record, text: &str| record.judge(&[text], &Design::at(&[4])).claims.remove(0);
    let (threshold, compared) = ("p99(a) < 50ms @ 64c", "p99(a) < 1.2 * p99(b) @ 64c");
    let seen = tail(&[10_000; 4]);
    let few = tail(&[10_000, 10_000, 9_999, 10_000]);
    for text in [threshold, compared] {
        let judged = of(&seen, text);
        assert_eq!((judged.verdict, judged.reasons.len()), (Verdict::Supported, 0), "{text}: {judged:?}");
        let judged = of(&few, text);
        let expected =
            Reason::NotResolvable { measure: Measure::ResponseQuantile(9900), variant: 0, beyond: 99 };
        assert_eq!((judged.verdict, judged.reasons), (Verdict::Undecided, vec![expected]), "{text}");
    }
    // Errors have no response time.
    let mut failing = tail(&[10_005; 4]);
    failing.cell(2, 0).errors = 6;
    assert!(matches!(of(&failing, threshold).reasons[..], [Reason::NotResolvable { beyond: 99, .. }]));
    // Blocks after the one that settled it are not looked at, and a block that left it out saw nothing on purpose.
    let late = tail(&[10_000, 10_000, 10_000, 10_000, 5]);
    assert_eq!(of(&late, threshold).verdict, Verdict::Supported);
    let mut spared = tail(&[10_000, 10_000, 10_000, 10_000, 0]);
    (spared.cell(5, 0).cycles, spared.cell(5, 0).merged) = (Vec::new(), None);
    assert_eq!(spared.judge(&[threshold], &Design::at(&[4, 5])).claims[0].verdict, Verdict::Supported);
    // No number of exchanges makes a largest value resolvable or not: it is what it is.
    let max = Record::new(4).with(Measure::ResponseMax, 0, 0, &[40e6, 41e6, 40e6, 42e6]);
    assert_eq!(of(&max, "max(a) < 90ms @ 64c").verdict, Verdict::Supported);
}

#[test]
fn a_claim_that_no_start_resolves_is_not_expected_to_be_settled() {
    let record = tail(&[50; 4]);
    let left = outlook(&claims(&["p99(a) < 50ms @ 64c"]), &record.observations, &Design::quick());
    assert_eq!(left.map(|left| (left.low, left.high)), Some((8, 8)), "starts do not become longer");
}

#[test]
fn fewer_blocks_than_the_first_look_decide_nothing_however_clear() {
    let design = Design::at(&[5, 8]);
    for (blocks, verdict) in [(4, Verdict::Undecided), (5, Verdict::Supported)] {
        let judged = clear(blocks).judge(&[FASTER], &design).claims.remove(0);
        assert_eq!(judged.verdict, verdict, "{blocks}");
    }
}

/// A trial that a block left out on purpose is not lost: neither to the judge nor to a comparison with a baseline.
#[test]
fn blocks_that_left_a_trial_out_on_purpose_are_no_losses() {
    let mut record = clear(12);
    for cell in record.observations.cells.iter_mut().filter(|cell| cell.variant == 0 && cell.block > 6) {
        (cell.cycles, cell.merged, cell.finished) = (Vec::new(), None, 0);
    }
    let judged =
        record.judge(&["throughput(a) > 1.3 * throughput(b) @ 64c"], &Design::at(&[6, 12])).claims.remove(0);
    assert_eq!(
        (judged.verdict, judged.blocks, judged.reasons.len()),
        (Verdict::Supported, 6, 0),
        "{judged:?}"
    );
    // An open claim shows its state with the six blocks that it has.
    let open = record
        .judge(&["throughput(a) > 1.492 * throughput(b) @ 64c"], &Design::at(&[6, 12]))
        .claims
        .remove(0);
    assert_eq!((open.verdict, open.blocks), (Verdict::Undecided, 6), "{open:?}");
    assert!(!open.reasons.iter().any(|reason| matches!(reason, Reason::NotMeasured { .. })), "{open:?}");
    let same = [Counterpart { measure: Measure::Throughput, variant: (0, 0), point: (0, 0), between: None }];
    let compared = judge_regressions(&record.observations, &clear(12).observations, &same, 0.05, 0.05);
    assert_eq!(compared[0].verdict, Verdict::Supported, "{compared:?}");
}
