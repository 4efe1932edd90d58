//! Adds up what the shares of loads tell, and hand over in the end, as it comes.

use crate::driver::Allowance;
use crate::generator::{gather, show};
use crate::record::{HandedOver, WorkerResult, WorkerSums};
use crate::{LoadPlan, LoadResult, ShareResult, Watch};
use proofload_measure::{Merging, Outcome, SECOND_NS, Series, Snapshot, SparseSnapshot, Stretch, Window};
use std::sync::atomic::Ordering;

/// Adds up what the shares of loads hand over, second by second.
#[derive(Debug)]
pub struct Merger<'a> {
    plans: &'a [LoadPlan],
    watch: &'a Watch,
    loads: Vec<Load>,
}

impl<'a> Merger<'a> {
    /// A merger for `shares` shares of these loads.
    pub fn new(plans: &'a [LoadPlan], watch: &'a Watch, shares: u32) -> Merger<'a> {
        let window = |plan: &LoadPlan| Window { start_ns: 0, end_ns: plan.extent.longest_ns() };
        let loads = plans.iter().enumerate().map(|(at, plan)| Load::new(at, window(plan), shares));
        Merger { plans, watch, loads: loads.collect() }
    }

    /// Adds what a share (from 0) saw of a load (`stream`, from 0) up to second `last` and from the end of its previous
    /// report. A share that does not exist, or has ended, is ignored.
    pub fn add(&mut self, share: u32, stream: usize, last: u64, seen: &SparseSnapshot) {
        if let Some(load) = self.loads.get_mut(stream) {
            load.merging.add(share, last, seen);
        }
    }

    /// A share has ended: what it hands over of each load, on the axis of time of all shares.
    pub fn end(&mut self, share: u32, results: Vec<ShareResult>) {
        for (load, result) in self.loads.iter_mut().zip(results) {
            load.hand_over(share as usize, result);
        }
        self.loads.iter_mut().for_each(|load| load.merging.end(share));
    }

    /// A share will tell no more, and hands over nothing. What it told before counts.
    pub fn lose(&mut self, share: u32) {
        for load in &mut self.loads {
            load.is_whole = false;
            load.merging.end(share);
        }
    }

    /// Reports each stretch that all shares have reported; returns true once all have ended.
    pub fn collect(&mut self, tell: &mut dyn FnMut(&Stretch<'_>)) -> bool {
        let Merger { plans, watch, loads } = self;
        let mut told = |stretch: &Stretch<'_>| {
            let Snapshot { outcomes, discarded, .. } = stretch.snapshot;
            let answered = outcomes.get(Outcome::Answered) + discarded.get(Outcome::Answered);
            let ended = outcomes.finished() + discarded.finished();
            watch.answered.fetch_add(answered, Ordering::Relaxed);
            watch.failed.fetch_add(ended - answered, Ordering::Relaxed);
            if let ([plan], Some(quantiles)) = (*plans, stretch.quantiles) {
                show(plan, watch, stretch, &quantiles);
            }
            tell(stretch);
        };
        loads.iter_mut().fold(true, |all, load| load.collect(&mut told) & all)
    }

    /// The results.
    pub fn finish(self) -> Vec<LoadResult> {
        self.plans.iter().zip(self.loads).map(|(plan, load)| load.finish(plan)).collect()
    }
}

#[derive(Debug)]
struct Load {
    merging: Merging,
    series: Series,
    sums: WorkerSums,
    /// Of each share.
    workers: Vec<Vec<WorkerResult>>,
    ports: u64,
    peak_rss_bytes: u64,
    /// Every share has handed over what it did, or still will.
    is_whole: bool,
}

impl Load {
    fn new(stream: usize, window: Window, shares: u32) -> Load {
        // After the last second of the window comes one stretch more.
        let last = window.end_ns.div_ceil(SECOND_NS);
        Load {
            merging: Merging::new(last, shares),
            series: Series::new(stream, window),
            sums: WorkerSums::default(),
            workers: (0..shares).map(|_| Vec::new()).collect(),
            ports: 0,
            peak_rss_bytes: 0,
            is_whole: true,
        }
    }

    fn collect(&mut self, tell: &mut dyn FnMut(&Stretch<'_>)) -> bool {
        while let Some((last, sum)) = self.merging.next_whole() {
            self.series.add(last, &sum, tell);
            self.merging.spare(sum);
        }
        self.merging.has_ended()
    }

    fn hand_over(&mut self, share: usize, result: ShareResult) {
        let Some(workers) = self.workers.get_mut(share) else { return };
        self.ports = self.ports.saturating_add(result.ports);
        self.peak_rss_bytes = self.peak_rss_bytes.saturating_add(result.peak_rss_bytes);
        for HandedOver { sums, worker } in result.workers {
            self.sums.add(&sums);
            workers.push(worker);
        }
    }

    fn finish(self, plan: &LoadPlan) -> LoadResult {
        let workers = self.workers.into_iter().flatten().collect();
        let allowance = Allowance { descriptors: None, ports: self.ports };
        let collected = self.series.finish();
        let mut result = gather(plan, self.sums, workers, collected, &allowance, self.peak_rss_bytes);
        if !self.is_whole {
            self.merging.enter_untold(&mut result.per_second);
        }
        result
    }
}

#[cfg(test)]
mod tests;
