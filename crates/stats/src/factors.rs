//! Main effects and interactions of several factors whose combinations were all measured: which settings matter.
//!
//! Each block has measured the grid, so each contrast of its logarithms is one number for each block, and blocks are
//! what is replicated: the mean over blocks has Student's interval. A design that varies several factors at once
//! tells more of each than as many runs that vary one (Fisher, The Design of Experiments, 1935), and it alone tells
//! how they work together.

use crate::sample::Moments;
use crate::student::{critical, two_sided_tail};

/// Fewest blocks in which a contrast is looked at.
const BLOCKS_MIN: usize = 3;
/// A matched combination takes part when it has values in so large a share of the blocks; what was lost more often
/// would cost the others their blocks.
const PRESENT_SHARE_MIN: f64 = 0.8;
/// Two levels are practically equal when the interval of their ratio lies within 1 ± this.
const PRACTICALLY_EQUAL: f64 = 0.02;

/// One combination of levels, and what was measured of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// Index of the level of each factor; `None` where the combination does not have the factor.
    pub levels: Vec<Option<usize>>,
    /// The value of each block; `None` where there is none. Values that are not positive and finite count as none.
    pub per_block: Vec<Option<f64>>,
}

/// One measure at one load point, over all combinations.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Number of levels of each factor.
    pub levels: Vec<usize>,
    /// The combinations; not all that there could be need be there.
    pub combinations: Vec<Combination>,
}

/// A level of a factor instead of its first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub factor: usize,
    /// Index of the level; never 0, which is what it is compared with.
    pub level: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contrast {
    /// The change, on average over the matched combinations of the other factors.
    Main(Change),
    /// Ratio of the effect of the first change with the second one made to that without it.
    Interaction(Change, Change),
}

/// Result of a contrast, as a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    pub grid: usize,
    pub contrast: Contrast,
    /// Combinations of the other factors at which all levels of the contrast were measured. The effect is the mean over
    /// these.
    pub matched: u32,
    /// Combinations of the other factors at which any of them was.
    pub of: u32,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Ratio: the geometric mean over blocks and matched combinations.
    pub point: f64,
    pub low: f64,
    pub high: f64,
    pub confidence: f64,
    /// Finding from the interval.
    pub finding: Finding,
}

/// Finding of an interval about a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The interval excludes 1 and does not lie within 1 ± 2 %.
    Matters,
    /// The interval lies within 1 ± 2 %.
    PracticallyEqual,
    /// The interval contains 1 and reaches beyond 1 ± 2 %.
    NotToldApart,
}

/// Effects of all grids together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// Every contrast that was looked at, by grid, main effects before interactions, the largest first.
    pub effects: Vec<Effect>,
    /// Contrasts that could not be, with their grids: no matched combination, or too few blocks.
    pub unmatched: Vec<(usize, Contrast)>,
}

/// A contrast with its number for each block.
struct Looked {
    grid: usize,
    contrast: Contrast,
    matched: u32,
    of: u32,
    moments: Moments,
}

/// Looks at every main effect and every interaction of two factors in every grid.
///
/// Effects are means over matched combinations only: a pair (or, for an interaction, a square) of combinations that
/// differ in nothing but the levels of the contrast. So a grid with holes compares like with like, and reports how
/// much of it could be used.
///
/// The probability that **any** of them, in all grids, excludes 1 although it is 1 is at most `alpha`: Holm's step-down
/// (Scand. J. Statist. 6, 1979). Each interval is as wide as its step demands, so that it excludes 1 exactly where the
/// effect is reported. It holds for a number of blocks that was fixed before; these are explorations, not verdicts.
pub fn effects(grids: &[Grid], alpha: f64) -> Effects {
    let mut looked = Vec::new();
    let mut unmatched = Vec::new();
    for (grid, of) in grids.iter().enumerate() {
        for contrast in contrasts(&of.levels) {
            match look(of, contrast) {
                Some(found) => looked.push(Looked { grid, ..found }),
                None => unmatched.push((grid, contrast)),
            }
        }
    }
    let tails = holm(&looked, alpha);
    let mut effects: Vec<Effect> =
        looked.iter().zip(tails).map(|(looked, tail)| effect(looked, tail)).collect();
    let rank = |effect: &Effect| (effect.grid, matches!(effect.contrast, Contrast::Interaction(..)));
    let size = |effect: &Effect| effect.point.ln().abs();
    effects.sort_by(|a, b| rank(a).cmp(&rank(b)).then(size(b).total_cmp(&size(a))));
    Effects { effects, unmatched }
}

/// Each level against the first of its factor, then each two of these of two factors.
fn contrasts(levels: &[usize]) -> Vec<Contrast> {
    let changes: Vec<Change> = levels
        .iter()
        .enumerate()
        .flat_map(|(factor, levels)| (1..*levels).map(move |level| Change { factor, level }))
        .collect();
    let mut all: Vec<Contrast> = changes.iter().copied().map(Contrast::Main).collect();
    for (at, first) in changes.iter().enumerate() {
        let others = changes[at + 1..].iter().filter(|second| second.factor != first.factor);
        all.extend(others.map(|second| Contrast::Interaction(*first, *second)));
    }
    all
}

/// A combination's levels with some of them others.
fn with(levels: &[Option<usize>], changes: &[(Change, bool)]) -> Vec<Option<usize>> {
    let mut levels = levels.to_vec();
    for (change, made) in changes {
        if let Some(level) = levels.get_mut(change.factor) {
            *level = Some(if *made { change.level } else { 0 });
        }
    }
    levels
}

/// The corners of a contrast with their signs: a pair, or a square.
fn corners(contrast: Contrast) -> Vec<(Vec<(Change, bool)>, f64)> {
    match contrast {
        Contrast::Main(change) => vec![(vec![(change, true)], 1.0), (vec![(change, false)], -1.0)],
        Contrast::Interaction(first, second) => [(true, true), (true, false), (false, true), (false, false)]
            .map(|(one, two)| (vec![(first, one), (second, two)], if one == two { 1.0 } else { -1.0 }))
            .to_vec(),
    }
}

/// The number of each block, over the matched combinations that have values in nearly all blocks.
fn look(grid: &Grid, contrast: Contrast) -> Option<Looked> {
    let corners = corners(contrast);
    let blocks = grid.combinations.iter().map(|combination| combination.per_block.len()).max()?;
    let find = |levels: &[Option<usize>]| grid.combinations.iter().find(|found| found.levels == levels);
    let mut bases: Vec<Vec<Option<usize>>> = Vec::new();
    for combination in &grid.combinations {
        let takes_part =
            corners.iter().any(|(corner, _)| with(&combination.levels, corner) == combination.levels);
        let base = with(&combination.levels, &corners[corners.len() - 1].0);
        if takes_part && !bases.contains(&base) {
            bases.push(base);
        }
    }
    let mut contrasts = Vec::new();
    for base in &bases {
        let all: Option<Vec<(&Combination, f64)>> =
            corners.iter().map(|(corner, sign)| Some((find(&with(base, corner))?, *sign))).collect();
        let Some(all) = all else { continue };
        let numbers: Vec<Option<f64>> = (0..blocks).map(|block| number(&all, block)).collect();
        let present = numbers.iter().flatten().count();
        if present as f64 >= PRESENT_SHARE_MIN * blocks as f64 {
            contrasts.push(numbers);
        }
    }
    let whole = (0..blocks).filter_map(|block| {
        let numbers: Option<Vec<f64>> = contrasts.iter().map(|numbers| numbers[block]).collect();
        numbers.filter(|numbers| !numbers.is_empty()).map(|n| n.iter().sum::<f64>() / n.len() as f64)
    });
    let numbers: Vec<f64> = whole.collect();
    let moments = Moments::of(&numbers).filter(|moments| moments.n as usize >= BLOCKS_MIN)?;
    let (matched, of) = (contrasts.len() as u32, bases.len() as u32);
    Some(Looked { grid: 0, contrast, matched, of, moments })
}

fn number(corners: &[(&Combination, f64)], block: usize) -> Option<f64> {
    let log = |combination: &Combination| {
        let value = combination.per_block.get(block).copied().flatten()?;
        (value.is_finite() && value > 0.0).then(|| value.ln())
    };
    corners.iter().map(|(combination, sign)| Some(sign * log(combination)?)).sum()
}

/// Probability of so large a mean if nothing mattered.
fn tail_of(moments: &Moments) -> f64 {
    if moments.mean.abs() <= 0.0 {
        1.0
    } else if moments.standard_error() > 0.0 {
        two_sided_tail(moments.mean / moments.standard_error(), moments.n - 1)
    } else {
        0.0
    }
}

/// The share of the error rate that each interval has. Those that are not reported have the share of the step at which it
/// ended.
fn holm(looked: &[Looked], alpha: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..looked.len()).collect();
    order.sort_by(|a, b| tail_of(&looked[*a].moments).total_cmp(&tail_of(&looked[*b].moments)));
    let mut tails = vec![0.0; looked.len()];
    let mut open = looked.len();
    for (at, index) in order.iter().enumerate() {
        let tail = alpha / open as f64;
        if tail_of(&looked[*index].moments) > tail {
            order[at..].iter().for_each(|rest| tails[*rest] = tail);
            break;
        }
        tails[*index] = tail;
        open -= 1;
    }
    tails
}

fn effect(looked: &Looked, tail: f64) -> Effect {
    let moments = looked.moments;
    // Without any spread there is no width, even when little of the error rate is left.
    let error = moments.standard_error();
    let half = if error > 0.0 { critical(tail, moments.n - 1) * error } else { 0.0 };
    let (low, high) = (moments.mean - half, moments.mean + half);
    let (lowest, highest) = ((1.0 - PRACTICALLY_EQUAL).ln(), (1.0 + PRACTICALLY_EQUAL).ln());
    let finding = match (low > lowest && high < highest, low > 0.0 || high < 0.0) {
        (true, _) => Finding::PracticallyEqual,
        (false, true) => Finding::Matters,
        (false, false) => Finding::NotToldApart,
    };
    Effect {
        grid: looked.grid,
        contrast: looked.contrast,
        matched: looked.matched,
        of: looked.of,
        blocks: moments.n,
        point: moments.mean.exp(),
        low: low.exp(),
        high: high.exp(),
        confidence: 1.0 - tail,
        finding,
    }
}

#[cfg(test)]
mod tests;
