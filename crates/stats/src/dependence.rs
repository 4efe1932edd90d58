//! Dependence of the blocks' values on the conditions under which they were measured.
//!
//! The values of the blocks are explained by the levels of their conditions, least squares, one condition after the
//! other: the one that explains most first, as long as an F test of it passes Holm's share of the error rate. The
//! effect of the other conditions is in the residuals until they are taken in, so that a test is conservative.

use statrs::function::beta::beta_reg;

/// Fewest degrees of freedom that the residuals must leave.
const FREEDOM_MIN: usize = 3;

/// A condition on which the values depend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dependence {
    pub condition: usize,
    /// The mean at each of its levels that occurred, ascending by level.
    pub levels: Vec<AtLevel>,
    /// Degrees of freedom of the errors.
    pub freedom: u32,
}

/// The mean at one level of a condition, the others being equally often at each of theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AtLevel {
    /// Its index among the condition's levels.
    pub level: usize,
    pub mean: f64,
    /// Standard error of the mean.
    pub error: f64,
}

/// The conditions on which `values` depend, the most telling one first. `levels` holds for each condition the level
/// of each value, `beside` that of something that may differ as it likes, if there is anything; `tail` is the
/// probability at which a test passes while that many conditions are open.
pub(crate) fn dependences(
    values: &[f64],
    levels: &[Vec<usize>],
    beside: &[usize],
    tail: impl Fn(u32) -> f64,
) -> Vec<Dependence> {
    let mut open: Vec<usize> = (0..levels.len()).filter(|&at| present(&levels[at]).len() > 1).collect();
    let given: Vec<Vec<usize>> = (!beside.is_empty()).then(|| beside.to_vec()).into_iter().collect();
    let mut chosen: Vec<usize> = given.iter().map(|_| levels.len()).collect();
    let levels = &[levels, &given[..]].concat()[..];
    let Some(mut fit) = Fit::of(values, levels, &chosen) else { return Vec::new() };
    while !open.is_empty() {
        let tried = open.iter().filter_map(|&condition| {
            let with = Fit::of(values, levels, &[&chosen[..], &[condition]].concat())?;
            Some((fit.tail_of(&with)?, condition, with))
        });
        let Some((found, condition, with)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if found > tail(open.len() as u32) {
            break;
        }
        chosen.push(condition);
        open.retain(|&other| other != condition);
        fit = with;
    }
    let freedom = (values.len() - fit.columns()) as u32;
    let found = chosen.iter().skip(given.len());
    found.map(|&condition| Dependence { condition, levels: fit.at_levels(condition), freedom }).collect()
}

/// The levels that occur, ascending.
fn present(levels: &[usize]) -> Vec<usize> {
    let mut present = levels.to_vec();
    present.sort_unstable();
    present.dedup();
    present
}

/// Values explained by the levels of some conditions.
struct Fit {
    /// The conditions with the levels that occur. The first level of each is in the constant.
    parts: Vec<(usize, Vec<usize>)>,
    /// Constant first, then each condition's further levels.
    coefficients: Vec<f64>,
    /// Inverse of the normal equations' matrix.
    inverse: Vec<Vec<f64>>,
    residual_squares: f64,
    values: usize,
}

impl Fit {
    /// `None` where the levels cannot be told apart, or leave too few degrees of freedom.
    fn of(values: &[f64], levels: &[Vec<usize>], conditions: &[usize]) -> Option<Fit> {
        let parts: Vec<(usize, Vec<usize>)> =
            conditions.iter().map(|&condition| (condition, present(&levels[condition]))).collect();
        let row = |at: usize| {
            let mut row = vec![1.0];
            for (condition, present) in &parts {
                row.extend(present[1..].iter().map(|&level| f64::from(levels[*condition][at] == level)));
            }
            row
        };
        let rows: Vec<Vec<f64>> = (0..values.len()).map(row).collect();
        let columns = rows.first()?.len();
        if values.len() < columns + FREEDOM_MIN {
            return None;
        }
        let cell = |i: usize, j: usize| rows.iter().map(|row| row[i] * row[j]).sum::<f64>();
        let matrix = (0..columns).map(|i| (0..columns).map(|j| cell(i, j)).collect()).collect();
        let inverse = inverse(matrix)?;
        let right: Vec<f64> =
            (0..columns).map(|i| rows.iter().zip(values).map(|(row, value)| row[i] * value).sum()).collect();
        let coefficients: Vec<f64> = inverse.iter().map(|line| dot(line, &right)).collect();
        let residuals = rows.iter().zip(values).map(|(row, value)| value - dot(row, &coefficients));
        let residual_squares = residuals.map(|residual| residual * residual).sum();
        Some(Fit { parts, coefficients, inverse, residual_squares, values: values.len() })
    }

    fn columns(&self) -> usize {
        self.coefficients.len()
    }

    fn freedom(&self) -> f64 {
        (self.values - self.columns()) as f64
    }

    /// Probability that what `with` explains beyond this fit is chance; `None` where nothing was left to explain.
    fn tail_of(&self, with: &Fit) -> Option<f64> {
        let more = (with.columns() - self.columns()) as f64;
        let explained = self.residual_squares - with.residual_squares;
        if self.residual_squares <= 0.0 || explained <= 0.0 {
            return None;
        }
        let share = with.residual_squares / (with.residual_squares + explained);
        // P(F > f) by the incomplete beta function of d2/(d2 + d1 f), which is this share.
        Some(if share <= 0.0 { 0.0 } else { beta_reg(0.5 * with.freedom(), 0.5 * more, share.min(1.0)) })
    }

    /// The mean at each level of a condition, over equally many of each level of the others.
    fn at_levels(&self, condition: usize) -> Vec<AtLevel> {
        let variance = self.residual_squares / self.freedom();
        let Some((_, own)) = self.parts.iter().find(|(part, _)| *part == condition) else {
            return Vec::new();
        };
        let at = |level: usize| {
            let mut row = vec![1.0];
            for (part, present) in &self.parts {
                let even = 1.0 / present.len() as f64;
                let weight =
                    |other: &usize| if *part == condition { f64::from(*other == level) } else { even };
                row.extend(present[1..].iter().map(weight));
            }
            let spread: Vec<f64> = self.inverse.iter().map(|line| dot(line, &row)).collect();
            let error = (variance * dot(&row, &spread)).max(0.0).sqrt();
            AtLevel { level, mean: dot(&row, &self.coefficients), error }
        };
        own.iter().map(|&level| at(level)).collect()
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// By Gauss and Jordan with pivots; `None` of a singular matrix.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    const SINGULAR_BELOW: f64 = 1e-9;
    let n = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for at in 0..n {
        let pivot = (at..n).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs()))?;
        if matrix[pivot][at].abs() < SINGULAR_BELOW {
            return None;
        }
        matrix.swap(at, pivot);
        inverse.swap(at, pivot);
        let scale = matrix[at][at];
        matrix[at].iter_mut().chain(&mut inverse[at]).for_each(|value| *value /= scale);
        let (line, its_inverse) = (matrix[at].clone(), inverse[at].clone());
        for other in (0..n).filter(|&other| other != at) {
            let times = matrix[other][at];
            matrix[other].iter_mut().zip(&line).for_each(|(value, own)| *value -= times * own);
            inverse[other].iter_mut().zip(&its_inverse).for_each(|(value, own)| *value -= times * own);
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: fn(u32) -> f64 = |_| -1.0;

    fn at(dependence: &Dependence) -> Vec<f64> {
        dependence.levels.iter().map(|level| level.mean).collect()
    }

    #[test]
    fn of_two_levels_it_is_the_t_test_of_their_means() {
        // Means 2 and 5, variance within 1, three each: t = 3 / sqrt(2/3) = 3.674 with four degrees of freedom.
        let (values, levels) = ([1.0, 4.0, 2.0, 5.0, 3.0, 6.0], vec![vec![0, 1, 0, 1, 0, 1]]);
        let tail = crate::student::two_sided_tail(3.0 / (2.0_f64 / 3.0).sqrt(), 4);
        let found = |tail| dependences(&values, &levels, &[], move |_| tail);
        assert_eq!(found(tail * 0.999), []);
        let [only] = &found(tail * 1.001)[..] else { panic!("one") };
        assert_eq!((only.condition, only.freedom), (0, 4));
        assert!(at(only).iter().zip([2.0, 5.0]).all(|(found, mean)| (found - mean).abs() < 1e-12));
        assert!((only.levels[0].error - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_other_conditions_are_taken_as_equally_often_at_each_level() {
        // 10 + 2·first + 1·second, the second condition at its upper level more often where the first is.
        let levels = vec![vec![0, 0, 0, 0, 1, 1, 1, 1], vec![0, 0, 0, 1, 0, 1, 1, 1]];
        let values: Vec<f64> = (0..8)
            .map(|at| 10.0 + 2.0 * levels[0][at] as f64 + levels[1][at] as f64 + [0.01, -0.01][at % 2])
            .collect();
        let found = dependences(&values, &levels, &[], |_| 0.01);
        let order: Vec<usize> = found.iter().map(|it| it.condition).collect();
        assert_eq!(order, [0, 1]);
        let means: Vec<f64> = found.iter().flat_map(at).collect();
        assert!(
            means.iter().zip([10.5, 12.5, 11.0, 12.0]).all(|(found, mean)| (found - mean).abs() < 0.02),
            "{means:?}"
        );
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_told() {
        let same = vec![vec![0, 1, 0, 1, 0, 1], vec![0, 1, 0, 1, 0, 1]];
        let found = dependences(&[1.0, 2.0, 1.1, 2.1, 0.9, 1.9], &same, &[], |_| 0.05);
        assert_eq!(found.len(), 1, "one of the two, and the other adds nothing to it");
        let few = vec![vec![0, 1, 0, 1]];
        assert_eq!(dependences(&[1.0, 9.0, 1.0, 9.1], &few, &[], |_| 0.9), [], "too few blocks");
        assert_eq!(dependences(&[1.0; 6], &same, &[], |_| 0.9), [], "no spread at all");
        assert_eq!(dependences(&[1.0, 2.0, 1.1, 2.1, 0.9, 1.9], &same, &[], NEVER), []);
        assert_eq!(dependences(&[], &[], &[], |_| 0.05), []);
        let fixed = vec![vec![0; 6]];
        assert_eq!(dependences(&[1.0, 2.0, 1.1, 2.1, 0.9, 1.9], &fixed, &[], |_| 0.9), []);
    }

    #[test]
    fn what_sittings_differ_by_hides_no_condition_and_makes_none() {
        // Two sittings 5 apart; the condition moves each by 1, and is balanced within them.
        let (sittings, levels) = ([0, 0, 0, 0, 1, 1, 1, 1], vec![vec![0, 1, 0, 1, 0, 1, 0, 1]]);
        let values = [1.0, 2.01, 1.02, 2.0, 6.0, 7.02, 6.01, 6.99];
        assert_eq!(dependences(&values, &levels, &[], |_| 0.01), [], "hidden without them");
        let [only] = &dependences(&values, &levels, &sittings, |_| 0.01)[..] else { panic!("one") };
        assert_eq!((only.condition, only.freedom), (0, 5));
        let [low, high] = &at(only)[..] else { panic!("two levels") };
        assert!((high - low - 1.0).abs() < 0.02, "{low} {high}");
    }
}
