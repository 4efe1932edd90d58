//! Differences that can be resolved under a given noise, with the looks that a study has.

use crate::Design;
use crate::rng::Rng;

/// Studies that are simulated; gives a quantile of them to about one per cent.
const STUDIES: usize = 8_000;
/// Always the same studies, so that the same machine and plan give the same figure.
const SEED: u64 = 0x5eed_0007;
/// Largest number of blocks that is worth reporting.
const BLOCKS_MAX: f64 = 100_000.0;

/// Differences that a study finds, in units of the spread of its block log-ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detectable {
    /// The smallest true log-ratio that is found, in its direction.
    pub difference: f64,
    /// The narrowest band in which variants that are equal are found to be (`~ within`).
    pub band: f64,
}

/// Differences that studies of this design find in a share `power` of cases, when that many claims share their error
/// rate.
///
/// Normal block log-ratios are played through the looks and their bounds. A true difference moves every mean and no
/// spread, so each study played has one smallest difference from which on it is found, and the answer is a quantile of
/// those. `None` for a design without bounds, such as that of a single block.
pub fn detectable(design: &Design, claims: u32, power: f64) -> Option<Detectable> {
    let row = design.row(claims.max(1))?;
    let last = *design.looks.last()?;
    let mut rng = Rng::new(SEED);
    let (mut differences, mut bands) = (Vec::with_capacity(STUDIES), Vec::with_capacity(STUDIES));
    for _ in 0..STUDIES {
        let (mut sum, mut squares) = (0.0, 0.0);
        let (mut difference, mut band) = (f64::INFINITY, f64::INFINITY);
        let mut looks = design.looks.iter().zip(&row).peekable();
        for block in 1..=last {
            let value = rng.normal();
            sum += value;
            squares += value * value;
            if let Some((_, bound)) = looks.next_if(|(look, _)| **look == block) {
                let n = f64::from(block);
                let mean: f64 = sum / n;
                let sd = ((squares - n * mean * mean).max(0.0) / (n - 1.0)).sqrt();
                let half = bound * sd / n.sqrt();
                difference = f64::min(difference, half - mean);
                band = f64::min(band, half + mean.abs());
            }
        }
        differences.push(difference);
        bands.push(band);
    }
    Some(Detectable { difference: quantile(differences, power), band: quantile(bands, power) })
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * values.len() as f64).ceil() as usize;
    values[at.clamp(1, values.len()) - 1]
}

/// About how many blocks it takes until what `reach` (of `Detectable`) is after `blocks` comes down to `wanted`, both
/// in the same unit: an interval narrows with the root of the blocks. `None` for more than 100,000.
pub fn blocks_for(blocks: u32, reach: f64, wanted: f64) -> Option<u32> {
    let needed = (f64::from(blocks) * (reach / wanted).powi(2)).ceil();
    (wanted > 0.0 && needed <= BLOCKS_MAX).then_some(needed as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One look: the t test of a fixed number of blocks. At 10 blocks, 5 % on both sides, power 0.8 the effect is 0.996
    /// standard deviations (noncentral t; the same as the 10 blocks that printed tables give for an effect of 1).
    #[test]
    fn one_look_has_the_power_of_the_t_test() {
        let found = detectable(&Design::at(&[10]), 1, 0.8).expect("a plan");
        assert!((found.difference - 0.996).abs() < 0.03, "{found:?}");
    }

    #[test]
    fn more_claims_and_fewer_blocks_resolve_less() {
        let of = |design: &Design, claims| detectable(design, claims, 0.8).expect("a plan");
        let (quick, default) = (of(&Design::quick(), 1), of(&Design::default(), 1));
        assert!(
            default.difference < quick.difference && quick.difference < of(&Design::quick(), 4).difference
        );
        assert!(
            quick.band > quick.difference,
            "to show a difference is easier than to show that there is none"
        );
        assert_eq!(detectable(&Design::smoke(), 1, 0.8), None);
    }

    /// Bounds that hold after every block are wider than those of a last look: 3.68 instead of 2.61 after 12 blocks.
    #[test]
    fn a_study_that_keeps_going_resolves_by_its_own_bounds() {
        let of = |design: &Design| detectable(design, 1, 0.8).expect("bounds").difference;
        let (anytime, quick) = (of(&Design::anytime(12)), of(&Design::quick()));
        assert!((1.15..1.40).contains(&(anytime / quick)), "{anytime} and {quick}");
        assert!(of(&Design::anytime(200)) < of(&Design::anytime(60)));
    }

    #[test]
    fn a_quarter_of_the_width_takes_sixteen_times_the_blocks() {
        assert_eq!(blocks_for(12, 0.04, 0.01), Some(192));
        assert_eq!(blocks_for(12, 0.04, 0.0), None);
        assert_eq!(blocks_for(12, 0.04, 1e-9), None);
    }
}
