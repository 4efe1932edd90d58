//! Bounds on |t| that hold at every number of blocks at once: for a study that may be looked at after every block and
//! go on without an end.
//!
//! With independent normal differences x of unknown spread, the ratio of two marginal likelihoods, a normal effect
//! size with variance g against none, both with the right-Haar prior 1/σ on the spread, is a martingale of mean 1
//! when there is no effect (in the filtration of t; Wang and Ramdas, arXiv 2310.03722). By Ville's inequality it
//! ever reaches 1/α with probability α at most. Solved for t that is, with R = (√(1 + ng)/α)^(2/n),
//!
//! |t| = √((n − 1)(R − 1) / (1 − R/(1 + ng))), and no bound at all while R ≥ 1 + ng.

/// Variance of the effect, in units of the spread between blocks, that the bounds are sharpest for.
pub const EFFECT_VARIANCE: f64 = 1.0;

/// Fewest blocks at which one claim at an error rate of 5 % has a bound.
pub const ANYTIME_FIRST: u32 = 5;

/// The bound on |t| after `blocks` blocks when the error rate over all numbers of blocks is `alpha`. Infinite where
/// so few blocks exclude nothing, and for an `alpha` outside 0 to 1.
pub fn anytime(blocks: u32, alpha: f64) -> f64 {
    if blocks < 2 || !(alpha > 0.0 && alpha < 1.0) {
        return f64::INFINITY;
    }
    let n = f64::from(blocks);
    let room = 1.0 + n * EFFECT_VARIANCE;
    let ratio = (room.sqrt() / alpha).powf(2.0 / n);
    if ratio >= room {
        return f64::INFINITY;
    }
    ((n - 1.0) * (ratio - 1.0) / (1.0 - ratio / room)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::student;

    #[test]
    fn the_bounds_are_those_of_the_formula_worked_out_elsewhere() {
        for (blocks, expected) in [
            (5, 8.45),
            (6, 5.45),
            (8, 4.25),
            (10, 3.87),
            (12, 3.68),
            (15, 3.54),
            (20, 3.42),
            (30, 3.35),
            (60, 3.32),
        ] {
            let bound = anytime(blocks, 0.05);
            assert!((bound - expected).abs() < 0.01, "{blocks}: {bound}, {expected}");
        }
        assert_eq!(anytime(ANYTIME_FIRST - 1, 0.05), f64::INFINITY);
        assert!(anytime(20, 0.01) > anytime(20, 0.05));
        for odd in [0.0, 1.0, -1.0, f64::NAN] {
            assert_eq!(anytime(20, odd), f64::INFINITY);
        }
        assert_eq!((anytime(0, 0.05), anytime(1, 0.05)), (f64::INFINITY, f64::INFINITY));
    }

    /// Studies without any effect that are looked at after every block until the 200th: how many ever find one, by
    /// these bounds, by Student's at every block, and by Student's at the default looks alone.
    #[test]
    fn looking_after_every_block_errs_as_often_as_said_and_peeking_far_more_often() {
        let (studies, last) = (10_000, 200_u32);
        let plain: Vec<f64> = (0..=last).map(|n| student::critical(0.05, n.max(2) - 1)).collect();
        let bounds: Vec<f64> = (0..=last).map(|n| anytime(n, 0.05)).collect();
        let (mut ours, mut peeking, mut at_looks) = (0, 0, 0);
        let mut rng = Rng::new(20_231_003_722);
        for _ in 0..studies {
            let (mut mean, mut squares) = (0.0, 0.0);
            let mut found = [false; 3];
            for n in 1..=last {
                let value = rng.normal();
                let before = value - mean;
                mean += before / f64::from(n);
                squares += before * (value - mean);
                if n < ANYTIME_FIRST {
                    continue;
                }
                let t = mean.abs() * f64::from(n).sqrt() / (squares / f64::from(n - 1)).sqrt();
                found[0] |= t > bounds[n as usize];
                found[1] |= t > plain[n as usize];
                found[2] |= t > plain[n as usize] && [5, 8, 12, 16, 20, 30].contains(&n);
            }
            ours += u32::from(found[0]);
            peeking += u32::from(found[1]);
            at_looks += u32::from(found[2]);
        }
        println!(
            "of {studies}: anytime {ours}, Student's after every block {peeking}, at six looks {at_looks}"
        );
        // 3.4 % were expected; four standard deviations of a binomial count beside it.
        assert!((265..=415).contains(&ours), "{ours}");
        assert!(peeking > 3_000 && at_looks > 1_400, "{peeking}, {at_looks}");
    }
}
