//! Identity of a slice within its run.

/// Identity of a slice within its run. Cycle 0 is the warm-up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceKey {
    pub block: u32,
    pub cycle: u32,
    pub position: u32,
    pub variant: usize,
    pub point: usize,
}

impl SliceKey {
    /// A measured turn; cycle and position counted from 0.
    pub fn of_turn(block: u32, cycle: usize, position: usize, variant: usize, point: usize) -> SliceKey {
        SliceKey { block, cycle: cycle as u32 + 1, position: position as u32 + 1, variant, point }
    }
}

/// The same arrivals for every variant of a cycle: they are paired, and should differ in nothing but the variant.
pub(super) fn slice_seed(seed: u64, at: &SliceKey) -> u64 {
    let place = (u64::from(at.block) << 40) | (u64::from(at.cycle) << 20) | at.point as u64;
    seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
