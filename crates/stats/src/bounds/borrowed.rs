//! Bounds for a claim that borrows its spread from others like it.
//!
//! With few blocks an interval is wide because its own spread s is hardly known. Where others lend a spread s₀, which
//! nothing of this claim's blocks went into, the claim has two intervals around one mean, of which the narrower one holds:
//!
//! d̄ ± a s / √n, by its own spread alone, at [`OWN`] of its error rate (the bounds of [`compute`](super::compute)); and
//!
//! d̄ ± b s̃ / √n with s̃² = (w s₀² + (n − 1) s²) / (w + n − 1), while s ≤ κ s₀, at [`LENT`] of it. s̃ is the moderated
//! spread of Smyth (Stat. Appl. Genet. Mol. Biol. 3, 2004) at a weight that is fixed; κ² = χ²₀.₉₉₉(n − 1)/(n − 1): a spread
//! beyond it is not the one that was lent.
//!
//! A spread is like its relatives' on average over many; a study has a few claims, each with the spread that it
//! has. So b is made for the worst one: whatever σ is, with normal blocks and without effect
//!
//! P(look n) = ∫ f(s) · 2 (Φ(−b s̃/σ) − Φ(−a s/σ)) ds over 0 < s ≤ κ s₀,
//!
//! where b s̃ < a s, with f the density of s after n − 1 degrees of freedom, is all that the second interval adds at a look.
//! Summed over the looks it is at most its share for every σ ([`added`]), and the sum of both shares bounds the error rate. The sums count
//! twice what crosses at two looks, or by both: the shares come to 1.1, and simulated studies err in at most 5 % (docs/truth.md).

use super::{BLOCKS_MAX, Kept, Spending, recursion};
use crate::chi_square;
use statrs::function::erf::erfc;
use statrs::function::gamma::ln_gamma;
use std::f64::consts::{LN_2, SQRT_2};

/// One part in this many of a claim's error rate is for the interval by its own spread when another was lent.
const PARTS: u32 = 3;
pub const OWN: f64 = 1.0 / PARTS as f64;

/// Share that the interval by the lent spread has.
pub const LENT: f64 = 1.1 - OWN;

/// Degrees of freedom that a lent spread counts for. With bounds for the worst spread more do not pay.
pub const WEIGHT: f64 = 1.0;

/// Of the spreads that are the lent one, the share that is taken for it.
const LIKE: f64 = 0.999;

/// Part of [`LENT`] that the first look has; later ones have the rest, by a power of what is left of the plan.
const FIRST: f64 = 0.7;
const POWER: i32 = 8;

/// Spreads that the bounds are made for, in units of the lent one: beyond both ends hardly anything is added.
const SPREADS: usize = 60;
const SPREAD_MIN: f64 = 0.4;
const SPREAD_MAX: f64 = 14.0;

/// Nodes of the integral over s.
const NODES: usize = 32;

/// Bounds of an interval with a lent spread at one look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LentBound {
    /// b, the bound on |d̄| √n / s̃.
    pub bound: f64,
    /// κ: how often the lent spread the own one may be.
    pub limit: f64,
}

impl LentBound {
    /// b s̃, where `own` is the spread of `blocks` blocks and `lent` the one that was lent; infinite where they are not alike.
    pub fn times_spread(&self, own: f64, lent: f64, blocks: u32) -> f64 {
        match own <= self.limit * lent {
            true => self.bound * moderated(own, lent, f64::from(blocks.max(1) - 1)),
            false => f64::INFINITY,
        }
    }
}

fn moderated(own: f64, lent: f64, freedom: f64) -> f64 {
    ((WEIGHT * lent * lent + freedom * own * own) / (WEIGHT + freedom)).sqrt()
}

/// Both bounds at each look of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// a, of the interval by the own spread.
    pub own: Vec<f64>,
    /// Those of the interval by the lent one.
    pub lent: Vec<LentBound>,
}

/// The bounds of all looks while `claims` claims share `alpha`. With `ends`, the last of the looks spends all that is
/// left, of a plan for `planned` blocks. `None` as for [`row`](super::row).
///
/// More of the error rate never makes an interval wider, so that Holm's rule may pass it on.
pub fn rows(looks: &[u32], planned: u32, ends: bool, alpha: f64, claims: u32) -> Option<Rows> {
    static KNOWN: Kept<(Vec<u32>, u32, bool, u64, u32), Rows> = Kept::new();
    let known = |claims: u32| {
        let key = (looks.to_vec(), planned, ends, alpha.to_bits(), claims);
        KNOWN.or(key, || {
            let share = alpha / f64::from(claims);
            let own = match ends {
                true => super::ended(looks, planned, Spending::even(OWN * share)),
                // A third of the error rate is that of three times as many claims, which the table may have.
                false => super::row(looks, Spending::even(alpha), claims * PARTS),
            }?;
            let lent = beside(&own, looks, planned, share)?;
            Some(Rows { own, lent })
        })
    };
    let mut rows = known(claims)?;
    for fewer in 1..claims {
        let row = known(fewer)?.lent;
        rows.lent.iter_mut().zip(row).for_each(|(lent, other)| lent.bound = lent.bound.max(other.bound));
    }
    Some(rows)
}

/// The bounds at these looks of a plan for `planned` blocks beside `own` ones; `alpha` is the claim's error rate, of which
/// they spend [`LENT`] by the last of the looks. `None` for looks that are not a plan, or lack a bound.
fn beside(own: &[f64], looks: &[u32], planned: u32, alpha: f64) -> Option<Vec<LentBound>> {
    let last = recursion::checked(looks)?;
    if own.len() != looks.len() || !(last..=BLOCKS_MAX).contains(&planned) || !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    let first = looks[0];
    let left = |look: u32| f64::from(planned - look) / f64::from(planned - first).max(1.0);
    let spent = |look| if look == last { 1.0 } else { 1.0 - (1.0 - FIRST) * left(look).powi(POWER) };
    let spreads = spreads();
    let mut before = vec![0.0; spreads.len()];
    let at_look = |(&look, &own): (&u32, &f64)| {
        let at = Look::new(look, own, &spreads);
        let most = LENT * alpha * spent(look);
        let sums = |bound: f64| before.iter().zip(at.adds(bound)).map(|(before, more)| before + more);
        let bound = lowest(|bound| sums(bound).all(|sum| sum <= most));
        before = sums(bound).collect();
        LentBound { bound, limit: at.limit }
    };
    Some(looks.iter().zip(own).map(at_look).collect())
}

/// Part of the error rate that the intervals with a lent spread add when the spread is `spread` times that one: an
/// upper bound on how often one excludes the truth at a look at which the interval by the own spread does not.
pub fn added(own: &[f64], lent: &[LentBound], looks: &[u32], spread: f64) -> f64 {
    let each = looks.iter().zip(own).zip(lent);
    each.map(|((&look, &own), lent)| Look::new(look, own, &[spread]).adds(lent.bound).sum::<f64>()).sum()
}

fn spreads() -> Vec<f64> {
    let step = (SPREAD_MAX / SPREAD_MIN).ln() / (SPREADS - 1) as f64;
    (0..SPREADS).map(|place| SPREAD_MIN * (step * place as f64).exp()).collect()
}

/// The lowest bound that is high enough.
fn lowest(is_enough: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while !is_enough(high) {
        low = high;
        high *= 2.0;
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if is_enough(middle) { high = middle } else { low = middle }
    }
    high
}

/// One look; the lent spread is 1.
struct Look {
    limit: f64,
    /// For each spread the places of the integral over s.
    places: Vec<[Node; NODES]>,
}

#[derive(Clone, Copy)]
struct Node {
    weight: f64,
    /// s̃ in units of the spread.
    moderated: f64,
    /// Probability that the mean lies outside of the interval by the own spread.
    beyond_own: f64,
}

impl Look {
    fn new(blocks: u32, own: f64, spreads: &[f64]) -> Look {
        let freedom = f64::from(blocks - 1);
        let limit = (chi_square::quantile(LIKE, blocks - 1) / freedom).sqrt();
        let nodes = recursion::gauss_legendre(NODES);
        let half = 0.5 * freedom;
        let scale = LN_2 + half * half.ln() - ln_gamma(half);
        let of_spread = |&spread: &f64| {
            std::array::from_fn(|node| {
                let s = 0.5 * limit * (1.0 + nodes[node].0);
                let log =
                    scale + (freedom - 1.0) * s.ln() - freedom * spread.ln() - half * (s / spread).powi(2);
                Node {
                    weight: 0.5 * limit * nodes[node].1 * log.exp(),
                    moderated: moderated(s, 1.0, freedom) / spread,
                    beyond_own: beyond(own * s / spread),
                }
            })
        };
        Look { limit, places: spreads.iter().map(of_spread).collect() }
    }

    /// For each spread how often the mean lies outside of the interval by the lent spread and inside of that by the own one.
    fn adds(&self, bound: f64) -> impl Iterator<Item = f64> + '_ {
        let at =
            move |place: &Node| place.weight * (beyond(bound * place.moderated) - place.beyond_own).max(0.0);
        self.places.iter().map(move |places| places.iter().map(at).sum())
    }
}

/// Probability that a standard normal value lies beyond ±`apart`.
fn beyond(apart: f64) -> f64 {
    erfc(apart / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: [u32; 6] = [5, 8, 12, 16, 20, 30];

    fn of(claims: u32) -> Rows {
        rows(&DEFAULT, 30, false, 0.05, claims).expect("a plan")
    }

    /// Worked out elsewhere, with other nodes and another root finder.
    #[test]
    fn the_bounds_are_those_of_the_formula_worked_out_elsewhere() {
        let Rows { lent, .. } = of(3);
        for (lent, expected) in lent.iter().zip([4.74, 4.29, 3.67, 3.80, 3.77, 3.28]) {
            assert!((lent.bound - expected).abs() < 0.02, "{lent:?}, {expected}");
        }
        assert!((lent[0].limit - 2.1487).abs() < 1e-3, "{lent:?}");
    }

    #[test]
    fn whatever_the_spread_is_no_more_is_added_than_the_share() {
        for claims in [1, 3, 12] {
            let Rows { own, lent } = of(claims);
            let most = LENT * 0.05 / f64::from(claims);
            let part = |spread: f64| added(&own, &lent, &DEFAULT, spread) / most;
            let all = (-40..=40).map(|place| part(10_f64.powf(f64::from(place) / 20.0)));
            let worst = all.fold(0.0, f64::max);
            assert!((0.99..=1.001).contains(&worst), "{claims}: {worst}");
        }
    }

    #[test]
    fn a_larger_share_of_the_error_rate_never_makes_an_interval_wider() {
        for claims in 1..16 {
            let (more, less) = (of(claims), of(claims + 1));
            let widened = |(more, less): (&LentBound, &LentBound)| more.bound > less.bound;
            assert!(!more.lent.iter().zip(&less.lent).any(widened), "{claims}");
            assert!(more.own.iter().zip(&less.own).all(|(more, less)| more <= less), "{claims}");
        }
    }

    #[test]
    fn the_end_of_a_budget_spends_the_rest() {
        let planned = of(1);
        let ended = rows(&[5, 8, 10], 30, true, 0.05, 1).expect("a plan");
        for (ended, planned) in ended.lent[..2].iter().zip(&planned.lent) {
            assert!((ended.bound - planned.bound).abs() < 1e-5, "{ended:?}, {planned:?}");
        }
        let worst = spreads().into_iter().map(|spread| added(&ended.own, &ended.lent, &[5, 8, 10], spread));
        assert!((worst.fold(0.0, f64::max) / (LENT * 0.05) - 1.0).abs() < 0.01);
    }

    #[test]
    fn a_spread_beyond_the_lent_one_is_not_that_one() {
        let Rows { lent, .. } = of(1);
        assert!(lent[0].times_spread(2.1, 1.0, 5).is_finite());
        assert!(lent[0].times_spread(2.2, 1.0, 5).is_infinite());
    }

    #[test]
    fn what_is_no_plan_has_no_bounds() {
        assert!(rows(&[5, 8], 8, false, 0.05, 1).is_some());
        for (looks, planned, alpha) in
            [(&[][..], 8, 0.05), (&[8, 5], 8, 0.05), (&[5, 8], 7, 0.05), (&[5, 8], 8, 0.0), (&[5, 8], 8, 1.0)]
        {
            assert!(rows(looks, planned, false, alpha, 1).is_none(), "{looks:?}");
        }
    }
}
