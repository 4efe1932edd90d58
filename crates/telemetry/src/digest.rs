//! From samples to what a slice records of its window.

use super::sampler::{Sample, Sampled};
use super::sockets::{ESTABLISHED, Socket, TIME_WAIT, state_name};
use super::threads::{self, THREADS_MAX};
use super::{ProcessSample, TreeSample};
use proofload_facts::Finding;
use proofload_store::schema::{CollectorUse, MachineUse, ProcessUse, SubjectUse, Telemetry};
use std::collections::{BTreeMap, BTreeSet};

/// Most processes that are listed.
const PROCESSES_MAX: usize = 32;
const OTHERS: &str = "(others)";

/// A sample that is late by less than the window divided by this is in time.
const LATE_PARTS: u64 = 100;

/// A value of a sample.
type Read = fn(&Sample) -> Option<u64>;

/// Series of what was added since the sample before.
const COUNTERS: [(&str, Read); 17] = [
    ("cpu_ns", |s| s.tree.of_processes(s.tree.cpu_ns)),
    ("minor_faults", |s| s.tree.of_processes(s.tree.minor_faults)),
    ("major_faults", |s| s.tree.of_processes(s.tree.major_faults)),
    ("disk_read_bytes", |s| s.tree.disk_read_bytes),
    ("disk_written_bytes", |s| s.tree.disk_written_bytes),
    ("gc_count", |s| s.tree.jvm_use.gc_count),
    ("full_gc_count", |s| s.tree.jvm_use.full_gc_count),
    ("gc_ns", |s| s.tree.jvm_use.gc_ns),
    ("jit_ns", |s| s.tree.jvm_use.jit_ns),
    ("safepoint_ns", |s| s.tree.jvm_use.safepoint_ns),
    ("contended_locks", |s| s.tree.jvm_use.contended_locks),
    ("backend_bytes", |s| s.backend_bytes),
    ("listen_overflows", |s| s.machine.listen_overflows),
    ("steal_ns", |s| s.machine.steal_ns),
    ("softirq_ns", |s| s.machine.softirq_ns),
    ("loopback_bytes", |s| s.machine.loopback_bytes),
    ("retransmits", |s| s.machine.retransmits),
];

/// Series of what there was at the sample.
const STATES: [(&str, Read); 9] = [
    ("rss_bytes", |s| s.tree.of_processes(s.tree.rss_bytes)),
    ("threads", |s| s.tree.of_processes(s.tree.threads)),
    ("descriptors", |s| s.tree.descriptors.filter(|_| s.tree.processes > 0)),
    ("heap_used_bytes", |s| s.tree.jvm_use.heap_used_bytes),
    ("old_used_bytes", |s| s.tree.jvm_use.old_used_bytes),
    ("metaspace_used_bytes", |s| s.tree.jvm_use.metaspace_used_bytes),
    ("jvm_threads", |s| s.tree.jvm_use.threads),
    ("accept_queue", |s| s.accept_queue),
    ("time_wait", |s| s.machine.time_wait),
];

impl Sampled {
    /// Resource use within a window, and its course; `None` if there are not two samples of it.
    pub fn digest(mut self, start_ns: u64, end_ns: u64) -> Option<(SubjectUse, Telemetry)> {
        let window_ns = end_ns.saturating_sub(start_ns);
        let nearest = |at_ns: u64| {
            let near = |sample: &&Sample| sample.tree.at_ns.abs_diff(at_ns);
            let best = self.samples.iter().min_by_key(near)?;
            self.samples.iter().position(|sample| sample.tree.at_ns == best.tree.at_ns)
        };
        // After a load of a fixed count the subject is idle: the first sample after the load has everything.
        let after_load = || self.samples.iter().position(|sample| sample.tree.at_ns >= end_ns);
        let end = if self.ends_with_load { after_load() } else { None };
        let (begin, end) = (nearest(start_ns)?, end.or_else(|| nearest(end_ns))?);
        if begin >= end {
            return None;
        }
        let samples = &self.samples[begin..=end];
        let (first, last) = (&samples[0], &samples[samples.len() - 1]);
        let mut used = last.tree.since(&first.tree);
        // The samples lie within milliseconds of the window's ends; their values are scaled to its length. Where the
        // load ended with the window, the idle time from then to the sample is not scaled.
        let ends_ns = if self.ends_with_load { end_ns } else { u64::MAX };
        let between_ns = last.tree.at_ns.min(ends_ns).saturating_sub(first.tree.at_ns);
        used.cpu_ns = used.cpu_ns.map(|ns| scaled(ns, window_ns, between_ns));
        used.sampler_cpu_ns = Some(self.sampler_cpu_ns);
        let mut telemetry = Telemetry {
            period_ns: self.period_ns,
            at_ns: samples.iter().map(|sample| sample.tree.at_ns.saturating_sub(start_ns)).collect(),
            series: series(samples),
            processes: processes(&first.tree, &last.tree),
            collectors: collectors(&first.tree, &last.tree),
            machine: machine(first, last),
            ..Telemetry::default()
        };
        if last.tree.processes == 0 {
            self.missing.push(Finding::NoProcessFound);
            telemetry.missing = self.missing;
            return Some((used, telemetry));
        }
        used.rss_peak_bytes = samples.iter().map(|sample| sample.tree.rss_bytes).max();
        used.accept_queue_max = samples.iter().filter_map(|sample| sample.accept_queue).max();
        used.listen_overflows = grown(first, last, |s| s.machine.listen_overflows);
        used.listen_drops = grown(first, last, |s| s.machine.listen_drops);
        used.pss_bytes = self.own_bytes.map(|(pss, _)| pss);
        used.uss_bytes = self.own_bytes.map(|(_, uss)| uss);
        if !self.backend.ports().is_empty() {
            used.backend_connections = Some(self.backend.connections());
            used.backend_connections_lost = Some(self.backend.lost());
            match self.backend.is_whole(self.period_ns, window_ns) {
                Ok(()) if self.ends_with_load => used.backend_bytes = grown(first, last, |s| s.backend_bytes),
                Ok(()) => match carried(samples, self.backend_from_ns, start_ns, end_ns) {
                    Ok(bytes) => used.backend_bytes = bytes,
                    Err(why) => self.missing.push(why),
                },
                Err(why) if self.backend.lost() > 0 => self.missing.push(why),
                // Nothing has connected to the port: an agent's, or one for shutting down.
                Err(_) => {}
            }
        }
        self.enter_edges(window_ns, ends_ns, &mut used, &mut telemetry);
        telemetry.missing = self.missing;
        Some((used, telemetry))
    }
}

fn scaled(n: u64, window_ns: u64, between_ns: u64) -> u64 {
    (n as f64 * window_ns as f64 / between_ns.max(1) as f64) as u64
}

fn grown(first: &Sample, last: &Sample, of: Read) -> Option<u64> {
    Some(of(last)?.saturating_sub(of(first)?))
}

/// Bytes to and from the back end within a window of a steady load. Late samples leave a part of the window out, or see
/// what happened after it. Then the traffic from `from_ns`, shortly before the window, to the last sample in time is
/// scaled to the window.
fn carried(samples: &[Sample], from_ns: u64, start_ns: u64, end_ns: u64) -> Result<Option<u64>, Finding> {
    let window_ns = end_ns.saturating_sub(start_ns);
    let near_ns = window_ns / LATE_PARTS;
    let samples = samples.iter().filter_map(|sample| Some((sample.backend_at_ns, sample.backend_bytes?)));
    let mut samples = samples.filter(|(at_ns, _)| *at_ns <= end_ns.saturating_add(near_ns));
    let Some(first) = samples.next() else { return Ok(None) };
    let last = samples.next_back().unwrap_or(first);
    if first.0.abs_diff(start_ns) <= near_ns && last.0.abs_diff(end_ns) <= near_ns {
        return Ok(Some(last.1.saturating_sub(first.1)));
    }
    let between_ns = last.0.saturating_sub(from_ns);
    if between_ns < window_ns / 2 {
        return Err(Finding::BackendLate);
    }
    Ok(Some(scaled(last.1, window_ns, between_ns)))
}

fn series(samples: &[Sample]) -> BTreeMap<String, Vec<Option<u64>>> {
    let mut all = BTreeMap::new();
    for (name, of) in COUNTERS {
        let first = samples.first().and_then(of).map(|_| 0);
        let pairs = samples.windows(2).map(|pair| grown(&pair[0], &pair[1], of));
        all.insert(name.to_string(), std::iter::once(first).chain(pairs).collect::<Vec<_>>());
    }
    for (name, of) in STATES {
        all.insert(name.to_string(), samples.iter().map(of).collect());
    }
    all.retain(|_, values| values.iter().any(Option::is_some));
    all
}

fn processes(first: &TreeSample, last: &TreeSample) -> Vec<ProcessUse> {
    let same = |a: &ProcessSample, b: &ProcessSample| (a.pid, a.start_ticks) == (b.pid, b.start_ticks);
    let used = |now: &ProcessSample| {
        let before = first.each.iter().find(|then| same(then, now)).map_or(0, |then| then.cpu_ns);
        ProcessUse {
            name: now.name.clone(),
            pid: now.pid,
            cpu_ns: now.cpu_ns.saturating_sub(before),
            rss_bytes: now.rss_bytes,
            threads: now.threads,
        }
    };
    let mut all: Vec<ProcessUse> = last.each.iter().map(used).collect();
    all.sort_by(|a, b| b.cpu_ns.cmp(&a.cpu_ns).then(a.pid.cmp(&b.pid)));
    let rest = all.split_off(all.len().min(PROCESSES_MAX));
    let others = rest.into_iter().reduce(|sum, next| ProcessUse {
        cpu_ns: sum.cpu_ns + next.cpu_ns,
        rss_bytes: sum.rss_bytes + next.rss_bytes,
        threads: sum.threads + next.threads,
        ..sum
    });
    all.extend(others.map(|others| ProcessUse { name: OTHERS.to_string(), pid: 0, ..others }));
    all
}

fn collectors(first: &TreeSample, last: &TreeSample) -> BTreeMap<String, CollectorUse> {
    let of = |now: &super::Collector| {
        let then = first.jvm_use.collectors.iter().find(|then| then.name == now.name);
        let (count, pause_ns) = then.map_or((0, 0), |then| (then.count, then.pause_ns));
        let used = CollectorUse {
            count: now.count.saturating_sub(count),
            pause_ns: now.pause_ns.saturating_sub(pause_ns),
        };
        (now.name.clone(), used)
    };
    last.jvm_use.collectors.iter().map(of).collect()
}

fn machine(first: &Sample, last: &Sample) -> MachineUse {
    MachineUse {
        steal_ns: grown(first, last, |s| s.machine.steal_ns),
        softirq_ns: grown(first, last, |s| s.machine.softirq_ns),
        idle_ns: grown(first, last, |s| s.machine.idle_ns),
        loopback_bytes: grown(first, last, |s| s.machine.loopback_bytes),
        retransmits: grown(first, last, |s| s.machine.retransmits),
        time_wait: last.machine.time_wait,
    }
}

impl Sampled {
    /// Enters the results of the expensive readings beside the window. `ends_ns` is the end of the load, if that ended
    /// the window.
    fn enter_edges(
        &mut self,
        window_ns: u64,
        ends_ns: u64,
        used: &mut SubjectUse,
        telemetry: &mut Telemetry,
    ) {
        let Some((before, after)) = &self.edges else { return };
        let Some((then, now)) = before.thorough.as_ref().zip(after.thorough.as_ref()) else { return };
        match then.threads.as_ref().zip(now.threads.as_ref()) {
            Some((then, now)) => {
                telemetry.threads = threads::between(then, now);
                let between_ns = after.at_ns.min(ends_ns).saturating_sub(before.at_ns);
                let sum = |of: fn(&proofload_store::schema::ThreadsUse) -> u64| {
                    Some(scaled(telemetry.threads.iter().map(of).sum(), window_ns, between_ns))
                };
                used.voluntary_switches = sum(|threads| threads.voluntary_switches);
                used.worker_balance = threads::worker_balance(&telemetry.threads);
                used.involuntary_switches = sum(|threads| threads.involuntary_switches);
            }
            None => self.missing.push(Finding::TooManyThreads { most: THREADS_MAX as u32 }),
        }
        if after.sockets.is_empty() {
            return;
        }
        let listening = [before, after].into_iter().filter_map(|edge| edge.listening_ports());
        let ports: BTreeSet<u16> = listening.flatten().collect();
        // A connection to the back end is the subject's on both sides, also when no process holds it any more.
        let ours = |socket: &&Socket| {
            ports.contains(&socket.local_port)
                || self.backend.ports().contains(&socket.remote_port)
                || (socket.inode > 0 && now.inodes.contains(&socket.inode))
        };
        let mut by_state: BTreeMap<u8, u64> = BTreeMap::new();
        for socket in after.sockets.iter().filter(ours) {
            *by_state.entry(socket.state).or_default() += 1;
        }
        let of = |state: u8| Some(by_state.get(&state).copied().unwrap_or(0));
        used.connections = of(ESTABLISHED);
        used.time_wait = of(TIME_WAIT);
        for (state, count) in by_state {
            *telemetry.sockets.entry(state_name(state).to_string()).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests;
