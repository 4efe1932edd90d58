//! Seeded randomness that does not depend on the order in which requests are served.
//!
//! Each request has its own short stream of numbers, a function of (seed, connection, request on that
//! connection) alone. So the same seed injects the same fault into the third request of the tenth
//! connection, whichever worker serves it and whatever else is going on.

/// The random numbers of one request: SplitMix64 (Steele, Lea, Flood 2014) from a mixed start.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Dice {
    /// The dice of request `request` (from 1) on connection `connection` (from 1, in order of acceptance).
    pub fn for_request(seed: u64, connection: u64, request: u64) -> Self {
        let of_connection = mix(mix(seed.wrapping_add(GOLDEN)) ^ connection.wrapping_mul(GOLDEN));
        Dice { state: mix(of_connection ^ mix(request.wrapping_add(GOLDEN))) }
    }

    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// Uniform in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A whole number in `low..=high`; `high` must not be below `low`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = u128::from(high - low) + 1;
        low + ((u128::from(self.bits()) * span) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_request_throws_the_same_numbers() {
        let throw = |seed, connection, request| Dice::for_request(seed, connection, request).bits();
        assert_eq!(throw(1, 2, 3), throw(1, 2, 3));
        let others = [throw(2, 2, 3), throw(1, 3, 2), throw(1, 2, 4), throw(1, 3, 3)];
        assert!(others.iter().all(|&other| other != throw(1, 2, 3)), "{others:x?}");
    }

    #[test]
    fn first_throws_are_uniform_over_connections_and_requests() {
        let mut bins = [0u32; 100];
        for connection in 1..=400 {
            for request in 1..=250 {
                bins[(Dice::for_request(42, connection, request).unit() * 100.0) as usize] += 1;
            }
        }
        // Chi-square with 99 degrees of freedom: 148.2 is its 99.9 % quantile; the seed is fixed.
        let chi: f64 = bins.iter().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 148.2, "{chi}");
    }

    #[test]
    fn between_reaches_both_ends_and_nothing_else() {
        let mut seen = [false; 4];
        for request in 0..200 {
            seen[Dice::for_request(7, 1, request).between(3, 6) as usize - 3] = true;
        }
        assert_eq!(seen, [true; 4]);
        assert_eq!(Dice::for_request(7, 1, 1).between(9, 9), 9);
    }
}
