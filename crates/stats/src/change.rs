//! Change points: places in a series of values, one after the other in time, from which on they are at another level.
//!
//! For graphs of a history of runs, never for a verdict between two variants: the runs were made at different
//! times, nothing in them is paired, and the place of a change is chosen by looking at the values.
//!
//! The algorithm is that of Hunter (Fleming et al., ICPE 2023), now Apache Otava: E-divisive means (Matteson and
//! James, JASA 109, 2014) made deterministic by Student's t in place of a permutation test.
//!
//! 1. *Split.* A window moves over the series by half its length, or to the last change found. In it the place is
//!    sought where the energy distance between what lies before and after is largest; if the two sides differ at ten
//!    times the wanted p, the place is kept, and each side is split further.
//! 2. *Merge.* Of the places kept the weakest is dropped, and its neighbours are tested anew between those that are
//!    left, until all that is left has the wanted p and magnitude.
//!
//! Two things are stricter than there: a side has [`Rule::side_min`] values at least, so that a single outlying run
//! is not a change, and standard deviations have n − 1 below the line.
//!
//! The p is that of one place fixed beforehand, and the place was chosen among many: a series of pure noise shows a
//! change more often than p says. `crates/stats/tests/change.rs` shows how often.

use crate::sample::Moments;
use crate::student;
use std::ops::Range;

/// Criteria of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Values that are looked at in one piece; the window moves on by half of them.
    pub window: usize,
    /// Largest p of Student's t between the two sides, two-sided, for a place fixed beforehand.
    pub p_max: f64,
    /// Smallest distance of the two levels, in the unit of the values: of logarithms ln 1.05 for 5 %.
    pub step_min: f64,
    /// Fewest values on either side.
    pub side_min: usize,
    /// The interval of the step misses with this probability.
    pub tail: f64,
}

/// The window and the p of Hunter; no least magnitude; three values on either side, the fewest of which one can go
/// astray and be outvoted.
impl Default for Rule {
    fn default() -> Self {
        Rule { window: 50, p_max: 0.001, step_min: 0.0, side_min: 3, tail: 0.05 }
    }
}

impl Rule {
    /// Fewest values in which a change can be detected.
    pub fn needs(&self) -> usize {
        2 * self.side()
    }

    fn side(&self) -> usize {
        self.side_min.max(1)
    }

    /// Of the first pass, which must not lose what the second would keep.
    fn p_weak(&self) -> f64 {
        if self.p_max < 0.05 { 10.0 * self.p_max } else { (2.0 * self.p_max).min(1.0) }
    }
}

/// A change of the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first value at the new level.
    pub at: usize,
    /// Values at the old level, back to the change before or the beginning.
    pub before: usize,
    /// Values at the new level, up to the next change or the end.
    pub after: usize,
    /// Mean after minus mean before, in the unit of the values.
    pub step: f64,
    /// Lower end of its interval (Student's, both levels with one spread). Of a step whose place the values chose,
    /// so that it flatters a little.
    pub low: f64,
    pub high: f64,
    /// Student's p for a place fixed beforehand.
    pub p: f64,
}

/// Reason why no change can be detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untold {
    #[error("{have} values, and a change can be told from {need} on")]
    TooFew { have: usize, need: usize },
    /// A value is not a finite number.
    #[error("value {at}, counted from 0, is not finite")]
    NotFinite { at: usize },
}

/// The changes in a series, in order. Values are in order of time; give logarithms where changes are ratios.
///
/// # Errors
/// Fails if the values are too few, or one is not finite.
pub fn changes(values: &[f64], rule: &Rule) -> Result<Vec<Change>, Untold> {
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        return Err(Untold::NotFinite { at });
    }
    let (have, need) = (values.len(), rule.needs());
    if have < need {
        return Err(Untold::TooFew { have, need });
    }
    Ok(merge(values, split(values, rule), rule))
}

/// The first pass: places in order, no two nearer than a side is long, because a window never begins before the
/// last place found.
fn split(values: &[f64], rule: &Rule) -> Vec<usize> {
    let window = rule.window.max(rule.needs()).max(2);
    let mut places: Vec<usize> = Vec::new();
    let mut start = 0;
    while start < values.len() {
        let end = (start + window).min(values.len());
        let found = divide(&values[start..end], rule);
        places.extend(found.iter().map(|at| start + at));
        let last = places.last().copied().unwrap_or(0);
        start = last.max(start + window / 2);
    }
    places
}

/// Places within one window, in order.
fn divide(values: &[f64], rule: &Rule) -> Vec<usize> {
    let distances = Distances::of(values);
    let mut places: Vec<usize> = Vec::new();
    loop {
        let found = stretches(&places, values.len()).filter_map(|of| distances.farthest(of, rule.side()));
        let Some(best) = found.reduce(|a, b| if b.energy > a.energy { b } else { a }) else { return places };
        if compare(&values[best.before], &values[best.after.clone()], rule.tail).p > rule.p_weak() {
            return places;
        }
        places.push(best.after.start);
        places.sort_unstable();
    }
}

/// The second pass.
fn merge(values: &[f64], mut places: Vec<usize>, rule: &Rule) -> Vec<Change> {
    loop {
        let found = between(values, &places, rule.tail);
        let by_p = found.iter().enumerate().max_by(|(_, a), (_, b)| a.p.total_cmp(&b.p));
        let Some((mut weakest, change)) = by_p else { return found };
        if change.p <= rule.p_max {
            let size = |change: &Change| change.step.abs();
            let by_size = found.iter().enumerate().min_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)));
            let Some((smallest, change)) = by_size else { return found };
            if size(change) >= rule.step_min {
                return found;
            }
            weakest = smallest;
        }
        places.remove(weakest);
    }
}

/// The changes at these places, each between its neighbours.
fn between(values: &[f64], places: &[usize], tail: f64) -> Vec<Change> {
    let all: Vec<Range<usize>> = stretches(places, values.len()).collect();
    let pairs = all.windows(2).map(|pair| {
        let (left, right) = (&values[pair[0].clone()], &values[pair[1].clone()]);
        Change { at: pair[1].start, ..compare(left, right, tail) }
    });
    pairs.collect()
}

fn stretches(places: &[usize], end: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let starts = std::iter::once(0).chain(places.iter().copied());
    let ends = places.iter().copied().chain(std::iter::once(end));
    starts.zip(ends).map(|(start, end)| start..end)
}

/// Two neighbouring stretches; the place is left to the caller.
fn compare(left: &[f64], right: &[f64], tail: f64) -> Change {
    let nothing = Change {
        at: 0,
        before: left.len(),
        after: right.len(),
        step: 0.0,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        p: 1.0,
    };
    let (Some(a), Some(b)) = (Moments::of(left), Moments::of(right)) else { return nothing };
    let freedom = a.n + b.n - 2;
    if freedom == 0 {
        return nothing;
    }
    let squares = |of: &Moments| of.sd * of.sd * f64::from(of.n - 1);
    let variance = (squares(&a) + squares(&b)) / f64::from(freedom);
    let error = (variance * (1.0 / f64::from(a.n) + 1.0 / f64::from(b.n))).sqrt();
    let step = b.mean - a.mean;
    let p = match (error > 0.0, step == 0.0) {
        (true, _) => student::two_sided_tail(step / error, freedom),
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    let half = if error > 0.0 { student::critical(tail, freedom) * error } else { 0.0 };
    Change { step, low: step - half, high: step + half, p, ..nothing }
}

/// A place that may be a change. What comes after it may end before the stretch does: a level that was left again is
/// still seen.
struct Candidate {
    energy: f64,
    before: Range<usize>,
    after: Range<usize>,
}

/// Sums of the distances between all pairs of values, each rectangle of pairs at once.
struct Distances {
    side: usize,
    sums: Vec<f64>,
}

impl Distances {
    fn of(values: &[f64]) -> Distances {
        let side = values.len() + 1;
        let mut sums = vec![0.0; side * side];
        for (i, x) in values.iter().enumerate() {
            let mut row = 0.0;
            for (j, y) in values.iter().enumerate() {
                row += (x - y).abs();
                sums[(i + 1) * side + j + 1] = sums[i * side + j + 1] + row;
            }
        }
        Distances { side, sums }
    }

    fn sum(&self, rows: &Range<usize>, columns: &Range<usize>) -> f64 {
        let at = |i: usize, j: usize| self.sums[i * self.side + j];
        at(rows.end, columns.end) - at(rows.start, columns.end) - at(rows.end, columns.start)
            + at(rows.start, columns.start)
    }

    /// Mean distance of the pairs within a stretch; 0 for a single value.
    fn within(&self, of: &Range<usize>) -> f64 {
        let n = of.len() as f64;
        if of.len() < 2 { 0.0 } else { self.sum(of, of) / (n * (n - 1.0)) }
    }

    /// The energy distance of two stretches, times nm/(n + m): Matteson and James, with exponent 1.
    fn energy(&self, left: &Range<usize>, right: &Range<usize>) -> f64 {
        let (n, m) = (left.len() as f64, right.len() as f64);
        let between = self.sum(left, right) / (n * m);
        n * m / (n + m) * (2.0 * between - self.within(left) - self.within(right))
    }

    /// The place in a stretch before and after which the values are farthest apart.
    fn farthest(&self, of: Range<usize>, side: usize) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for at in of.start + side..(of.end + 1).saturating_sub(side) {
            for end in at + side..=of.end {
                let (before, after) = (of.start..at, at..end);
                let energy = self.energy(&before, &after);
                if best.as_ref().is_none_or(|best| energy > best.energy) {
                    best = Some(Candidate { energy, before, after });
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0, 0 and 1, 3: the mean distance between is 2, within 0 and 2; nm/(n + m) = 1: 2·2 − 0 − 2 = 2.
    #[test]
    fn the_energy_of_two_pairs_is_what_pen_and_paper_say() {
        let distances = Distances::of(&[0.0, 0.0, 1.0, 3.0]);
        assert!((distances.energy(&(0..2), &(2..4)) - 2.0).abs() < 1e-12);
        // Alone against three: within the three 0, 1 and 3 the mean is 2; between (0 + 1 + 3)/3; 3/4 of 8/3 − 2.
        assert!((distances.energy(&(0..1), &(1..4)) - 0.5).abs() < 1e-12);
    }

    /// 1, 2, 3 and 5, 6, 7: pooled variance 1, standard error √(2/3), t = 4/√(2/3) = 4.899 with 4 degrees of
    /// freedom; t(0.05, 4) = 2.7764.
    #[test]
    fn two_sides_are_compared_by_students_t() {
        let found = compare(&[1.0, 2.0, 3.0], &[5.0, 6.0, 7.0], 0.05);
        let error = (2.0_f64 / 3.0).sqrt();
        assert_eq!((found.before, found.after, found.step), (3, 3, 4.0));
        assert!((found.low - (4.0 - 2.776_445 * error)).abs() < 1e-5, "{found:?}");
        assert!((found.p - student::two_sided_tail(4.0 / error, 4)).abs() < 1e-15);
    }

    #[test]
    fn values_without_spread_change_exactly_or_not_at_all() {
        let rule = Rule::default();
        assert_eq!(changes(&[7.1; 12], &rule), Ok(Vec::new()));
        let step = [vec![7.1; 4], vec![7.2; 5]].concat();
        let found = changes(&step, &rule).expect("enough values");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].before, found[0].after, found[0].p), (4, 4, 5, 0.0));
        assert!((found[0].low - 0.1).abs() < 1e-12 && (found[0].high - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_change_smaller_than_wanted_is_none() {
        let step = [vec![1.0; 5], vec![1.04; 5], vec![1.2; 5]].concat();
        let places = |step_min| {
            let rule = Rule { step_min, ..Rule::default() };
            let found = changes(&step, &rule).expect("enough values");
            found.iter().map(|change| change.at).collect::<Vec<_>>()
        };
        assert_eq!(places(0.0), [5, 10]);
        assert_eq!(places(0.05), [10]);
        assert_eq!(places(0.5), Vec::<usize>::new());
    }

    #[test]
    fn too_few_and_odd_values_say_so() {
        let rule = Rule::default();
        assert_eq!(changes(&[1.0; 5], &rule), Err(Untold::TooFew { have: 5, need: 6 }));
        assert_eq!(changes(&[], &rule), Err(Untold::TooFew { have: 0, need: 6 }));
        let odd = [1.0, 2.0, f64::NAN, 1.0, 2.0, 3.0];
        assert_eq!(changes(&odd, &rule), Err(Untold::NotFinite { at: 2 }));
        // An overflow on the way is neither a change nor a panic.
        assert!(changes(&[f64::MAX, -f64::MAX, f64::MAX, 1.0, 2.0, 3.0], &rule).is_ok());
        // A rule with nonsensical values.
        let none = Rule { window: 0, side_min: 0, p_max: 2.0, ..rule };
        assert!(changes(&[1.0, 2.0, 4.0, 8.0], &none).is_ok());
    }
}
