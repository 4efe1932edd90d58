//! Units that the looks of a design count.

use super::series::Series;
use crate::Observations;

/// Blocks; or where they are of two sittings or more, sittings.
pub(super) struct Units {
    blocks: u32,
    /// Complete blocks up to the end of each sitting; empty where all are of one.
    ends: Vec<u32>,
}

impl Units {
    pub fn of(observations: &Observations, blocks: &[u32]) -> Units {
        let sittings: Vec<u32> = blocks.iter().map(|&block| observations.sitting_of(block)).collect();
        let mut ends: Vec<u32> =
            sittings.chunk_by(|one, next| one == next).map(|sitting| sitting.len() as u32).collect();
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        if ends.len() < 2 {
            ends.clear();
        }
        Units { blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX), ends }
    }

    pub fn are_sittings(&self) -> bool {
        !self.ends.is_empty()
    }

    pub fn have(&self) -> u32 {
        if self.are_sittings() { self.ends.len() as u32 } else { self.blocks }
    }

    /// Number of the first units with a value for a claim. All sittings have one.
    pub fn usable(&self, series: &Series<'_>, units: u32) -> u32 {
        if self.are_sittings() { units } else { series.usable(units) }
    }

    /// Complete blocks when there are that many units.
    pub fn blocks(&self, units: u32) -> u32 {
        match self.are_sittings() {
            true => (units as usize)
                .checked_sub(1)
                .map_or(0, |last| self.ends.get(last).copied().unwrap_or(self.blocks)),
            false => units,
        }
    }
}
