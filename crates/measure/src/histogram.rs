//! Latency histograms: the buckets of HdrHistogram, its encoding by the `hdrhistogram` crate.

use crate::SparseHistogram;
use crate::slots::{PAGE, PAGE_BITS, PAGES, SLOTS, slot_of, values_of};
use data_encoding::BASE64;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The largest latency that is recorded as such, one hour; longer ones count as this.
pub const MAX_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits: a quantile is right to 0.1 %.
pub const DIGITS: u8 = 3;

/// Counts of durations in nanoseconds, 1 ns to one hour, three significant digits, in the buckets of HdrHistogram.
///
/// All histograms of this type share their bounds, so merging is adding counts, in any order. Counting is done for
/// every exchange of a load, and histograms are merged and emptied each second, so both are ours: counting keeps no
/// sums beside the counts, merging and emptying pass over what was never used, and that takes no memory either.
#[derive(PartialEq)]
pub struct LatencyHistogram {
    counts: Box<[u64; SLOTS]>,
    /// A bit for each page that has counts.
    used: u64,
}

/// Statistics of a histogram, in nanoseconds. Quantiles are `None` if nothing was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of recorded durations.
    pub count: u64,
    pub mean_ns: Option<f64>,
    pub p50_ns: Option<u64>,
    pub p90_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub p999_ns: Option<u64>,
    pub max_ns: Option<u64>,
}

/// A value of exchanges of which some had no end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Censored<T> {
    /// The least that it can be.
    pub value: T,
    /// The true value is this or more.
    pub at_least: bool,
}

/// The text is not a histogram in V2 deflate encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(String);

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not an HdrHistogram in V2 deflate encoding: {}", self.0)
    }
}

impl std::error::Error for DecodeError {}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for LatencyHistogram {
    fn clone(&self) -> Self {
        let mut clone = Self::new();
        clone.merge(self);
        clone
    }
}

impl std::fmt::Debug for LatencyHistogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.summary().fmt(f)
    }
}

impl LatencyHistogram {
    /// An empty histogram. Allocates once, all that it will ever need.
    pub fn new() -> Self {
        let counts = vec![0; SLOTS].into_boxed_slice();
        LatencyHistogram { counts: counts.try_into().expect("it has that length"), used: 0 }
    }

    /// Counts one duration. Never fails, never allocates: 0 counts as 1 ns, above an hour as an hour.
    #[inline]
    pub fn record(&mut self, duration_ns: u64) {
        let slot = slot_of(duration_ns.clamp(1, MAX_NS));
        self.counts[slot] += 1;
        self.used |= 1 << (slot >> PAGE_BITS);
    }

    /// Counts `n` durations of the same length.
    pub fn record_many(&mut self, duration_ns: u64, n: u64) {
        if n > 0 {
            let slot = slot_of(duration_ns.clamp(1, MAX_NS));
            self.counts[slot] = self.counts[slot].saturating_add(n);
            self.used |= 1 << (slot >> PAGE_BITS);
        }
    }

    /// The pages that have counts, in order.
    fn pages(&self) -> impl Iterator<Item = usize> + use<> {
        let used = self.used;
        (0..PAGES).filter(move |page| used >> page & 1 == 1)
    }

    /// Slots with their counts above 0, in order.
    fn slots(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let slots = self.pages().flat_map(|page| page * PAGE..(page + 1) * PAGE);
        slots.map(|slot| (slot, self.counts[slot])).filter(|(_, n)| *n > 0)
    }

    /// The same in the memory that it needs.
    pub fn sparse(&self) -> SparseHistogram {
        SparseHistogram::of(self.slots())
    }

    /// The durations that were counted, in order: the middle of each bucket in nanoseconds, and how many are in it.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.slots().map(|(slot, n)| {
            let (first, width) = values_of(slot);
            (first + width / 2, n)
        })
    }

    /// Number of recorded durations; adds the counts up.
    pub fn count(&self) -> u64 {
        self.slots().fold(0, |sum: u64, (_, n)| sum.saturating_add(n))
    }

    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The duration at quantile `q` (0 to 1); `None` when nothing was recorded.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        self.of_rank(rank(q, self.count()), q == 0.0)
    }

    /// The same where some exchanges had no end: `unended` holds how long was waited for each of them in vain. They rank
    /// above all that ended, as far as is known. Where the rank lies among them, all that is known is a lower end: the
    /// quantile as it would be if each had ended when it was given up (right-censored data).
    pub fn quantile_beside(&self, unended: &LatencyHistogram, q: f64) -> Option<Censored<u64>> {
        let ended = self.count();
        let wanted = rank(q, ended.saturating_add(unended.count()));
        match wanted <= ended {
            true => Some(Censored { value: self.of_rank(wanted, q == 0.0)?, at_least: false }),
            false => Some(Censored { value: self.with(unended).quantile_ns(q)?, at_least: true }),
        }
    }

    /// The arithmetic mean where some exchanges had no end: a lower end, as if each had ended when it was given up.
    pub fn mean_beside(&self, unended: &LatencyHistogram) -> Option<Censored<f64>> {
        match unended.is_empty() {
            true => Some(Censored { value: self.mean_ns()?, at_least: false }),
            false => Some(Censored { value: self.with(unended).mean_ns()?, at_least: true }),
        }
    }

    /// The duration at quantile `q` if each were longer by one that is drawn from `added`: all that `added` holds, and
    /// zeros up to `of` of them. `None` when nothing was recorded.
    pub fn quantile_with_added(&self, added: &LatencyHistogram, of: u64, q: f64) -> Option<u64> {
        let quantile = self.quantile_ns(q)?;
        let draws = added.atoms(of.max(added.count()).max(1));
        let mut below: Vec<(u64, u64)> = Vec::new();
        for (slot, n) in self.slots() {
            let (first, width) = values_of(slot);
            let sum = below.last().map_or(0, |(_, sum)| *sum);
            below.push((first + width - 1, sum.saturating_add(n)));
        }
        let count = self.count() as f64;
        // The share of sums that are at most this long.
        let share = |ns: u64| {
            let of_draw = |(longer_ns, share): &(u64, f64)| {
                let left_ns = ns.checked_sub(*longer_ns)?;
                let at = below.partition_point(|(value, _)| *value <= left_ns).checked_sub(1)?;
                Some(share * below[at].1 as f64 / count)
            };
            draws.iter().filter_map(of_draw).sum::<f64>()
        };
        let (mut low, mut high) = (quantile, quantile + added.quantile_ns(1.0).unwrap_or(0));
        while high - low > low / 4_096 + 1 {
            let middle = low + (high - low) / 2;
            if share(middle) < q - 1e-9 { low = middle } else { high = middle }
        }
        Some(if share(low) < q - 1e-9 { high } else { low })
    }

    /// Those that are at most this long, and how many are longer.
    pub fn parted_at(&self, ns: u64) -> (LatencyHistogram, u64) {
        let mut short = LatencyHistogram::new();
        let mut longer = 0_u64;
        for (slot, n) in self.slots() {
            match values_of(slot).0 {
                value if value <= ns => short.record_many(value, n),
                _ => longer = longer.saturating_add(n),
            }
        }
        (short, longer)
    }

    /// Numbers of durations that are longer than the bound before and at most as long as each of `bounds`, which
    /// ascend, to the width of a slot; those beyond the last bound come last.
    pub fn counts_between(&self, bounds: &[u64]) -> Vec<u64> {
        let mut counts = vec![0_u64; bounds.len() + 1];
        let mut at = 0;
        for (slot, n) in self.slots() {
            let (first, _) = values_of(slot);
            at += bounds[at..].iter().take_while(|bound| **bound < first).count();
            counts[at] = counts[at].saturating_add(n);
        }
        counts
    }

    /// Number of durations shorter than `ns`, to the width of a slot.
    pub fn count_below(&self, ns: u64) -> u64 {
        let short = self.slots().take_while(|(slot, _)| values_of(*slot).0 < ns);
        short.fold(0, |sum: u64, (_, n)| sum.saturating_add(n))
    }

    /// The durations as a few values with their shares among `of`; the rest of these are zeros.
    fn atoms(&self, of: u64) -> Vec<(u64, f64)> {
        const ATOMS: u64 = 64;
        let share = |n: u64| n as f64 / of as f64;
        let count = self.count();
        let mut atoms = vec![(0, share(of - count.min(of)))];
        let mut gathered = 0;
        for (slot, n) in self.slots() {
            gathered += n;
            let (first, width) = values_of(slot);
            if gathered * ATOMS >= count {
                atoms.push((first + width - 1, share(gathered)));
                gathered = 0;
            }
        }
        let longest = self.quantile_ns(1.0).unwrap_or(0);
        atoms.push((longest, share(gathered)));
        atoms
    }

    fn with(&self, other: &LatencyHistogram) -> LatencyHistogram {
        let mut both = self.clone();
        both.merge(other);
        both
    }

    /// The duration of that rank, from 1; its slot's first value or its last.
    fn of_rank(&self, wanted: u64, first_of_slot: bool) -> Option<u64> {
        let mut seen: u64 = 0;
        let (slot, _) = self.slots().find(|(_, n)| {
            seen = seen.saturating_add(*n);
            seen >= wanted
        })?;
        let (first, width) = values_of(slot);
        Some(if first_of_slot { first } else { first + width - 1 })
    }

    /// The arithmetic mean; `None` when nothing was recorded.
    pub fn mean_ns(&self) -> Option<f64> {
        let total = self.count() as f64;
        let middle = |slot| {
            let (first, width) = values_of(slot);
            (first + width / 2) as f64
        };
        (!self.is_empty()).then(|| self.slots().map(|(slot, n)| middle(slot) * n as f64 / total).sum())
    }

    /// The sum of all durations, each as the middle of its slot: that of a merged histogram is the sum of its parts', to
    /// the nanosecond.
    pub fn sum_ns(&self) -> u128 {
        let middle = |slot| {
            let (first, width) = values_of(slot);
            u128::from(first + width / 2)
        };
        self.slots().map(|(slot, n)| middle(slot) * u128::from(n)).sum()
    }

    /// Count, mean and the usual quantiles.
    pub fn summary(&self) -> Summary {
        Summary {
            count: self.count(),
            mean_ns: self.mean_ns(),
            p50_ns: self.quantile_ns(0.5),
            p90_ns: self.quantile_ns(0.9),
            p99_ns: self.quantile_ns(0.99),
            p999_ns: self.quantile_ns(0.999),
            max_ns: self.quantile_ns(1.0),
        }
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        for page in other.pages() {
            let slots = page * PAGE..(page + 1) * PAGE;
            for (sum, n) in self.counts[slots.clone()].iter_mut().zip(&other.counts[slots]) {
                *sum = sum.saturating_add(*n);
            }
        }
        self.used |= other.used;
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        for page in self.pages() {
            self.counts[page * PAGE..(page + 1) * PAGE].fill(0);
        }
        self.used = 0;
    }

    /// The histogram in HdrHistogram's V2 deflate encoding, base64, as its log tools read it.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        let mut histogram = hdr();
        self.slots().for_each(|(slot, n)| histogram.saturating_record_n(values_of(slot).0, n));
        V2DeflateSerializer::new()
            .serialize(&histogram, &mut bytes)
            .expect("writing to memory does not fail");
        BASE64.encode(&bytes)
    }

    /// Reads the text that [`LatencyHistogram::encode`] wrote.
    ///
    /// # Errors
    /// If the text is not base64, or its bytes are not a histogram with these bounds.
    pub fn decode(text: &str) -> Result<Self, DecodeError> {
        let bytes = BASE64.decode(text.as_bytes()).map_err(|e| DecodeError(e.to_string()))?;
        check_size(&bytes)?;
        let read: Histogram<u64> =
            Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|e| DecodeError(e.to_string()))?;
        // Ours have these bounds; what others wrote is fitted to them.
        let is_ours = (read.low(), read.high(), read.sigfig()) == (1, MAX_NS, DIGITS);
        let fitted = match is_ours {
            true => read,
            false => {
                let mut fitted = hdr();
                fitted.add(&read).map_err(|e| DecodeError(e.to_string()))?;
                fitted
            }
        };
        let mut histogram = Self::new();
        for value in fitted.iter_recorded() {
            let slot = slot_of(value.value_iterated_to());
            histogram.counts[slot] = value.count_at_value();
            histogram.used |= 1 << (slot >> PAGE_BITS);
        }
        Ok(histogram)
    }
}

/// Counts of durations.
pub trait Counted {
    /// Adds them to `sum`.
    fn add_to(&self, sum: &mut LatencyHistogram);
}

impl Counted for LatencyHistogram {
    fn add_to(&self, sum: &mut LatencyHistogram) {
        sum.merge(self);
    }
}

impl Counted for SparseHistogram {
    fn add_to(&self, sum: &mut LatencyHistogram) {
        for (slot, n) in self.slots() {
            sum.counts[slot] = sum.counts[slot].saturating_add(n);
            sum.used |= 1 << (slot >> PAGE_BITS);
        }
    }
}

/// Every slot that has a count, with it: far smaller than all of them, and without the work of compression.
impl Serialize for LatencyHistogram {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.sparse().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut histogram = Self::new();
        SparseHistogram::deserialize(deserializer)?.add_to(&mut histogram);
        Ok(histogram)
    }
}

/// Rank, from 1, of quantile `q` among `count` values in order.
fn rank(q: f64, count: u64) -> u64 {
    ((q.min(1.0) * count as f64).ceil() as u64).max(1)
}

/// An empty histogram of the library with the same bounds, and so with the same slots.
fn hdr() -> Histogram<u64> {
    Histogram::new_with_bounds(1, MAX_NS, DIGITS).expect("the bounds are constants that the library accepts")
}

/// Refuses bytes that would take more memory than any histogram with these bounds: the decoder has it all before it has
/// read anything. The layout is that of HdrHistogram's V2 encoding, big-endian: outside a cookie and the compressed
/// length; inside a cookie, the payload's length, the normalizing offset, the digits, lowest and highest value.
fn check_size(bytes: &[u8]) -> Result<(), DecodeError> {
    let mut head = [0; INNER_HEAD];
    let inner = bytes.get(OUTER_HEAD..).ok_or_else(|| DecodeError("it is too short".to_string()))?;
    ZlibDecoder::new(inner).read_exact(&mut head).map_err(|e| DecodeError(e.to_string()))?;
    let field = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let highest = u64::from(field(24)) << 32 | u64::from(field(28));
    let (payload, digits) = (field(4), field(12));
    let fits = payload <= PAYLOAD_MAX && digits <= u32::from(DIGITS) && highest <= MAX_NS * 2;
    fits.then_some(()).ok_or_else(|| DecodeError("it is larger than any histogram of a record".to_string()))
}

/// Bytes before the compressed part, and of the header within it.
const OUTER_HEAD: usize = 8;
const INNER_HEAD: usize = 40;
/// Longest payload: every counter of the bounds with the nine bytes that the longest number takes.
const PAYLOAD_MAX: u32 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_histogram_has_no_quantiles() {
        assert_eq!(LatencyHistogram::new().summary(), Summary::default());
    }

    #[test]
    fn those_below_an_edge_are_counted_to_the_width_of_a_slot() {
        let mut histogram = LatencyHistogram::new();
        [1, 5, 1_000_000, 1_990_000, 2_010_000].iter().for_each(|ns| histogram.record(*ns));
        let below = |ns| histogram.count_below(ns);
        assert_eq!((below(1), below(5), below(6), below(2_000_000)), (0, 1, 2, 4));
        assert_eq!((below(u64::MAX), LatencyHistogram::new().count_below(5)), (5, 0));
        assert_eq!(LatencyHistogram::new().sum_ns(), 0);
    }

    #[test]
    fn each_is_counted_between_two_bounds_and_a_bound_belongs_to_what_is_below() {
        let mut histogram = LatencyHistogram::new();
        [1, 10, 11, 2_000, 2_001, u64::MAX].iter().for_each(|ns| histogram.record(*ns));
        assert_eq!(histogram.counts_between(&[10, 500, 2_000]), [2, 1, 1, 2]);
        assert_eq!(histogram.counts_between(&[]), [6]);
        assert_eq!(LatencyHistogram::new().counts_between(&[10]), [0, 0]);
    }

    #[test]
    fn the_extremes_are_kept_within_the_bounds() {
        let mut histogram = LatencyHistogram::new();
        histogram.record(0);
        histogram.record(u64::MAX);
        assert_eq!(histogram.count(), 2);
        let max = histogram.quantile_ns(1.0).unwrap();
        assert!((MAX_NS..MAX_NS + MAX_NS / 500).contains(&max), "{max}");
    }

    /// An encoding with that header inside and nothing behind it.
    fn crafted(payload: u32, digits: u32, highest: u64) -> String {
        use flate2::write::ZlibEncoder;
        use std::io::Write;
        let mut inner = Vec::new();
        for field in [0x1c84_9313, payload, 0, digits] {
            inner.extend(field.to_be_bytes());
        }
        inner.extend(1u64.to_be_bytes());
        inner.extend(highest.to_be_bytes());
        inner.extend(1f64.to_bits().to_be_bytes());
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&inner).unwrap();
        let packed = encoder.finish().unwrap();
        let mut bytes = 0x1c84_9314u32.to_be_bytes().to_vec();
        bytes.extend((packed.len() as u32).to_be_bytes());
        bytes.extend(packed);
        BASE64.encode(&bytes)
    }

    #[test]
    fn a_short_text_cannot_ask_for_gigabytes() {
        assert!(
            LatencyHistogram::decode(&crafted(0, u32::from(DIGITS), MAX_NS)).is_ok(),
            "the test's own layout"
        );
        for (payload, digits, highest) in
            [(u32::MAX, 3, MAX_NS), (0, 5, MAX_NS), (0, 3, u64::MAX), (PAYLOAD_MAX + 1, 3, MAX_NS)]
        {
            let error = LatencyHistogram::decode(&crafted(payload, digits, highest)).unwrap_err();
            assert!(error.to_string().contains("larger than any histogram"), "{error}");
        }
    }

    #[test]
    fn junk_is_not_decoded() {
        assert!(LatencyHistogram::decode("%%%").is_err());
        assert!(LatencyHistogram::decode("AAAA").is_err());
    }

    #[test]
    fn what_is_added_lengthens_a_quantile_as_far_as_it_reaches_it() {
        let (mut times, mut added) = (LatencyHistogram::new(), LatencyHistogram::new());
        (1..=10_000).for_each(|i| times.record(1_000_000 + i * 100));
        let longer = |added: &LatencyHistogram, of, q| {
            times.quantile_with_added(added, of, q).unwrap() as f64 / times.quantile_ns(q).unwrap() as f64
        };
        assert_eq!(longer(&added, 0, 0.99), 1.0);
        assert_eq!(longer(&added, 1_000, 0.99), 1.0);
        // A millisecond on two draws in a thousand: the p99 becomes what the p992 was, the p999 half a millisecond longer.
        added.record_many(1_000_000, 2);
        assert!((longer(&added, 1_000, 0.99) - 1.001).abs() < 1e-3, "{}", longer(&added, 1_000, 0.99));
        assert!((longer(&added, 1_000, 0.999) - 1.25).abs() < 0.01, "{}", longer(&added, 1_000, 0.999));
        // A tenth of a millisecond on all of them.
        let mut all = LatencyHistogram::new();
        all.record_many(100_000, 1_000);
        assert!((longer(&all, 1_000, 0.5) - 1.0667).abs() < 2e-3, "{}", longer(&all, 1_000, 0.5));
        assert_eq!(LatencyHistogram::new().quantile_with_added(&all, 1_000, 0.5), None);
    }

    #[test]
    fn what_had_no_end_ranks_above_all_that_had_one() {
        let (mut ended, mut unended) = (LatencyHistogram::new(), LatencyHistogram::new());
        ended.record_many(1_000, 9_800);
        let value = |unended: &LatencyHistogram, q| ended.quantile_beside(unended, q).unwrap();
        assert_eq!(value(&unended, 0.99), Censored { value: 1_000, at_least: false });
        assert!(!ended.mean_beside(&unended).unwrap().at_least);
        // Two in a hundred were given up after two thousand.
        unended.record_many(2_000, 200);
        assert_eq!(value(&unended, 0.98), Censored { value: 1_000, at_least: false });
        assert_eq!(value(&unended, 0.99), Censored { value: 2_000, at_least: true });
        assert_eq!(value(&unended, 1.0), Censored { value: 2_000, at_least: true });
        let mean = ended.mean_beside(&unended).unwrap();
        assert!(mean.at_least && (mean.value - 1_020.0).abs() < 1.0, "{mean:?}");
        let none = LatencyHistogram::new();
        assert_eq!(none.quantile_beside(&none, 0.5), None);
        assert_eq!(none.quantile_beside(&unended, 0.5), Some(Censored { value: 2_000, at_least: true }));
    }

    proptest! {
        /// Each exchange has a true time, and some were given up before it was over.
        #[test]
        fn a_lower_end_is_never_above_the_truth_and_a_value_never_below_it(
            exchanges in proptest::collection::vec((1u64..5_000, prop::option::of(0.0f64..1.0)), 1..200),
            per_mille in 1u64..=1_000,
        ) {
            let (mut truth, mut ended) = (LatencyHistogram::new(), LatencyHistogram::new());
            let mut unended = LatencyHistogram::new();
            for (ns, given_up) in exchanges {
                truth.record(ns);
                match given_up {
                    None => ended.record(ns),
                    Some(share) => unended.record((ns as f64 * share) as u64),
                }
            }
            let q = per_mille as f64 / 1_000.0;
            let known = truth.quantile_ns(q).unwrap();
            let found = ended.quantile_beside(&unended, q).unwrap();
            prop_assert!(if found.at_least { found.value <= known } else { found.value >= known }, "{found:?} {known}");
            let mean = ended.mean_beside(&unended).unwrap();
            prop_assert!(mean.value <= truth.mean_ns().unwrap() + 3.0, "{mean:?}");
        }

        #[test]
        fn it_counts_and_tells_as_the_library_does(
            values in proptest::collection::vec((0u32..43, any::<u64>()), 0..300),
            q in 0.0f64..=1.0,
        ) {
            let (mut ours, mut theirs) = (LatencyHistogram::new(), hdr());
            for (bits, value) in values {
                let value = value & ((1 << bits) - 1);
                ours.record(value);
                theirs.saturating_record(value.clamp(1, MAX_NS));
            }
            prop_assert_eq!(ours.count(), theirs.len());
            prop_assert_eq!(ours.mean_ns(), (!theirs.is_empty()).then(|| theirs.mean()));
            for q in [0.0, q, 0.5, 0.99, 1.0, 1.5] {
                let quantile = (!theirs.is_empty()).then(|| theirs.value_at_quantile(q));
                prop_assert_eq!(ours.quantile_ns(q), quantile);
            }
            let mut bytes = Vec::new();
            V2DeflateSerializer::new().serialize(&theirs, &mut bytes).unwrap();
            prop_assert_eq!(ours.encode(), BASE64.encode(&bytes));
            prop_assert_eq!(&LatencyHistogram::decode(&ours.encode()).unwrap(), &ours);
            prop_assert_eq!(&ours.clone(), &ours);
            let mut emptied = ours;
            emptied.clear();
            prop_assert_eq!(emptied, LatencyHistogram::new());
        }

        #[test]
        fn encoding_is_lossless_and_merging_commutes(
            a in proptest::collection::vec(0u64..10_000_000_000, 0..200),
            b in proptest::collection::vec(0u64..10_000_000_000, 0..200),
        ) {
            let fill = |values: &[u64]| {
                let mut h = LatencyHistogram::new();
                values.iter().for_each(|v| h.record(*v));
                h
            };
            let (x, y) = (fill(&a), fill(&b));
            let (mut xy, mut yx) = (x.clone(), y.clone());
            xy.merge(&y);
            yx.merge(&x);
            prop_assert_eq!(xy.encode(), yx.encode());
            let back = LatencyHistogram::decode(&xy.encode()).unwrap();
            prop_assert_eq!(back.summary().p99_ns, xy.summary().p99_ns);
            prop_assert_eq!(back.sum_ns(), x.sum_ns() + y.sum_ns());
            prop_assert_eq!(back.count(), xy.count());
        }
    }
}
