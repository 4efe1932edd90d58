//! A table by the numbers that this side gives its exchanges.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Spreads numbers that this side chose itself, which need no protection from collisions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

/// Entries by the numbers of exchanges.
pub(super) type Table<T> = HashMap<u32, T, BuildHasherDefault<Spread>>;
