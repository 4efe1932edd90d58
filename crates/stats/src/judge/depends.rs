//! Whether what is claimed depends on the conditions of measuring, and what it is at each of their levels.

use super::decide::Frame;
use super::estimated::{estimate, widened};
use super::series::Series;
use crate::Reason;
use crate::dependence::{AtLevel, Dependence, dependences};
use crate::design::Bounds;
use crate::sample::Moments;
use crate::student::{critical, two_sided_tail};

/// A condition of measuring may matter when chance alone explains what it does with a smaller probability than this.
const SUSPECTED: f64 = 0.10;

/// What a search for dependences needs beside the values.
pub(super) struct DependenceTerms<'a> {
    /// Claims that share the error rate.
    pub open: u32,
    /// What intervals reach further below and above for the generator's own delays.
    pub margins: (f64, f64),
    /// The blocks that the values are of.
    pub used: &'a [usize],
    /// Whether they are of several sittings.
    pub sittings: bool,
}

/// What the conditions of measuring have to do with the quantity.
#[derive(Default)]
pub(super) struct Dependences {
    /// Those on which it depends, with what it is at each of their levels.
    pub found: Vec<Reason>,
    /// Whether more blocks may well find one: then nobody gives up.
    pub suspected: bool,
}

impl Dependences {
    /// Of the values of the blocks; `frame` says what their mean is held against.
    pub fn of(
        series: &Series<'_>,
        frame: &Frame,
        by_block: &[f64],
        bounds: &mut Bounds<'_>,
        terms: &DependenceTerms<'_>,
    ) -> Dependences {
        let of_used = |levels: &Vec<usize>| terms.used.iter().map(|&block| levels[block]).collect();
        let levels: Vec<Vec<usize>> = series.conditions.iter().map(of_used).collect();
        let vary = levels.iter().filter(|levels| levels.windows(2).any(|pair| pair[0] != pair[1])).count();
        if vary == 0 {
            return Dependences::default();
        }
        // What sittings differ by is theirs, whatever the conditions were.
        let sitting_of = |&block: &usize| series.sittings[block] as usize;
        let beside: Vec<usize> = match terms.sittings {
            true => terms.used.iter().map(sitting_of).collect(),
            false => Vec::new(),
        };
        let blocks = by_block.len() as u32;
        // The bound of this look, as a probability: so it holds over all looks.
        let tail_of = |sharing| two_sided_tail(bounds.for_blocks(blocks, sharing), blocks.saturating_sub(1));
        let tails: Vec<f64> = (1..=(vary as u32).max(terms.open)).map(tail_of).collect();
        let found = dependences(by_block, &levels, &beside, |sharing| tails[sharing as usize - 1]);
        let suspected = !dependences(by_block, &levels, &beside, |_| SUSPECTED).is_empty();
        let own_tail = tails[terms.open.max(1) as usize - 1];
        let told = |it| depends_on(series, frame, it, own_tail, terms.margins);
        Dependences { found: found.into_iter().map(told).collect(), suspected }
    }

    /// Whether the claim does not fare the same at every level.
    pub fn differ(&self) -> bool {
        self.found.iter().any(|on| matches!(on, Reason::DependsOn { alike: false, .. }))
    }
}

/// A condition with what the quantity is at each of its levels, and what the claim comes to there.
fn depends_on(series: &Series<'_>, frame: &Frame, on: Dependence, tail: f64, margins: (f64, f64)) -> Reason {
    let (below, above) = margins;
    let bound = critical(tail, on.freedom);
    let half = |level: &AtLevel| bound * level.error;
    let answers: Vec<Option<bool>> = on
        .levels
        .iter()
        .map(|level| frame.decide(level.mean - half(level) - below, level.mean + half(level) + above))
        .collect();
    let at = |level: &AtLevel| {
        let moments = Moments { n: on.freedom, mean: level.mean, sd: 0.0 };
        let found = estimate(series, frame, &moments, half(level), level.mean);
        (level.level, widened(found, margins))
    };
    Reason::DependsOn {
        condition: on.condition,
        levels: on.levels.iter().map(at).collect(),
        alike: answers.iter().all(|answer| answer.is_some() && *answer == answers[0]),
    }
}
