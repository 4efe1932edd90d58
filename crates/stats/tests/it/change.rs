//! Rates of false alarms in series without a change, and of detection in series with one.
//!
//! `cargo test -p proofload-stats --test change -- --nocapture` prints the shares in docs/method/sittings.md.

use crate::replay::full_size;
use proofload_stats::change::{Change, Rule, changes};
use proofload_stats::rng::Rng;

const SERIES: u32 = full_size(250, 500);
/// Series of noise: more than enough to tell a share that is half as high again as the documented one.
const MANY: u32 = full_size(2_000, 10_000);

/// Standard normal noise on levels, each with its number of values.
fn series(rng: &mut Rng, levels: &[(usize, f64)]) -> Vec<f64> {
    let mut values = Vec::new();
    for (n, level) in levels {
        values.extend((0..*n).map(|_| level + rng.normal()));
    }
    values
}

fn found(values: &[f64], rule: &Rule) -> Vec<Change> {
    changes(values, rule).expect("enough finite values")
}

/// Number of series of pure noise, out of `of`, with any change.
fn false_alarms(seed: u64, length: usize, of: u32, rule: &Rule) -> u32 {
    let mut rng = Rng::new(seed);
    (0..of).map(|_| u32::from(!found(&series(&mut rng, &[(length, 0.0)]), rule).is_empty())).sum()
}

/// The count that a binomial variable exceeds with a chance below 1 in 1,000.
fn binomial_bound(n: u32, share: f64) -> u32 {
    let mut chance = (1.0 - share).powi(n as i32);
    let mut sum = chance;
    let mut k = 0;
    while sum < 0.999 {
        k += 1;
        chance *= f64::from(n - k + 1) / f64::from(k) * share / (1.0 - share);
        sum += chance;
    }
    k
}

#[test]
fn the_bound_is_that_of_the_binomial_distribution() {
    // P(X ≤ 2) of 4 fair coins is 11/16; P(X ≤ 4) is 1.
    assert_eq!(binomial_bound(4, 0.5), 4);
    // Poisson with mean 5 is near: P(X ≤ 12) = 0.9980, P(X ≤ 13) = 0.9993.
    assert_eq!(binomial_bound(500, 0.01), 13);
}

/// The shares in docs/method/sittings.md, for each length.
const NOISE: [(u64, usize, f64); 4] = [(1, 6, 0.002), (2, 12, 0.009), (3, 30, 0.018), (4, 100, 0.07)];

#[test]
fn noise_shows_a_change_no_more_often_than_the_documents_say() {
    for (seed, length, share) in NOISE {
        let wrong = false_alarms(seed, length, SERIES, &Rule::default());
        let many = false_alarms(seed + 100, length, MANY, &Rule::default());
        println!("{length} values of noise: a change in {wrong} of {SERIES} series, {many} of {MANY}");
        assert!(wrong <= binomial_bound(SERIES, share), "{length} values: {wrong} of {SERIES}");
        assert!(many <= binomial_bound(MANY, share), "{length} values: {many} of {MANY}");
    }
}

/// The test above is one that can fail: at 5 % every second series of noise has a change.
#[test]
fn a_usual_p_would_find_changes_everywhere() {
    let rule = Rule { p_max: 0.05, ..Rule::default() };
    let wrong = false_alarms(5, 30, SERIES, &rule);
    println!("30 values of noise at p ≤ 0.05: a change in {wrong} of {SERIES} series");
    assert!(wrong > SERIES / 5, "{wrong} of {SERIES}");
}

/// Number of series in which exactly these changes are found, each at its place or next to it.
fn right(seed: u64, levels: &[(usize, f64)]) -> u32 {
    let mut rng = Rng::new(seed);
    let mut place = 0;
    let mut places: Vec<usize> = Vec::new();
    for (n, _) in levels {
        place += n;
        places.push(place);
    }
    places.pop();
    let is_right = |found: &[Change]| {
        let near = |(change, place): (&Change, &usize)| change.at.abs_diff(*place) <= 1;
        found.len() == places.len() && found.iter().zip(&places).all(near)
    };
    (0..SERIES).map(|_| u32::from(is_right(&found(&series(&mut rng, levels), &Rule::default())))).sum()
}

#[test]
fn steps_of_five_standard_deviations_are_found_where_they_are() {
    let cases: [(&str, &[(usize, f64)]); 8] = [
        ("in the middle", &[(15, 0.0), (15, 5.0)]),
        ("down", &[(15, 5.0), (15, 0.0)]),
        ("among few", &[(9, 0.0), (7, 5.0)]),
        ("late", &[(40, 0.0), (5, 5.0)]),
        ("beyond a window", &[(90, 0.0), (30, 5.0)]),
        ("a staircase", &[(15, 0.0), (15, 5.0), (15, 10.0)]),
        ("there and back", &[(15, 0.0), (15, 5.0), (15, 0.0)]),
        ("there and soon back", &[(25, 0.0), (6, 5.0), (25, 0.0)]),
    ];
    for (seed, (what, levels)) in cases.into_iter().enumerate() {
        let right = right(seed as u64 + 20, levels);
        println!("a step of 5 sd, {what}: found at its place in {right} of {SERIES} series");
        assert!(f64::from(right) >= 0.92 * f64::from(SERIES), "{what}: {right} of {SERIES}");
    }
}

/// The place is chosen by the values, so the interval misses a little more often than 5 %.
#[test]
fn the_interval_of_a_step_covers_it() {
    let mut rng = Rng::new(40);
    let mut covered = 0;
    for _ in 0..SERIES {
        let found = found(&series(&mut rng, &[(12, 0.0), (12, 4.0)]), &Rule::default());
        covered += u32::from(found.iter().any(|change| change.low <= 4.0 && 4.0 <= change.high));
    }
    println!("a step of 4 sd: within its interval in {covered} of {SERIES} series");
    assert!(f64::from(covered) >= 0.90 * f64::from(SERIES), "{covered} of {SERIES}");
}

#[test]
fn a_single_run_that_went_astray_is_no_change() {
    let mut rng = Rng::new(50);
    let mut wrong = 0;
    for _ in 0..SERIES {
        let mut values = series(&mut rng, &[(30, 0.0)]);
        values[20] += 10.0;
        wrong += u32::from(!found(&values, &Rule::default()).is_empty());
    }
    println!("a single value 10 sd astray: a change in {wrong} of {SERIES} series");
    assert!(wrong <= binomial_bound(SERIES, 0.02), "{wrong} of {SERIES}");
}

#[test]
fn the_same_values_give_the_same_changes() {
    let values = series(&mut Rng::new(60), &[(15, 0.0), (15, 3.0), (9, 1.0)]);
    assert_eq!(found(&values, &Rule::default()), found(&values, &Rule::default()));
    // Neither the unit nor the zero matters.
    let scaled: Vec<f64> = values.iter().map(|value| 8.0 * value + 1_024.0).collect();
    let places = |values: &[f64]| found(values, &Rule::default()).iter().map(|c| c.at).collect::<Vec<_>>();
    assert_eq!(places(&values), places(&scaled));
}
