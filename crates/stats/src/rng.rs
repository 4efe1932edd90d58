//! Our own seeded generator, so that an order, a table or a simulation never changes with a dependency.
//!
//! xoshiro256++ (Blackman and Vigna, 2019, public domain) seeded by SplitMix64 (Steele, Lea and Flood, 2014).
//! Not for secrets.

/// SplitMix64: one number after the other from a counter; spreads a seed over many bits.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts at `seed`; every seed is as good as another.
    pub const fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// xoshiro256++.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
    spare_normal: Option<f64>,
}

impl Rng {
    /// The same seed gives the same numbers, on every machine and for ever.
    pub const fn new(seed: u64) -> Self {
        let mut mix = SplitMix64::new(seed);
        let state = [mix.next_u64(), mix.next_u64(), mix.next_u64(), mix.next_u64()];
        Rng { state, spare_normal: None }
    }

    /// 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = self.state;
        let result = s0.wrapping_add(s3).rotate_left(23).wrapping_add(s0);
        let (s2, s3) = (s2 ^ s0, s3 ^ s1);
        let (s1_next, s0_next) = (s1 ^ s2, s0 ^ s3);
        self.state = [s0_next, s1_next, s2 ^ (s1 << 17), s3.rotate_left(45)];
        result
    }

    /// Uniform in \[0, 1), a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in 0..`bound`, without bias (Lemire's method); 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let threshold = if bound == 0 { return 0 } else { bound.wrapping_neg() % bound };
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Standard normal (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare_normal.take() {
            return spare;
        }
        loop {
            let x = 2.0 * self.uniform() - 1.0;
            let y = 2.0 * self.uniform() - 1.0;
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.spare_normal = Some(y * scale);
                return x * scale;
            }
        }
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// Puts the items into a random order, every order equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of SplitMix64 for the seed 1234567, as printed with its reference implementation.
    #[test]
    fn splitmix_gives_the_published_numbers() {
        let mut mix = SplitMix64::new(1_234_567);
        let first = [mix.next_u64(), mix.next_u64(), mix.next_u64()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    /// The first outputs of xoshiro256++ from the state 1, 2, 3, 4, as in its authors' test vectors.
    #[test]
    fn xoshiro_gives_the_published_numbers() {
        let mut rng = Rng { state: [1, 2, 3, 4], spare_normal: None };
        let first = [rng.next_u64(), rng.next_u64(), rng.next_u64(), rng.next_u64()];
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn normals_have_the_moments_of_the_normal_distribution() {
        let mut rng = Rng::new(1);
        let n = 200_000;
        let mut powers = [0.0; 4];
        for _ in 0..n {
            let x = rng.normal();
            for (index, power) in powers.iter_mut().enumerate() {
                *power += x.powi(index as i32 + 1) / f64::from(n);
            }
        }
        // Four standard errors: of the mean 1/√n, of the others √2, √15, √96 over √n.
        let unit = 4.0 / f64::from(n).sqrt();
        for ((found, expected), width) in powers.iter().zip([0.0, 1.0, 0.0, 3.0]).zip([1.0, 1.5, 3.9, 9.8]) {
            assert!((found - expected).abs() < unit * width, "{powers:?}");
        }
    }

    #[test]
    fn every_order_of_three_comes_equally_often() {
        let mut rng = Rng::new(2);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            rng.shuffle(&mut items);
            *seen.entry(items).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&count| (9_600..10_400).contains(&count)), "{seen:?}");
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut rng = Rng::new(3);
        let seen: std::collections::BTreeSet<u64> = (0..1_000).map(|_| rng.below(7)).collect();
        assert_eq!(seen, (0..7).collect());
        assert_eq!(rng.below(0), 0);
    }
}
