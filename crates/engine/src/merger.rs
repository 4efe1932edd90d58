//! Adds up what the shares of loads tell, as it comes. A second of a load takes the memory of one snapshot, however many shares
//! there are, and it is let go when all have told of it.

use crate::driver::Allowance;
use crate::generator::{gather, show};
use crate::record::{HandedOver, WorkerResult, WorkerSums};
use crate::seconds::{COUNTS_MAX, SECOND_NS, Series, Stretch};
use crate::{LoadPlan, LoadResult, ShareResult, Watch};
use proofload_measure::{Outcome, Snapshot, SparseSnapshot, Window};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;

/// While a share owes a second, so many later ones are kept apart; those after them are added up as one stretch.
const APART_MAX: usize = 64;
/// Emptied snapshots that wait for the next seconds.
const SPARES_MAX: usize = 2;

/// Adds up what the shares of loads hand over, second by second.
#[derive(Debug)]
pub struct Merger<'a> {
    plans: &'a [LoadPlan],
    watch: &'a Watch,
    loads: Vec<Merging>,
}

impl<'a> Merger<'a> {
    /// For so many shares of these loads.
    pub fn new(plans: &'a [LoadPlan], watch: &'a Watch, shares: u32) -> Merger<'a> {
        let window = |plan: &LoadPlan| Window { start_ns: 0, end_ns: plan.extent.longest_ns() };
        let loads = plans.iter().enumerate().map(|(at, plan)| Merging::new(at, window(plan), shares));
        Merger { plans, watch, loads: loads.collect() }
    }

    /// What a share (from 0) saw of a load (`stream`, from 0) up to second `last` and from the end of what it told before. One
    /// that is not there, or has ended, is ignored.
    pub fn add(&mut self, share: u32, stream: usize, last: u64, seen: &SparseSnapshot) {
        if let Some(load) = self.loads.get_mut(stream) {
            load.add(share as usize, last, seen);
        }
    }

    /// A share has ended: what it hands over of each load, on the axis of time of all shares.
    pub fn end(&mut self, share: u32, results: Vec<ShareResult>) {
        for (load, result) in self.loads.iter_mut().zip(results) {
            load.hand_over(share as usize, result);
        }
        self.loads.iter_mut().for_each(|load| load.end(share as usize));
    }

    /// A share will tell no more, and hands over nothing. What it told before counts.
    pub fn lose(&mut self, share: u32) {
        for load in &mut self.loads {
            load.is_whole = false;
            load.end(share as usize);
        }
    }

    /// Tells of each stretch that all shares have told of, and says whether all have ended.
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

    /// What it all came to.
    pub fn finish(self) -> Vec<LoadResult> {
        self.plans.iter().zip(self.loads).map(|(plan, load)| load.finish(plan)).collect()
    }
}

/// Seconds that not all shares have told of.
#[derive(Debug)]
struct Open {
    first: u64,
    last: u64,
    sum: Snapshot,
}

/// One load.
#[derive(Debug)]
struct Merging {
    window: Window,
    /// The next second that each share owes; none when it has ended.
    owes: Vec<Option<u64>>,
    /// How many shares owe which second.
    owing: BTreeMap<u64, u32>,
    /// In order of time; no two have a second in common.
    open: VecDeque<Open>,
    spares: Vec<Snapshot>,
    series: Series,
    /// Answers of the stretch that ends with each second.
    answered: Vec<u64>,
    sums: WorkerSums,
    /// Of each share.
    workers: Vec<Vec<WorkerResult>>,
    ports: u64,
    peak_rss_bytes: u64,
    /// Every share has handed over what it did, or still will.
    is_whole: bool,
}

impl Merging {
    fn new(stream: usize, window: Window, shares: u32) -> Merging {
        let owing = if shares > 0 { BTreeMap::from([(0, shares)]) } else { BTreeMap::new() };
        Merging {
            window,
            owes: vec![Some(0); shares as usize],
            owing,
            open: VecDeque::new(),
            spares: Vec::new(),
            series: Series::new(stream, window),
            answered: Vec::new(),
            sums: WorkerSums::default(),
            workers: (0..shares).map(|_| Vec::new()).collect(),
            ports: 0,
            peak_rss_bytes: 0,
            is_whole: true,
        }
    }

    fn add(&mut self, share: usize, last: u64, seen: &SparseSnapshot) {
        let Some(owed) = self.owes.get(share).copied().flatten() else { return };
        // After the last second of the window comes one stretch more.
        let last = last.min(self.window.end_ns.div_ceil(SECOND_NS)).max(owed);
        self.sum_of(owed, last, seen.window).merge(seen);
        self.owe(share, Some(last + 1));
    }

    fn end(&mut self, share: usize) {
        self.owe(share, None);
    }

    fn owe(&mut self, share: usize, next: Option<u64>) {
        let Some(owes) = self.owes.get_mut(share) else { return };
        let before = std::mem::replace(owes, next);
        if let Some(shares) = before.and_then(|before| self.owing.get_mut(&before)) {
            *shares -= 1;
        }
        if let Some(next) = next {
            *self.owing.entry(next).or_default() += 1;
        }
        while let Some(first) = self.owing.first_entry()
            && *first.get() == 0
        {
            first.remove();
        }
    }

    /// The sum of the seconds `first` to `last`. Those that had sums of their own have one now: a share that tells of several
    /// seconds at once does not say what belongs to which.
    fn sum_of(&mut self, first: u64, last: u64, window: Window) -> &mut Snapshot {
        let mut from = self.open.partition_point(|open| open.last < first);
        let mut to = self.open.partition_point(|open| open.first <= last);
        if from == to && self.open.len() >= APART_MAX {
            from = from.saturating_sub(1);
            to = from + 1;
        }
        if from == to {
            let mut sum = self.spares.pop().unwrap_or_else(|| Snapshot::new(window));
            sum.clear(window);
            self.open.insert(from, Open { first, last, sum });
        }
        let others: Vec<Open> = self.open.drain((from + 1).min(to)..to).collect();
        for other in others {
            let open = &mut self.open[from];
            open.sum.merge(&other.sum);
            open.last = open.last.max(other.last);
            self.spare(other.sum);
        }
        let open = &mut self.open[from];
        (open.first, open.last) = (open.first.min(first), open.last.max(last));
        &mut open.sum
    }

    fn spare(&mut self, sum: Snapshot) {
        if self.spares.len() < SPARES_MAX {
            self.spares.push(sum);
        }
    }

    fn collect(&mut self, tell: &mut dyn FnMut(&Stretch<'_>)) -> bool {
        let owed = self.owing.keys().next().copied();
        while let Some(Open { last, sum, .. }) =
            self.open.pop_front_if(|open| owed.is_none_or(|owed| owed > open.last))
        {
            self.note_answers(last, sum.answered_in_window);
            self.series.add(last, &sum, tell);
            self.spare(sum);
        }
        owed.is_none()
    }

    fn note_answers(&mut self, last: u64, answered: u64) {
        if answered > 0 && last < COUNTS_MAX {
            let at = last as usize;
            self.answered.resize(self.answered.len().max(at + 1), 0);
            self.answered[at] += answered;
        }
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
            enter_untold(&mut result.per_second, &self.answered);
        }
        result
    }
}

/// Enters the answers that shares told of, and then were lost before they handed over their counts. What was told as one stretch of
/// several seconds is entered in its last one.
fn enter_untold(per_second: &mut Vec<u64>, answered: &[u64]) {
    let (mut told, mut entered) = (0_u64, 0_u64);
    for (at, answered) in answered.iter().enumerate() {
        told = told.saturating_add(*answered);
        entered = entered.saturating_add(per_second.get(at).copied().unwrap_or(0));
        let untold = told.saturating_sub(entered);
        if untold > 0 {
            per_second.resize(per_second.len().max(at + 1), 0);
            per_second[at] += untold;
            entered += untold;
        }
    }
}

#[cfg(test)]
mod tests;
