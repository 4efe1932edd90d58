//! Blocks of several sittings, and one sitting among earlier ones.

use super::*;
use crate::{Between, KnownSpread, OverSittings, Scope, student};

/// Levels of the sittings, as the ratio of a to b; each has two blocks one per cent beside it.
fn record(levels: &[f64]) -> Record {
    let a: Vec<f64> =
        levels.iter().flat_map(|level| [1_000.0 * level * 1.01, 1_000.0 * level / 1.01]).collect();
    let mut record = Record::new(a.len() as u32).with(Measure::Throughput, 0, 0, &a).with(
        Measure::Throughput,
        1,
        0,
        &vec![1000.0; a.len()],
    );
    record.observations.sittings = (1..=levels.len() as u32).flat_map(|sitting| [sitting; 2]).collect();
    record
}

fn over(judged: &Judged) -> OverSittings {
    let Scope::Sittings(over) = judged.scope else { panic!("{:?}", judged.scope) };
    over
}

/// Four sittings of two blocks: the look at four is theirs, and the interval that of a t of their four means.
#[test]
fn the_means_of_sittings_are_what_is_judged() {
    let levels = [1.30, 1.36, 1.27, 1.33];
    let judged = record(&levels).one(FASTER);
    let logs = levels.map(f64::ln);
    let mean = logs.iter().sum::<f64>() / 4.0;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let estimate = judged.estimate.expect("an estimate");
    assert!((estimate.low - (mean - 4.85666 * deviation / 2.0).exp()).abs() < 1e-9, "{estimate:?}");
    assert_eq!((judged.verdict, judged.blocks, judged.settled), (Verdict::Supported, 8, true));
    let over = over(&judged);
    assert_eq!((over.found.means.n, over.found.blocks, over.is_log), (4, 8, true));
    let next = mean + student::critical(0.05, 3) * deviation * 1.25_f64.sqrt();
    assert!((over.prediction.high - next.exp()).abs() < 1e-9, "{over:?}");
    // As blocks of one sitting the same values have another interval, at the look at eight.
    let mut pooled = record(&levels);
    pooled.observations.sittings.clear();
    let pooled = pooled.one(FASTER);
    assert_eq!(pooled.scope, Scope::ThisSitting);
    assert!(pooled.estimate.expect("an estimate").low > estimate.low);
}

#[test]
fn looks_count_sittings_where_there_are_two() {
    let judged = record(&[1.3, 1.3]).one(FASTER);
    assert_eq!((judged.verdict, judged.blocks), (Verdict::Undecided, 4));
    assert_eq!(judged.reasons[0], Reason::TooFewSittings { have: 2, need: Some(4) });
    let once = record(&[1.3, 1.3]).judge(&[FASTER], &Design::at(&[4]));
    assert!(!once.settled, "four blocks are no four sittings: {once:?}");
    let judged = record(&[1.02, 0.99, 1.01, 1.0, 1.0]).one(FASTER);
    assert!(
        matches!(judged.reasons[..], [Reason::SittingsCross { more_sittings: Some(1..), .. }]),
        "{:?}",
        judged.reasons
    );
    assert_eq!(judged.projection, None, "blocks are not what is missing");
}

/// The guards see every block, and a block that they leave out is in no sitting's mean.
#[test]
fn a_block_that_is_left_out_is_left_out_of_its_sitting() {
    let levels = [1.30, 1.36, 1.27, 1.33];
    let mut spoiled = record(&levels);
    (spoiled.cell(3, 0).unfit, spoiled.cell(3, 0).unfit_reach) = (vec![Finding::Unfit], Reach::ANY);
    spoiled.cell(3, 0).cycles = vec![Some(5_000.0); 2];
    let judged = spoiled.one(FASTER);
    assert_eq!((judged.verdict, judged.blocks), (Verdict::Supported, 7));
    assert!(judged.reasons.contains(&Reason::SpoiledBlocks { blocks: 1, of: 8 }), "{:?}", judged.reasons);
    let second = (1.36_f64 / 1.01).ln();
    let others = [1.30_f64, 1.27, 1.33].map(f64::ln).iter().sum::<f64>();
    assert!((judged.estimate.expect("an estimate").point.ln() - (second + others) / 4.0).abs() < 1e-9);
    let mut failing = record(&levels);
    failing.cell(3, 0).errors = 9_000;
    assert!(matches!(failing.one(FASTER).reasons[..], [Reason::Errors { .. }, ..]));
    // Blocks that were lost are lost, in whichever sitting.
    let mut lossy = record(&levels[..3]);
    lossy.observations.excluded_blocks = 5;
    let reasons = lossy.one(FASTER).reasons;
    assert!(reasons.contains(&Reason::BlocksLost { lost: 5, of: 11 }), "{reasons:?}");
}

#[test]
fn counts_are_of_all_blocks_of_all_sittings() {
    let mut record = record(&[1.0, 1.0, 1.0, 1.0]);
    record = record.with(Measure::Errors, 0, 0, &[0.0; 8]);
    let judged = record.one("errors(a) == 0 @ 64c");
    assert_eq!(judged.verdict, Verdict::Supported);
    assert!(judged.reasons.iter().any(|reason| matches!(reason, Reason::SeenOnly { exchanges: 80_000, .. })));
}

fn known(tau: f64, freedom: f64) -> Design {
    let claim = claims(&[FASTER]).remove(0).text;
    let between = Between { tau, freedom, sittings: 5, of_means: 0.0 };
    Design { known: vec![KnownSpread { claim, between }], ..Design::quick() }
}

/// Four blocks 10 % apart by a percent or two decide about their own sitting; a spread of 6 % between sittings
/// forbids a verdict on any other.
#[test]
fn the_spread_of_earlier_sittings_widens_the_interval_of_one() {
    let record = throughputs(1.1, 4);
    let alone = record.one(FASTER);
    assert_eq!((alone.verdict, alone.scope), (Verdict::Supported, Scope::ThisSitting));
    let judged = record.judge(&[FASTER], &known(0.06, 4.0)).claims.remove(0);
    assert_eq!((judged.verdict, judged.settled), (Verdict::Undecided, false));
    assert!(matches!(judged.scope, Scope::Widened(Between { sittings: 5, .. })));
    let told = Reason::WidenedBySittings { tau: 0.06, sittings: 5 };
    assert!(judged.reasons.contains(&told), "{:?}", judged.reasons);
    let none = matches!(judged.reasons[0], Reason::IntervalCrosses { more_blocks: None, .. });
    assert!(none, "no number of blocks tells what other sittings show: {:?}", judged.reasons);
    // Sittings that do not differ leave the interval as it is, and another claim has nothing of it.
    let same = record.judge(&[FASTER], &known(0.0, 4.0)).claims.remove(0);
    assert_eq!((same.verdict, same.estimate), (alone.verdict, alone.estimate));
    let other = "throughput(a) >= 1.05 * throughput(b) @ 64c";
    assert_eq!(record.judge(&[other], &known(0.06, 4.0)).claims[0].verdict, Verdict::Supported);
}

/// The outlook rests on the same interval as the verdict: a claim left open after four blocks because of the spread
/// between sittings is not settled by more blocks.
#[test]
fn the_outlook_knows_the_spread_of_earlier_sittings() {
    let observations = throughputs(1.02, 4).observations;
    let left = |design: &Design| outlook(&claims(&[FASTER]), &observations, design).expect("it is open");
    let (alone, known) = (left(&Design::quick()), left(&known(0.06, 4.0)));
    assert!(alone.median < alone.last, "{alone:?}");
    assert_eq!(known.median, known.last, "{known:?}");
}

#[test]
fn a_spread_is_taken_of_what_a_verdict_could_rest_on() {
    let claim = claims(&[FASTER]).remove(0);
    let sound = record(&[1.1, 1.2]);
    let values = sitting_values(&claim, &sound.observations);
    assert_eq!(values.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    assert!((values[1][0] - (1.2_f64 * 1.01).ln()).abs() < 1e-12);
    let mut unfit = record(&[1.1, 1.2]);
    unfit.cell(1, 0).unfit = vec![Finding::Unfit];
    assert!(sitting_values(&claim, &unfit.observations).is_empty());
    let mut failing = record(&[1.1, 1.2]);
    failing.cell(1, 0).errors = 9_000;
    assert!(sitting_values(&claim, &failing.observations).is_empty());
    let errors = claims(&["errors(a) == 0 @ 64c"]).remove(0);
    assert!(sitting_values(&errors, &sound.observations).is_empty(), "a count is no logarithm");
}

#[test]
fn a_spread_is_lent_of_the_first_blocks_of_a_fit_generator() {
    let claim = claims(&[FASTER]).remove(0);
    let sound = throughputs(1.1, 8);
    let all = first_values(&claim, &sound.observations, 9);
    assert_eq!(all.len(), 8);
    assert_eq!(first_values(&claim, &sound.observations, 4), all[..4]);
    let mut unfit = throughputs(1.1, 8);
    unfit.cell(2, 0).unfit = vec![Finding::Unfit];
    unfit.cell(3, 1).at_least = true;
    assert_eq!(first_values(&claim, &unfit.observations, 4), [all[0], all[3], all[4], all[5]]);
    let mut failing = throughputs(1.1, 8);
    failing.cell(1, 0).errors = 9_000;
    assert!(first_values(&claim, &failing.observations, 4).is_empty());
    let errors = claims(&["errors(a) == 0 @ 64c"]).remove(0);
    assert!(first_values(&errors, &sound.observations, 4).is_empty(), "a count is no logarithm");
    let two = record(&[1.1, 1.2]);
    assert_eq!(first_values(&claim, &two.observations, 4).len(), 2, "blocks of one sitting");
}
