//! The noise fit against machines whose noise is known.

use crate::replay::binomial_limit;
use crate::replay::noise::{Machine, Noise, QUIET_MACHINE, SHARED_MACHINE};
use proofload_stats::noise::{self, fit};
use proofload_stats::{CellKey, Design, Measure, Observations, Verdict, judge};

const PLACE: CellKey = CellKey { measure: Measure::Throughput, point: 0, stream: None };

fn of(observations: &Observations) -> noise::Noise {
    fit(observations, PLACE, (0, 1)).expect("both variants in every block")
}

fn study(seed: u64, noise: Noise, blocks: u32) -> Observations {
    Machine::new(seed, noise).study(&[vec![0.0, 0.0]], blocks)
}

fn near(what: &str, found: f64, planted: f64, tolerance: f64) {
    assert!((found - planted).abs() <= tolerance, "{what}: {found} is not {planted} ± {tolerance}");
}

#[test]
fn every_part_of_the_noise_is_found_again() {
    let lasting = Noise { start: 0.02, drift: 0.06, memory: 0.97, slice: 0.02, spikes: 0.0 };
    for (seed, planted) in [(1, SHARED_MACHINE), (2, QUIET_MACHINE), (3, lasting)] {
        let planted = Noise { spikes: 0.0, ..planted };
        let found = of(&study(seed, planted, 1_500));
        println!("{planted:?}: {found:?}");
        near("start", found.start_sd, planted.start, 0.08 * planted.start + 0.001);
        near("slice", found.slice_sd, planted.slice, 0.05 * planted.slice + 0.001);
        near("drift", found.drift_sd, planted.drift, 0.12 * planted.drift + 0.004);
        let memory = found.drift_memory.expect("a drift");
        near("memory", memory, planted.memory, 0.04);
        assert!(found.spike_share < 0.000_3, "{found:?}");
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let none = Noise { start: 0.0, drift: 0.0, memory: 0.0, slice: 0.03, spikes: 0.0 };
    let found = of(&study(5, none, 1_500));
    near("slice", found.slice_sd, 0.03, 0.001);
    assert!(found.start_sd < 0.003, "{found:?}");
    assert_eq!((found.drift_sd, found.drift_memory), (0.0, None));
    let starts = of(&study(7, Noise { start: 0.07, ..none }, 1_500));
    near("starts", starts.start_sd, 0.07, 0.004);
    near("slice", starts.slice_sd, 0.03, 0.001);
    assert!(starts.drift_sd < 0.01, "starts are no drift: {starts:?}");
}

#[test]
fn planted_spikes_are_counted_and_sized_and_leave_the_rest_alone() {
    let mut observations = study(6, Noise { spikes: 0.0, ..SHARED_MACHINE }, 400);
    let mut slices = observations.cells.iter_mut().flat_map(|cell| cell.cycles.iter_mut());
    // Every 25th of 4,800 slices serves 40 % less.
    let mut planted = 0;
    while let Some(slice) = slices.nth(24) {
        *slice = slice.map(|value| value * 0.6);
        planted += 1;
    }
    let found = of(&observations);
    println!("{planted} spikes: {found:?}");
    near("share", found.spike_share, 0.04, 0.003);
    near("size", found.spike_size.expect("spikes"), -(0.6_f64.ln()), 0.05);
    near("slice", found.slice_sd, SHARED_MACHINE.slice, 0.004);
    near("start", found.start_sd, SHARED_MACHINE.start, 0.005);
}

/// Short slices in which `missing` of a difference of 6 % is missing, beside long ones that show it whole.
fn held_against_long(seed: u64, missing: f64) -> noise::SliceLengths {
    let quiet = Noise { spikes: 0.0, ..QUIET_MACHINE };
    let study = |seed: u64, cycles: usize, effect: f64| {
        let mut machine = Machine::new(seed, quiet);
        machine.cycles = cycles;
        machine.study(&[vec![effect, 0.0]], 20)
    };
    let mut short = study(seed, 8, 0.06 - missing);
    for (cell, long) in short.cells.iter_mut().zip(study(seed + 1, 2, 0.06).cells) {
        cell.long = long.cycles;
    }
    noise::slice_lengths(&short, PLACE, (0, 1), 8).expect("twenty blocks have both")
}

#[test]
fn a_difference_that_short_slices_lose_is_found_beside_long_ones() {
    let holds = |missing: f64| {
        let held = (0..200).filter(|study| {
            let found = held_against_long(7_000 + 2 * study, missing).apart;
            (found.low..=found.high).contains(&missing)
        });
        held.count() as u32
    };
    let found = held_against_long(7_000, 0.04);
    assert_eq!(found.blocks, 20);
    assert!(found.apart.low > 0.01 && (0.02..0.06).contains(&found.apart.value), "{found:?}");
    for missing in [0.0, 0.04] {
        let held = holds(missing);
        assert!(held >= 200 - binomial_limit(200, 0.05), "{missing}: held in {held} of 200");
    }
    let without = Machine::new(1, QUIET_MACHINE).study(&[vec![0.0, 0.0]], 20);
    assert_eq!(noise::slice_lengths(&without, PLACE, (0, 1), 8), None, "no long slice, nothing to say");
}

/// The spread that an audit of 20 blocks finds, against the one of very many.
#[test]
fn the_interval_of_twenty_blocks_holds_the_spread() {
    for (noise, seed) in [(SHARED_MACHINE, 10_000), (QUIET_MACHINE, 20_000)] {
        let truth = of(&study(seed, noise, 3_000)).block_sd.value;
        let audits = 400;
        let (mut missed, mut biased) = (0, 0);
        for audit in 1..=audits {
            let found = of(&study(seed + audit, noise, 20));
            missed += u32::from(!(found.block_sd.low..=found.block_sd.high).contains(&truth));
            biased += u32::from(found.difference.low > 0.0 || found.difference.high < 0.0);
        }
        println!(
            "spread {truth:.4}: missed by {missed} of {audits}, {biased} find a difference between equals"
        );
        assert!(missed <= binomial_limit(audits as u32, 0.06), "{missed}");
        assert!(biased <= binomial_limit(audits as u32, 0.05), "{biased}");
    }
}

/// Differences that an audit calls resolvable are resolved by the judge, in as many studies as it states, and not in
/// many more.
#[test]
fn what_is_said_to_be_resolved_is_found_four_times_in_five() {
    let design = Design::quick();
    let claims = crate::replay::claims(&["throughput(a) > throughput(b) @ 1c"]);
    let unit = noise::detectable(&design, 1, 0.8).expect("a plan");
    for (machine, seed) in [(SHARED_MACHINE, 30_000), (QUIET_MACHINE, 40_000)] {
        let spread = of(&study(seed, machine, 3_000)).block_sd.value;
        let difference = unit.difference * spread;
        let studies = 1_000;
        let found = (1..=studies).filter(|study| {
            let observations = Machine::new(seed + study, machine).study(&[vec![difference, 0.0]], 12);
            judge(&claims, &observations, &design).claims[0].verdict == Verdict::Supported
        });
        let found = found.count() as f64 / studies as f64;
        println!("{:.2} % is found in {:.1} % of quick studies", difference * 100.0, found * 100.0);
        assert!((0.76..=0.87).contains(&found), "{found}");
    }
}

#[test]
fn too_few_blocks_have_no_noise() {
    assert_eq!(fit(&study(1, QUIET_MACHINE, 2), PLACE, (0, 1)), None);
    assert_eq!(fit(&study(1, QUIET_MACHINE, 9), PLACE, (0, 2)), None);
    assert!(fit(&study(1, QUIET_MACHINE, 3), PLACE, (0, 1)).is_some());
}
