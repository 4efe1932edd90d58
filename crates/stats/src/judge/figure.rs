//! What a run says of one figure, for a history of runs. What forbids a verdict keeps the value out, too.

use super::guard::{ERROR_SHARE_MAX, LOST_SHARE_MAX, disturbed};
use crate::{Cell, Measure, Observations, Reason, mean_over_blocks};

/// A measure of one variant at one load point, by the indexes of the plan's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureOf {
    /// What.
    pub measure: Measure,
    /// Of which variant.
    pub variant: usize,
    /// At which load point.
    pub point: usize,
    /// Of which stream; `None` is all of them together.
    pub stream: Option<usize>,
}

/// The mean over the complete blocks (geometric where all are positive), in the measure's base unit; `None` where no
/// block has a value.
///
/// # Errors
/// With what forbids to rest anything on it: an unfit generator, errors where speed is asked for, a machine that
/// disturbed most of the blocks, too many blocks lost.
pub fn figure_of(observations: &Observations, of: FigureOf) -> Result<Option<f64>, Reason> {
    let is_it = |cell: &&Cell| {
        (cell.measure, cell.variant, cell.point, cell.stream) == (of.measure, of.variant, of.point, of.stream)
    };
    let cells: Vec<&Cell> = observations.cells.iter().filter(is_it).collect();
    if let Some(what) = cells.iter().find_map(|cell| cell.unfit.first()) {
        return Err(Reason::ClientLimited { what: what.clone() });
    }
    let sum = |of: fn(&Cell) -> u64| cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(of(cell)));
    let (errors, finished) = (sum(|cell| cell.errors), sum(|cell| cell.finished));
    let share = if errors == 0 { 0.0 } else { errors as f64 / finished.max(errors) as f64 };
    if of.measure.is_speed() && share > ERROR_SHARE_MAX {
        return Err(Reason::Errors { variant: of.variant, share });
    }
    let usable = |value: &f64| value.is_finite() && (*value > 0.0 || of.measure.may_be_zero());
    let values: Vec<f64> = cells.iter().filter_map(|cell| cell.merged).filter(usable).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let blocks = observations.blocks.len() as u32;
    if let Some(reason) = disturbed(blocks, observations.disturbed.len() as u32) {
        return Err(reason);
    }
    let begun = blocks.saturating_add(observations.excluded_blocks);
    let lost = begun.saturating_sub(values.len() as u32);
    if f64::from(lost) > LOST_SHARE_MAX * f64::from(begun) {
        return Err(Reason::BlocksLost { lost, of: begun });
    }
    // The tail is that of an interval that nobody asks for here.
    Ok(mean_over_blocks(&values, 0.05).map(|found| found.mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replication;

    const OF: FigureOf = FigureOf { measure: Measure::Throughput, variant: 0, point: 0, stream: None };

    fn observations(values: &[Option<f64>]) -> Observations {
        let cell = |(at, merged): (usize, &Option<f64>)| Cell {
            block: at as u32 + 1,
            variant: 0,
            point: 0,
            stream: None,
            measure: Measure::Throughput,
            cycles: Vec::new(),
            merged: *merged,
            finished: 1_000,
            errors: 0,
            unfit: Vec::new(),
        };
        Observations {
            cells: values.iter().enumerate().map(cell).collect(),
            blocks: (1..=values.len() as u32).collect(),
            excluded_blocks: 0,
            disturbed: Vec::new(),
            replication: Replication::Start,
            unsteady: Vec::new(),
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
        unfit.cells[2].unfit.push("worker 0 was busy".into());
        assert!(matches!(figure_of(&unfit, OF), Err(Reason::ClientLimited { .. })));
        let mut failing = good();
        failing.cells[0].errors = 5;
        assert!(matches!(figure_of(&failing, OF), Err(Reason::Errors { .. })));
        let lost = Observations { excluded_blocks: 2, ..good() };
        assert_eq!(figure_of(&lost, OF), Err(Reason::BlocksLost { lost: 2, of: 6 }));
        let shaken = Observations { disturbed: vec![0; 5], ..good() };
        assert!(matches!(figure_of(&shaken, OF), Err(Reason::Disturbed { .. })));
    }
}
