//! Medians of paired ratios, and how sure they are.

/// Ratios of pairs.
#[derive(Clone, Debug)]
pub struct Ratio {
    /// Median over pairs.
    pub median: f64,
    /// Bootstrap 95 % interval of the median.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    pub pairs: usize,
}

impl Ratio {
    /// Of each pair's ratio; at least one.
    pub fn of(ratios: &[f64]) -> Ratio {
        let (low, high) = bootstrap(ratios);
        Ratio { median: median(ratios), low, high, pairs: ratios.len() }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}] of {} pairs", self.median, self.low, self.high, self.pairs)
    }
}

/// The median of at least one value.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// 95 % interval of the median: 10,000 resamples, seeded.
fn bootstrap(values: &[f64]) -> (f64, f64) {
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        values[(state >> 33) as usize % values.len()]
    };
    let mut medians: Vec<f64> =
        (0..10_000).map(|_| median(&values.iter().map(|_| draw()).collect::<Vec<f64>>())).collect();
    medians.sort_by(f64::total_cmp);
    (medians[249], medians[9_749])
}

/// Runs `a` and `b` in turn, `pairs` times each, the order swapped in every other pair.
///
/// # Errors
/// The first error of either.
pub fn in_pairs<T>(
    pairs: usize,
    mut a: impl FnMut() -> anyhow::Result<T>,
    mut b: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<Vec<(T, T)>> {
    let pair = |at: usize| {
        if at.is_multiple_of(2) {
            let first = a()?;
            Ok((first, b()?))
        } else {
            let second = b()?;
            Ok((a()?, second))
        }
    };
    (0..pairs).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_pairs_lies_within_its_interval_and_the_order_is_swapped() {
        let ratio = Ratio::of(&[0.7, 0.72, 0.9, 0.71, 0.73]);
        assert_eq!(ratio.median, 0.72);
        assert!(ratio.low <= ratio.median && ratio.median <= ratio.high && ratio.low >= 0.7);
        let order = std::cell::RefCell::new(String::new());
        let note = |name| {
            order.borrow_mut().push(name);
            Ok(name)
        };
        let pairs = in_pairs(3, || note('a'), || note('b')).unwrap();
        assert_eq!(pairs, [('a', 'b'); 3]);
        assert_eq!(*order.borrow(), "abbaab");
    }
}
