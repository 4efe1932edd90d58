//! Mapping of values to the slots of a histogram.

/// Values up to twice this have a slot each; above, each octave has this many slots. A page has this many slots.
pub(crate) const PAGE: usize = 1 << PAGE_BITS;
pub(crate) const PAGE_BITS: u32 = 10;
/// The first two pages hold what has a slot of its own, each other one an octave, up to that of [`MAX_NS`](crate::MAX_NS).
pub(crate) const PAGES: usize = 33;
pub(crate) const SLOTS: usize = PAGES * PAGE;

/// The slot that counts a value of at most [`MAX_NS`](crate::MAX_NS).
#[inline]
pub(crate) fn slot_of(value: u64) -> usize {
    let octave = 63 - PAGE_BITS - (value | (2 * PAGE as u64 - 1)).leading_zeros();
    ((octave as usize) << PAGE_BITS) + (value >> octave) as usize
}

/// The first value of a slot, and how many share it.
pub(crate) fn values_of(slot: usize) -> (u64, u64) {
    let octave = (slot >> PAGE_BITS).saturating_sub(1);
    (((slot - (octave << PAGE_BITS)) as u64) << octave, 1 << octave)
}
