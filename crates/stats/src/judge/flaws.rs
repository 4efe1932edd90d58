//! Values that are not the servers' own, and what they say all the same.
//!
//! A generator at its limit, or exchanges without an end, shift a value to a known side or to none. Where it is known, one
//! decision stands: that of a side which can only lie further off than it was seen.

use super::guard;
use super::series::{Series, Trial, trials_of};
use crate::claim::Term;
use crate::{Bound, Cell, Comparison, Measure, Reason, Side};

/// What is wrong with a claim's values in the first blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flaws {
    /// What forbids the decisions that do not stand.
    pub limits: Vec<Reason>,
    /// Which decision stands in spite of them; `None` where none does, or nothing is wrong.
    pub stands: Option<bool>,
    /// What is to be said with a decision that stands.
    pub notes: Vec<Reason>,
}

impl Flaws {
    /// A count of what was seen is that, whatever its generator was: only errors of the generator's own making are none of the
    /// server's.
    pub fn of(series: &Series<'_>, blocks: u32) -> Flaws {
        if series.is_fact() && !guard::has_own_errors(series, blocks) {
            return Flaws::default();
        }
        let unfit = guard::unfit(series, blocks);
        let unended = guard::unended(series, blocks);
        let is_of_throughput = series.trials.iter().all(|trial| trial.measure == Measure::Throughput);
        let note = match is_of_throughput {
            true => Some(Reason::LimitedOnTheFasterSide),
            // Errors that were seen are errors.
            false => (!series.is_of_errors()).then_some(Reason::OnlyLengthened),
        };
        let notes = note.filter(|_| !unfit.is_empty()).into_iter().chain(unended.iter().cloned());
        Flaws {
            notes: notes.collect(),
            stands: stands(series, blocks),
            limits: unfit.into_iter().chain(unended).collect(),
        }
    }
}

/// How much further an interval of logarithms reaches, below and above, for what the generator may have done to its values: on
/// the side that its own delays threaten twice what they are estimated to have added, and on both what a busy one moves. Where
/// they added too much, the value is a bound at most.
pub(super) fn margins(series: &Series<'_>, blocks: u32) -> (f64, f64) {
    let mean = |trial: &Trial, of: fn(&Cell) -> f64| {
        let place = series.trials.iter().position(|known| known == trial);
        let cells = series.cells.iter().take(blocks as usize).filter_map(|cells| cells[place?]);
        let shares: Vec<f64> = cells.filter(|cell| cell.unfit.is_empty()).map(of).collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    };
    let longer = |trial: &Trial| (2.0 * mean(trial, |cell| cell.lengthened)).ln_1p();
    let moved: f64 = series.trials.iter().map(|trial| mean(trial, |cell| cell.moved).ln_1p()).sum();
    let of = |side: &Side| match &trials_of(side)[..] {
        [trial] => (longer(trial), 0.0),
        [over, under] => (longer(over), longer(under)),
        _ => (0.0, 0.0),
    };
    let ((left_over, left_under), (right_over, right_under)) =
        (of(&series.claim.left), of(&series.claim.right));
    (left_over + right_under + moved, left_under + right_over + moved)
}

/// What a value says of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worth {
    /// It is the server's own.
    Own,
    Bounded(Bound),
    Nothing,
}

impl Worth {
    fn of(cell: &Cell) -> Worth {
        let unfit = match (cell.unfit.is_empty(), cell.unfit_bound) {
            (true, _) => Worth::Own,
            (false, Some(bound)) => Worth::Bounded(bound),
            (false, None) => Worth::Nothing,
        };
        unfit.and(if cell.at_least { Worth::Bounded(Bound::AtLeast) } else { Worth::Own })
    }

    fn and(self, other: Worth) -> Worth {
        match (self, other) {
            (Worth::Own, worth) | (worth, Worth::Own) => worth,
            (one, other) if one == other => one,
            _ => Worth::Nothing,
        }
    }
}

/// Which decision is only made clearer by what is wrong.
fn stands(series: &Series<'_>, blocks: u32) -> Option<bool> {
    let claim = series.claim;
    let left_is_more = match claim.comparison {
        Comparison::Greater | Comparison::AtLeast => true,
        Comparison::Less | Comparison::AtMost => false,
        // That there are so many errors and no more.
        Comparison::Equal if series.is_of_errors() => false,
        Comparison::Equal | Comparison::Within(_) => return None,
    };
    let (left, right) = (worth(series, &claim.left, blocks), worth(series, &claim.right, blocks));
    // The left side may be more than was seen, or the right side less.
    let more = [(left, Bound::AtLeast), (right, Bound::AtMost)];
    let less = [(left, Bound::AtMost), (right, Bound::AtLeast)];
    let only = |sides: [(Worth, Bound); 2]| {
        sides.into_iter().all(|(worth, bound)| worth == Worth::Own || worth == Worth::Bounded(bound))
    };
    match (only(more), only(less)) {
        (true, false) => Some(left_is_more),
        (false, true) => Some(!left_is_more),
        _ => None,
    }
}

/// What a side's values are worth over the blocks; of anything but a plain measure only the servers' own is worth something.
fn worth(series: &Series<'_>, side: &Side, blocks: u32) -> Worth {
    let is_plain = matches!(side, Side::Measured { term: Term::Of { .. }, factor, .. } if *factor > 0.0);
    let trials = trials_of(side);
    let cells = series.cells.iter().take(blocks as usize).flat_map(|cells| cells.iter().zip(&series.trials));
    let own = cells.filter(|(_, trial)| trials.contains(trial)).filter_map(|(cell, _)| *cell);
    match own.map(Worth::of).fold(Worth::Own, Worth::and) {
        Worth::Bounded(_) if !is_plain => Worth::Nothing,
        worth => worth,
    }
}
