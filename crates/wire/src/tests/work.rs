//! Work counted in bytes looked at, so that a test of cost does not depend on a clock.

use std::cell::Cell;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// Counts bytes that a decoder looked at.
pub(crate) fn add(bytes: usize) {
    BYTES.with(|count| count.set(count.get() + bytes as u64));
}

/// Bytes looked at since the last call, on this thread.
pub(crate) fn take() -> u64 {
    BYTES.with(Cell::take)
}
