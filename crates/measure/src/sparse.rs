//! Histograms that take the memory of what they hold, for those that are kept or sent and not counted in.

use crate::slots::SLOTS;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// A [`LatencyHistogram`](crate::LatencyHistogram) that is only added to others: kilobytes for a second's exchanges, where the other
/// has room for a quarter of a megabyte. To others it is the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SparseHistogram {
    /// Slots that there are and that have a count, with it.
    slots: Vec<(u16, u64)>,
}

impl SparseHistogram {
    /// Slots below [`SLOTS`], with counts above 0.
    pub(crate) fn of(slots: impl Iterator<Item = (usize, u64)>) -> SparseHistogram {
        SparseHistogram { slots: slots.map(|(slot, n)| (slot as u16, n)).collect() }
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.slots.iter().map(|(slot, n)| (usize::from(*slot), *n))
    }
}

impl<'de> Deserialize<'de> for SparseHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut slots = <Vec<(u16, u64)>>::deserialize(deserializer)?;
        if slots.iter().any(|(slot, _)| usize::from(*slot) >= SLOTS) {
            return Err(D::Error::custom("no such slot"));
        }
        slots.retain(|(_, n)| *n > 0);
        Ok(SparseHistogram { slots })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counted, LatencyHistogram};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_same_bytes_and_adds_the_same_counts(
            values in proptest::collection::vec((any::<u64>(), 1u64..1_000), 0..60),
            others in proptest::collection::vec(any::<u64>(), 0..60),
        ) {
            let (mut dense, mut sum) = (LatencyHistogram::new(), LatencyHistogram::new());
            values.iter().for_each(|(ns, n)| dense.record_many(*ns, *n));
            others.iter().for_each(|ns| sum.record(*ns));
            let bytes = postcard::to_stdvec(&dense).unwrap();
            let sparse = dense.sparse();
            prop_assert_eq!(&postcard::to_stdvec(&sparse).unwrap(), &bytes);
            prop_assert_eq!(&postcard::from_bytes::<SparseHistogram>(&bytes).unwrap(), &sparse);
            let mut expected = sum.clone();
            expected.merge(&dense);
            sparse.add_to(&mut sum);
            prop_assert_eq!(sum.encode(), expected.encode());
            prop_assert_eq!(sum, expected);
        }
    }

    #[test]
    fn a_slot_that_there_is_not_is_refused_and_one_without_a_count_is_none() {
        let read = |slots: Vec<(u16, u64)>| {
            postcard::from_bytes::<SparseHistogram>(&postcard::to_stdvec(&slots).unwrap())
        };
        assert!(read(vec![(3, 1), (u16::MAX, 1)]).is_err());
        let mut sum = LatencyHistogram::new();
        read(vec![(3, 0)]).unwrap().add_to(&mut sum);
        assert_eq!((sum.is_empty(), sum), (true, LatencyHistogram::new()));
        let mut full = LatencyHistogram::new();
        read(vec![(3, u64::MAX), (3, u64::MAX)]).unwrap().add_to(&mut full);
        assert_eq!(full.count(), u64::MAX);
    }
}
