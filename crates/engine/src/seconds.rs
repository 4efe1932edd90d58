//! What each second of the window brought: how many answers, and how long they took.
//!
//! The latencies of a second are kept in buckets that grow by an eighth of an octave: cheap enough for every answer,
//! and fine enough for a curve beside those of the subject. Verdicts rest on the full histograms, never on these.

const SECOND_NS: u64 = 1_000_000_000;
/// Seconds for which the series of counts has room; what comes later is left out of the series alone.
const COUNTS_MAX: u64 = 7 * 86_400;
/// Seconds for which latencies are kept apart; an hour takes 3.5 MiB.
const LATENCIES_MAX: u64 = 3_600;
/// Buckets in an octave, as a power of two.
const SUB_BITS: u32 = 3;
/// Everything below 2^10 ns, about a microsecond, falls into the first bucket.
const LOWEST_BIT: u32 = 10;
/// Up to 2^42 ns, over an hour.
const BUCKETS: usize = 32 << SUB_BITS;

type Buckets = [u32; BUCKETS];

/// The seconds of one worker, or of several added up.
#[derive(Clone, Debug)]
pub(crate) struct Seconds {
    counts: Vec<u64>,
    latencies: Vec<Buckets>,
    count: u64,
    buckets: Box<Buckets>,
    end_ns: u64,
    window_end_ns: u64,
}

/// Quantiles of the response times that ended within a second; the upper end of their bucket, which is at most an
/// eighth above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondQuantiles {
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
}

impl Seconds {
    /// Has all its memory from the beginning.
    pub fn new(start_ns: u64, window_end_ns: u64) -> Seconds {
        let seconds = (window_end_ns - start_ns).div_ceil(SECOND_NS);
        Seconds {
            counts: Vec::with_capacity(seconds.min(COUNTS_MAX) as usize),
            latencies: Vec::with_capacity(seconds.min(LATENCIES_MAX) as usize),
            count: 0,
            buckets: Box::new([0; BUCKETS]),
            end_ns: start_ns + SECOND_NS,
            window_end_ns,
        }
    }

    /// Goes on to the second of this instant.
    #[inline]
    pub fn turn(&mut self, now_ns: u64) {
        if now_ns >= self.end_ns {
            self.turn_over(now_ns);
        }
    }

    /// An answer that ended in the present second.
    #[inline]
    pub fn add(&mut self, response_ns: u64) {
        self.count += 1;
        self.buckets[bucket(response_ns)] += 1;
    }

    #[cold]
    fn turn_over(&mut self, now_ns: u64) {
        while now_ns >= self.end_ns && self.end_ns <= self.window_end_ns {
            self.close_second();
            self.end_ns += SECOND_NS;
        }
    }

    fn close_second(&mut self) {
        if self.counts.len() < self.counts.capacity() {
            self.counts.push(self.count);
        }
        if self.latencies.len() < self.latencies.capacity() {
            self.latencies.push(*self.buckets);
        }
        self.count = 0;
        self.buckets.fill(0);
    }

    /// The window is over: a second that was begun and saw answers counts.
    pub fn finish(&mut self, end_ns: u64) {
        self.turn(end_ns);
        if self.count > 0 {
            self.close_second();
        }
    }

    /// Adds the seconds of another worker.
    pub fn merge(&mut self, other: &Seconds) {
        let longest = self.counts.len().max(other.counts.len());
        self.counts.resize(longest, 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, n)| *sum += n);
        let longest = self.latencies.len().max(other.latencies.len());
        self.latencies.resize(longest, [0; BUCKETS]);
        for (sums, more) in self.latencies.iter_mut().zip(&other.latencies) {
            sums.iter_mut().zip(more).for_each(|(sum, n)| *sum += n);
        }
    }

    /// Answers in each second.
    pub fn counts(&self) -> Vec<u64> {
        self.counts.clone()
    }

    /// Quantiles of each second; `None` for one without answers.
    pub fn quantiles(&self) -> Vec<Option<SecondQuantiles>> {
        self.latencies.iter().map(quantiles_of).collect()
    }
}

fn quantiles_of(buckets: &Buckets) -> Option<SecondQuantiles> {
    let total: u64 = buckets.iter().map(|n| u64::from(*n)).sum();
    let at = |share: f64| {
        let wanted = ((total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let found = buckets.iter().position(|n| {
            seen += u64::from(*n);
            seen >= wanted
        });
        upper_ns(found.unwrap_or(BUCKETS - 1))
    };
    (total > 0).then(|| SecondQuantiles { p50_ns: at(0.5), p99_ns: at(0.99) })
}

#[inline]
fn bucket(ns: u64) -> usize {
    let ns = ns.max(1 << LOWEST_BIT);
    let octave = 63 - ns.leading_zeros();
    let within = (ns >> (octave - SUB_BITS)) & ((1 << SUB_BITS) - 1);
    let at = (u64::from(octave - LOWEST_BIT) << SUB_BITS) + within;
    (at as usize).min(BUCKETS - 1)
}

/// The first value above a bucket.
fn upper_ns(bucket: usize) -> u64 {
    let octave = (bucket >> SUB_BITS) as u32 + LOWEST_BIT;
    let within = bucket as u64 & ((1 << SUB_BITS) - 1);
    ((1 << SUB_BITS) + within + 1) << (octave - SUB_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bucket_holds_its_value_and_ends_at_most_an_eighth_above_it(ns in 1024u64..1 << 41) {
            let upper = upper_ns(bucket(ns));
            prop_assert!(upper > ns && upper <= ns + ns / 8 + 1, "{ns}: {upper}");
        }

        #[test]
        fn buckets_do_not_go_back(a: u64, b: u64) {
            prop_assert!(bucket(a.max(b)) >= bucket(a.min(b)));
        }
    }

    #[test]
    fn each_second_has_its_own_quantiles_and_an_empty_one_none() {
        let mut seconds = Seconds::new(0, 3 * SECOND_NS);
        for _ in 0..98 {
            seconds.add(1_000_000);
        }
        seconds.add(50_000_000);
        seconds.add(50_000_000);
        seconds.turn(2 * SECOND_NS + 1);
        seconds.add(2_000_000);
        seconds.finish(3 * SECOND_NS);
        assert_eq!(seconds.counts(), [100, 0, 1]);
        let [Some(first), None, Some(last)] = seconds.quantiles()[..] else { panic!("{seconds:?}") };
        assert!((1_000_000..1_130_000).contains(&first.p50_ns), "{first:?}");
        assert!((50_000_000..56_300_000).contains(&first.p99_ns), "{first:?}");
        assert!((2_000_000..2_260_000).contains(&last.p50_ns), "{last:?}");
    }

    #[test]
    fn workers_add_up() {
        let mut one = Seconds::new(0, SECOND_NS);
        let mut other = Seconds::new(0, SECOND_NS);
        (0..10).for_each(|_| one.add(1_000_000));
        (0..90).for_each(|_| other.add(4_000_000));
        one.finish(SECOND_NS);
        other.finish(SECOND_NS);
        one.merge(&other);
        assert_eq!(one.counts(), [100]);
        assert!(one.quantiles()[0].is_some_and(|found| found.p50_ns > 4_000_000));
    }
}
