//! Samples a subject under load at fixed times, in a thread that keeps off the generator's CPUs.
//!
//! Cheap values are read within the window: at its beginning, at its end, and once in each period between. Values that
//! cost milliseconds (each thread, every descriptor, the memory's pages) are read just before the window and just after
//! it, and only on request: beside every window of 200 ms it would take a tenth of a core from the subject.

use super::backend::BackendTraffic;
use super::machine::Machine;
use super::sockets::{ALL_STATES, CONNECTED, Diagnosis, LISTEN, LISTENING, Socket, is_connected};
use super::threads::{self, Threads};
use super::{Tree, TreeSample};
use proofload_facts::Finding;
use proofload_host::{clock, process};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Time between two samples of a slice.
pub(super) const PERIOD_NS: u64 = 100_000_000;
/// Most samples of one slice; longer ones have longer periods.
pub(super) const SAMPLES_MAX: u64 = 600;
/// Time before the window at which the expensive readings begin.
const LEAD_NS: u64 = 30_000_000;
/// Added to it for each process.
const LEAD_OF_A_PROCESS_NS: u64 = 3_000_000;
/// Interval at which the sampler checks for the begin of the load.
const POLL_NS: u64 = 500_000;

#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub tree: &'a Tree,
    /// Ports that the generator loads: the subject's other ports are its back end's.
    pub loaded_ports: &'a [u16],
}

/// A sampler of one slice.
#[derive(Clone, Copy, Debug)]
pub struct Sampler<'a> {
    pub target: Target<'a>,
    /// Load before the window; at most half of it is used for the expensive readings.
    pub discard_ns: u64,
    /// Length of the window, if it is known beforehand.
    pub window_ns: Option<u64>,
    /// True if threads, descriptors and the memory's pages are read as well, beside the window.
    pub thorough: bool,
}

/// The samples of one slice.
#[derive(Debug, Default)]
pub struct Sampled {
    pub(super) period_ns: u64,
    /// True if the window ends when the load does, and not by the clock.
    pub(super) ends_with_load: bool,
    pub(super) samples: Vec<Sample>,
    pub(super) edges: Option<(Edge, Edge)>,
    pub(super) backend: BackendTraffic,
    /// Instant at which the traffic of the back end was first sampled, before the window.
    pub(super) backend_from_ns: u64,
    /// Proportional and unique memory (PSS and USS) after the window.
    pub(super) own_bytes: Option<(u64, u64)>,
    pub(super) sampler_cpu_ns: u64,
    pub(super) missing: Vec<Finding>,
}

/// A cheap reading, within the window.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub tree: TreeSample,
    pub machine: Machine,
    pub accept_queue: Option<u64>,
    /// Instant at which the connections to the back end were read: with many busy processes long after the tree.
    pub backend_at_ns: u64,
    pub backend_bytes: Option<u64>,
}

/// A sample, and when the sampler was ready for the next.
struct Taken {
    sample: Sample,
    over_ns: u64,
    /// True once the load is done.
    is_last: bool,
}

/// A reading beside the window.
#[derive(Clone, Debug, Default)]
pub(super) struct Edge {
    pub at_ns: u64,
    /// Instant at which the sockets were read. On a busy machine the sampler may wait before that.
    pub sockets_at_ns: u64,
    /// All TCP sockets of the machine.
    pub sockets: Vec<Socket>,
    /// Expensive readings, if requested.
    pub thorough: Option<Thorough>,
}

/// The expensive part of a reading beside the window.
#[derive(Clone, Debug, Default)]
pub(super) struct Thorough {
    /// `None` where they are too many.
    pub threads: Option<Threads>,
    /// Sockets that the subject's processes hold.
    pub inodes: BTreeSet<u64>,
}

impl Edge {
    fn read(tree: &Tree, diagnosis: Option<&mut Diagnosis>, thorough: bool) -> Edge {
        let at_ns = clock::monotonic_ns();
        // Sockets first: after a window their states change soonest.
        let sockets = diagnosis.and_then(|it| it.dump(ALL_STATES, &[], true).ok()).unwrap_or_default();
        let sockets_at_ns = clock::monotonic_ns();
        let thorough = thorough.then(|| {
            tree.sample();
            let pids = tree.pids();
            Thorough { threads: threads::read(&pids), inodes: inodes(&pids) }
        });
        Edge { at_ns, sockets_at_ns, sockets, thorough }
    }

    /// Ports on which the subject listens; `None` where its descriptors were not read.
    pub fn listening_ports(&self) -> Option<BTreeSet<u16>> {
        Some(listening_ports(&self.sockets, &self.thorough.as_ref()?.inodes))
    }
}

fn inodes(pids: &[u32]) -> BTreeSet<u64> {
    pids.iter().flat_map(|pid| process::socket_inodes(*pid)).collect()
}

fn listening_ports(sockets: &[Socket], inodes: &BTreeSet<u64>) -> BTreeSet<u16> {
    let listening = sockets.iter().filter(|socket| socket.state == LISTEN);
    listening.filter(|socket| inodes.contains(&socket.inode)).map(|socket| socket.local_port).collect()
}

impl Sampler<'_> {
    /// Takes samples until the window is over or the load is `done`. `window_start_ns` is 0 until it is known when
    /// the window begins.
    pub fn run(&self, window_start_ns: &AtomicU64, done: &AtomicBool) -> Sampled {
        self.run_heard(window_start_ns, done, &mut |_| {})
    }

    /// As [`Sampler::run`]; `heard` gets each sample as soon as it is taken, on the sampler's thread.
    pub fn run_heard(
        &self,
        window_start_ns: &AtomicU64,
        done: &AtomicBool,
        heard: &mut dyn FnMut(&TreeSample),
    ) -> Sampled {
        let cpu_before_ns = clock::thread_cpu_ns();
        let ends_with_load = self.window_ns.is_none();
        let mut sampled = Sampled { period_ns: self.period_ns(), ends_with_load, ..Sampled::default() };
        let mut diagnosis = match Diagnosis::open() {
            Ok(diagnosis) => Some(diagnosis),
            Err(why) => {
                sampled.missing.push(Finding::NoDiagnosis { error: why.to_string() });
                None
            }
        };
        let Some(start_ns) = wait_for_window(window_start_ns, done) else { return sampled };
        let processes = self.target.tree.pids().len() as u64;
        let lead_ns = LEAD_NS.saturating_add(LEAD_OF_A_PROCESS_NS.saturating_mul(processes));
        clock::sleep_until(start_ns.saturating_sub(lead_ns.min(self.discard_ns / 2)), done);
        let before = match self.needs_edges(self.target.tree.listening_ports()) {
            true => Edge::read(self.target.tree, diagnosis.as_mut(), self.thorough),
            false => Edge::default(),
        };
        let mut probes = Probes::new(self.target, &before, diagnosis);
        sampled.backend = std::mem::take(&mut probes.backend);
        // With many busy processes the first sample is late, because it waits for the expensive readings.
        let connected: Vec<Socket> =
            before.sockets.iter().filter(|socket| is_connected(socket)).copied().collect();
        sampled.backend.sample(&connected);
        sampled.backend_from_ns = before.sockets_at_ns;
        self.watch(start_ns, &mut sampled, |due_ns, backend| {
            clock::sleep_until(due_ns, done);
            let sample = probes.sample(backend);
            heard(&sample.tree);
            Taken { sample, over_ns: clock::monotonic_ns(), is_last: done.load(Ordering::Relaxed) }
        });
        if self.needs_edges(self.target.tree.listening_ports()) {
            let after = Edge::read(self.target.tree, probes.diagnosis.as_mut(), self.thorough);
            sampled.backend.close(&after.sockets);
            sampled.edges = Some((before, after));
        }
        sampled.own_bytes = if self.thorough { own_bytes(self.target.tree) } else { None };
        sampled.missing.extend(probes.missing);
        sampled.sampler_cpu_ns = clock::thread_cpu_ns().saturating_sub(cpu_before_ns);
        sampled
    }

    /// True if all sockets are read beside the window: only then is it known which connections the subject's processes
    /// have among themselves. With short slices thousands of closed ones wait for their end, and each takes its time to
    /// read.
    fn needs_edges(&self, listening: Option<BTreeSet<u16>>) -> bool {
        let is_behind = |port: &u16| !self.target.loaded_ports.contains(port);
        self.thorough || listening.is_none_or(|ports| ports.iter().any(is_behind))
    }

    /// Decides when samples are due; `take` waits until one is and takes it. Tests have their own time.
    fn watch(
        &self,
        start_ns: u64,
        sampled: &mut Sampled,
        mut take: impl FnMut(u64, &mut BackendTraffic) -> Taken,
    ) {
        let end_ns = self.window_ns.map_or(u64::MAX, |window_ns| start_ns.saturating_add(window_ns));
        let mut next_ns = start_ns;
        loop {
            let Taken { sample, over_ns, is_last } = take(next_ns, &mut sampled.backend);
            // A sample that began within the window has not seen its end.
            let saw_end = sample.tree.at_ns >= end_ns;
            sampled.samples.push(sample);
            if is_last || saw_end {
                return;
            }
            if sampled.samples.len() as u64 > SAMPLES_MAX {
                sampled.thin();
            }
            // A sampler that had to wait skips samples, rather than take several late ones in a row.
            let periods = (over_ns.saturating_sub(start_ns) / sampled.period_ns).saturating_add(1);
            next_ns = start_ns.saturating_add(periods.saturating_mul(sampled.period_ns)).min(end_ns);
        }
    }

    fn period_ns(&self) -> u64 {
        self.window_ns.map_or(PERIOD_NS, |window_ns| PERIOD_NS.max(window_ns.div_ceil(SAMPLES_MAX)))
    }
}

impl Sampled {
    /// Drops every second sample, but not the first. Counters are cumulative, so nothing is lost.
    fn thin(&mut self) {
        let mut number = 0;
        self.samples.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        self.period_ns = self.period_ns.saturating_mul(2);
    }
}

/// Waits until it is known when the window begins; `None` when the load is over before.
pub(super) fn wait_for_window(window_start_ns: &AtomicU64, done: &AtomicBool) -> Option<u64> {
    loop {
        match window_start_ns.load(Ordering::Relaxed) {
            0 if done.load(Ordering::Relaxed) => return None,
            0 => clock::sleep_ns(POLL_NS),
            start_ns => return Some(start_ns),
        }
    }
}

/// Sums over the processes; `None` when one cannot be read.
fn own_bytes(tree: &Tree) -> Option<(u64, u64)> {
    let pids = tree.pids();
    let each: Option<Vec<(u64, u64)>> = pids.iter().map(|pid| process::own_bytes(*pid)).collect();
    each.filter(|each| !each.is_empty()).map(|each| each.iter().fold((0, 0), |(a, b), (c, d)| (a + c, b + d)))
}

/// Resources for the cheap readings.
struct Probes<'a> {
    tree: &'a Tree,
    diagnosis: Option<Diagnosis>,
    ports: Vec<u16>,
    backend: BackendTraffic,
    missing: Vec<Finding>,
}

impl<'a> Probes<'a> {
    fn new(target: Target<'a>, before: &Edge, diagnosis: Option<Diagnosis>) -> Probes<'a> {
        // A subject that is ready has opened its ports: those found last are looked for again with the next thorough reading.
        let found = before.listening_ports().or_else(|| target.tree.listening_ports());
        let found = found.unwrap_or_else(|| listening_ports(&before.sockets, &inodes(&target.tree.pids())));
        let ports: Vec<u16> = found.iter().copied().collect();
        target.tree.keep_listening_ports(found);
        let behind = ports.iter().copied().filter(|port| !target.loaded_ports.contains(port)).collect();
        let backend = BackendTraffic::new(behind, &before.sockets);
        Probes { tree: target.tree, diagnosis, ports, backend, missing: Vec::new() }
    }

    fn sample(&mut self, backend: &mut BackendTraffic) -> Sample {
        let mut sample = Sample { tree: self.tree.sample(), machine: Machine::read(), ..Sample::default() };
        let Some(diagnosis) = &mut self.diagnosis else { return sample };
        if !self.ports.is_empty() {
            match diagnosis.dump(LISTENING, &self.ports, false) {
                Ok(found) => {
                    let ours = found.iter().filter(|socket| self.ports.contains(&socket.local_port));
                    sample.accept_queue = Some(ours.map(|socket| u64::from(socket.receive_queue)).sum());
                }
                Err(why) => note(&mut self.missing, Finding::NoQueueDump { error: why.to_string() }),
            }
        }
        if !backend.ports().is_empty() {
            let found = diagnosis.dump(CONNECTED, backend.ports(), true);
            sample.backend_at_ns = clock::monotonic_ns();
            match found {
                Ok(found) => sample.backend_bytes = Some(backend.sample(&found)),
                Err(why) => note(&mut self.missing, Finding::NoBackendDump { error: why.to_string() }),
            }
        }
        sample
    }
}

fn note(missing: &mut Vec<Finding>, what: Finding) {
    if !missing.contains(&what) {
        missing.push(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(tree: &Tree, window_ns: Option<u64>) -> Sampler<'_> {
        let target = Target { tree, loaded_ports: &[] };
        Sampler { target, discard_ns: 0, window_ns, thorough: true }
    }

    #[test]
    fn long_windows_have_longer_periods_and_no_more_samples() {
        let tree = Tree::of(std::process::id());
        let period = |window_ns| sampler(&tree, window_ns).period_ns();
        assert_eq!(period(Some(1_000_000_000)), PERIOD_NS);
        assert_eq!(period(Some(600_000_000_000)), 1_000_000_000);
        assert_eq!(period(None), PERIOD_NS);
    }

    #[test]
    fn a_window_without_an_end_is_thinned_and_keeps_its_first_sample() {
        let samples = (0..7)
            .map(|n| Sample { tree: TreeSample { at_ns: n, ..TreeSample::default() }, ..Sample::default() });
        let mut sampled = Sampled { period_ns: 5, samples: samples.collect(), ..Sampled::default() };
        sampled.thin();
        let at: Vec<u64> = sampled.samples.iter().map(|sample| sample.tree.at_ns).collect();
        assert_eq!((at, sampled.period_ns), (vec![0, 2, 4, 6], 10));
    }

    #[test]
    fn a_load_that_never_began_leaves_nothing() {
        let tree = Tree::of(std::process::id());
        let sampled = sampler(&tree, None).run(&AtomicU64::new(0), &AtomicBool::new(true));
        assert!(sampled.samples.is_empty() && sampled.edges.is_none());
        assert!(sampled.digest(0, 1).is_none());
    }

    const MS: u64 = 1_000_000;
    const START_NS: u64 = 7_000 * MS;

    /// Instants at which the samples of a window of 250 ms were due, in ms after its beginning. Sample `n` is begun
    /// `slow_ms[n].0` late and takes `slow_ms[n].1`; the load is done at `done_ms`.
    fn due_ms(slow_ms: &[(u64, u64)], done_ms: u64) -> Vec<u64> {
        let tree = Tree::of(std::process::id());
        let sampler = sampler(&tree, Some(250 * MS));
        let mut sampled = Sampled { period_ns: sampler.period_ns(), ..Sampled::default() };
        let mut due = Vec::new();
        let mut now_ns = START_NS;
        sampler.watch(START_NS, &mut sampled, |due_ns, _| {
            let (late_ms, takes_ms) = slow_ms.get(due.len()).copied().unwrap_or_default();
            due.push((due_ns - START_NS) / MS);
            now_ns = now_ns.max(due_ns) + late_ms * MS;
            let tree = TreeSample { at_ns: now_ns, ..TreeSample::default() };
            now_ns += takes_ms * MS;
            let sample = Sample { tree, ..Sample::default() };
            Taken { sample, over_ns: now_ns, is_last: now_ns >= START_NS + done_ms * MS }
        });
        assert_eq!(sampled.samples.len(), due.len());
        due
    }

    #[test]
    fn the_ends_of_the_window_are_sampled_and_once_in_a_period_between() {
        assert_eq!(due_ms(&[], 1_000), [0, 100, 200, 250]);
        let late = [(2, 1), (3, 1), (4, 1), (5, 1)];
        assert_eq!(due_ms(&late, 1_000), [0, 100, 200, 250], "lateness does not add up");
    }

    #[test]
    fn a_sampler_that_had_to_wait_skips_samples() {
        assert_eq!(due_ms(&[(130, 0)], 1_000), [0, 200, 250]);
        assert_eq!(
            due_ms(&[(0, 0), (149, 0)], 1_000),
            [0, 100, 250],
            "the end, however late the sample before it"
        );
        assert_eq!(due_ms(&[(251, 0)], 1_000), [0], "after the window there is nothing to sample");
    }

    #[test]
    fn a_sample_that_began_within_the_window_is_not_its_end() {
        assert_eq!(due_ms(&[(0, 0), (0, 0), (0, 60)], 1_000), [0, 100, 200, 250]);
        assert_eq!(due_ms(&[(0, 300)], 1_000), [0, 250]);
    }

    #[test]
    fn a_load_that_is_done_before_the_window_ends_is_sampled_once_more() {
        assert_eq!(due_ms(&[], 150), [0, 100, 200]);
        assert_eq!(due_ms(&[], 0), [0]);
    }

    #[test]
    fn a_real_window_is_sampled_in_its_time_and_the_cost_is_known() {
        let tree = Tree::of(std::process::id());
        let start_ns = clock::monotonic_ns() + 5 * MS;
        let sampled = sampler(&tree, Some(250 * MS)).run(&AtomicU64::new(start_ns), &AtomicBool::new(false));
        let at: Vec<u64> = sampled.samples.iter().map(|sample| sample.tree.at_ns).collect();
        // A busy machine may let the sampler wait beyond the window: samples are late and fewer, never early.
        assert!(at[0] >= start_ns && at[at.len() - 1] >= start_ns + 250 * MS, "{at:?}");
        assert!(at.len() <= 4, "{at:?}");
        assert!(sampled.sampler_cpu_ns > 0 && sampled.missing.is_empty(), "{:?}", sampled.missing);
    }
}
