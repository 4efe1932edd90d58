//! The cells of a run's observations, found by what they are of.

use proofload_stats::{Cell, FigureOf, Measure, Observations};
use std::collections::BTreeMap;

/// Variant, load point and stream; the indexes are those of the plan's names.
pub type CellKey = (usize, usize, Option<usize>);

/// The cells of a run by what they are of: a large study has them by the hundred thousand.
pub struct Cells<'a> {
    pub blocks: &'a [u32],
    of: BTreeMap<(CellKey, Measure), Vec<&'a Cell>>,
}

impl<'a> Cells<'a> {
    pub fn of(observations: &'a Observations) -> Cells<'a> {
        let mut of: BTreeMap<(CellKey, Measure), Vec<&Cell>> = BTreeMap::new();
        for cell in &observations.cells {
            of.entry(((cell.variant, cell.point, cell.stream), cell.measure)).or_default().push(cell);
        }
        Cells { blocks: &observations.blocks, of }
    }

    /// Those of one measure at one place, over the blocks.
    pub fn at(&self, place: CellKey, measure: Measure) -> &[&'a Cell] {
        self.of.get(&(place, measure)).map_or(&[], Vec::as_slice)
    }

    /// Cell of one block, where it has a value.
    pub fn in_block(&self, block: u32, place: CellKey, measure: Measure) -> Option<&'a Cell> {
        let mut cells = self.at(place, measure).iter().copied();
        cells.find(|cell| cell.block == block).filter(|cell| cell.merged.is_some())
    }
}

pub fn answered(cell: &Cell) -> u64 {
    cell.finished.saturating_sub(cell.errors)
}

/// Exchanges that were answered in the first `n` blocks in which all of these have a value, of each.
pub fn answered_over(cells: &Cells<'_>, figures: &[FigureOf], n: u32) -> Vec<u64> {
    let cell = |block, of: &FigureOf| cells.in_block(block, (of.variant, of.point, of.stream), of.measure);
    let whole = |block: &u32| figures.iter().map(|of| cell(*block, of)).collect::<Option<Vec<&Cell>>>();
    let mut sums = vec![0_u64; figures.len()];
    for cells in cells.blocks.iter().filter_map(whole).take(n as usize) {
        sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum = sum.saturating_add(answered(cell)));
    }
    sums
}
