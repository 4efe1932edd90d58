//! Components of the spread: from slice to slice within a start, and from start to start; and the number of slices
//! that a start is worth.
//!
//! Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, with the corrected estimators of their
//! section 9.2: S₁² is the variance of slices within a start, S₂² that of the starts' means; T₁² = S₁², and
//! T₂² = S₂² − S₁²/r. Where starts have different numbers of slices, r is their harmonic mean: the mean of a start
//! with r slices has the variance T₂² + T₁²/r.

/// Fewest cycles that are chosen.
pub const CYCLES_MIN: u32 = 2;
/// Most cycles that are chosen.
pub const CYCLES_MAX: u32 = 60;

/// Variances of the log-ratio of two variants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    /// T₁²: of pairs of slices within a start.
    pub slices: f64,
    /// T₂²: of starts. Below zero where the starts differ less than their slices alone would make them.
    pub starts: f64,
    /// Slices of a start, harmonic mean.
    pub slices_per_start: f64,
}

/// Splits the spread of log-ratios: a list of slices for each start. `None` with less than two starts of two slices
/// each, or values that are not finite. Starts with fewer than two slices are left out.
pub fn components(starts: &[Vec<f64>]) -> Option<Components> {
    let starts: Vec<&Vec<f64>> = starts.iter().filter(|slices| slices.len() >= 2).collect();
    if starts.len() < 2 {
        return None;
    }
    let means: Vec<f64> = starts.iter().map(|slices| mean(slices)).collect();
    let squares = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let within: f64 = starts.iter().zip(&means).map(|(slices, mean)| squares(slices, *mean)).sum();
    let freedom: usize = starts.iter().map(|slices| slices.len() - 1).sum();
    let slices = within / freedom as f64;
    let between = squares(&means, mean(&means)) / (means.len() - 1) as f64;
    let slices_per_start =
        starts.len() as f64 / starts.iter().map(|slices| 1.0 / slices.len() as f64).sum::<f64>();
    let found = Components { slices, starts: between - slices / slices_per_start, slices_per_start };
    (found.slices.is_finite() && found.starts.is_finite()).then_some(found)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl Components {
    /// The number of slices that a start is worth: √(c₂/c₁ · T₁²/T₂²), with c₂ what one more start costs and c₁ what
    /// one more slice does, in the same unit. Infinite where starts do not differ.
    pub fn slices_worth(&self, start_cost: f64, slice_cost: f64) -> f64 {
        if self.slices <= 0.0 {
            return 0.0;
        }
        (start_cost / slice_cost * self.slices / self.starts.max(0.0)).sqrt()
    }

    /// The same as a number of cycles: rounded up to an even number, for every second cycle has the reverse order of
    /// the one before, and at least [`CYCLES_MIN`], at most `most` and [`CYCLES_MAX`].
    pub fn cycles(&self, start_cost: f64, slice_cost: f64, most: u32) -> u32 {
        let worth = self.slices_worth(start_cost, slice_cost);
        let most = most.clamp(CYCLES_MIN, CYCLES_MAX) / 2 * 2;
        if worth.is_nan() || worth >= f64::from(most) {
            return most;
        }
        (worth.ceil() as u32).next_multiple_of(2).clamp(CYCLES_MIN, most)
    }
}

/// Gain from taking turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turns {
    /// Share of the variance within starts that fell out of the log-ratio, because the variants met the same machine
    /// cycle by cycle. Below zero where turns made it larger.
    pub removed: f64,
    /// Blocks that variants one after the other would need for the same interval, as a multiple: at least, for what
    /// drifts does not average out over a stretch as it does over turns.
    pub serial_blocks: f64,
}

/// Gain from taking turns, from logarithms of both variants' slices in each cycle of each start.
pub fn turns(starts: &[Vec<(f64, f64)>]) -> Option<Turns> {
    let ratios: Vec<Vec<f64>> =
        starts.iter().map(|slices| slices.iter().map(|(left, right)| left - right).collect()).collect();
    let found = components(&ratios)?;
    let side = |of: fn(&(f64, f64)) -> f64| {
        let logs: Vec<Vec<f64>> = starts.iter().map(|slices| slices.iter().map(of).collect()).collect();
        Some(components(&logs)?.slices)
    };
    let apart = side(|pair| pair.0)? + side(|pair| pair.1)?;
    if apart <= 0.0 {
        return None;
    }
    let (between, slices) = (found.starts.max(0.0), found.slices_per_start);
    let with_turns = between + found.slices / slices;
    (with_turns > 0.0).then(|| Turns {
        removed: 1.0 - found.slices / apart,
        serial_blocks: (between + apart / slices) / with_turns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Starts of a data file: a line each; and the values in its comments, written as `# name = value`.
    fn data(text: &str) -> (Vec<Vec<f64>>, impl Fn(&str) -> f64 + '_) {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let numbers = |line: &str| line.split(',').map(|n| n.trim().parse().expect("a number")).collect();
        let golden = move |name: &str| {
            let prefix = format!("# {name} = ");
            let line = text.lines().find_map(|line| line.strip_prefix(&prefix)).expect("it is there");
            line.parse().expect("a number")
        };
        (lines.map(numbers).collect(), golden)
    }

    #[test]
    fn the_components_are_those_of_an_independent_computation() {
        for text in [
            include_str!("../testdata/components-balanced.csv"),
            include_str!("../testdata/components-unbalanced.csv"),
        ] {
            let (starts, golden) = data(text);
            let found = components(&starts).expect("many starts");
            for (found, name) in [(found.slices, "T1^2"), (found.starts, "T2^2")] {
                let golden = golden(name);
                assert!((found - golden).abs() < 1e-9 * golden.abs(), "{name}: {found}, not {golden}");
            }
        }
    }

    #[test]
    fn kalibera_and_jones_worked_example() {
        // Two warm-ups cost 120 s, a pair of slices 20 s, slices spread by 3 %: starts that spread by 1, 3 and 7 %
        // are worth 7.3, 2.4 and 1 pairs.
        let worth = |start: f64| {
            Components { slices: 0.03 * 0.03, starts: start * start, slices_per_start: 6.0 }
                .slices_worth(120.0, 20.0)
        };
        for (start, expected) in [(0.01, 7.348), (0.03, 2.449), (0.07, 1.0498)] {
            assert!((worth(start) - expected).abs() < 1e-3, "{start}: {}", worth(start));
        }
    }

    #[test]
    fn cycles_are_even_and_within_their_limits() {
        let of = |slices: f64, starts: f64, most| {
            Components { slices, starts, slices_per_start: 6.0 }.cycles(120.0, 20.0, most)
        };
        assert_eq!(of(9e-4, 1e-4, 24), 8, "7.3 rounded up");
        assert_eq!(of(9e-4, 9e-4, 24), 4);
        assert_eq!(of(9e-4, 49e-4, 24), 2);
        assert_eq!(of(9e-4, 0.0, 24), 24, "starts that do not differ cost without giving anything");
        assert_eq!(of(9e-4, -1e-4, 24), 24);
        assert_eq!(of(9e-4, -1e-4, 9), 8, "no more than the time allows");
        assert_eq!(of(0.0, 1e-4, 24), 2);
        assert_eq!(of(0.0, 0.0, 24), 2, "nothing varies");
        assert_eq!(of(f64::INFINITY, 1e-4, 1), 2);
    }

    #[test]
    fn the_truth_is_found_on_average() {
        let mut rng = Rng::new(5);
        let (mut slices, mut starts) = (0.0, 0.0);
        for _ in 0..4_000 {
            let study: Vec<Vec<f64>> = (0..4)
                .map(|_| {
                    let start = 0.02 * rng.normal();
                    (0..6).map(|_| start + 0.03 * rng.normal()).collect()
                })
                .collect();
            let found = components(&study).expect("four starts");
            slices += found.slices / 4_000.0;
            starts += found.starts / 4_000.0;
        }
        assert!((slices / 9e-4 - 1.0).abs() < 0.02, "{slices}");
        assert!((starts / 4e-4 - 1.0).abs() < 0.06, "{starts}");
    }

    #[test]
    fn turns_remove_what_both_variants_share() {
        let mut rng = Rng::new(9);
        let mut starts = |shared: f64| -> Vec<Vec<(f64, f64)>> {
            let mut pair = || {
                let drift = shared * rng.normal();
                (drift + 0.02 * rng.normal(), drift + 0.02 * rng.normal())
            };
            (0..40).map(|_| (0..6).map(|_| pair()).collect()).collect()
        };
        // Shared 0.04² of 0.04² + 0.02²: four fifths; without starts that differ serial needs five times the blocks.
        let much = turns(&starts(0.04)).expect("it varies");
        assert!((much.removed - 0.8).abs() < 0.06, "{much:?}");
        assert!((3.0..7.0).contains(&much.serial_blocks), "{much:?}");
        let nothing = turns(&starts(0.0)).expect("it varies");
        assert!(nothing.removed.abs() < 0.15 && (nothing.serial_blocks - 1.0).abs() < 0.2, "{nothing:?}");
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(components(&[vec![0.1, 0.2]]), None);
        assert_eq!(components(&[vec![0.1], vec![0.2], vec![0.1, 0.3]]), None);
        assert_eq!(components(&[vec![0.1, f64::NAN], vec![0.1, 0.2]]), None);
        assert_eq!(turns(&[]), None);
        assert_eq!(turns(&[vec![(0.0, 0.0); 3], vec![(0.0, 0.0); 3]]), None, "nothing varies");
    }
}
