//! Requests and their times: intended times, the mix, and the shares of both. Pure: no clock, no I/O.

mod curve;
mod distribution;
mod mix;
mod profile;
mod random;
mod schedule;
mod stage;
mod trace;

pub use curve::Curve;
pub use distribution::{Distribution, Draws};
pub use mix::{Mix, deal, deal_more};
pub use profile::Profile;
pub use random::Random;
pub(crate) use random::scaled;
pub use schedule::{Arrival, Schedule, Stripe};
pub use stage::Stage;
pub use trace::Trace;

/// Share of a whole load that a worker carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// Its number among all shares of the load, machines included; from 0.
    pub k: u64,
    /// Number of shares.
    pub n: u64,
}

impl Share {
    /// The number of its connection `conn` among all connections of the load.
    #[inline]
    pub fn number_of(self, conn: u32) -> u64 {
        self.k + self.n * u64::from(conn)
    }
}

/// Part `k` of `n` of `total`: the parts add up to `total` exactly, differ by at most one, and none
/// shrinks when `total` grows.
pub fn part(total: u64, k: u64, n: u64) -> u64 {
    total / n + u64::from(k < total % n)
}

#[cfg(test)]
mod tests {
    use super::part;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_add_up_differ_by_at_most_one_and_never_shrink_as_the_whole_grows(
            total in 0u64..1_000_000, n in 1u64..64
        ) {
            let parts: Vec<u64> = (0..n).map(|k| part(total, k, n)).collect();
            prop_assert_eq!(parts.iter().sum::<u64>(), total);
            let most = parts.iter().max().copied().unwrap_or(0);
            prop_assert!(parts.iter().all(|p| most - p <= 1));
            prop_assert!((0..n).all(|k| part(total + 1, k, n) >= part(total, k, n)));
        }
    }
}
