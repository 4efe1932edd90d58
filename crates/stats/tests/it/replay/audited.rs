//! A noise audit that was recorded: its conditions vary over the blocks, and it has short slices and long ones.

use super::recorded::{Recorded, Slice, rows, slice_of, whole};

/// Output of fixtures/slices.py, which describes it.
const AUDIT: &str = include_str!("../fixtures/slices.csv");

/// A slice of the noise audit.
#[derive(Clone, Debug)]
pub struct Audited {
    /// From 1.
    pub block: usize,
    /// `short` or `long`.
    pub kind: &'static str,
    /// 0 and 1 are equal, 2 works 6 % more on a request.
    pub variant: usize,
    pub slice: Slice,
}

/// All slices of the noise audit, in the order of their blocks and cycles.
pub fn audit() -> Vec<Audited> {
    let line = |cells: Vec<&'static str>| {
        let [block, kind, _, variant, throughput, p99, cpu] = cells[..] else { panic!("{cells:?}") };
        Audited {
            block: whole(block),
            kind,
            variant: whole(variant),
            slice: slice_of([throughput, p99, cpu]),
        }
    };
    rows(AUDIT).map(line).collect()
}

/// The short slices of the equal two.
pub fn under_conditions() -> Recorded {
    let equal = audit().into_iter().filter(|line| line.kind == "short" && line.variant < 2);
    Recorded::of(equal.map(|line| (line.block, line.variant, line.slice)))
}
