//! Values of two variants in each block, as numbers without a verdict.

use crate::judge::log_ratio;
use crate::{Cell, Measure, Observations};

/// Place at which two variants are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellKey {
    pub measure: Measure,
    /// Load point, an index into `Names::points`.
    pub point: usize,
    /// Stream; `None` is all of them together.
    pub stream: Option<usize>,
}

impl CellKey {
    /// The cell of a variant in a block.
    pub(crate) fn cell<'a>(
        &self,
        observations: &'a Observations,
        block: u32,
        variant: usize,
    ) -> Option<&'a Cell> {
        observations.cells.iter().find(|cell| {
            (cell.block, cell.variant) == (block, variant)
                && (cell.measure, cell.point, cell.stream) == (self.measure, self.point, self.stream)
        })
    }
}

/// The logarithm of `over` to `under` in each complete block, in their order, formed as the judge forms it; `None`
/// where a block has no value of one of them.
pub fn block_log_ratios(
    observations: &Observations,
    place: CellKey,
    over: usize,
    under: usize,
) -> Vec<Option<f64>> {
    let of_block = |&block: &u32| {
        let cell = |variant| place.cell(observations, block, variant);
        log_ratio(cell(over)?, cell(under)?).filter(|log| log.is_finite())
    };
    observations.blocks.iter().map(of_block).collect()
}
