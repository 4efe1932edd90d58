mod conditions;
mod errors;
mod futility;
mod generator;
mod guards;
mod laws;
mod lent;
mod looks;
mod sittings;
mod steady;

use super::*;
use crate::{Cell, LostStart, Measure, Names, Reach, Replication, SeenErrors, Selector, parse_claim};
use proofload_facts::Finding;

/// Values of measures by block, variant and point, to be judged.
struct Record {
    observations: Observations,
}

fn names() -> Names {
    let variant = |name: &str| Selector { name: name.into(), levels: Vec::new() };
    Names {
        variants: vec![variant("a"), variant("b")],
        points: vec!["64c".into(), "400c".into()],
        ..Names::default()
    }
}

fn claims(texts: &[&str]) -> Vec<Claim> {
    texts.iter().flat_map(|text| parse_claim("claim", text, &names()).expect("a claim")).collect()
}

impl Record {
    fn new(blocks: u32) -> Self {
        let observations = Observations {
            cells: Vec::new(),
            blocks: (1..=blocks).collect(),
            excluded_blocks: 0,
            disturbed: Vec::new(),
            replication: Replication::Start,
            ..Observations::default()
        };
        Record { observations }
    }

    /// One value for each block from the first.
    fn with(mut self, measure: Measure, variant: usize, point: usize, values: &[f64]) -> Self {
        for (value, &block) in values.iter().zip(&self.observations.blocks) {
            self.observations.cells.push(Cell {
                block,
                variant,
                point,
                measure,
                cycles: vec![Some(*value); 2],
                merged: Some(*value),
                finished: 10_000,
                unfit_reach: if measure == Measure::Throughput { Reach::AT_LEAST } else { Reach::ANY },
                ..Cell::default()
            });
        }
        self
    }

    fn cell(&mut self, block: u32, variant: usize) -> &mut Cell {
        let mut cells = self.observations.cells.iter_mut();
        cells.find(|cell| cell.block == block && cell.variant == variant).expect("a cell")
    }

    fn judge(&self, texts: &[&str], design: &Design) -> Judgement {
        judge(&claims(texts), &self.observations, design)
    }

    fn one(&self, text: &str) -> Judged {
        self.judge(&[text], &Design::quick()).claims.remove(0)
    }
}

/// `blocks` pairs in which a is `factor` times b, give or take one or two percent.
fn throughputs(factor: f64, blocks: usize) -> Record {
    let wobble = [1.0, 1.01, 0.99, 1.02, 0.985, 1.005, 1.0, 0.995, 1.015, 0.98, 1.01, 0.99];
    let a: Vec<f64> = wobble[..blocks].iter().map(|wobble| 1000.0 * factor * wobble).collect();
    Record::new(blocks as u32).with(Measure::Throughput, 0, 0, &a).with(
        Measure::Throughput,
        1,
        0,
        &vec![1000.0; blocks],
    )
}

const FASTER: &str = "throughput(a) > throughput(b) @ 64c";

#[test]
fn the_first_look_gives_the_interval_of_a_paired_t() {
    // Logarithms of 1.1 times 1, 1.01, 0.99, 1.02: mean 0.1001797, deviation 0.0129208 (by hand). The bound
    // at the first of the quick looks is 4.85666: half-width 0.0313757.
    let judged = throughputs(1.1, 4).one(FASTER);
    let estimate = judged.estimate.expect("an estimate");
    let logs = [0.0, 1.01_f64.ln(), 0.99_f64.ln(), 1.02_f64.ln()].map(|log| log + 1.1_f64.ln());
    let mean = logs.iter().sum::<f64>() / 4.0;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let half = 4.85666 * deviation / 2.0;
    for (found, expected) in [
        (estimate.point, mean.exp()),
        (estimate.low, (mean - half).exp()),
        (estimate.high, (mean + half).exp()),
    ] {
        assert!((found - expected).abs() < 1e-9, "{estimate:?}");
    }
    assert_eq!((judged.verdict, judged.blocks, judged.settled), (Verdict::Supported, 4, true));
    assert_eq!((judged.confidence, estimate.unit), (0.95, "ratio"));
    assert!(judged.reasons.is_empty());
}

#[test]
fn the_opposite_claim_is_refuted_and_a_larger_factor_too() {
    let record = throughputs(1.1, 4);
    assert_eq!(record.one("throughput(a) < throughput(b) @ 64c").verdict, Verdict::Refuted);
    assert_eq!(record.one("throughput(a) >= 1.05 * throughput(b) @ 64c").verdict, Verdict::Supported);
    assert_eq!(record.one("throughput(a) >= 1.2 * throughput(b) @ 64c").verdict, Verdict::Refuted);
    assert_eq!(record.one("2 * throughput(a) >= 2.1 * throughput(b) @ 64c").verdict, Verdict::Supported);
    assert_eq!(record.one("throughput(a) == throughput(b) @ 64c").verdict, Verdict::Refuted);
}

#[test]
fn an_interval_over_the_boundary_leaves_it_undecided_with_the_blocks_it_would_take() {
    let judged = throughputs(1.01, 4).one(FASTER);
    assert_eq!((judged.verdict, judged.settled), (Verdict::Undecided, false));
    let [Reason::IntervalCrosses { resolution, more_blocks: Some(more) }] = judged.reasons[..] else {
        panic!("{:?}", judged.reasons)
    };
    let estimate = judged.estimate.expect("an estimate");
    assert!((resolution - (estimate.high / estimate.point - 1.0)).abs() < 1e-12);
    assert!((1..=20).contains(&more), "{more}");
}

#[test]
fn equivalence_is_supported_within_the_band_and_refuted_outside() {
    let within = |percent: u32| format!("throughput(a) ~ throughput(b) within {percent}% @ 64c");
    assert_eq!(throughputs(1.0, 12).one(&within(5)).verdict, Verdict::Supported);
    assert_eq!(throughputs(1.1, 12).one(&within(5)).verdict, Verdict::Refuted);
    assert_eq!(throughputs(1.0 / 1.1, 12).one(&within(5)).verdict, Verdict::Refuted);
    assert_eq!(throughputs(1.05, 12).one(&within(5)).verdict, Verdict::Undecided);
    // The band is the same on the logarithmic scale either way: a over b, or b over a.
    for factor in [1.03, 1.04, 1.045] {
        let there = throughputs(factor, 12).one(&within(5));
        let back = throughputs(factor, 12).one("throughput(b) ~ throughput(a) within 5% @ 64c");
        assert_eq!((there.verdict, there.blocks), (back.verdict, back.blocks), "{factor}");
    }
}

#[test]
fn thresholds_are_judged_on_the_measure_itself() {
    let times = [48e6, 49e6, 50e6, 49.5e6];
    let record = Record::new(4).with(Measure::ResponseQuantile(9900), 0, 0, &times);
    let judged = record.one("p99(a) < 60ms @ 64c");
    let estimate = judged.estimate.expect("an estimate");
    assert_eq!((judged.verdict, estimate.unit), (Verdict::Supported, "ns"));
    assert!(estimate.low < 48e6 && estimate.high > 50e6 && (48e6..50e6).contains(&estimate.point));
    assert_eq!(record.one("p99(a) <= 40ms @ 64c").verdict, Verdict::Refuted);
    assert_eq!(record.one("p99(a) < 50ms @ 64c").verdict, Verdict::Undecided);
}

#[test]
fn the_pair_of_a_block_is_the_median_over_cycles_for_throughput() {
    let mut record = throughputs(1.1, 4);
    for block in 1..=4 {
        // One slice of three is spoilt; the median does not see it, the merged value would.
        record.cell(block, 0).cycles = vec![Some(1100.0 + f64::from(block)), Some(1.0), Some(1100.0)];
        record.cell(block, 1).cycles = vec![Some(1000.0), Some(1000.0), None];
        record.cell(block, 0).cycles[1] = Some(1100.0);
    }
    let estimate = record.one(FASTER).estimate.expect("an estimate");
    assert!((estimate.point - 1.1).abs() < 0.002, "{estimate:?}");
    for block in 1..=4 {
        record.cell(block, 0).cycles = vec![Some(1100.0 + f64::from(block)), Some(1.0), Some(1100.0)];
        record.cell(block, 1).cycles = vec![Some(1000.0); 3];
    }
    let spoilt = record.one(FASTER);
    assert!((spoilt.estimate.expect("an estimate").point - 1.1).abs() < 0.002);
    assert_eq!(spoilt.verdict, Verdict::Supported);
}

#[test]
fn a_quantile_is_compared_by_its_merged_values() {
    let measure = Measure::ResponseQuantile(9900);
    let mut record =
        Record::new(4).with(measure, 0, 0, &[2e6, 2.01e6, 1.99e6, 2e6]).with(measure, 1, 0, &[1e6; 4]);
    record.cell(1, 0).cycles = vec![Some(1.0); 6];
    let estimate = record.one("p99(a) > p99(b) @ 64c").estimate.expect("an estimate");
    assert!((estimate.point - 2.0).abs() < 0.01, "{estimate:?}");
}

#[test]
fn ratios_at_two_points_are_compared_block_by_block() {
    let wobble = [1.0, 1.01, 0.99, 1.02];
    let scaled = |factor: f64| wobble.map(|wobble| factor * wobble);
    let record = Record::new(4)
        .with(Measure::Throughput, 0, 0, &scaled(1100.0))
        .with(Measure::Throughput, 1, 0, &[1000.0; 4])
        .with(Measure::Throughput, 0, 1, &scaled(1500.0))
        .with(Measure::Throughput, 1, 1, &[1000.0, 1001.0, 999.0, 1000.0]);
    let judged = record.one("ratio(throughput, a, b) @ 400c > ratio(throughput, a, b) @ 64c");
    assert_eq!(judged.verdict, Verdict::Supported);
    let point = judged.estimate.expect("an estimate").point;
    assert!((point - 1.5 / 1.1).abs() < 1e-3, "{point}");
    assert_eq!(record.one("ratio(throughput, a, b) > 1.3 @ 400c").verdict, Verdict::Supported);
    assert_eq!(record.one("throughput(a) @ 400c > throughput(a) @ 64c").verdict, Verdict::Supported);
}

#[test]
fn one_block_decides_nothing_and_projects_what_five_percent_would_take() {
    let judgement = throughputs(1.5, 1).judge(&[FASTER], &Design::smoke());
    let judged = &judgement.claims[0];
    assert_eq!((judged.verdict, judged.settled, judgement.settled), (Verdict::Undecided, true, true));
    assert_eq!(judged.reasons, [Reason::TooFewBlocks { have: 1, need: 4 }]);
    let estimate = judged.estimate.expect("an estimate");
    assert!((estimate.point - 1.5).abs() < 1e-12 && estimate.low == 0.0 && estimate.high == f64::INFINITY);
    let projection = judged.projection.expect("a projection");
    assert!(projection.assumed && projection.resolution == 0.05 && (8..=16).contains(&projection.blocks));
}

fn lost(block: u32, variant: usize, errors: u64, died: Option<&str>) -> LostStart {
    let seen = SeenErrors { finished: 5_000, errors, ..SeenErrors::default() };
    LostStart { block, variant, died: died.map(Finding::failed), seen: vec![seen] }
}

#[test]
fn fewer_blocks_than_the_first_look_show_where_it_goes() {
    let judged = throughputs(1.5, 3).one(FASTER);
    assert_eq!(judged.reasons, [Reason::TooFewBlocks { have: 3, need: 4 }]);
    assert_eq!((judged.verdict, judged.settled), (Verdict::Undecided, false));
    let estimate = judged.estimate.expect("an estimate");
    assert!(estimate.low > 1.0 && estimate.high.is_finite(), "{estimate:?}");
}

#[test]
fn between_looks_nothing_is_decided() {
    // Clear only with the fifth block, and the next look is at six.
    let a = [1100.0, 1100.0, 1100.0, 1300.0, 1110.0, 1105.0];
    let record = |blocks: usize| {
        Record::new(blocks as u32).with(Measure::ResponseMean, 0, 0, &a[..blocks]).with(
            Measure::ResponseMean,
            1,
            0,
            &vec![1000.0; blocks],
        )
    };
    let text = "mean(a) > 1.01 * mean(b) @ 64c";
    assert_eq!(record(4).one(text).verdict, Verdict::Undecided);
    let five = record(5).one(text);
    assert_eq!((five.verdict, five.blocks, five.settled), (Verdict::Undecided, 5, false));
    if five.estimate.expect("an estimate").low > 1.01 {
        assert_eq!(five.reasons, [Reason::TooFewBlocks { have: 5, need: 6 }]);
    }
    assert_eq!(record(6).one(text).blocks, 6);
}

#[test]
fn what_has_settled_stays_whatever_comes_later() {
    let early = throughputs(1.1, 4).one(FASTER);
    let mut record = throughputs(1.1, 12);
    for block in 5..=12 {
        record.cell(block, 0).merged = Some(10.0);
        record.cell(block, 0).cycles = vec![Some(10.0); 2];
        record.cell(block, 0).errors = 5_000;
        record.cell(block, 0).unfit = vec![Finding::Unfit];
    }
    record.observations.excluded_blocks = 9;
    assert_eq!(record.one(FASTER), early);
}

#[test]
fn at_the_last_look_what_is_open_stays_undecided_for_good() {
    let record = throughputs(1.0, 12);
    let judgement = record.judge(&[FASTER], &Design::quick());
    assert_eq!((judgement.claims[0].verdict, judgement.settled), (Verdict::Undecided, true));
    assert!(matches!(judgement.claims[0].reasons[..], [Reason::IntervalCrosses { .. }]));
}

/// Five equal claims, each between the bounds of one claim and of five at the last look: giving one up must
/// not hand its share to the next.
#[test]
fn claims_given_up_at_the_last_look_leave_their_share_to_nobody() {
    let texts = [">", ">=", "<", "<=", "=="].map(|sign| format!("throughput(a) {sign} throughput(b) @ 64c"));
    let record = throughputs(1.011, 12);
    assert_ne!(record.one(&texts[0]).verdict, Verdict::Undecided, "alone it would settle");
    let judgement = record.judge(&texts.each_ref().map(String::as_str), &Design::quick());
    for claim in &judgement.claims {
        assert_eq!(
            (claim.verdict, claim.confidence, claim.settled),
            (Verdict::Undecided, 0.99, true),
            "{claim:?}"
        );
    }
}

#[test]
fn claims_share_the_error_rate_and_leave_it_to_each_other() {
    // At α/2 the bound at four blocks is 6.23, at α it is 4.86: the second claim's |t| lies between, and
    // holds only because the first one has settled and left its share.
    let fast = [1.30, 1.31, 1.29, 1.30].map(|factor| factor * 1000.0);
    let slow = [1.027, 1.050, 1.022, 1.041].map(|factor| factor * 1000.0);
    let record = Record::new(4)
        .with(Measure::Throughput, 0, 0, &fast)
        .with(Measure::Throughput, 1, 0, &[1000.0; 4])
        .with(Measure::Throughput, 0, 1, &slow)
        .with(Measure::Throughput, 1, 1, &[1000.0; 4]);
    let logs: Vec<f64> = slow.iter().map(|value| (value / 1000.0_f64).ln()).collect();
    let moments = crate::sample::Moments::of(&logs).expect("finite");
    let t = moments.mean / moments.standard_error();
    assert!(t > 4.86 && t < 6.23, "the example must lie between the bounds, {t}");
    let both = record.judge(&[FASTER, "throughput(a) > throughput(b) @ 400c"], &Design::quick());
    let verdicts: Vec<(Verdict, f64)> =
        both.claims.iter().map(|claim| (claim.verdict, claim.confidence)).collect();
    assert_eq!(verdicts, [(Verdict::Supported, 0.975), (Verdict::Supported, 0.95)]);
    assert!(both.settled);
    let neither = ["throughput(a) > 1.3 * throughput(b) @ 64c", "throughput(a) > throughput(b) @ 400c"];
    let second = record.judge(&neither, &Design::quick()).claims.remove(1);
    assert_eq!((second.verdict, second.confidence), (Verdict::Undecided, 0.975));
}

#[test]
fn too_many_lost_blocks_forbid_a_verdict() {
    let mut record = throughputs(1.5, 4);
    record.observations.blocks = vec![1, 2, 4, 5];
    for cell in &mut record.observations.cells {
        cell.block = if cell.block > 2 { cell.block + 1 } else { cell.block };
    }
    // One of five is a fifth, and not more.
    assert_eq!(record.one(FASTER).verdict, Verdict::Supported);
    for cell in record.observations.cells.iter_mut().filter(|cell| cell.block == 5) {
        cell.block = 6;
    }
    record.observations.blocks = vec![1, 2, 4, 6];
    let judged = record.one(FASTER);
    assert_eq!(
        (judged.verdict, &judged.reasons[..]),
        (Verdict::Undecided, &[Reason::BlocksLost { lost: 2, of: 6 }][..])
    );
}

#[test]
fn a_missing_measure_is_named_with_its_place() {
    let record = throughputs(1.5, 4);
    let judged = record.one("p99(a) > p99(b) @ 400c");
    assert_eq!((judged.verdict, judged.estimate), (Verdict::Undecided, None));
    let missing = |variant| Reason::NotMeasured {
        measure: Measure::ResponseQuantile(9900),
        variant,
        point: 1,
        stream: None,
        blocks: 4,
    };
    assert!(
        judged.reasons.contains(&missing(0)) && judged.reasons.contains(&missing(1)),
        "{:?}",
        judged.reasons
    );
}

#[test]
fn a_claim_that_lacks_a_block_is_judged_at_its_own_last_look() {
    let mut record = throughputs(1.1, 6);
    record.cell(2, 0).merged = None;
    record.cell(2, 0).cycles = vec![None, Some(f64::NAN)];
    let judged = record.one(FASTER);
    assert_eq!((judged.verdict, judged.blocks), (Verdict::Supported, 4));
    assert!(matches!(judged.reasons[..], [Reason::NotMeasured { variant: 0, blocks: 1, .. }]));
}

#[test]
fn no_block_is_no_data() {
    let judged = Record::new(0).one(FASTER);
    assert_eq!((judged.verdict, judged.estimate, judged.settled), (Verdict::Undecided, None, false));
    assert_eq!(judged.reasons, [Reason::NoData]);
}

#[test]
fn without_claims_nothing_ends_a_study_early() {
    let judgement = judge(&[], &throughputs(1.0, 12).observations, &Design::quick());
    assert_eq!(judgement, Judgement::default());
}

#[test]
fn constants_are_compared_exactly_after_four_blocks() {
    let sizes = |a: f64, b: f64, blocks: usize| {
        let record = Record::new(blocks as u32).with(Measure::Rss, 0, 0, &vec![a; blocks]);
        record.with(Measure::Rss, 1, 0, &vec![b; blocks])
    };
    let judged = sizes(100.0, 110.0, 4).one("rss(a) < rss(b) @ 64c");
    assert_eq!((judged.verdict, &judged.reasons[..]), (Verdict::Supported, &[Reason::Constant][..]));
    for (text, verdict) in [
        ("rss(a) == rss(b) @ 64c", Verdict::Refuted),
        ("rss(b) <= 1.1 * rss(a) @ 64c", Verdict::Supported),
        ("rss(b) > 1.1 * rss(a) @ 64c", Verdict::Refuted),
        ("rss(a) ~ rss(b) within 10% @ 64c", Verdict::Supported),
        ("rss(a) ~ rss(b) within 9% @ 64c", Verdict::Refuted),
        ("rss(a) == 100B @ 64c", Verdict::Supported),
    ] {
        assert_eq!(sizes(100.0, 110.0, 4).one(text).verdict, verdict, "{text}");
    }
    let early = Design::at(&[3, 6]);
    let three = sizes(100.0, 110.0, 3).judge(&["rss(a) < rss(b) @ 64c"], &early).claims.remove(0);
    assert_eq!((three.verdict, three.settled), (Verdict::Undecided, false));
}

#[test]
fn an_error_share_without_errors_is_proven_only_by_enough_exchanges() {
    let record = Record::new(4).with(Measure::ErrorShare, 0, 0, &[0.0; 4]);
    assert_eq!(record.one("error_share(a) < 0.1% @ 64c").verdict, Verdict::Supported);
    let judged = record.one("error_share(a) < 0.005% @ 64c");
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert!(matches!(judged.reasons[0], Reason::IntervalCrosses { more_blocks: Some(2), .. }), "{judged:?}");
    assert_eq!(record.one("error_share(a) > 1% @ 64c").verdict, Verdict::Refuted);
    assert_eq!(record.one("error_share(a) == 0% @ 64c").verdict, Verdict::Supported);
    let mut record = Record::new(4).with(Measure::ErrorShare, 0, 0, &[1.0; 4]);
    record.observations.cells.iter_mut().for_each(|cell| cell.errors = cell.finished);
    let judged = record.one("error_share(a) < 1% @ 64c");
    let ends = judged.estimate.map(|found| (found.low, found.point, found.high));
    assert_eq!((judged.verdict, ends), (Verdict::Refuted, Some((1.0, 1.0, 1.0))), "all failed");
}

#[test]
fn shares_with_zeros_are_compared_by_their_difference() {
    let record = Record::new(4).with(Measure::ErrorShare, 0, 0, &[0.0, 0.001, 0.0, 0.0]).with(
        Measure::ErrorShare,
        1,
        0,
        &[0.20, 0.21, 0.22, 0.20],
    );
    let judged = record.one("error_share(a) < error_share(b) @ 64c");
    assert_eq!(judged.verdict, Verdict::Supported);
    assert_eq!(judged.estimate.expect("an estimate").unit, "share_difference");
    assert_ne!(record.one("error_share(a) < 0.001 * error_share(b) @ 64c").verdict, Verdict::Supported);
    assert_eq!(record.one("error_share(a) < 10% @ 64c").verdict, Verdict::Supported);
    assert_eq!(record.one("ratio(error_share, a, b) < 0.5 @ 64c").verdict, Verdict::Undecided);
}

#[test]
fn hodges_lehmann_on_the_other_side_forbids_a_verdict() {
    // A design with one look has the plain t bound; a skewed sample has its mean and its Hodges-Lehmann
    // estimate on different sides of a boundary between them.
    let a: Vec<f64> =
        (0..30).map(|block| if block % 4 == 0 { 3000.0 } else { 1000.0 + f64::from(block) }).collect();
    let record = Record::new(30).with(Measure::ResponseMean, 0, 0, &a).with(
        Measure::ResponseMean,
        1,
        0,
        &[1000.0; 30],
    );
    let design = Design { alpha: 0.8, ..Design::at(&[30]) };
    let estimate =
        record.judge(&["mean(a) > mean(b) @ 64c"], &design).claims[0].estimate.expect("an estimate");
    assert!(estimate.hodges_lehmann < estimate.low * 0.99, "{estimate:?}");
    let between = (estimate.hodges_lehmann + estimate.low) / 2.0;
    let judged =
        record.judge(&[&format!("mean(a) > {between:.4} * mean(b) @ 64c")], &design).claims.remove(0);
    assert_eq!((judged.verdict, &judged.reasons[..]), (Verdict::Undecided, &[Reason::SignsDisagree][..]));
}

#[test]
fn a_plan_that_is_none_decides_nothing() {
    for looks in [vec![], vec![1, 4], vec![6, 4]] {
        let design = Design::at(&looks);
        assert_eq!(throughputs(2.0, 12).judge(&[FASTER], &design).claims[0].verdict, Verdict::Undecided);
    }
    for alpha in [0.0, -1.0, f64::NAN] {
        let design = Design { alpha, ..Design::quick() };
        assert_eq!(throughputs(2.0, 12).judge(&[FASTER], &design).claims[0].verdict, Verdict::Undecided);
    }
}
