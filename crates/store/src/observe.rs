//! The observations that the judge reads: one cell for each block, variant, load point and measure.

use crate::convert::counts_of;
use crate::merge::decode;
use crate::schema::{Plan, Slice};
use crate::{Block, Run, StoreError};
use proofload_measure::{LatencyHistogram, OutcomeCounts};
use proofload_stats::{Cell, Measure, Observations, Replication};
use std::path::Path;

mod subject;

/// Cycles of a block that are told apart.
const CYCLES_MAX: u32 = 10_000;

/// The slices of one variant at one load point in one block.
struct Trial<'a> {
    block: u32,
    variant: usize,
    point: usize,
    slices: Vec<&'a Slice>,
}

impl Run {
    /// What the complete blocks say about these measures. Variants and points have the plan's indexes.
    ///
    /// Values per cycle come from the measured slices, merged ones from their sums and merged histograms.
    /// Nothing of a warm-up is in either.
    ///
    /// # Errors
    /// When a stored histogram cannot be read.
    pub fn observations(&self, measures: &[Measure]) -> Result<Observations, StoreError> {
        // A block that somebody outside cut off says nothing about the servers: to the judge it is as if it had
        // never begun, so that a run that was resumed is judged like one that was not.
        let cut: Vec<u32> = self.cut_blocks().collect();
        let number_of = |number: u32| number - cut.iter().filter(|&&cut| cut < number).count() as u32;
        let mut cells = Vec::new();
        for block in self.blocks() {
            for mut trial in trials(block, self.plan()) {
                trial.block = number_of(block.number);
                trial.cells(measures, self.path(), &mut cells)?;
            }
        }
        Ok(Observations {
            cells,
            blocks: self.blocks().iter().map(|block| number_of(block.number)).collect(),
            excluded_blocks: (self.excluded().len() - cut.len()) as u32,
            replication: match self.plan().replication.as_str() {
                "process" => Replication::Process,
                _ => Replication::Start,
            },
        })
    }
}

fn trials<'a>(block: &'a Block, plan: &Plan) -> Vec<Trial<'a>> {
    let mut trials = Vec::new();
    for (point, load) in plan.points.iter().enumerate() {
        for (variant, planned) in plan.variants.iter().enumerate() {
            let slices: Vec<&Slice> = block
                .slices
                .iter()
                .filter(|slice| slice.phase == "measure" && (1..=CYCLES_MAX).contains(&slice.cycle))
                .filter(|slice| slice.measured.variant == planned.name && slice.measured.point == load.label)
                .collect();
            if !slices.is_empty() {
                trials.push(Trial { block: block.number, variant, point, slices });
            }
        }
    }
    trials
}

impl Trial<'_> {
    fn cells(&self, measures: &[Measure], path: &Path, cells: &mut Vec<Cell>) -> Result<(), StoreError> {
        let wants_latency = measures.iter().any(|measure| needs_histogram(*measure));
        let mut each = Vec::new();
        let mut merged = LatencyHistogram::new();
        if wants_latency {
            for slice in &self.slices {
                let histogram = decode(&slice.histograms.response_time, path)?;
                merged.merge(&histogram);
                each.push(histogram);
            }
        }
        let cycles = self.slices.iter().map(|slice| slice.cycle).max().unwrap_or(0) as usize;
        let mut counts = OutcomeCounts::default();
        self.slices.iter().for_each(|slice| counts.merge(&counts_of(&slice.measured.outcomes)));
        for &measure in measures {
            let mut by_cycle = vec![None; cycles];
            for (i, slice) in self.slices.iter().enumerate() {
                by_cycle[slice.cycle as usize - 1] = value(measure, &[slice], each.get(i));
            }
            cells.push(Cell {
                block: self.block,
                variant: self.variant,
                point: self.point,
                measure,
                cycles: by_cycle,
                merged: value(measure, &self.slices, Some(&merged)),
                finished: counts.finished(),
                errors: counts.errors(),
                unfit: self.unfit(),
            });
        }
        Ok(())
    }

    /// What the generator found about itself, with the place.
    fn unfit(&self) -> Vec<String> {
        let mut unfit = Vec::new();
        for slice in self.slices.iter().filter(|slice| !slice.measured.generator.fit) {
            let place = format!(
                "{} @ {}, block {}, cycle {}",
                slice.measured.variant, slice.measured.point, slice.block, slice.cycle
            );
            let findings = &slice.measured.generator.findings;
            unfit.extend(findings.iter().map(|finding| format!("{finding} ({place})")));
            if findings.is_empty() {
                unfit.push(place);
            }
        }
        unfit
    }
}

fn needs_histogram(measure: Measure) -> bool {
    matches!(measure, Measure::ResponseQuantile(_) | Measure::ResponseMean | Measure::ResponseMax)
}

/// A measure over slices; `response` is their merged histogram of response times.
fn value(measure: Measure, slices: &[&Slice], response: Option<&LatencyHistogram>) -> Option<f64> {
    let mut counts = OutcomeCounts::default();
    slices.iter().for_each(|slice| counts.merge(&counts_of(&slice.measured.outcomes)));
    match measure {
        Measure::Throughput => {
            let seconds: f64 = slices.iter().map(|slice| slice.measured.seconds).sum();
            let answered: u64 = slices.iter().map(|slice| slice.answered_in_window).sum();
            (seconds > 0.0).then(|| answered as f64 / seconds)
        }
        Measure::ResponseQuantile(q) => Some(response?.quantile_ns(f64::from(q) / 10_000.0)? as f64),
        Measure::ResponseMean => response?.mean_ns(),
        Measure::ResponseMax => Some(response?.quantile_ns(1.0)? as f64),
        Measure::ErrorShare => counts.error_share(),
        Measure::Errors => Some(counts.errors() as f64),
        other => subject::value(other, slices),
    }
}
