//! Short slices beside long ones: what they win, and whether they move a ratio.

use super::{BLOCKS_MIN, Ends, TAIL};
use crate::judge::middle;
use crate::sample::Moments;
use crate::{CellKey, Observations, chi_square, student};

/// Short slices beside long ones. All on the scale of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceLengths {
    pub blocks: u32,
    /// Spread of a block's log-ratio over as many of its short slices as take as long as the long ones.
    pub short_sd: Ends,
    /// The same over its long ones.
    pub long_sd: Ends,
    /// The log-ratio in long slices less that in short ones: 0 unless it is felt that the load went from one to the other.
    pub apart: Ends,
}

/// Compares the ratio of two variants in short slices with that in long ones, of which the first `as_long` short cycles take
/// as much time; `None` with fewer than [`BLOCKS_MIN`] blocks that have both.
pub fn slice_lengths(
    observations: &Observations,
    place: CellKey,
    pair: (usize, usize),
    as_long: usize,
) -> Option<SliceLengths> {
    let of_block = |&block: &u32| {
        let (over, under) =
            (place.cell(observations, block, pair.0)?, place.cell(observations, block, pair.1)?);
        let first = |cycles: &[Option<f64>]| cycles[..as_long.min(cycles.len())].to_vec();
        let short = middle(&first(&over.cycles), &first(&under.cycles))?;
        let long = middle(&over.long, &under.long)?;
        Some((short, (long, long - middle(&over.cycles, &under.cycles)?)))
    };
    let (short, rest): (Vec<f64>, Vec<(f64, f64)>) = observations.blocks.iter().filter_map(of_block).unzip();
    let (long, apart): (Vec<f64>, Vec<f64>) = rest.into_iter().unzip();
    let apart = Moments::of(&apart).filter(|moments| moments.n >= BLOCKS_MIN)?;
    let half = student::critical(TAIL, apart.n - 1) * apart.standard_error();
    let spread = |values: &[f64]| {
        let sd = Moments::of(values)?.sd;
        let (low, high) = chi_square::interval_of_sd(sd, apart.n, TAIL);
        Some(Ends { value: sd, low, high })
    };
    Some(SliceLengths {
        blocks: apart.n,
        short_sd: spread(&short)?,
        long_sd: spread(&long)?,
        apart: Ends { value: apart.mean, low: apart.mean - half, high: apart.mean + half },
    })
}
