//! The door: check the plan, start the workers, gather what they saw.

use crate::books::WorkerResult;
use crate::check::{Dealt, check};
use crate::driver::{Drivers, EpollDrivers, UringDrivers};
use crate::health;
use crate::transport::{Layer, Secured};
use crate::worker::{Share, Worker, connections_of};
use crate::{ConnectionUse, DriverChoice, EngineError, GeneratorUse, LoadPlan, LoadResult, Watch};
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
    let mut results = run_streams(std::slice::from_ref(plan), watch)?;
    Ok(results.remove(0))
}

/// Carries several loads out at once, from one common first instant. Each has its own workers and its own
/// books; descriptors and local ports are checked for all of them together.
///
/// # Errors
/// As [`run`]; a problem of one load names it by its place, from 1.
pub fn run_streams(plans: &[LoadPlan], watch: &Watch) -> Result<Vec<LoadResult>, EngineError> {
    let chosen = plans.first().map(|plan| plan.driver).unwrap_or_default();
    if plans.iter().any(|plan| plan.driver != chosen) {
        return Err(EngineError::Plan("loads that run together need the same driver".to_owned()));
    }
    match chosen {
        DriverChoice::Epoll => run_streams_in(plans, watch, &EpollDrivers),
        DriverChoice::IoUring => run_streams_in(plans, watch, &UringDrivers::new()?),
    }
}

/// Carries a load out through other drivers, such as a simulated network in virtual time.
///
/// # Errors
/// As [`run`].
pub fn run_in<D: Drivers>(plan: &LoadPlan, watch: &Watch, drivers: &D) -> Result<LoadResult, EngineError> {
    let mut results = run_streams_in(std::slice::from_ref(plan), watch, drivers)?;
    Ok(results.remove(0))
}

/// Carries several loads out at once through other drivers.
///
/// # Errors
/// As [`run_streams`].
pub fn run_streams_in<D: Drivers>(
    plans: &[LoadPlan],
    watch: &Watch,
    drivers: &D,
) -> Result<Vec<LoadResult>, EngineError> {
    let allowance = drivers.allowance();
    let dealt = check(plans, &allowance)?;
    let threads: u32 = plans.iter().map(|plan| plan.workers).sum();
    let common = Common {
        watch,
        drivers,
        ready: Barrier::new(threads as usize),
        failed: AtomicBool::new(false),
        opening_ns: AtomicU64::new(0),
        start_ns: AtomicU64::new(0),
        stopped_at: AtomicU64::new(u64::MAX),
    };
    let crews: Vec<Crew<'_, D>> =
        plans.iter().zip(&dealt).map(|(plan, dealt)| Crew { plan, dealt, common: &common }).collect();
    let results: Vec<Vec<Result<WorkerResult, EngineError>>> = thread::scope(|scope| {
        let mut thread = 0;
        let mut spawned = Vec::new();
        for crew in &crews {
            let workers: Vec<_> = (0..crew.plan.workers)
                .map(|worker| {
                    let number = thread;
                    thread += 1;
                    scope.spawn(move || crew.work(worker, number))
                })
                .collect();
            spawned.push(workers);
        }
        // A panic of a worker is a fault of ours; it goes on in the thread that asked.
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|e| std::panic::resume_unwind(e))
        };
        spawned.into_iter().map(|workers| workers.into_iter().map(join).collect()).collect()
    });
    let gathered = plans.iter().zip(results).map(|(plan, workers)| {
        let workers = workers.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(gather(plan, workers, &allowance, drivers.peak_rss_bytes()))
    });
    gathered.collect()
}

/// What the workers of all loads share.
struct Common<'a, D> {
    watch: &'a Watch,
    drivers: &'a D,
    ready: Barrier,
    failed: AtomicBool,
    /// Most time that one worker needs to open connections ahead.
    opening_ns: AtomicU64,
    start_ns: AtomicU64,
    stopped_at: AtomicU64,
}

/// What the workers of one load share.
struct Crew<'a, D> {
    plan: &'a LoadPlan,
    dealt: &'a Dealt,
    common: &'a Common<'a, D>,
}

impl<D: Drivers> Crew<'_, D> {
    /// The whole life of one worker. Nobody starts unless all can. `number` counts the workers of all loads.
    fn work(&self, worker: u32, number: u32) -> Result<WorkerResult, EngineError> {
        let (plan, common, n) = (self.plan, self.common, u64::from(self.plan.workers));
        let mut share = Share {
            k: u64::from(plan.share.0) * n + u64::from(worker),
            n: u64::from(plan.share.1) * n,
            start_ns: 0,
        };
        let connections = connections_of(plan, &self.dealt.first, &share);
        let most = connections_of(plan, &self.dealt.most, &share);
        let mine: u64 = connections.iter().sum();
        let capacity: u64 = most.iter().sum();
        let opened = pin(&plan.cpus, number).and_then(|()| {
            let opened = common.drivers.open(number, capacity as u32);
            let opened = opened.map_err(|source| EngineError::System {
                what: "cannot make the driver of a worker",
                source,
            })?;
            let layer = Layer::new(&plan.targets, capacity as u32, common.drivers.tap());
            Ok((opened, layer.map_err(|problems| EngineError::Plan(problems.join("; ")))?))
        });
        common.failed.fetch_or(opened.is_err(), Ordering::Relaxed);
        if plan.profile.opens_ahead() {
            common.opening_ns.fetch_max((mine + 1) * plan.opening_gap_ns(), Ordering::Relaxed);
        }
        if common.ready.wait().is_leader() {
            let lead_ns = LEAD_NS + common.opening_ns.load(Ordering::Relaxed);
            let start_ns = common.drivers.now_ns() + lead_ns;
            common.start_ns.store(start_ns, Ordering::Relaxed);
            common.watch.window_start_ns.store(start_ns + plan.discard_ns, Ordering::Relaxed);
        }
        common.ready.wait();
        let (mut driver, layer) = opened?;
        if common.failed.load(Ordering::Relaxed) {
            let source = io::Error::other("another worker could not start");
            return Err(EngineError::System { what: "cannot start", source });
        }
        share.start_ns = common.start_ns.load(Ordering::Relaxed);
        let worker = Worker::new(plan, common.watch, &common.stopped_at, share, &connections, &most);
        let carried_out = match layer {
            None => worker.carry_out(&mut driver),
            Some(layer) => worker.carry_out(&mut Secured::new(driver, layer)),
        };
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
    let mut seconds = workers[0].seconds.clone();
    workers[1..].iter().for_each(|worker| seconds.merge(&worker.seconds));
    let findings = health::assess(plan, &workers, &snapshot, allowance);
    let generator = GeneratorUse {
        cpu_ns: workers.iter().map(|worker| worker.cpu_ns).sum(),
        busy: workers.iter().map(|worker| worker.busy).collect(),
        peak_rss_bytes,
        threads: workers.len() as u32,
        driver: workers[0].driver,
    };
    let sum = |of: fn(&WorkerResult) -> u64| workers.iter().map(of).sum::<u64>() as u32;
    let connections = ConnectionUse {
        began: sum(|worker| worker.first_connections),
        peak: sum(|worker| worker.connections),
        most: plan.most_connections(),
    };
    let stopped_early = workers.iter().any(|worker| worker.stopped_early);
    let mut negotiated: Vec<_> =
        workers.iter().flat_map(|worker| worker.negotiated.iter().copied()).collect();
    negotiated.sort_unstable();
    negotiated.dedup();
    let mut bad_answers = Vec::new();
    for worker in workers {
        for bad in worker.bad.into_iter().flatten() {
            if !bad_answers.iter().any(|kept: &crate::BadAnswer| kept.outcome == bad.outcome) {
                bad_answers.push(bad);
            }
        }
    }
    let window_start_ns = snapshot.window.start_ns;
    LoadResult {
        negotiated,
        snapshot,
        per_second: seconds.counts(),
        quantiles_per_second: seconds.quantiles(),
        connections,
        generator,
        findings,
        bad_answers,
        stopped_early,
        window_start_ns,
    }
}
