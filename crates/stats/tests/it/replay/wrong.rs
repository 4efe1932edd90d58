//! Methods that are in use and wrong, on the same observations: what the replay must be able to catch.

use super::noise::{Burner, Machine, Noise};
use proofload_stats::sample::{Moments, median};
use proofload_stats::{Observations, ratio_unpaired, student};

/// The log-ratio of variant 0 over variant 1 at the first point, one list of slices for each block.
fn log_ratios(observations: &Observations) -> Vec<Vec<f64>> {
    let slices = |block: u32, variant: usize| {
        let mut cells = observations.cells.iter();
        let cell = cells.find(|cell| cell.block == block && cell.variant == variant && cell.point == 0);
        cell.expect("a cell for every variant").cycles.iter().flatten().copied().collect::<Vec<f64>>()
    };
    let ratios = |&block: &u32| {
        slices(block, 0).iter().zip(&slices(block, 1)).map(|(left, right)| (left / right).ln()).collect()
    };
    observations.blocks.iter().map(ratios).collect()
}

fn significant(values: &[f64]) -> bool {
    let moments = Moments::of(values).expect("finite values");
    moments.mean.abs() > student::critical(0.05, moments.n - 1) * moments.standard_error()
}

/// Looks when the judge looks, but with the critical value of a single look.
pub fn peeking(observations: &Observations, looks: &[u32]) -> bool {
    let blocks: Vec<f64> =
        log_ratios(observations).iter().map(|slices| median(slices).expect("finite slices")).collect();
    looks.iter().any(|&look| significant(&blocks[..look as usize]))
}

/// Takes every slice for a replicate of its own, in a study of all its blocks.
pub fn pooling(observations: &Observations) -> bool {
    significant(&log_ratios(observations).concat())
}

/// Three runs of one variant, then three of the other, compared by Welch's test.
pub fn one_after_the_other(seed: u64, noise: Noise, burner: Burner) -> bool {
    let mut machine = Machine::under(seed, noise, burner);
    let runs: Vec<f64> = (0..6).map(|run| machine.single_run((f64::from(run) + 0.5) / 6.0)).collect();
    let found = ratio_unpaired(&runs[..3], &runs[3..], 0.05).expect("positive values");
    found.low > 1.0 || found.high < 1.0
}

/// One start of each variant, long: as many slices as a study of twelve blocks has, each taken for a replicate.
pub fn one_long_start(seed: u64, noise: Noise) -> bool {
    let mut machine = Machine::new(seed, noise);
    let (left, right) = (machine.slices_of_one_start(72), machine.slices_of_one_start(72));
    let ratios: Vec<f64> = left.iter().zip(&right).map(|(left, right)| left - right).collect();
    significant(&ratios)
}
