//! Dependence of the claimed quantity on the conditions of measuring, and its value at each of their levels.

use super::decide::Frame;
use super::estimated::{estimate, widened};
use super::series::Series;
use crate::dependence::{AtLevel, Dependence, dependences};
use crate::design::Bounds;
use crate::sample::Moments;
use crate::student::{critical, two_sided_tail};
use crate::{Reach, Reason};

/// A condition of measuring may matter when chance alone explains what it does with a smaller probability than this.
const SUSPECTED: f64 = 0.10;

/// Input of a search for dependences beside the values.
pub(super) struct DependenceTerms<'a> {
    /// Claims that share the error rate.
    pub open: u32,
    /// Distance of the servers' own quantity from the measured one.
    pub reach: Reach,
    /// The blocks that the values are of.
    pub used: &'a [usize],
    /// True if they are of several sittings.
    pub sittings: bool,
}

/// Dependences of the quantity on the conditions of measuring.
#[derive(Default)]
pub(super) struct Dependences {
    /// Those on which it depends, with what it is at each of their levels.
    pub found: Vec<Reason>,
    /// True if more blocks may well find one: then the claim is not given up.
    pub suspected: bool,
}

impl Dependences {
    /// Dependences of the values of the blocks; `frame` holds the value that their mean is compared with.
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
        let sittings: Vec<usize> = match terms.sittings {
            true => terms.used.iter().map(|&block| series.sittings[block] as usize).collect(),
            false => Vec::new(),
        };
        let units = Moments::of(&frame.values).map_or(0, |moments| moments.n);
        // The bound of this look, as a probability: so it holds over all looks.
        let tail_of = |sharing| two_sided_tail(bounds.for_blocks(units, sharing), units.saturating_sub(1));
        let tails: Vec<f64> = (1..=(vary as u32).max(terms.open)).map(tail_of).collect();
        let within = Within { blocks: by_block, sittings: &sittings, levels: &levels };
        let found = within.dependences(&frame.values, |sharing| tails[sharing as usize - 1]);
        let suspected = !within.dependences(&frame.values, |_| SUSPECTED).is_empty();
        let own_tail = tails[terms.open.max(1) as usize - 1];
        let told = |it| depends_on(series, frame, it, own_tail, terms.reach);
        Dependences { found: found.into_iter().map(told).collect(), suspected }
    }

    /// True if the claim does not come out the same at every level.
    pub fn differ(&self) -> bool {
        self.found.iter().any(|on| matches!(on, Reason::DependsOn { alike: false, .. }))
    }
}

/// Values of blocks with the sittings that they are of, if these are several, and the levels of their conditions.
struct Within<'a> {
    blocks: &'a [f64],
    sittings: &'a [usize],
    levels: &'a [Vec<usize>],
}

impl Within<'_> {
    /// Blocks tell about conditions that vary within sittings, with the differences between sittings taken out.
    /// Conditions that each sitting has fixed are compared with the spread between the sittings' means: their blocks
    /// are not independent observations of them. Both share the error rate.
    fn dependences(&self, means: &[f64], tail: impl Fn(u32) -> f64) -> Vec<Dependence> {
        if self.sittings.is_empty() {
            return dependences(self.blocks, self.levels, &[], tail);
        }
        let vary = |levels: &[usize]| levels.iter().any(|level| *level != levels[0]);
        let fixed = |levels: &&Vec<usize>| {
            let mut all = self.sittings.iter().zip(levels.iter());
            all.all(|(sitting, level)| self.first_of(*sitting, levels) == Some(*level))
        };
        let places = |wanted: bool| -> Vec<usize> {
            (0..self.levels.len())
                .filter(|&at| vary(&self.levels[at]) && fixed(&&self.levels[at]) == wanted)
                .collect()
        };
        let (between, within) = (places(true), places(false));
        let of = |places: &[usize]| places.iter().map(|&at| self.levels[at].clone()).collect::<Vec<_>>();
        let mut sittings = self.sittings.to_vec();
        sittings.dedup();
        let of_sittings: Vec<Vec<usize>> = of(&between)
            .iter()
            .map(|levels| sittings.iter().filter_map(|sitting| self.first_of(*sitting, levels)).collect())
            .collect();
        let (more_between, more_within) = (between.len() as u32, within.len() as u32);
        let in_blocks =
            dependences(self.blocks, &of(&within), self.sittings, |sharing| tail(sharing + more_between));
        let of_means = dependences(means, &of_sittings, &[], |sharing| tail(sharing + more_within));
        let named =
            |found: Dependence, places: &[usize]| Dependence { condition: places[found.condition], ..found };
        let in_blocks = in_blocks.into_iter().map(|found| named(found, &within));
        in_blocks.chain(of_means.into_iter().map(|found| named(found, &between))).collect()
    }

    /// The level of a sitting's first block.
    fn first_of(&self, sitting: usize, levels: &[usize]) -> Option<usize> {
        self.sittings.iter().position(|other| *other == sitting).and_then(|at| levels.get(at).copied())
    }
}

/// A condition with what the quantity is at each of its levels, and what the claim comes to there.
fn depends_on(series: &Series<'_>, frame: &Frame, on: Dependence, tail: f64, reach: Reach) -> Reason {
    let Reach { below, above } = reach;
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
        (level.level, widened(found, reach))
    };
    Reason::DependsOn {
        condition: on.condition,
        levels: on.levels.iter().map(at).collect(),
        alike: answers.iter().all(|answer| answer.is_some() && *answer == answers[0]),
    }
}
