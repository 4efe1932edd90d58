//! Slices that figures rest on, and reasons for leaving out the others.

use proofload_language::tr;
use proofload_store::schema::{Phase, RunResult, Slice};
use std::collections::BTreeSet;

/// Parts of a record that figures leave out.
pub struct LeftOut<'a> {
    /// It knows which slices its totals count.
    result: &'a RunResult,
    /// Variants that did not get through a block.
    lost: BTreeSet<(&'a str, u32)>,
    /// Cycles of a load point in which an idle variant was not quiet, by block.
    marked: BTreeSet<(u32, &'a str, u32)>,
}

impl<'a> LeftOut<'a> {
    /// `slices` are all that were recorded, including the lines that mark a variant as lost.
    pub fn of(result: &'a RunResult, slices: &[&'a Slice]) -> LeftOut<'a> {
        let lost = slices.iter().filter(|slice| slice.phase == Phase::Lost);
        let marked = slices.iter().filter(|slice| slice.is_measured() && !slice.marks.is_empty());
        LeftOut {
            result,
            lost: lost.map(|slice| (slice.measured.variant.as_str(), slice.block)).collect(),
            marked: marked.map(|slice| (slice.block, slice.measured.point.as_str(), slice.cycle)).collect(),
        }
    }

    /// True if figures rest on it.
    pub fn counts(&self, slice: &Slice) -> bool {
        self.why(slice) == Some("")
    }

    /// Reason why no figure rests on it: empty where figures do, `None` for a slice that is no window of a
    /// course.
    pub fn why(&self, slice: &Slice) -> Option<&'static str> {
        let measured = &slice.measured;
        match slice.phase {
            Phase::WarmUp => return Some(tr!("chart-warm-up")),
            Phase::Measure => {}
            _ => return None,
        }
        Some(if !self.result.counts(slice) {
            tr!("chart-disturbed")
        } else if self.lost.contains(&(measured.variant.as_str(), slice.block)) {
            tr!("chart-lost")
        } else if self.marked.contains(&(slice.block, measured.point.as_str(), slice.cycle)) {
            tr!("chart-marked")
        } else {
            ""
        })
    }
}
