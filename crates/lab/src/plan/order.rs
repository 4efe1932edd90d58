//! Order of the variants: random, balanced, from the seed.
//!
//! Within a block every second cycle reverses the one before it, so that each variant is as often early as late and a
//! linear drift cancels out. Blocks come in pairs, the second with every order of the first reversed, so that the order
//! of starts (that of a block's first cycle) is balanced too.

/// Orders of variants: for each block, for each cycle, a permutation of `0..variants`.
pub(super) fn blocks(seed: u64, blocks: u32, cycles: u32, variants: usize) -> Vec<Vec<Vec<usize>>> {
    let mut dice = SplitMix(seed);
    let mut out: Vec<Vec<Vec<usize>>> = Vec::new();
    for block in 0..blocks {
        match out.last() {
            Some(previous) if block % 2 == 1 => {
                let mirrored = previous.iter().map(|order| reversed(order)).collect();
                out.push(mirrored);
            }
            _ => out.push(one_block(&mut dice, cycles, variants)),
        }
    }
    out
}

/// Orders of variants that run one after the other: for each block one permutation, the same in each of its
/// cycles; every second block reverses the one before it.
pub(super) fn serial(seed: u64, blocks: u32, cycles: u32, variants: usize) -> Vec<Vec<Vec<usize>>> {
    let orders = self::blocks(seed, blocks, 1, variants);
    orders
        .into_iter()
        .map(|block| vec![block.into_iter().next().unwrap_or_default(); cycles as usize])
        .collect()
}

/// The order of a block beyond the planned ones, which takes the place of one that was lost or disturbed. It goes on as
/// the plan does, in pairs of which the second reverses the first: `planned` begins with a block, and a plan of an odd
/// number of them leaves its last one to be reversed.
pub fn beyond(seed: u64, planned: &[Vec<Vec<usize>>], is_serial: bool, number: u32) -> Vec<Vec<usize>> {
    let Some(last) = planned.last() else { return Vec::new() };
    let mut extra = number.saturating_sub(planned.len() as u32).max(1);
    if planned.len() % 2 == 1 {
        if extra == 1 {
            return last.iter().map(|order| reversed(order)).collect();
        }
        extra -= 1;
    }
    let (cycles, variants) = (last.len() as u32, last.first().map_or(0, Vec::len));
    let more = match is_serial {
        true => serial(seed ^ BEYOND, extra, cycles, variants),
        false => blocks(seed ^ BEYOND, extra, cycles, variants),
    };
    more.into_iter().next_back().unwrap_or_default()
}

/// Separates the orders beyond a plan from those within it.
const BEYOND: u64 = 0x6265_796f_6e64_2121;

fn one_block(dice: &mut SplitMix, cycles: u32, variants: usize) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = Vec::new();
    for cycle in 0..cycles {
        match out.last() {
            Some(previous) if cycle % 2 == 1 => out.push(reversed(previous)),
            _ => out.push(dice.permutation(variants)),
        }
    }
    out
}

fn reversed(order: &[usize]) -> Vec<usize> {
    order.iter().rev().copied().collect()
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): our own, so that a seed
/// gives the same plan with every version of the dependencies.
pub(super) struct SplitMix(u64);

impl SplitMix {
    pub fn new(seed: u64) -> Self {
        SplitMix(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform below `bound`, by the high half of a product (Lemire 2019); its bias is below 2^-58 here.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Fisher and Yates.
    pub fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut out: Vec<usize> = (0..length).collect();
        for last in (1..length).rev() {
            out.swap(last, self.below(last + 1));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cycle_holds_every_variant_once() {
        for variants in 1..6 {
            for order in blocks(7, 5, 3, variants).iter().flatten() {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..variants).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_second_cycle_reverses_the_one_before_and_every_second_block_too() {
        let plan = blocks(42, 4, 6, 3);
        for block in &plan {
            for pair in block.chunks(2) {
                assert_eq!(pair[1], reversed(&pair[0]));
            }
        }
        for pair in plan.chunks(2) {
            assert_eq!(pair[1][0], reversed(&pair[0][0]));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_order_and_another_seed_another() {
        assert_eq!(blocks(1, 12, 6, 4), blocks(1, 12, 6, 4));
        assert_ne!(blocks(1, 12, 6, 4), blocks(2, 12, 6, 4));
    }

    #[test]
    fn a_serial_block_has_one_order_and_the_next_reverses_it() {
        let plan = serial(42, 4, 3, 3);
        for pair in plan.chunks(2) {
            assert!(pair[0].iter().all(|order| *order == pair[0][0]));
            assert_eq!(pair[1][0], reversed(&pair[0][0]));
        }
        assert!((0..20).any(|seed| serial(seed, 1, 1, 3)[0][0] != serial(seed + 1, 1, 1, 3)[0][0]));
    }

    #[test]
    fn beyond_the_plan_orders_are_random_and_balanced_as_within_it() {
        for (planned, make) in [(4, false), (5, false), (6, true), (7, true)] {
            let plan = if make { serial(3, planned, 2, 3) } else { blocks(3, planned, 2, 3) };
            let whole: Vec<Vec<Vec<usize>>> = (0..planned + 40)
                .map(|block| match plan.get(block as usize) {
                    Some(order) => order.clone(),
                    None => beyond(3, &plan, make, block + 1),
                })
                .collect();
            for pair in whole.chunks_exact(2) {
                assert_eq!(pair[1][0], reversed(&pair[0][0]), "{planned}");
            }
            let firsts: std::collections::BTreeSet<_> =
                whole[planned as usize + 1..].iter().map(|block| block[0].clone()).collect();
            assert_eq!(firsts.len(), 6, "every order of three comes, not those of the plan again");
            assert_eq!(beyond(3, &plan, make, planned + 9), beyond(3, &plan, make, planned + 9));
        }
        assert!(beyond(3, &[], false, 1).is_empty());
    }

    #[test]
    fn over_many_seeds_every_permutation_comes_about_equally_often() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            *counts.entry(blocks(seed, 1, 1, 3)[0][0].clone()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Five standard deviations of a binomial count around 1000; the seeds are fixed, so this cannot
        // flicker.
        assert!(counts.values().all(|count| (856..1144).contains(count)), "{counts:?}");
    }
}
