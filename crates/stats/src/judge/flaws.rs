//! Values that are not the servers' own, and their distance from these.
//!
//! A generator at its limit, its own delays, or exchanges without an end move a value, by a bounded distance or by
//! any, to a known side or to both. The quantity of a claim moves with its values, and the claim is judged on an
//! interval that is wider by that distance.

use super::decide::Scale;
use super::guard;
use super::series::{Index, Series, Trial, trials_of};
use crate::{Claim, Measure, Observations, Reach, Reason, Side};

/// Flaws of a claim's values in the first blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flaws {
    /// Causes that moved values by an unknown distance.
    pub limits: Vec<Reason>,
    /// Distance of the servers' own quantity from the measured one.
    pub reach: Reach,
    /// Notes on a decision that is reached in spite of the limits.
    pub notes: Vec<Reason>,
}

/// Distance of the servers' own quantity of a claim from that of one block.
pub fn reach_in(claim: &Claim, observations: &Observations, block: u32) -> Reach {
    Flaws::of(&Series::new(claim, &Index::new(observations), &[block]), 1).reach
}

impl Flaws {
    /// A count of observations is exact, whatever the generator: only errors of the generator's own making are not
    /// the server's.
    pub fn of(series: &Series<'_>, blocks: u32) -> Flaws {
        if series.is_fact() && !guard::has_own_errors(series, blocks) {
            return Flaws::default();
        }
        let is_alone = matches!(series.claim.right, Side::Constant(_)) && series.trials.len() == 1;
        let busy = if is_alone { guard::busy(series, blocks) } else { Vec::new() };
        let unfit: Vec<Reason> = guard::unfit(series, blocks).into_iter().chain(busy).collect();
        let unended = guard::unended(series, blocks);
        let is_of_throughput = series.trials.iter().all(|trial| trial.measure == Measure::Throughput);
        let note = match is_of_throughput {
            true => Some(Reason::LimitedOnTheFasterSide),
            // Errors that were seen are errors, and what a request costs has an end of its own.
            false => series.is_of_times().then_some(Reason::OnlyLengthened),
        };
        let notes = note.filter(|_| !unfit.is_empty()).into_iter().chain(unended.iter().cloned());
        let (left, right) = (&series.claim.left, &series.claim.right);
        Flaws {
            notes: notes.collect(),
            reach: of_side(series, left, blocks, is_alone)
                .and(of_side(series, right, blocks, false).inverse()),
            limits: unfit.into_iter().chain(unended).collect(),
        }
    }

    /// Distance of the quantity from the measured one on that scale. A distance in logarithms does not apply to
    /// another scale, unless it is unbounded.
    pub fn reach_on(&self, scale: Scale) -> Reach {
        let open = |side: f64| if side.is_finite() { 0.0 } else { side };
        match scale {
            Scale::Log => self.reach,
            Scale::Plain | Scale::Difference => {
                Reach { below: open(self.reach.below), above: open(self.reach.above) }
            }
        }
    }
}

/// Distance of the servers' own value of a side from the measured one.
fn of_side(series: &Series<'_>, side: &Side, blocks: u32, is_alone: bool) -> Reach {
    let reach = match &trials_of(side)[..] {
        [trial] => of_trial(series, trial, blocks, is_alone),
        [over, under] => {
            of_trial(series, over, blocks, false).and(of_trial(series, under, blocks, false).inverse())
        }
        _ => Reach::NONE,
    };
    match side {
        Side::Measured { factor, .. } if *factor <= 0.0 && reach != Reach::NONE => Reach::ANY,
        _ => reach,
    }
}

fn of_trial(series: &Series<'_>, trial: &Trial, blocks: u32, is_alone: bool) -> Reach {
    let Some(place) = series.trials.iter().position(|known| known == trial) else { return Reach::NONE };
    let cells = series.cells.iter().take(blocks as usize).filter_map(|cells| cells[place]);
    Reach::mean(cells.map(|cell| match is_alone {
        true => cell.reach().and(cell.reach_alone()),
        false => cell.reach(),
    }))
}
