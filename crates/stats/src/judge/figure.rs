//! Value of one figure in a run, for a history of runs. A reason that forbids a verdict keeps the value out, too.

use super::guard::{ERROR_SHARE_MAX, LOST_SHARE_MAX, disturbed, share_of_errors, unsteady_in};
use crate::{Cell, FigureOf, Measure, Observations, Reach, Reason, Unsteady, mean_over_blocks};
use std::collections::BTreeMap;

/// Observations of a figure in a run.
pub(super) struct Figure<'a> {
    of: FigureOf,
    /// Those of the blocks that did not leave it out on purpose.
    cells: Vec<&'a Cell>,
    /// Blocks that have a value.
    blocks_with_value: Vec<u32>,
    pub values: Vec<f64>,
    /// Blocks without a value, and blocks that were begun for it.
    lost: (u32, u32),
    /// Starts of the variant without a steady state.
    unsteady: Vec<Unsteady>,
    /// Blocks that count, and those that the machine disturbed.
    blocks: (u32, u32),
}

impl<'a> Figure<'a> {
    /// `zero` tells if a zero may be a value, as it may of a mean and not of a ratio.
    pub fn of(observations: &'a Observations, of: FigureOf, zero: bool) -> Figure<'a> {
        let is_it = |cell: &&Cell| {
            (cell.measure, cell.variant, cell.point, cell.stream)
                == (of.measure, of.variant, of.point, of.stream)
        };
        let (spared, cells): (Vec<&Cell>, Vec<&Cell>) =
            observations.cells.iter().filter(is_it).partition(|cell| cell.is_spared());
        let usable = |value: &f64| value.is_finite() && (*value > 0.0 || (zero && of.measure.may_be_zero()));
        let with_value = cells.iter().filter_map(|cell| Some((cell.block, cell.merged.filter(usable)?)));
        let (blocks_with_value, values) = with_value.unzip::<u32, f64, Vec<u32>, Vec<f64>>();
        let blocks = observations.blocks.len() as u32;
        let begun = blocks.saturating_add(observations.excluded_blocks).saturating_sub(spared.len() as u32);
        let lost = begun.saturating_sub(values.len() as u32);
        let unsteady = observations.unsteady.iter().filter(|start| start.variant == of.variant);
        Figure {
            of,
            cells,
            blocks_with_value,
            values,
            lost: (lost, begun),
            unsteady: unsteady.copied().collect(),
            blocks: (blocks, observations.disturbed.len() as u32),
        }
    }

    /// Distance of the server's own figure from this one.
    pub fn reach(&self) -> Reach {
        Reach::mean(self.cells.iter().map(|cell| cell.reach()))
    }

    fn sum(&self, of: fn(&Cell) -> u64) -> u64 {
        self.cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(of(cell)))
    }

    /// Causes that moved its values: by a bounded distance, or an unknown one.
    pub fn flaws(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let unfit = self.cells.iter().find_map(|cell| cell.unfit.first());
        reasons.extend(unfit.map(|what| Reason::ClientLimited { what: what.clone() }));
        if self.cells.iter().any(|cell| cell.at_least) {
            reasons.push(Reason::Unended {
                measure: self.of.measure,
                variant: self.of.variant,
                unanswered: self.sum(|cell| cell.unanswered),
                unsent: self.sum(|cell| cell.unsent),
            });
        }
        reasons
    }

    /// Reasons against any use of it, whatever its values are.
    pub fn guards(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let (errors, finished) = (self.sum(Cell::errors_outside), self.sum(|cell| cell.finished));
        let share = share_of_errors(errors, finished);
        if self.of.measure.is_speed() && share > ERROR_SHARE_MAX {
            reasons.push(Reason::Errors { variant: self.of.variant, share });
        }
        let (blocks, beside) = self.blocks;
        let of_errors = matches!(self.of.measure, Measure::Errors | Measure::ErrorShare);
        reasons.extend(unsteady_in(&self.unsteady, blocks).filter(|_| !of_errors));
        reasons.extend(disturbed(blocks, beside));
        let (lost, of) = self.lost;
        if f64::from(lost) > LOST_SHARE_MAX * f64::from(of) {
            reasons.push(Reason::BlocksLost { lost, of });
        }
        reasons
    }
}

/// The mean over the complete blocks (geometric where all are positive), in the measure's base unit; `None` where no
/// block has a value.
///
/// # Errors
/// With what forbids to rest anything on it: an unfit generator, errors where speed is asked for, no steady state, a
/// machine that disturbed most of the blocks, too many blocks lost.
pub fn figure_of(observations: &Observations, of: FigureOf) -> Result<Option<f64>, Reason> {
    let figure = Figure::of(observations, of, true);
    if figure.values.is_empty() {
        return Ok(None);
    }
    if let Some(reason) = figure.flaws().into_iter().chain(figure.guards()).next() {
        return Err(reason);
    }
    // The tail is that of an interval that is not used here.
    Ok(mean_over_blocks(&figure.values, 0.05).map(|found| found.mean))
}

/// The logarithms of a figure, block by block in each sitting; nothing where something forbids to rest anything on it.
pub fn sitting_values_of_figure(observations: &Observations, of: FigureOf) -> Vec<Vec<f64>> {
    let figure = Figure::of(observations, of, false);
    if !(figure.flaws().is_empty() && figure.guards().is_empty()) {
        return Vec::new();
    }
    let mut sorted: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (block, value) in figure.blocks_with_value.iter().zip(&figure.values) {
        sorted.entry(observations.sitting_of(*block)).or_default().push(value.ln());
    }
    sorted.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replication;
    use proofload_facts::Finding;

    const OF: FigureOf = FigureOf { measure: Measure::Throughput, variant: 0, point: 0, stream: None };

    fn observations(values: &[Option<f64>]) -> Observations {
        let cell = |(at, merged): (usize, &Option<f64>)| Cell {
            block: at as u32 + 1,
            variant: 0,
            point: 0,
            measure: Measure::Throughput,
            cycles: vec![*merged],
            merged: *merged,
            finished: 1_000,
            ..Cell::default()
        };
        Observations {
            cells: values.iter().enumerate().map(cell).collect(),
            blocks: (1..=values.len() as u32).collect(),
            excluded_blocks: 0,
            disturbed: Vec::new(),
            replication: Replication::Start,
            ..Observations::default()
        }
    }

    #[test]
    fn a_run_says_the_mean_of_its_blocks() {
        let found = figure_of(&observations(&[Some(1.0), Some(4.0)]), OF).expect("nothing forbids it");
        assert!(found.is_some_and(|mean| (mean - 2.0).abs() < 1e-12), "{found:?}");
        assert_eq!(figure_of(&observations(&[None, None]), OF), Ok(None));
        assert_eq!(figure_of(&observations(&[]), OF), Ok(None));
        assert_eq!(figure_of(&observations(&[Some(1.0)]), FigureOf { variant: 1, ..OF }), Ok(None));
    }

    #[test]
    fn what_forbids_a_verdict_keeps_the_value_out() {
        let good = || observations(&[Some(1.0); 4]);
        assert!(figure_of(&good(), OF).is_ok());
        let mut unfit = good();
        unfit.cells[2].unfit.push(Finding::Unfit);
        assert!(matches!(figure_of(&unfit, OF), Err(Reason::ClientLimited { .. })));
        let mut failing = good();
        failing.cells[0].errors = 5;
        assert!(matches!(figure_of(&failing, OF), Err(Reason::Errors { .. })));
        let lost = Observations { excluded_blocks: 2, ..good() };
        assert_eq!(figure_of(&lost, OF), Err(Reason::BlocksLost { lost: 2, of: 6 }));
        let shaken = Observations { disturbed: vec![0; 5], ..good() };
        assert!(matches!(figure_of(&shaken, OF), Err(Reason::Disturbed { .. })));
        let unsteady = |starts: &[(u32, usize)]| {
            let unsteady = starts
                .iter()
                .map(|&(block, variant)| Unsteady { block, variant, ..Unsteady::default() })
                .collect();
            figure_of(&Observations { unsteady, ..good() }, OF)
        };
        assert!(unsteady(&[(1, 0), (2, 1), (3, 1)]).is_ok(), "a quarter of its own");
        assert_eq!(
            unsteady(&[(1, 0), (2, 0)]),
            Err(Reason::NoSteadyState { blocks: 2, of: 4, per_10s: None })
        );
    }

    #[test]
    fn blocks_that_left_it_out_on_purpose_are_no_losses() {
        let mut spared = observations(&[Some(1.0), Some(4.0), None, None]);
        assert_eq!(figure_of(&spared, OF), Err(Reason::BlocksLost { lost: 2, of: 4 }));
        for cell in &mut spared.cells[2..] {
            (cell.cycles, cell.finished) = (Vec::new(), 0);
        }
        assert!(matches!(figure_of(&spared, OF), Ok(Some(_))), "{:?}", figure_of(&spared, OF));
    }
}
