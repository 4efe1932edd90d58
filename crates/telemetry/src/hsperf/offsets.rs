//! Offsets and meaning of the counters that telemetry needs from the file.
//!
//! They are found by name: the collectors and generations, and their numbers, differ with `-XX:+Use…GC` and the
//! release.

use super::super::{Collector, JvmUse};
use super::Counters;
use std::collections::BTreeMap;

/// A JVM's ticks are nanoseconds since JDK 9 on Linux; `sun.os.hrt.frequency` has the value.
const TICKS_PER_SECOND: u64 = 1_000_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CollectorOffsets {
    name: String,
    count: Option<usize>,
    time: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct GenerationOffsets {
    name: String,
    capacity: Option<usize>,
    used: Vec<usize>,
}

/// Offsets of the values in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offsets {
    jit_time: Option<usize>,
    collectors: Vec<CollectorOffsets>,
    generations: Vec<GenerationOffsets>,
    safepoints: Option<usize>,
    safepoint_time: Option<usize>,
    metaspace: Option<usize>,
    threads: Option<usize>,
    threads_peak: Option<usize>,
    threads_daemon: Option<usize>,
    /// Classes of the program, and of the archive that JVMs share.
    loaded: [Option<usize>; 2],
    unloaded: [Option<usize>; 2],
    contended: Option<usize>,
    /// The same, counted by the catalogue's `LockCounter` within the JVM.
    contended_by_us: Option<usize>,
    ticks_per_second: u64,
    end: usize,
}

impl Offsets {
    pub(super) fn find(counters: &Counters) -> Offsets {
        let mut offsets = Offsets { ticks_per_second: TICKS_PER_SECOND, ..Offsets::default() };
        let mut collectors: BTreeMap<&str, CollectorOffsets> = BTreeMap::new();
        let mut generations: BTreeMap<&str, GenerationOffsets> = BTreeMap::new();
        for counter in &counters.list {
            offsets.end = offsets.end.max(counter.at + 8);
            if let Some((number, field)) = numbered(&counter.name, "sun.gc.collector.") {
                let collector = collectors.entry(number).or_default();
                match field {
                    "invocations" => collector.count = Some(counter.at),
                    "time" => collector.time = Some(counter.at),
                    _ => {}
                }
            } else if let Some((number, field)) = numbered(&counter.name, "sun.gc.generation.") {
                let generation = generations.entry(number).or_default();
                match field {
                    "capacity" => generation.capacity = Some(counter.at),
                    field if field.starts_with("space.") && field.ends_with(".used") => {
                        generation.used.push(counter.at);
                    }
                    _ => {}
                }
            } else {
                offsets.note(&counter.name, counter.at, counter.value);
            }
        }
        for (name, text) in &counters.texts {
            if let Some((number, "name")) = numbered(name, "sun.gc.collector.") {
                collectors.entry(number).or_default().name.clone_from(text);
            } else if let Some((number, "name")) = numbered(name, "sun.gc.generation.") {
                generations.entry(number).or_default().name.clone_from(text);
            }
        }
        offsets.collectors = collectors
            .into_iter()
            .map(|(number, mut collector)| {
                if collector.name.is_empty() {
                    collector.name = format!("collector {number}");
                }
                collector
            })
            .collect();
        offsets.generations = generations.into_values().collect();
        offsets
    }

    fn note(&mut self, name: &str, at: usize, value: i64) {
        let offset = match name {
            // In `sun.ci` before JDK 9.
            "java.ci.totalTime" | "sun.ci.totalTime" => &mut self.jit_time,
            "sun.rt.safepoints" => &mut self.safepoints,
            "sun.rt.safepointTime" => &mut self.safepoint_time,
            "sun.gc.metaspace.used" => &mut self.metaspace,
            "java.threads.live" => &mut self.threads,
            "java.threads.livePeak" => &mut self.threads_peak,
            "java.threads.daemon" => &mut self.threads_daemon,
            "java.cls.loadedClasses" => &mut self.loaded[0],
            "java.cls.sharedLoadedClasses" => &mut self.loaded[1],
            "java.cls.unloadedClasses" => &mut self.unloaded[0],
            "java.cls.sharedUnloadedClasses" => &mut self.unloaded[1],
            "sun.rt._sync_ContendedLockAttempts" => &mut self.contended,
            "proofload.contendedLocks" => &mut self.contended_by_us,
            "sun.os.hrt.frequency" => {
                self.ticks_per_second = u64::try_from(value).unwrap_or(0).max(1);
                return;
            }
            _ => return,
        };
        *offset = Some(at);
    }

    /// Bytes of the file up to the end of its last counter.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Interprets the counters; `value` yields the counter at an offset.
    pub(super) fn read(&self, value: impl Fn(usize) -> u64) -> JvmUse {
        let sum = |offsets: &mut dyn Iterator<Item = usize>| offsets.map(&value).reduce(u64::saturating_add);
        let time = |offset: Option<usize>| offset.map(|at| self.to_ns(value(at)));
        let number = |offset: Option<usize>| offset.map(&value);
        // With one generation alone none is the old one.
        let old = self.generations.iter().find(|generation| generation.name == "old");
        let old = old.filter(|_| self.generations.len() > 1);
        let classes = |offsets: &[Option<usize>; 2]| sum(&mut offsets.iter().copied().flatten());
        let gc_ns = sum(&mut self.collectors.iter().filter_map(|collector| collector.time));
        JvmUse {
            jit_ns: time(self.jit_time),
            gc_ns: gc_ns.map(|ticks| self.to_ns(ticks)),
            gc_count: sum(&mut self.collectors.iter().filter_map(|collector| collector.count)),
            full_gc_count: sum(&mut self
                .collectors
                .iter()
                .filter(|collector| is_full(&collector.name))
                .filter_map(|collector| collector.count)),
            safepoints: number(self.safepoints),
            safepoint_ns: time(self.safepoint_time),
            contended_locks: number(self.contended.or(self.contended_by_us)),
            heap_used_bytes: sum(&mut self.generations.iter().flat_map(|generation| generation.used.clone())),
            heap_capacity_bytes: sum(&mut self
                .generations
                .iter()
                .filter_map(|generation| generation.capacity)),
            old_used_bytes: old.and_then(|old| sum(&mut old.used.iter().copied())),
            old_capacity_bytes: old.and_then(|old| number(old.capacity)),
            metaspace_used_bytes: number(self.metaspace),
            threads: number(self.threads),
            threads_peak: number(self.threads_peak),
            threads_daemon: number(self.threads_daemon),
            loaded_classes: classes(&self.loaded)
                .map(|loaded| loaded.saturating_sub(classes(&self.unloaded).unwrap_or(0))),
            collectors: self
                .collectors
                .iter()
                .map(|collector| Collector {
                    name: collector.name.clone(),
                    count: number(collector.count).unwrap_or(0),
                    pause_ns: time(collector.time).unwrap_or(0),
                })
                .collect(),
        }
    }

    pub(super) fn to_ns(&self, ticks: u64) -> u64 {
        let ns = u128::from(ticks) * 1_000_000_000 / u128::from(self.ticks_per_second.max(1));
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

/// True if each count of this collector is one full collection. Shenandoah's `Shenandoah full` is not one: it counts
/// every phase. ZGC's major collections run beside the program.
fn is_full(collector: &str) -> bool {
    // `Serial full collection pauses`; `G1 stop-the-world full collections` before JDK 14.
    collector.contains("full collection") || ["MSC", "PSParallelCompact", "PSMarkSweep"].contains(&collector)
}

/// `0` and `time` of `sun.gc.collector.0.time`.
fn numbered<'a>(name: &'a str, prefix: &str) -> Option<(&'a str, &'a str)> {
    let (number, field) = name.strip_prefix(prefix)?.split_once('.')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some((number, field))
}
