//! The weighted mix: which request is asked next, and how connections are dealt to targets.

use super::Random;
use super::random::scaled;

/// A weighted choice among entries; seeded, and the same for every caller.
#[derive(Clone, Debug)]
pub struct Mix {
    /// Entries with the sums of the weights up to and with each.
    sums: Vec<(u64, usize)>,
    random: Random,
}

impl Mix {
    /// A choice among `(entry, weight)`, of which at least one weighs more than 0.
    pub fn new(weights: impl IntoIterator<Item = (usize, u32)>, seed: u64, stream: u64) -> Self {
        let mut sum = 0;
        let sums = weights
            .into_iter()
            .filter(|(_, weight)| *weight > 0)
            .map(|(entry, weight)| {
                sum += u64::from(weight);
                (sum, entry)
            })
            .collect();
        Mix { sums, random: Random::new(seed, stream) }
    }

    /// The entry of exchange number `index`.
    #[inline]
    pub fn choose(&self, index: u64) -> usize {
        let last = self.sums[self.sums.len() - 1];
        if self.sums.len() == 1 {
            return last.1;
        }
        let point = scaled(self.random.at(index), last.0);
        let at = self.sums.partition_point(|(sum, _)| *sum <= point);
        self.sums[at].1
    }
}

/// Deals `total` connections to targets in proportion to their weights (largest remainders), at least
/// one to each that weighs more than 0; `None` when there are fewer connections than such targets.
pub fn deal(total: u64, weights: &[u64]) -> Option<Vec<u64>> {
    let wanted = weights.iter().filter(|w| **w > 0).count() as u64;
    let sum: u64 = weights.iter().sum();
    if sum == 0 || total < wanted {
        return None;
    }
    let mut dealt: Vec<u64> =
        weights.iter().map(|w| (u128::from(total) * u128::from(*w) / u128::from(sum)) as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] > 0).collect();
    order.sort_by_key(|i| std::cmp::Reverse(u128::from(total) * u128::from(weights[*i]) % u128::from(sum)));
    for i in order.iter().filter(|i| dealt[**i] == 0).copied().collect::<Vec<_>>() {
        dealt[i] = 1;
    }
    let mut turn = order.iter().cycle();
    while dealt.iter().sum::<u64>() < total {
        dealt[*turn.next()?] += 1;
    }
    while dealt.iter().sum::<u64>() > total {
        let most = (0..dealt.len()).max_by_key(|i| dealt[*i])?;
        dealt[most] -= 1;
    }
    Some(dealt)
}

/// The dealt connections with `more` added in proportion to the weights (largest remainders): no target has fewer
/// than before.
pub fn deal_more(dealt: &[u64], more: u64, weights: &[u64]) -> Vec<u64> {
    let sum = weights.iter().map(|weight| u128::from(*weight)).sum::<u128>().max(1);
    let exact = |at: usize| u128::from(more) * u128::from(weights[at]);
    let mut out: Vec<u64> = (0..dealt.len()).map(|at| dealt[at] + (exact(at) / sum) as u64).collect();
    let left = (dealt.iter().sum::<u64>() + more).saturating_sub(out.iter().sum()) as usize;
    let mut order: Vec<usize> = (0..dealt.len()).filter(|at| weights[*at] > 0).collect();
    order.sort_by_key(|at| std::cmp::Reverse(exact(*at) % sum));
    order.into_iter().take(left).for_each(|at| out[at] += 1);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entries_come_as_often_as_they_weigh() {
        let mix = Mix::new([(4, 1), (5, 0), (6, 3)], 9, 0);
        let n = 40_000;
        let fours = (0..n).filter(|i| mix.choose(*i) == 4).count() as f64;
        assert!((0..n).all(|i| mix.choose(i) != 5));
        // Four standard deviations of a binomial count with p = 1/4.
        assert!((fours - 10_000.0).abs() < 4.0 * (n as f64 * 0.25 * 0.75).sqrt(), "{fours}");
    }

    #[test]
    fn one_entry_is_always_chosen() {
        assert!((0..100).all(|i| Mix::new([(2, 7)], 1, 1).choose(i) == 2));
    }

    #[test]
    fn fewer_connections_than_targets_cannot_be_dealt() {
        assert_eq!(deal(1, &[1, 1]), None);
        assert_eq!(deal(0, &[0]), None);
    }

    proptest! {
        #[test]
        fn dealt_connections_add_up_and_leave_no_target_out(
            weights in proptest::collection::vec(0u64..1_000, 1..8), extra in 0u64..10_000, more in 0u64..10_000
        ) {
            prop_assume!(weights.iter().any(|w| *w > 0));
            let total = weights.len() as u64 + extra;
            let dealt = deal(total, &weights).unwrap();
            prop_assert_eq!(dealt.iter().sum::<u64>(), total);
            prop_assert!(weights.iter().zip(&dealt).all(|(w, d)| (*w > 0) == (*d > 0)));
            let grown = deal_more(&dealt, more, &weights);
            prop_assert_eq!(grown.iter().sum::<u64>(), total + more);
            prop_assert!(grown.iter().zip(&dealt).all(|(grown, dealt)| grown >= dealt));
            prop_assert!(weights.iter().zip(&grown).all(|(w, d)| (*w > 0) == (*d > 0)));
        }
    }
}
