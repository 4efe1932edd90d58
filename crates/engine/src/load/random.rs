//! Seeded random numbers of our own, so that a timetable does not change with a dependency.

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(u64);

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// A generator; the same seed and the same stream give the same numbers. Streams of one seed are
    /// kept apart by a name of their own, so that a draw more in one does not move another.
    pub fn new(seed: u64, stream: u64) -> Self {
        Random(mixed(seed ^ mixed(stream.wrapping_add(GAMMA))))
    }

    /// The number with this index in the stream, without the ones before it.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        mixed(self.0.wrapping_add(GAMMA.wrapping_mul(index.wrapping_add(1))))
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mixed(self.0)
    }

    /// A number above 0 and not above 1, of 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number below `bound`, each as likely as any other to within `bound / 2^64`.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        scaled(self.next_u64(), bound)
    }

    /// Exponentially distributed with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }
}

/// Brings a random number of 64 bits below `bound` (Lemire's multiplication).
#[inline]
pub(crate) fn scaled(number: u64, bound: u64) -> u64 {
    ((u128::from(number) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_reference_implementation() {
        let mut random = Random(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_place_of_the_stream_is_the_same_number_as_the_walk_to_it() {
        let stream = Random::new(7, 3);
        let mut walk = stream.clone();
        assert!((0..100).all(|i| walk.next_u64() == stream.at(i)));
    }

    #[test]
    fn streams_of_one_seed_differ() {
        assert_ne!(Random::new(7, 0).at(0), Random::new(7, 1).at(0));
    }
}
