//! Values worked out by hand, and coverage over seeded sittings.

use super::*;
use crate::pooled_between;
use crate::rng::Rng;

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
}

/// Sittings of two blocks: means 1, 4 and 7, each block 1 beside its mean. σ² = 6/3 = 2, S² = 9, τ² = 9 − 2/2 = 8;
/// Q = (2·9 + 0 + 2·9)/2 = 18, F = 9 with 2 and 3 degrees of freedom: p = (1 + 2·9/3)^(−3/2) = 7^(−1.5).
#[test]
fn moments_are_those_worked_out_by_hand() {
    let found = Sittings::of(&[vec![0.0, 2.0], vec![3.0, 5.0], vec![6.0, 8.0]]).expect("three sittings");
    assert_eq!((found.means.n, found.blocks), (3, 6));
    near(found.means.mean, 4.0);
    near(found.within.expect("two blocks each"), 2.0_f64.sqrt());
    let between = found.between.expect("a spread within");
    near(between.tau, 8.0_f64.sqrt());
    // 64 / (81/2 + 1/3).
    near(between.freedom, 64.0 / (40.5 + 1.0 / 3.0));
    let test = found.heterogeneity.expect("a spread within");
    assert_eq!(test.freedom, 2);
    near(test.q, 18.0);
    near(test.p, 7.0_f64.powf(-1.5));
    // t(0.05, 2) = 4.302653; √(1 + 1/3) · 3 = 3.4641.
    assert!((found.prediction_half(0.05) - 4.302_653 * 12.0_f64.sqrt()).abs() < 1e-4);
}

/// σ/τ = 1/2 there: a sitting that costs as much as 16 blocks is worth two, one that costs 100 five.
#[test]
fn a_sitting_is_worth_more_blocks_as_it_costs_more_and_never_fewer_than_two() {
    let found = Sittings::of(&[vec![0.0, 2.0], vec![3.0, 5.0], vec![6.0, 8.0]]).expect("three sittings");
    let worth: Vec<_> = [0.0, 1.0, 16.0, 100.0, 1e9].map(|cost| found.blocks_worth(cost)).to_vec();
    assert_eq!(worth, [Some(2), Some(2), Some(2), Some(5), Some(100)]);
}

#[test]
fn sittings_of_different_length_count_alike_and_have_their_harmonic_mean() {
    // Means 1 and 3; σ² = (2 + 0)/1 = 2, S² = 2, mean of 1/n = 3/4: τ² = 2 − 1.5.
    let found = Sittings::of(&[vec![0.0, 2.0], vec![3.0], vec![]]).expect("two sittings");
    near(found.means.mean, 2.0);
    near(found.between.expect("a spread within").tau, 0.5_f64.sqrt());
}

#[test]
fn what_blocks_explain_is_no_spread_between_sittings() {
    let found = Sittings::of(&[vec![0.0, 4.0], vec![1.0, 3.0], vec![0.0, 4.0]]).expect("three sittings");
    assert_eq!(found.between.map(|between| between.tau), Some(0.0));
    assert!(found.heterogeneity.is_some_and(|test| test.p > 0.99), "{found:?}");
    assert_eq!(found.blocks_worth(16.0), None);
}

#[test]
fn too_little_says_nothing() {
    assert_eq!(Sittings::of(&[vec![1.0, 2.0]]), None);
    assert_eq!(Sittings::of(&[vec![1.0, 2.0], vec![]]), None);
    assert_eq!(Sittings::of(&[vec![1.0], vec![f64::NAN]]), None);
    let single = Sittings::of(&[vec![1.0], vec![3.0]]).expect("two sittings");
    assert_eq!((single.within, single.between, single.heterogeneity), (None, None, None));
    let constant = Sittings::of(&[vec![1.0, 1.0], vec![3.0, 3.0]]).expect("two sittings");
    near(constant.between.expect("a spread within").tau, 2.0_f64.sqrt());
    assert_eq!(constant.heterogeneity, None);
}

/// Own variance 4/4 = 1 with 3 degrees of freedom, τ² = 1 with 3: 2 with (1 + 1)² / (1/3 + 1/3) = 6.
#[test]
fn satterthwaite_puts_both_spreads_together() {
    let own = Moments { n: 4, mean: 0.0, sd: 2.0 };
    let between = Between { tau: 1.0, freedom: 3.0, sittings: 4, of_means: 0.0 };
    assert!((between.half_around(&own, 0.05) - 2.446_912 * 2.0_f64.sqrt()).abs() < 1e-5);
    let none = Between { tau: 0.0, ..between };
    assert!((none.half_around(&own, 0.05) - 3.182_446).abs() < 1e-5, "t(0.05, 3)");
    assert_eq!(none.half_around(&Moments { sd: 0.0, ..own }, 0.05), 0.0);
}

/// The same τ, of means that spread by S² = 3/2, half a unit of it by their blocks: of this sitting's variance 1 as much is in
/// it, so that 3/2 with 3 and 1/2 with 3 degrees of freedom are left: 4 / (9/12 + 1/12) = 4.8.
#[test]
fn what_the_means_of_sittings_vary_by_is_known_better_than_the_part_that_blocks_do_not_explain() {
    let own = Moments { n: 4, mean: 0.0, sd: 2.0 };
    let between = Between { tau: 1.0, freedom: 1.0, sittings: 4, of_means: 1.5_f64.sqrt() };
    assert!((between.half_around(&own, 0.05) - 2.776_445 * 2.0_f64.sqrt()).abs() < 1e-5, "t(0.05, 4)");
    // Where blocks explain nearly all of it τ² has hardly a degree of freedom, and t(0.05, 1) is 12.7.
    let hardly = Between { tau: 0.3, freedom: 1.0, sittings: 9, of_means: 1.0 };
    let as_long = Moments { n: 4, mean: 0.0, sd: 2.0 * 0.91_f64.sqrt() };
    assert!((hardly.half_around(&as_long, 0.05) - 2.306_004).abs() < 1e-5, "t(0.05, 8)");
}

/// Blocks of as many sittings about 0.
fn sittings(rng: &mut Rng, number: u32, blocks: u32, tau: f64, sigma: f64) -> Vec<Vec<f64>> {
    (0..number)
        .map(|_| {
            let level = tau * rng.normal();
            (0..blocks).map(|_| level + sigma * rng.normal()).collect()
        })
        .collect()
}

const STUDIES: u32 = 4_000;

/// Six sittings of two, six and twelve blocks that spread by 6 % in between and 4 % within: the interval of their means
/// covers, that of all blocks as if they were one sitting's does not, and the next sitting lies where it was predicted.
#[test]
fn means_of_sittings_cover_where_pooled_blocks_do_not() {
    let mut pooled_worst: f64 = 1.0;
    let (mut means_worst, mut next_worst): (f64, f64) = (1.0, 1.0);
    for (seed, blocks) in [(1, 2), (2, 6), (3, 12)] {
        let mut rng = Rng::new(seed);
        let covers = |moments: &Moments| {
            moments.mean.abs() <= student::critical(0.05, moments.n - 1) * moments.standard_error()
        };
        let mut hits = [0_u32; 3];
        for _ in 0..STUDIES {
            let study = sittings(&mut rng, 7, blocks, 0.06, 0.04);
            let found = Sittings::of(&study[..6]).expect("six");
            let pooled = Moments::of(&study[..6].concat()).expect("blocks");
            let seventh = Moments::of(&study[6]).expect("blocks");
            let predicted = (seventh.mean - found.means.mean).abs() <= found.prediction_half(0.05);
            for (hits, hit) in hits.iter_mut().zip([covers(&found.means), covers(&pooled), predicted]) {
                *hits += u32::from(hit);
            }
        }
        let [means, pooled, next] = hits.map(|hits| f64::from(hits) / f64::from(STUDIES));
        pooled_worst = pooled_worst.min(pooled);
        (means_worst, next_worst) = (means_worst.min(means), next_worst.min(next));
    }
    assert!(means_worst >= 0.93 && next_worst >= 0.93, "{means_worst} {next_worst}");
    assert!(pooled_worst <= 0.80, "{pooled_worst}");
}

/// One sitting of four blocks, and four or eight earlier ones that showed τ. Without it the interval holds what is common to
/// all sittings in half of the studies or fewer.
#[test]
fn the_spread_of_earlier_sittings_widens_one_to_what_it_is_worth() {
    for (seed, earlier, sigma, least) in [(5, 4, 0.03, 0.90), (6, 8, 0.03, 0.93), (7, 8, 0.12, 0.90)] {
        let mut rng = Rng::new(seed);
        let (mut known, mut alone) = (0, 0);
        for _ in 0..STUDIES {
            let before = sittings(&mut rng, earlier, 4, 0.06, sigma);
            let now = Moments::of(&sittings(&mut rng, 1, 4, 0.06, sigma)[0]).expect("blocks");
            let between = Sittings::of(&before).and_then(|found| found.between).expect("blocks");
            known += u32::from(now.mean.abs() <= between.half_around(&now, 0.05));
            alone += u32::from(now.mean.abs() <= student::critical(0.05, 3) * now.standard_error());
        }
        let (known, alone) = (f64::from(known) / f64::from(STUDIES), f64::from(alone) / f64::from(STUDIES));
        assert!(known >= least, "{earlier} earlier: {known}");
        assert!(alone <= 0.65 || sigma > 0.06, "{alone}");
    }
}

/// One sitting of four blocks, and three comparisons like it that two sittings each have shown: what they differ by together
/// holds what is common to all sittings, whether sittings differ by much, by little or not at all.
#[test]
fn the_spread_that_comparisons_showed_in_two_sittings_each_widens_one_of_another() {
    for (seed, tau, sigma) in [(8, 0.06, 0.03), (9, 0.03, 0.06), (10, 0.0, 0.03)] {
        let mut rng = Rng::new(seed);
        let mut known = 0;
        for _ in 0..STUDIES {
            let like: Vec<Vec<Moments>> = (0..3)
                .map(|_| {
                    let seen = sittings(&mut rng, 2, 4, tau, sigma);
                    seen.iter().map(|values| Moments::of(values).expect("blocks")).collect()
                })
                .collect();
            let between = pooled_between(&like, 3).expect("two sittings each");
            assert_eq!(between.sittings, 4);
            let now = Moments::of(&sittings(&mut rng, 1, 4, tau, sigma)[0]).expect("blocks");
            let own = student::critical(0.05, 3) * now.standard_error();
            known += u32::from(now.mean.abs() <= own.max(between.half_around(&now, 0.05)));
        }
        let known = f64::from(known) / f64::from(STUDIES);
        assert!(known >= 0.94, "{tau} {sigma}: {known}");
    }
}
