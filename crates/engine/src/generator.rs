//! The door: check the plan, start the workers, gather what they saw.

use crate::check::{Dealt, check};
use crate::driver::{Allowance, Drivers, EpollDrivers, UringDrivers};
use crate::elsewhere::{Around, Names, ORIGINS_MAX};
use crate::health;
use crate::http::follows;
use crate::load::Share;
use crate::record::{HandedOver, WorkerResult, WorkerSums};
use crate::seconds::{Collector, Giving};
use crate::transport::{Layer, Secured};
use crate::worker::{Worker, opening_gap_ns};
use crate::{
    AddressUse, ConnectionUse, DriverChoice, EndedByPeer, EngineError, GeneratorSettings, GeneratorUse,
    LoadPlan, LoadResult, Watch,
};
use proofload_language::tr;
use proofload_measure::{Collected, SECOND_NS, SecondQuantiles, Stretch, Window, silences};
use std::collections::BTreeMap;
use std::io;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// Time from when all workers are ready to the first instant of the load, besides the time it takes to open the
/// connections.
pub(crate) const LEAD_NS: u64 = 2_000_000;

/// Loads that are carried out at once, from one common first instant: each by workers of its own, with a record of its
/// own. Descriptors and local ports are checked for all of them together.
pub struct Launch<'a, N = Sockets> {
    pub plans: &'a [LoadPlan],
    pub watch: &'a Watch,
    pub network: &'a N,
    /// The first instant of the loads, on the drivers' axis of time: that of all shares, where this process carries
    /// out one of several. Connections that are kept are opened before it, 62.5 µs for each that a worker has, more under TLS.
    /// Without it the loads begin as soon as the workers are ready.
    pub start_ns: Option<u64>,
    /// Called with each stretch of each load when all its workers have handed theirs over: second by second, in
    /// order, on the calling thread. The sum of the stretches is the snapshot of the result.
    pub each_second: Option<&'a mut dyn FnMut(&Stretch<'_>)>,
}

impl<'a> Launch<'a> {
    /// On this machine's sockets, as soon as the workers are ready.
    pub fn new(plans: &'a [LoadPlan], watch: &'a Watch) -> Self {
        Launch { plans, watch, network: &Sockets, start_ns: None, each_second: None }
    }

    /// Through something else, such as a simulated network in virtual time.
    #[must_use]
    pub fn through<'b, N>(self, network: &'b N) -> Launch<'b, N>
    where
        'a: 'b,
    {
        let Launch { plans, watch, start_ns, .. } = self;
        let each_second = self.each_second.map(|tell| tell as &mut dyn FnMut(&Stretch<'_>));
        Launch { plans, watch, network, start_ns, each_second }
    }
}

/// Carrier of the bytes of a load: any [`Drivers`], or [`Sockets`].
pub trait Network: Sized {
    /// Lets the workers of all loads do their work.
    ///
    /// # Errors
    /// As [`launch`].
    fn perform(launch: Launch<'_, Self>) -> Result<Performed, EngineError>;
}

/// This machine's sockets, by the driver that the plans name.
#[derive(Debug)]
pub struct Sockets;

impl Network for Sockets {
    fn perform(launch: Launch<'_>) -> Result<Performed, EngineError> {
        if launch
            .plans
            .windows(2)
            .any(|pair| (pair[0].driver, pair[0].settings) != (pair[1].driver, pair[1].settings))
        {
            return Err(EngineError::Plan(
                "loads that run together need the same driver and settings".to_owned(),
            ));
        }
        let first = launch.plans.first().map(|plan| (plan.driver, plan.settings.events));
        match first.unwrap_or((DriverChoice::default(), GeneratorSettings::default().events)) {
            (DriverChoice::Epoll, events) => Network::perform(launch.through(&EpollDrivers::taking(events))),
            (DriverChoice::IoUring, events) => {
                Network::perform(launch.through(&UringDrivers::new()?.taking(events)))
            }
        }
    }
}

impl<D: Drivers> Network for D {
    fn perform(launch: Launch<'_, D>) -> Result<Performed, EngineError> {
        let Launch { plans, watch, network: drivers, start_ns, mut each_second } = launch;
        let dealt = check(plans, &drivers.allowance())?;
        let threads: u32 = plans.iter().map(|plan| plan.workers).sum();
        let common = Common {
            watch,
            drivers,
            around: Around { names: Names::default(), unix_ns: drivers.unix_ns_at_zero() },
            given_start_ns: start_ns,
            ready: Barrier::new(threads as usize),
            failed: AtomicBool::new(false),
            opening_ns: AtomicU64::new(0),
            start_ns: AtomicU64::new(0),
            late_ns: AtomicU64::new(0),
            stopped_at: AtomicU64::new(u64::MAX),
        };
        let groups =
            plans.iter().zip(&dealt).map(|(plan, dealt)| WorkerGroup { plan, dealt, common: &common });
        let groups: Vec<WorkerGroup<'_, D>> = groups.collect();
        let mut tell = |stretch: &Stretch<'_>| {
            if let ([plan], Some(quantiles)) = (plans, stretch.quantiles) {
                show(plan, watch, stretch, &quantiles);
            }
            if let Some(tell) = &mut each_second {
                tell(stretch);
            }
        };
        let (results, collected) = execute(&groups, &mut tell);
        let loads = results.into_iter().zip(collected);
        let loads =
            loads.map(|(workers, collected)| Ok((workers.into_iter().collect::<Result<_, _>>()?, collected)));
        Ok(Performed {
            loads: loads.collect::<Result<_, EngineError>>()?,
            allowance: drivers.allowance(),
            peak_rss_bytes: drivers.peak_rss_bytes(),
        })
    }
}

/// Results of the workers of all loads.
pub struct Performed {
    /// Results of each load's workers, and the series collected from their seconds.
    pub(crate) loads: Vec<(Vec<HandedOver>, Collected)>,
    pub(crate) allowance: Allowance,
    pub(crate) peak_rss_bytes: u64,
}

/// Carries loads out, and reports every second.
///
/// # Errors
/// If a plan is wrong, when this machine cannot carry it (descriptors, ports), when the operating system refuses what
/// the workers need, or when a given first instant has passed before all workers were ready. A problem of one load of
/// several names it by its number, from 1. A failure of a peer is an outcome, never an error.
pub fn launch<N: Network>(launch: Launch<'_, N>) -> Result<Vec<LoadResult>, EngineError> {
    let plans = launch.plans;
    let Performed { loads, allowance, peak_rss_bytes } = N::perform(launch)?;
    let gathered = plans.iter().zip(loads).map(|(plan, (handed_over, collected))| {
        let (mut sums, mut workers) = (WorkerSums::default(), Vec::new());
        for HandedOver { sums: more, worker } in handed_over {
            sums.add(&more);
            workers.push(worker);
        }
        gather(plan, sums, workers, collected, &allowance, peak_rss_bytes)
    });
    Ok(gathered.collect())
}

/// Runs loads: in this process, or through other processes that it leads.
pub trait Generator: Sync {
    /// As [`launch`].
    ///
    /// # Errors
    /// As [`launch`].
    fn launch(&self, launch: Launch<'_>) -> Result<Vec<LoadResult>, EngineError>;

    /// The processes that do, where this one only leads them.
    fn agents(&self) -> Vec<AgentPlace> {
        Vec::new()
    }
}

/// Most bytes of bodies that go to other processes: each of these is sent all of them for each load.
pub const AGENT_BODIES_MAX: u64 = 64 * 1024 * 1024;

/// Place of a process that carries out a share of every load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPlace {
    pub host: String,
    /// True if that machine is ours, containers and network namespaces left aside.
    pub is_here: bool,
    /// CPUs that it may use.
    pub cpus: u32,
}

/// The workers of this process.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Generator for Here {
    fn launch(&self, how: Launch<'_>) -> Result<Vec<LoadResult>, EngineError> {
        launch(how)
    }
}

/// Interval at which the collector collects unless it is woken up.
const COLLECT_EVERY: Duration = Duration::from_millis(500);

/// Nice value of workers that have CPUs of their own: about nine times the weight of what else comes there.
const PRIORITY: i32 = -10;

type GroupResults = Vec<Result<HandedOver, EngineError>>;

/// Lets all workers do their work, and adds up meanwhile what they hand over.
fn execute<D: Drivers>(
    groups: &[WorkerGroup<'_, D>],
    tell: &mut dyn FnMut(&Stretch<'_>),
) -> (Vec<GroupResults>, Vec<Collected>) {
    let here = thread::current();
    let waits = groups.iter().any(|group| group.common.drivers.is_virtual());
    thread::scope(|scope| {
        let (mut spawned, mut collectors) = (Vec::new(), Vec::new());
        let mut number = 0;
        for (stream, group) in groups.iter().enumerate() {
            let window = Window { start_ns: 0, end_ns: group.plan.extent.longest_ns() };
            let parts = group.plan.asking.part_count();
            let (collector, giving) =
                Collector::new(stream, window, (group.plan.workers, parts), &here, waits);
            collectors.push(collector);
            let workers = (0..).zip(giving).map(|(worker, giving)| {
                number += 1;
                let thread = number - 1;
                let here = here.clone();
                scope.spawn(move || group.work_and_wake(worker, thread, giving, &here))
            });
            spawned.push(workers.collect::<Vec<_>>());
        }
        loop {
            let ended = collectors.iter_mut().map(|collector| collector.collect(tell));
            if ended.fold(true, |all, ended| all & ended) {
                break;
            }
            thread::park_timeout(COLLECT_EVERY);
        }
        // A panic of a worker is a fault of ours; it goes on in the thread that asked.
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|e| std::panic::resume_unwind(e))
        };
        let results = spawned.into_iter().map(|workers| workers.into_iter().map(join).collect()).collect();
        (results, collectors.into_iter().map(Collector::finish).collect())
    })
}

/// Brings the live view up to date with a second that is over.
pub(crate) fn show(plan: &LoadPlan, watch: &Watch, stretch: &Stretch<'_>, quantiles: &SecondQuantiles) {
    let Some(throughput) = stretch.snapshot.throughput_per_s() else { return };
    if stretch.last < plan.extent.longest_ns().div_ceil(SECOND_NS) {
        watch.p50_ns.store(quantiles.p50_ns, Ordering::Relaxed);
        watch.p99_ns.store(quantiles.p99_ns, Ordering::Relaxed);
        watch.throughput_per_s.store(throughput as u64, Ordering::Relaxed);
    }
}

/// State shared by the workers of all loads.
struct Common<'a, D> {
    watch: &'a Watch,
    drivers: &'a D,
    around: Around,
    /// The first instant, if the caller gave it.
    given_start_ns: Option<u64>,
    ready: Barrier,
    failed: AtomicBool,
    /// Most time that one worker needs to open connections ahead.
    opening_ns: AtomicU64,
    start_ns: AtomicU64,
    /// Time by which a given first instant had passed already.
    late_ns: AtomicU64,
    stopped_at: AtomicU64,
}

/// State shared by the workers of one load.
struct WorkerGroup<'a, D> {
    plan: &'a LoadPlan,
    dealt: &'a Dealt,
    common: &'a Common<'a, D>,
}

impl<D: Drivers> WorkerGroup<'_, D> {
    /// Wakes the collector after the work: it sees the end of a worker's queue only by looking once more.
    fn work_and_wake(
        &self,
        worker: u32,
        number: u32,
        giving: Giving,
        collector: &Thread,
    ) -> Result<HandedOver, EngineError> {
        let result = self.work(worker, number, giving);
        collector.unpark();
        result
    }

    /// The whole life of one worker. No worker starts unless all can. `number` counts the workers of all loads.
    fn work(&self, worker: u32, number: u32, giving: Giving) -> Result<HandedOver, EngineError> {
        let (plan, common, n) = (self.plan, self.common, u64::from(self.plan.workers));
        let share =
            Share { k: u64::from(plan.share.0) * n + u64::from(worker), n: u64::from(plan.share.1) * n };
        let dealt = self.dealt.of_share(share);
        let each = if follows(plan) { 1 + ORIGINS_MAX as u64 } else { 1 };
        let capacity = (dealt.most.iter().sum::<u64>() * each) as u32;
        let opened = pin(plan, number).and_then(|()| {
            let opened = common.drivers.open(number, capacity);
            let opened =
                opened.map_err(|source| EngineError::System { what: tr!("engine-no-driver"), source })?;
            let may = plan.asking.elsewhere_tls.is_some();
            let layer = Layer::new(&plan.targets, may, capacity, common.drivers.tap());
            let layer = layer.map_err(|problems| EngineError::Plan(problems.join("; ")))?;
            let around = &common.around;
            let worker = Worker::new(plan, around, common.watch, &common.stopped_at, share, &dealt, giving);
            Ok((opened, layer, worker))
        });
        common.failed.fetch_or(opened.is_err(), Ordering::Relaxed);
        if plan.opens_ahead() {
            let mine: u64 = dealt.first.iter().sum();
            common.opening_ns.fetch_max((mine + 1) * opening_gap_ns(plan), Ordering::Relaxed);
        }
        if common.ready.wait().is_leader() {
            self.set_start();
        }
        common.ready.wait();
        let (mut driver, layer, worker) = opened?;
        if common.failed.load(Ordering::Relaxed) {
            let source = io::Error::other("another worker could not start");
            return Err(EngineError::System { what: tr!("engine-cannot-start"), source });
        }
        let late_ns = common.late_ns.load(Ordering::Relaxed);
        if late_ns > 0 {
            return Err(EngineError::TooLate { late_ns });
        }
        let start_ns = common.start_ns.load(Ordering::Relaxed);
        let carried_out = match layer {
            None => worker.execute(&mut driver, start_ns),
            Some(layer) => worker.execute(&mut Secured::new(driver, layer), start_ns),
        };
        carried_out.map_err(|source| EngineError::System { what: tr!("engine-cannot-wait"), source })
    }

    /// Sets the instant at which all workers begin.
    fn set_start(&self) {
        let common = self.common;
        let lead_ns = LEAD_NS + common.opening_ns.load(Ordering::Relaxed);
        let now_ns = common.drivers.now_ns();
        let start_ns = common.given_start_ns.unwrap_or(now_ns + lead_ns);
        common.late_ns.store(now_ns.saturating_sub(start_ns), Ordering::Relaxed);
        common.start_ns.store(start_ns, Ordering::Relaxed);
        common.watch.window_start_ns.store(start_ns + self.plan.discard_ns, Ordering::Relaxed);
    }
}

fn pin(plan: &LoadPlan, worker: u32) -> Result<(), EngineError> {
    let cpus = &plan.cpus;
    let Some(cpu) = cpus.get(worker as usize % cpus.len().max(1)) else { return Ok(()) };
    let mut set = rustix::thread::CpuSet::new();
    if *cpu < rustix::thread::CpuSet::MAX_CPU {
        set.set(*cpu);
    }
    rustix::thread::sched_setaffinity(None, &set).map_err(|errno| EngineError::System {
        what: tr!("engine-cannot-pin"),
        source: io::Error::from_raw_os_error(errno.raw_os_error()),
    })?;
    // A thread that wakes up waits for the one that runs on its CPU, up to a tick of several milliseconds, unless it
    // weighs more. Of processes the kernel means the calling thread alone. Without permission the worker waits, and the
    // delays of its sends show it.
    if plan.settings.raised_priority {
        let _ = rustix::process::setpriority_process(None, PRIORITY);
    }
    Ok(())
}

pub(crate) fn gather(
    plan: &LoadPlan,
    sums: WorkerSums,
    workers: Vec<WorkerResult>,
    collected: Collected,
    allowance: &Allowance,
    peak_rss_bytes: u64,
) -> LoadResult {
    let Collected { mut snapshot, mut quantiles } = collected;
    // A count that is full ends the window when the last of it is answered, though time may have gone on.
    snapshot.window.end_ns = workers.iter().map(|worker| worker.end_ns).max().unwrap_or(0);
    quantiles.truncate(sums.counts.len());
    let (findings, checks) = health::assess(plan, &sums, &workers, &snapshot, allowance);
    let median_ns = snapshot.response_time.quantile_ns(0.5);
    // Who thinks, or has a timetable, does not always have requests in flight.
    let silences = median_ns
        .filter(|_| plan.profile.always_asks() && plan.asking.journeys.is_none())
        .zip(sums.heard.as_ref())
        .map(|(median_ns, heard)| silences(heard, median_ns));
    let generator = GeneratorUse {
        cpu_ns: workers.iter().map(|worker| worker.cpu_ns).sum(),
        busy: workers.iter().map(|worker| worker.busy).collect(),
        start_error_ns: workers.iter().map(|worker| worker.start_error_ns).collect(),
        peak_rss_bytes,
        threads: workers.len() as u32,
        driver: workers.first().map_or("", |worker| worker.driver),
        agents: None,
    };
    let sum = |of: fn(&WorkerResult) -> u64| workers.iter().map(of).sum::<u64>() as u32;
    let connections = ConnectionUse {
        began: sum(|worker| worker.first_connections),
        peak: sum(|worker| worker.connections),
        most: plan.most_connections(),
        ended_by_peer: workers.iter().fold(EndedByPeer::default(), |mut all, worker| {
            all.add(worker.ended_by_peer);
            all
        }),
    };
    let stopped_early = workers.iter().any(|worker| worker.stopped_early);
    let mut negotiated: Vec<_> =
        workers.iter().flat_map(|worker| worker.negotiated.iter().copied()).collect();
    negotiated.sort_unstable();
    negotiated.dedup();
    let mut elsewhere = BTreeMap::new();
    for (url, redirects) in workers.iter().flat_map(|worker| &worker.elsewhere) {
        *elsewhere.entry(url.clone()).or_insert(0) += redirects;
    }
    let mut bad_answers = Vec::new();
    let mut addresses = Vec::new();
    for worker in workers {
        AddressUse::add_all(&mut addresses, worker.addresses);
        for mut bad in worker.bad {
            bad.part = plan.asking.parts.get(bad.mix_entry).map_or(bad.mix_entry, |part| *part as usize);
            let part = |bad: &crate::BadAnswer| plan.asking.parts.get(bad.mix_entry);
            let is_kind = |kept: &crate::BadAnswer| (kept.outcome, part(kept)) == (bad.outcome, part(&bad));
            if !bad_answers.iter().any(is_kind) {
                bad_answers.push(bad);
            }
        }
    }
    AddressUse::retain_told(&mut addresses, &plan.targets);
    let window_start_ns = snapshot.window.start_ns;
    LoadResult {
        negotiated,
        elsewhere: elsewhere.into_iter().collect(),
        snapshot,
        per_second: sums.counts,
        quantiles_per_second: quantiles,
        connections,
        addresses,
        generator,
        findings,
        checks,
        silences,
        bad_answers,
        stopped_early,
        window_start_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::{PRIORITY, pin};
    use crate::{GeneratorSettings, LoadPlan};
    use rustix::process::{getpriority_process, setpriority_process};
    use rustix::thread::sched_getaffinity;

    fn on(cpus: &[usize]) -> LoadPlan {
        LoadPlan { cpus: cpus.to_vec(), ..crate::health::tests::plan() }
    }

    #[test]
    fn a_worker_of_usual_priority_is_pinned_alone() {
        let home = sched_getaffinity(None).unwrap();
        let cpu = (0..1024).find(|cpu| home.is_set(*cpu)).unwrap();
        let worker = std::thread::spawn(move || {
            let before = getpriority_process(None).unwrap();
            let settings = GeneratorSettings { raised_priority: false, ..GeneratorSettings::default() };
            pin(&LoadPlan { settings, ..on(&[cpu]) }, 0).unwrap();
            (before, getpriority_process(None).unwrap(), sched_getaffinity(None).unwrap().count())
        });
        let (before, after, cpus) = worker.join().unwrap();
        assert_eq!((after, cpus), (before, 1));
    }

    #[test]
    fn a_worker_with_a_cpu_of_its_own_goes_first_there_and_nobody_else_does() {
        let home = sched_getaffinity(None).unwrap();
        let cpu = (0..1024).find(|cpu| home.is_set(*cpu)).unwrap();
        let (here, permitted) = std::thread::spawn(move || {
            let before = getpriority_process(None).unwrap();
            pin(&on(&[]), 0).unwrap();
            assert_eq!(getpriority_process(None), Ok(before), "on no CPU of its own");
            (before, setpriority_process(None, PRIORITY).is_ok())
        })
        .join()
        .unwrap();
        let worker = std::thread::spawn(move || {
            pin(&on(&[cpu]), 7).unwrap();
            let set = sched_getaffinity(None).unwrap();
            (set.count(), set.is_set(cpu), getpriority_process(None).unwrap())
        });
        let nice = if permitted { PRIORITY } else { here };
        assert_eq!(worker.join().unwrap(), (1, true, nice));
        assert_eq!(getpriority_process(None), Ok(here), "of threads that are no workers");
        assert_eq!(sched_getaffinity(None), Ok(home));
    }
}
