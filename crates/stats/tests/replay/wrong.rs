//! Methods that are in use and wrong, on the same observations: what the replay must be able to catch.

use proofload_stats::sample::{Moments, median};
use proofload_stats::{Observations, student};

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
