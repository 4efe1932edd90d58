//! Comparisons of two running servers, replayed: the rounds of twenty recorded comparisons of equal ones, drawn anew with a
//! difference planted.

use super::{STUDIES, binomial_limit, claims, erring, full_size};
use proofload_stats::rng::Rng;
use proofload_stats::{Cell, Design, Measure, Observations, Replication, Verdict, judge};

/// Log-ratios of throughput, one line for each slice: comparison, round, cycle, log of the first server's over the second's.
const ROUNDS: &str = include_str!("../fixtures/rounds.csv");

/// As `compare` asks.
const BOTH_WAYS: [&str; 2] =
    ["throughput(a) > throughput(b) @ 1c", "throughput(a) ~ throughput(b) within 5% @ 1c"];
/// The looks of a comparison of 20 s, of two cycles a round, and of one of a minute.
const SHORT: [u32; 4] = [6, 8, 10, 12];
const MINUTE: [u32; 8] = [6, 8, 10, 12, 14, 16, 20, 22];

/// For each round the log-ratios of its cycles.
fn recorded() -> Vec<Vec<f64>> {
    let mut rounds: Vec<((u32, u32), Vec<f64>)> = Vec::new();
    for line in ROUNDS.lines().filter(|line| !line.starts_with(['#', 'c'])) {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().expect("a number")).collect();
        let key = (fields[0] as u32, fields[1] as u32);
        match rounds.last_mut().filter(|last| last.0 == key) {
            Some(last) => last.1.push(fields[3]),
            None => rounds.push((key, vec![fields[3]])),
        }
    }
    rounds.into_iter().map(|(_, cycles)| cycles).collect()
}

/// A comparison of `blocks` rounds, in each of which either server may be called the first one.
fn comparison(rounds: &[Vec<f64>], dice: &mut Rng, planted: f64, blocks: u32) -> Observations {
    let mut cells = Vec::new();
    for block in 1..=blocks {
        let round = &rounds[dice.below(rounds.len() as u64) as usize];
        let sign = if dice.below(2) == 0 { 1.0 } else { -1.0 };
        let first: Vec<f64> = round.iter().map(|log| 1e4 * (planted + sign * log).exp()).collect();
        for (variant, values) in [first, vec![1e4; round.len()]].into_iter().enumerate() {
            cells.push(Cell {
                block,
                variant,
                point: 0,
                measure: Measure::Throughput,
                merged: Some(values.iter().sum::<f64>() / values.len() as f64),
                cycles: values.into_iter().map(Some).collect(),
                finished: 10_000,
                ..Cell::default()
            });
        }
    }
    let blocks = (1..=blocks).collect();
    Observations { cells, blocks, replication: Replication::Process, ..Observations::default() }
}

/// Number of comparisons in which the first server, the second one, or neither is the faster one for sure.
fn found(design: &Design, planted: f64, comparisons: u32) -> (u32, u32, u32) {
    let (rounds, claims) = (recorded(), claims(&BOTH_WAYS));
    let (mut first, mut second, mut alike) = (0, 0, 0);
    for seed in 0..u64::from(comparisons) {
        let observations = comparison(&rounds, &mut Rng::new(seed), planted.ln(), design.last());
        let judgement = judge(&claims, &observations, design);
        let verdicts = [judgement.claims[0].verdict, judgement.claims[1].verdict];
        first += u32::from(verdicts[0] == Verdict::Supported);
        second += u32::from(verdicts[0] == Verdict::Refuted);
        alike += u32::from(verdicts[1] == Verdict::Supported);
    }
    (first, second, alike)
}

#[test]
fn a_planted_difference_is_never_found_the_wrong_way() {
    let comparisons = full_size(200, 2_000);
    let ten = found(&Design::at(&SHORT), 1.10, comparisons);
    assert_eq!(ten.1, 0, "{ten:?}");
    assert!(ten.0 >= comparisons * 90 / 100, "10 % in 20 s: {ten:?}");
    let five = found(&Design::at(&MINUTE), 1.05, comparisons);
    assert_eq!(five.1, 0, "{five:?}");
    assert!(five.0 >= comparisons * 80 / 100, "5 % in a minute: {five:?}");
}

#[test]
fn equal_servers_have_no_winner_in_nineteen_of_twenty() {
    let limit = binomial_limit(STUDIES, 0.05);
    let (first, second, alike) = found(&Design::at(&MINUTE), 1.0, STUDIES);
    assert!(first + second <= limit, "{first} and {second}");
    assert!(alike >= STUDIES * 80 / 100, "{alike}");
    let (first, second, _) = found(&erring(Design::at(&MINUTE), 0.104), 1.0, STUDIES);
    assert!(first + second > limit, "a judge that errs in 7.5 % passes with {first} and {second}");
}
