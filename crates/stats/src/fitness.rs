//! Rules about the generator's fitness that rest on several blocks.

use crate::interval::mean_over_blocks;
use crate::sample::median;

/// Probability with which the interval of a perturbation misses. Smaller than that of claims: there are as many
/// of them as load points, variants and measures, and one that misses forbids verdicts that are right.
const PERTURBATION_TAIL: f64 = 0.005;

/// Fewest pairs whose interval is looked at.
const PAIRS_MIN: usize = 3;

/// Effect of another way of measuring on a measure: twice the generator's threads, or longer slices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Perturbation {
    /// Too few pairs, or pairs that differ too much, with the ratio so far.
    Unresolved {
        pairs: u32,
        /// Geometric mean of the ratios; `None` without a pair.
        ratio: Option<f64>,
    },
    /// The interval lies within the tolerance.
    Within {
        /// Geometric mean of the ratios.
        ratio: f64,
    },
    /// The interval lies beyond the tolerance: the generator was the limit.
    Beyond {
        /// Geometric mean of the ratios.
        ratio: f64,
    },
    /// It lies beyond on the side of which nothing follows here ([`Counts`]).
    Meaningless {
        /// Geometric mean of the ratios.
        ratio: f64,
    },
}

/// Direction of the change that shows that the generator was the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Either: the threads had CPUs of their own.
    Both,
    Rise,
    Fall,
}

/// Looks at ratios, one for each pair: with twice the threads over with once, or in long slices over in short ones. `tolerance` is the
/// change that is allowed either way, as a share of the value; `counts` says which way shows a limit.
///
/// Ratios that are not positive and finite are left out: a slice without a value forms no pair.
pub fn perturbation(ratios: &[f64], tolerance: f64, counts: Counts) -> Perturbation {
    let ratios: Vec<f64> = ratios.iter().copied().filter(|ratio| ratio.is_finite() && *ratio > 0.0).collect();
    let Some(mean) = mean_over_blocks(&ratios, PERTURBATION_TAIL) else {
        return Perturbation::Unresolved { pairs: 0, ratio: None };
    };
    let (above, below) = (1.0 + tolerance, 1.0 / (1.0 + tolerance));
    let ratio = mean.mean;
    match mean.ends.filter(|_| ratios.len() >= PAIRS_MIN) {
        Some((low, _)) if low > above && counts != Counts::Fall => Perturbation::Beyond { ratio },
        Some((_, high)) if high < below && counts != Counts::Rise => Perturbation::Beyond { ratio },
        Some((low, high)) if low > above || high < below => Perturbation::Meaningless { ratio },
        Some((low, high)) if low >= below && high <= above => Perturbation::Within { ratio },
        _ => Perturbation::Unresolved { pairs: ratios.len() as u32, ratio: Some(ratio) },
    }
}

/// The speeds of one kind of place: a place is where the same load runs, and is only compared with itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speeds {
    /// Of each slice of the earlier blocks; larger is faster.
    pub earlier: Vec<f64>,
    /// Of each slice of the block itself.
    pub now: Vec<f64>,
}

/// True if a block ran on a machine that was slower than it was before: the median over all slices of the ratio of
/// the speed to the usual one of its place. `drop` is the share that may be missing. A place without earlier slices
/// does not count: the first block is its own measure.
///
/// Later blocks change nothing about an earlier block, so a verdict that was given stays as it was given.
pub fn is_slower<'a>(places: impl IntoIterator<Item = &'a Speeds>, drop: f64) -> bool {
    let mut shares = Vec::new();
    for Speeds { earlier, now } in places {
        let all: Vec<f64> = earlier.iter().chain(now).copied().collect();
        if let Some(usual) = median(&all).filter(|_| !earlier.is_empty()) {
            shares.extend(now.iter().map(|speed| speed / usual));
        }
    }
    median(&shares).is_some_and(|share| share < 1.0 - drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pairs_resolve_nothing_however_far_they_lie() {
        let found = perturbation(&[1.5, 1.5], 0.02, Counts::Both);
        assert!(
            matches!(found, Perturbation::Unresolved { pairs: 2, ratio: Some(r) } if (r - 1.5).abs() < 1e-9)
        );
        assert_eq!(perturbation(&[], 0.02, Counts::Both), Perturbation::Unresolved { pairs: 0, ratio: None });
    }

    #[test]
    fn an_interval_wholly_beyond_the_tolerance_is_a_limit_either_way() {
        let faster = [1.20, 1.21, 1.19, 1.20];
        assert!(
            matches!(perturbation(&faster, 0.02, Counts::Both), Perturbation::Beyond { ratio } if (ratio - 1.2).abs() < 0.01)
        );
        let slower = faster.map(|ratio| 1.0 / ratio);
        assert!(matches!(perturbation(&slower, 0.02, Counts::Both), Perturbation::Beyond { .. }));
        assert!(matches!(perturbation(&faster, 0.5, Counts::Both), Perturbation::Within { .. }));
    }

    #[test]
    fn scatter_is_no_limit_and_no_acquittal() {
        let found = perturbation(&[1.3, 0.9, 1.2, 1.05], 0.02, Counts::Both);
        assert!(matches!(found, Perturbation::Unresolved { pairs: 4, .. }), "{found:?}");
    }

    #[test]
    fn what_has_no_value_forms_no_pair() {
        let found = perturbation(&[1.0, f64::NAN, 0.0, f64::INFINITY], 0.02, Counts::Both);
        assert_eq!(found, Perturbation::Unresolved { pairs: 1, ratio: Some(1.0) });
    }

    #[test]
    fn where_threads_share_cpus_a_loss_shows_nothing_and_a_gain_does() {
        let (faster, slower) = ([1.20, 1.21, 1.19, 1.20], [0.96, 0.961, 0.959, 0.96]);
        assert!(matches!(perturbation(&slower, 0.02, Counts::Rise), Perturbation::Meaningless { .. }));
        assert!(matches!(perturbation(&faster, 0.02, Counts::Rise), Perturbation::Beyond { .. }));
        assert!(matches!(perturbation(&faster, 0.02, Counts::Fall), Perturbation::Meaningless { .. }));
        assert!(matches!(perturbation(&slower, 0.02, Counts::Fall), Perturbation::Beyond { .. }));
        assert!(matches!(
            perturbation(&[1.0, 1.001, 0.999], 0.02, Counts::Rise),
            Perturbation::Within { .. }
        ));
    }

    fn slower(earlier: &[f64], now: &[f64]) -> bool {
        is_slower(&[Speeds { earlier: earlier.to_vec(), now: now.to_vec() }], 0.05)
    }

    #[test]
    fn a_block_is_slower_than_those_before_it_and_a_later_one_cannot_make_it_so() {
        assert!(slower(&[1.0, 1.01, 0.99, 1.0], &[0.9, 0.91]));
        assert!(!slower(&[1.0, 1.01, 0.99, 1.0], &[0.97]));
        assert!(!slower(&[], &[0.5, 0.5]), "the first block is its own measure");
        assert!(!slower(&[1.0], &[]), "nothing is known");
        assert!(!is_slower(&[], 0.05));
    }

    #[test]
    fn places_are_compared_with_themselves_alone() {
        let place = |usual: f64, now: &[f64]| Speeds { earlier: vec![usual; 4], now: now.to_vec() };
        let lost = [place(3.0, &[3.0, 3.0]), place(2.0, &[])];
        assert!(!is_slower(&lost, 0.05));
        let other_share = [place(3.0, &[3.0]), place(2.0, &[2.0, 2.0, 2.0])];
        assert!(!is_slower(&other_share, 0.05), "another mixture is no other speed");
        assert!(is_slower(&[place(3.0, &[2.7]), place(2.0, &[1.8, 1.8])], 0.05));
    }
}
