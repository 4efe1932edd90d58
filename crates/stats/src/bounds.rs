//! Critical values of |t| for looks at a growing sample: group-sequential bounds for a t test.
//!
//! A study that looks several times and stops when |t| passes the usual critical value errs far more often than
//! stated. The bounds here spend the error rate look by look: by the look at n of N blocks, `alpha · n/N` of it is
//! spent (power family of Kim and DeMets, Biometrika 74, 1987). The spread is estimated from the same few blocks, so
//! bounds for a known spread do not fit; these are computed for t itself.
//!
//! [`compute`] finds them by recursion instead of simulation. The presets' bounds for an error rate of 5 %
//! shared by 1 to 20 claims are kept in a table, which a test compares and `UPDATE=1` writes.

mod anytime;
pub mod borrowed;
mod recursion;
mod table;

pub use anytime::{ANYTIME_FIRST, EFFECT_VARIANCE, anytime};
pub use recursion::{compute, ended, probability_of_crossing};

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A spending function of an error rate: `alpha · (n/N)^exponent` by the look at n of N blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spending {
    pub alpha: f64,
    pub exponent: f64,
}

impl Spending {
    /// In proportion to the blocks. Of the exponents 0.75, 1, 1.5 and 2 it takes the fewest blocks for an effect of half the
    /// spread to four times it, or hardly more than the one that does (docs/truth.md).
    pub fn even(alpha: f64) -> Spending {
        Spending { alpha, exponent: 1.0 }
    }

    /// As the rules before that spent it.
    pub fn late(alpha: f64) -> Spending {
        Spending { alpha, exponent: 1.5 }
    }

    /// A part of it, spent alike.
    pub fn part(self, share: f64) -> Spending {
        Spending { alpha: self.alpha * share, ..self }
    }

    /// The part that may be spent by a look at `blocks` of `last` blocks.
    pub fn by(self, blocks: u32, last: u32) -> f64 {
        self.alpha * (f64::from(blocks) / f64::from(last)).powf(self.exponent)
    }
}

impl From<f64> for Spending {
    fn from(alpha: f64) -> Spending {
        Spending::even(alpha)
    }
}

/// Most claims that the table has rows for.
pub const TABLE_CLAIMS: u32 = 20;

/// Most looks that a plan may have.
pub const LOOKS_MAX: usize = 64;

/// Most blocks that a plan may have.
pub const BLOCKS_MAX: u32 = 1_000;

/// The plans that the table has, by the blocks at their looks: quick, default, thorough.
pub const TABLE_PLANS: [&[u32]; 3] = [&[4, 6, 8, 10, 12], &[5, 8, 12, 16, 20, 30], &[6, 10, 15, 20, 30, 40]];

/// The error rate over all claims that the table is for.
pub const TABLE_ALPHA: f64 = 0.05;

/// The row of the table for a plan and a number of claims; `None` where the table has none.
pub fn tabled(looks: &[u32], spending: Spending, claims: u32) -> Option<&'static [f64]> {
    if spending != Spending::even(TABLE_ALPHA) {
        return None;
    }
    let plan = TABLE_PLANS.iter().position(|plan| *plan == looks)?;
    let row = (claims as usize).checked_sub(1)?;
    table::PLANS.get(plan)?.get(row).copied()
}

/// The bounds of all looks at an error rate of `alpha / claims`: from the table, else computed.
///
/// `None` for looks that are not increasing, begin below 2 blocks or exceed [`LOOKS_MAX`] or
/// [`BLOCKS_MAX`]; and for an `alpha` outside 0 to 1 or no claims.
pub fn row(looks: &[u32], spending: impl Into<Spending>, claims: u32) -> Option<Vec<f64>> {
    let spending = spending.into();
    if claims == 0 {
        return None;
    }
    match tabled(looks, spending, claims) {
        Some(row) => Some(row.to_vec()),
        None => computed(looks, spending.part(1.0 / f64::from(claims))),
    }
}

/// Most rows that are kept.
const KEPT_MAX: usize = 256;

/// Rows that were computed. One takes a tenth of a second of CPU time, and a study is judged after each of its blocks.
struct Kept<K, V>(Mutex<BTreeMap<K, Option<V>>>);

impl<K: Ord, V: Clone> Kept<K, V> {
    const fn new() -> Self {
        Kept(Mutex::new(BTreeMap::new()))
    }

    /// The value that is kept, or is computed and kept now.
    fn or(&self, key: K, compute: impl FnOnce() -> Option<V>) -> Option<V> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().get(&key).cloned();
        known.unwrap_or_else(|| {
            let value = compute();
            let mut kept = kept();
            if kept.len() == KEPT_MAX {
                kept.clear();
            }
            kept.insert(key, value.clone());
            value
        })
    }
}

fn computed(looks: &[u32], spending: Spending) -> Option<Vec<f64>> {
    static KNOWN: Kept<(Vec<u32>, u64, u64), Vec<f64>> = Kept::new();
    let key = (looks.to_vec(), spending.alpha.to_bits(), spending.exponent.to_bits());
    KNOWN.or(key, || compute(looks, spending))
}

#[cfg(test)]
mod tests;
