//! The door: check the plan, start the workers, gather what they saw.

use crate::books::WorkerResult;
use crate::check::check;
use crate::driver::{Drivers, EpollDrivers};
use crate::health;
use crate::worker::{OPENING_GAP_NS, Share, Worker, connections_of};
use crate::{EngineError, GeneratorUse, LoadPlan, LoadResult, Watch};
use std::io;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// From when all workers are ready to the first instant of the load, besides the time it takes to open
/// the connections.
const LEAD_NS: u64 = 2_000_000;

/// Carries a load out on this machine's sockets.
///
/// # Errors
/// When the plan is wrong, when this machine cannot carry it (descriptors, ports), or when the operating
/// system refuses what the workers need. What goes wrong with peers is an outcome, never an error.
pub fn run(plan: &LoadPlan, watch: &Watch) -> Result<LoadResult, EngineError> {
    run_in(plan, watch, &EpollDrivers)
}

/// Carries a load out through other drivers, such as a simulated network in virtual time.
///
/// # Errors
/// As [`run`].
pub fn run_in<D: Drivers>(plan: &LoadPlan, watch: &Watch, drivers: &D) -> Result<LoadResult, EngineError> {
    let allowance = drivers.allowance();
    let dealt = check(plan, &allowance)?;
    let crew = Crew {
        plan,
        watch,
        drivers,
        dealt: &dealt,
        ready: Barrier::new(plan.workers as usize),
        failed: AtomicBool::new(false),
        start_ns: AtomicU64::new(0),
        stopped_at: AtomicU64::new(u64::MAX),
    };
    let results: Vec<Result<WorkerResult, EngineError>> = thread::scope(|scope| {
        let spawned: Vec<_> = (0..plan.workers)
            .map(|worker| {
                let crew = &crew;
                scope.spawn(move || crew.work(worker))
            })
            .collect();
        // A panic of a worker is a fault of ours; it goes on in the thread that asked.
        spawned.into_iter().map(|w| w.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    let results = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(gather(plan, results, &allowance, drivers.peak_rss_bytes()))
}

/// What the workers of one load share.
struct Crew<'a, D> {
    plan: &'a LoadPlan,
    watch: &'a Watch,
    drivers: &'a D,
    dealt: &'a [u64],
    ready: Barrier,
    failed: AtomicBool,
    start_ns: AtomicU64,
    stopped_at: AtomicU64,
}

impl<D: Drivers> Crew<'_, D> {
    /// The whole life of one worker. Nobody starts unless all can.
    fn work(&self, worker: u32) -> Result<WorkerResult, EngineError> {
        let (plan, n) = (self.plan, u64::from(self.plan.workers));
        let mut share = Share {
            k: u64::from(plan.share.0) * n + u64::from(worker),
            n: u64::from(plan.share.1) * n,
            start_ns: 0,
        };
        let connections = connections_of(plan, self.dealt, &share);
        let mine: u64 = connections.iter().sum();
        let opened = pin(&plan.cpus, worker).and_then(|()| {
            let opened = self.drivers.open(worker, mine as u32);
            opened
                .map_err(|source| EngineError::System { what: "cannot make the driver of a worker", source })
        });
        self.failed.fetch_or(opened.is_err(), Ordering::Relaxed);
        if self.ready.wait().is_leader() {
            let lead_ns = LEAD_NS + (mine + 1) * OPENING_GAP_NS;
            let start_ns = self.drivers.now_ns() + lead_ns;
            self.start_ns.store(start_ns, Ordering::Relaxed);
            self.watch.window_start_ns.store(start_ns + plan.discard_ns, Ordering::Relaxed);
        }
        self.ready.wait();
        let mut driver = opened?;
        if self.failed.load(Ordering::Relaxed) {
            let source = io::Error::other("another worker could not start");
            return Err(EngineError::System { what: "cannot start", source });
        }
        share.start_ns = self.start_ns.load(Ordering::Relaxed);
        let worker = Worker::new(plan, self.watch, &self.stopped_at, share, &connections);
        let carried_out = worker.carry_out(&mut driver);
        carried_out.map_err(|source| EngineError::System { what: "cannot wait for the network", source })
    }
}

fn pin(cpus: &[usize], worker: u32) -> Result<(), EngineError> {
    let Some(cpu) = cpus.get(worker as usize % cpus.len().max(1)) else { return Ok(()) };
    let mut set = rustix::thread::CpuSet::new();
    if *cpu < rustix::thread::CpuSet::MAX_CPU {
        set.set(*cpu);
    }
    rustix::thread::sched_setaffinity(None, &set).map_err(|errno| EngineError::System {
        what: "cannot pin a worker to its CPU",
        source: io::Error::from_raw_os_error(errno.raw_os_error()),
    })
}

fn gather(
    plan: &LoadPlan,
    workers: Vec<WorkerResult>,
    allowance: &crate::driver::Allowance,
    peak_rss_bytes: u64,
) -> LoadResult {
    let mut snapshot = workers[0].snapshot.clone();
    workers[1..].iter().for_each(|worker| snapshot.merge(&worker.snapshot));
    let seconds = workers.iter().map(|worker| worker.per_second.len()).max().unwrap_or(0);
    let mut per_second = vec![0; seconds];
    for worker in &workers {
        per_second.iter_mut().zip(&worker.per_second).for_each(|(sum, n)| *sum += n);
    }
    let findings = health::assess(plan, &workers, &snapshot, allowance);
    let generator = GeneratorUse {
        cpu_ns: workers.iter().map(|worker| worker.cpu_ns).sum(),
        busy: workers.iter().map(|worker| worker.busy).collect(),
        peak_rss_bytes,
        threads: workers.len() as u32,
        driver: workers[0].driver,
    };
    let stopped_early = workers.iter().any(|worker| worker.stopped_early);
    let mut bad_answers = Vec::new();
    for worker in workers {
        for bad in worker.bad.into_iter().flatten() {
            if !bad_answers.iter().any(|kept: &crate::BadAnswer| kept.outcome == bad.outcome) {
                bad_answers.push(bad);
            }
        }
    }
    let window_start_ns = snapshot.window.start_ns;
    LoadResult { snapshot, per_second, generator, findings, bad_answers, stopped_early, window_start_ns }
}
