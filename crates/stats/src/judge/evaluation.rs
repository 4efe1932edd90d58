//! Evaluation of one claim at one moment.

use super::flaws::Flaws;
use super::series::{Series, of_block};
use crate::{Borrowed, Estimate, Lent, Projection, Reason, Scope};

/// Progress of the study when a claim is evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub blocks: u32,
    pub begun: u32,
    /// Blocks beside the complete ones that the machine disturbed.
    pub disturbed: u32,
    /// Claims that share the error rate.
    pub open: u32,
    /// True if no look is to come, so that this one has all that is left of the error rate.
    pub spends_the_rest: bool,
    /// The spread that was lent at its first look.
    pub lent: Option<Lent>,
}

/// Evaluation of a claim on the blocks so far.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    pub decided: Option<bool>,
    /// More data could not change it, though nothing was frozen yet.
    pub permanent: bool,
    pub estimate: Option<Estimate>,
    pub confidence: f64,
    pub blocks: u32,
    pub reasons: Vec<Reason>,
    pub projection: Option<Projection>,
    /// Reason why nothing is to be expected of the last look, where that is so.
    pub futile: Option<Reason>,
    /// Nothing but what moved its values keeps it open, and more blocks will not change that.
    pub is_hopeless: bool,
    pub scope: Scope,
    pub borrowed: Option<Borrowed>,
}

impl Evaluation {
    pub fn empty(blocks: u32, confidence: f64) -> Self {
        Evaluation {
            decided: None,
            permanent: false,
            estimate: None,
            confidence,
            blocks,
            reasons: Vec::new(),
            projection: None,
            futile: None,
            is_hopeless: false,
            scope: Scope::ThisSitting,
            borrowed: None,
        }
    }

    /// Says what is wrong with the values, with a decision all the same or as what keeps it from one.
    pub fn limited(&mut self, flaws: Flaws) {
        if flaws.limits.is_empty() {
            return;
        }
        if self.decided.is_some() {
            self.reasons.extend(flaws.notes);
            return;
        }
        self.futile = None;
        // That there are too few blocks comes before all.
        let at = usize::from(matches!(
            self.reasons.first(),
            Some(Reason::TooFewBlocks { .. } | Reason::TooFewSittings { .. })
        ));
        self.reasons.splice(at..at, flaws.limits);
    }
}

/// The trials without a usable value, with the number of blocks they lack it in.
pub(super) fn not_measured(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let lacking = |place: usize| {
        let held = series.cells.iter().zip(&series.spared).take(blocks as usize);
        let without = held.filter(|(cells, spared)| !**spared && cells[place].and_then(of_block).is_none());
        without.count() as u32
    };
    let reasons = series.trials.iter().enumerate().map(|(place, trial)| Reason::NotMeasured {
        measure: trial.measure,
        variant: trial.variant,
        point: trial.point,
        stream: trial.stream,
        blocks: lacking(place),
    });
    reasons.filter(|reason| !matches!(reason, Reason::NotMeasured { blocks: 0, .. })).collect()
}
