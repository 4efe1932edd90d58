//! One load that several processes carry out: what each hands over, and how it is added up. What they saw is judged
//! only when it is merged, by the checks that judge the workers of one process: a process is a few workers elsewhere.

use crate::driver::{Allowance, Drivers, EpollDrivers, UringDrivers};
use crate::generator::{LEAD_NS, Launch, common, gather, perform, show};
use crate::record::WorkerResult;
use crate::seconds::{Collector, Giving, Stretch};
use crate::worker::opening_gap_ns;
use crate::{DriverChoice, EngineError, LoadPlan, LoadResult, Watch};
use proofload_measure::{Outcome, Snapshot, Window};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::thread;

/// What one process did of a load.
#[derive(Debug, Deserialize, Serialize)]
pub struct ShareResult {
    workers: Vec<WorkerResult>,
    /// Local ports that it had.
    ports: u64,
    peak_rss_bytes: u64,
}

impl ShareResult {
    /// The same on an axis of time that is `by_ns` ahead.
    pub fn shift(&mut self, by_ns: i64) {
        for worker in &mut self.workers {
            worker.end_ns = worker.end_ns.saturating_add_signed(by_ns);
            worker.heard.shift(by_ns);
        }
    }
}

/// Carries out this process's share of several loads on this machine's sockets.
///
/// # Errors
/// As [`crate::launch_streams`].
pub fn execute_share(
    plans: &[LoadPlan],
    watch: &Watch,
    how: Launch<'_>,
) -> Result<Vec<ShareResult>, EngineError> {
    let (driver, events) = common(plans)?;
    match driver {
        DriverChoice::Epoll => execute_share_in(plans, watch, &EpollDrivers::taking(events), how),
        DriverChoice::IoUring => execute_share_in(plans, watch, &UringDrivers::new()?.taking(events), how),
    }
}

/// As [`execute_share`], through other drivers.
///
/// # Errors
/// As [`crate::launch`].
pub fn execute_share_in<D: Drivers>(
    plans: &[LoadPlan],
    watch: &Watch,
    drivers: &D,
    how: Launch<'_>,
) -> Result<Vec<ShareResult>, EngineError> {
    let performed = perform(plans, watch, drivers, how)?;
    let Allowance { ports, .. } = drivers.allowance();
    let peak_rss_bytes = drivers.peak_rss_bytes();
    let shares = performed.into_iter().map(|(workers, _)| ShareResult { workers, ports, peak_rss_bytes });
    Ok(shares.collect())
}

/// How long a process needs from when it hears of its share to the first instant of the load, at most, in nanoseconds:
/// kept connections are opened before it.
pub fn lead_ns(plans: &[LoadPlan]) -> u64 {
    let opening = plans.iter().filter(|plan| plan.profile.opens_ahead()).map(|plan| {
        let shares = u64::from(plan.workers) * u64::from(plan.share.1);
        let each = u64::from(plan.connections).div_ceil(shares.max(1)) + plan.targets.len() as u64;
        (each + 1) * opening_gap_ns(plan)
    });
    LEAD_NS + opening.max().unwrap_or(0)
}

/// Adds up what the shares of loads hand over, second by second, on the thread that made it.
#[derive(Debug)]
pub struct Merger<'a> {
    plans: &'a [LoadPlan],
    watch: &'a Watch,
    collectors: Vec<Collector>,
}

/// Where one share hands over what it saw, in order. It has ended when this is dropped.
#[derive(Debug)]
pub struct ShareSink {
    streams: Vec<Giving>,
    /// What is not handed over yet: others are some seconds behind.
    ahead: VecDeque<(usize, u64, Snapshot)>,
}

impl ShareSink {
    /// What the share saw of a load (`stream`, from 0) up to second `last` and from the end of what it told before. A load
    /// that is not there is ignored.
    pub fn tell(&mut self, stream: usize, last: u64, snapshot: Snapshot) {
        self.ahead.push_back((stream, last, snapshot));
        self.hand_over();
    }

    /// Hands over what there is room for, and says whether that is all.
    pub fn hand_over(&mut self) -> bool {
        while let Some((stream, last, snapshot)) = self.ahead.pop_front() {
            let left = self.streams.get(stream).and_then(|giving| giving.pass_on(last, snapshot));
            if let Some(snapshot) = left {
                self.ahead.push_front((stream, last, snapshot));
                return false;
            }
        }
        true
    }
}

impl<'a> Merger<'a> {
    /// For so many shares of these loads. Whoever asks is woken when something is there to be collected.
    pub fn new(plans: &'a [LoadPlan], watch: &'a Watch, shares: u32) -> (Merger<'a>, Vec<ShareSink>) {
        let here = thread::current();
        let mut telling: Vec<ShareSink> =
            (0..shares).map(|_| ShareSink { streams: Vec::new(), ahead: VecDeque::new() }).collect();
        let mut collectors = Vec::new();
        for (stream, plan) in plans.iter().enumerate() {
            let window = Window { start_ns: 0, end_ns: plan.extent.longest_ns() };
            let (collector, giving) = Collector::new(stream, window, shares, &here, false);
            collectors.push(collector);
            telling.iter_mut().zip(giving).for_each(|(telling, giving)| telling.streams.push(giving));
        }
        (Merger { plans, watch, collectors }, telling)
    }

    /// Takes what there is, tells of each stretch that all shares have told of, and says whether all have ended.
    pub fn collect(&mut self, tell: &mut dyn FnMut(&Stretch<'_>)) -> bool {
        let Merger { plans, watch, collectors } = self;
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
        collectors.iter_mut().fold(true, |all, collector| collector.collect(&mut told) & all)
    }

    /// What it all came to. `shares` are those of each process, in the order of their numbers, on one axis of time.
    pub fn finish(self, shares: Vec<Vec<ShareResult>>) -> Vec<LoadResult> {
        let mut shares: Vec<_> = shares.into_iter().map(Vec::into_iter).collect();
        let merged = self.plans.iter().zip(self.collectors).map(|(plan, collector)| {
            let of_load: Vec<ShareResult> = shares.iter_mut().filter_map(Iterator::next).collect();
            let ports = of_load.iter().map(|share| share.ports).fold(0, u64::saturating_add);
            let peak_rss_bytes = of_load.iter().map(|share| share.peak_rss_bytes).sum();
            let workers = of_load.into_iter().flat_map(|share| share.workers).collect();
            gather(plan, workers, collector.finish(), &Allowance { descriptors: None, ports }, peak_rss_bytes)
        });
        merged.collect()
    }
}
