//! Another number of cycles after the first look, chosen from the spread: the error rate stays, and time is spared.

use super::noise::CYCLES;
use super::*;
use proofload_stats::components::{CYCLES_MAX, components};
use proofload_stats::slice_pairs;

/// Cost of a block beside its cycles, and cost of a cycle, in seconds: two young servers.
const QUICK_COSTS: (f64, f64) = (20.0, 2.9);
/// The same with a warm-up of a minute and longer slices.
const DEFAULT_COSTS: (f64, f64) = (70.0, 10.8);

/// Results of many studies.
#[derive(Debug, Default)]
struct Chosen {
    winners: u32,
    missed: u32,
    supported: u32,
    seconds: f64,
    /// Cycles that were chosen, summed up.
    cycles: usize,
}

/// Studies of one claim; after the first look their blocks have as many cycles as the rule gives, if it is on.
fn studies(noise: Noise, ratio: f64, costs: (f64, f64), rule: bool, studies: u32, seed: u64) -> Chosen {
    let (claims, design) = (claims(&[FASTER]), Design::quick());
    let (first_look, last) = (design.looks[0], *design.looks.last().expect("looks"));
    let mut all = Chosen::default();
    for study in 0..studies {
        let mut machine = Machine::new(seed + u64::from(study), noise);
        let mut seen = machine.study(&effects(&[ratio]), first_look);
        if rule {
            let logs: Vec<Vec<f64>> = slice_pairs(&claims[0], &seen)
                .iter()
                .map(|slices| slices.iter().map(|(left, right)| left - right).collect())
                .collect();
            let found = components(&logs).expect("four starts");
            machine.cycles = found.cycles(costs.0, costs.1, CYCLES_MAX) as usize;
        }
        machine.go_on(&mut seen, &effects(&[ratio]), last);
        let judged = judge(&claims, &seen, &design).claims.remove(0);
        let estimate = judged.estimate.expect("everything was measured");
        let later = f64::from(judged.blocks.saturating_sub(first_look));
        all.winners += u32::from(judged.verdict != Verdict::Undecided);
        all.supported += u32::from(judged.verdict == Verdict::Supported);
        all.missed += u32::from(!(estimate.low..=estimate.high).contains(&ratio));
        all.cycles += machine.cycles;
        all.seconds += f64::from(first_look) * (costs.0 + CYCLES as f64 * costs.1)
            + later * (costs.0 + machine.cycles as f64 * costs.1);
    }
    all
}

#[test]
fn the_number_of_cycles_may_follow_the_spread_without_more_false_winners() {
    let lottery = Noise { start: 0.07, ..QUIET_MACHINE };
    let same_starts = Noise { start: 0.0, ..SHARED_MACHINE };
    // The gate has the machine that studies run on, and those whose cycles are fewest and most.
    let machines = [
        ("shared", SHARED_MACHINE, 21_000_000),
        ("starts differ much", lottery, 23_000_000),
        ("slices alone", SINGLE_SLICES, 25_000_000),
        ("quiet", QUIET_MACHINE, 22_000_000),
        ("starts do not differ", same_starts, 24_000_000),
    ];
    for (name, noise, seed) in machines.into_iter().take(full_size(3, 5) as usize) {
        for costs in [DEFAULT_COSTS, QUICK_COSTS].into_iter().take(full_size(1, 2) as usize) {
            let equal = studies(noise, 1.0, costs, true, STUDIES, seed);
            println!(
                "{name}, {costs:?}: {} winners of {STUDIES}, {:.1} cycles",
                equal.winners,
                equal.cycles as f64 / f64::from(STUDIES)
            );
            assert!(equal.winners <= binomial_limit(STUDIES, 0.05), "{name}: {equal:?}");
            assert!(equal.missed <= binomial_limit(STUDIES, 0.05), "{name}: {equal:?}");
        }
    }
}

#[test]
fn following_the_spread_finds_as_much_in_less_time_where_starts_differ() {
    let lottery = Noise { start: 0.03, ..QUIET_MACHINE };
    let count = full_size(500, 2_000);
    let fixed = studies(lottery, 1.05, DEFAULT_COSTS, false, count, 26_000_000);
    let chosen = studies(lottery, 1.05, DEFAULT_COSTS, true, count, 26_000_000);
    println!("starts differ: fixed {fixed:?}, chosen {chosen:?}");
    assert!(chosen.seconds < 0.95 * fixed.seconds);
    assert!(f64::from(chosen.supported) > 0.93 * f64::from(fixed.supported));
    // Where it is the slices that spread, more of them find more with the same blocks.
    let noisy = Noise { start: 0.005, ..SHARED_MACHINE };
    let fixed = studies(noisy, 1.025, QUICK_COSTS, false, count, 27_000_000);
    let chosen = studies(noisy, 1.025, QUICK_COSTS, true, count, 27_000_000);
    println!("slices spread: fixed {fixed:?}, chosen {chosen:?}");
    assert!(chosen.supported > fixed.supported + count / 20);
}
