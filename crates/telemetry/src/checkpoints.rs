//! Checkpoints of a soak: memory that a JVM still holds after a forced full collection.
//!
//! Used heap tells little about a leak: it is a saw tooth, and collectors keep garbage for as long as there is room.
//! So the JVM is asked for its class histogram, which begins with a full collection and counts live objects while the
//! program is paused. That is exact with every collector, and costs a full collection and a walk through the live
//! objects; the duration of each is recorded.

use super::sampler::wait_for_window;
use super::{Tree, attach};
use proofload_facts::Finding;
use proofload_host::clock;
use proofload_stats::trend::TrendRule;
use proofload_store::schema::{Checkpoint, ClassGrowth, SubjectUse, Telemetry};
use proofload_study::CHECKPOINTS_MAX;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Classes that are kept of those that grew.
const CLASSES_MAX: usize = 10;
/// Failures in a row after which no more are tried.
const FAILURES_MAX: u32 = 3;

/// Bytes of live objects by class.
type Classes = BTreeMap<String, u64>;

/// Takes checkpoints of a subject's JVMs during a soak.
#[derive(Clone, Copy, Debug)]
pub struct Checkpointer<'a> {
    pub tree: &'a Tree,
    pub every_ns: u64,
    pub length_ns: u64,
    /// Set to end early: no answer is waited for then.
    pub stop: &'a AtomicBool,
}

/// The checkpoints of one soak.
#[derive(Debug, Default)]
pub struct Checkpoints {
    all: Vec<Checkpoint>,
    before: Option<Classes>,
    after: Classes,
    heap_max_bytes: Option<u64>,
    missing: Vec<Finding>,
}

impl Checkpointer<'_> {
    /// Takes checkpoints until the soak is over. `window_start_ns` is 0 until it is known when the window begins.
    pub fn run(&self, window_start_ns: &AtomicU64, done: &AtomicBool) -> Checkpoints {
        let mut found = Checkpoints::default();
        let Some(start_ns) = wait_for_window(window_start_ns, done) else { return found };
        let planned = (self.length_ns.saturating_sub(1) / self.every_ns.max(1)).min(CHECKPOINTS_MAX);
        let left_out = (planned as f64 * TrendRule::default().dropped).round() as u64;
        let mut failures = 0;
        for number in 1..=planned {
            if failures >= FAILURES_MAX || !clock::sleep_until(start_ns + number * self.every_ns, done) {
                break;
            }
            let jvms = self.tree.jvms();
            if jvms.is_empty() {
                // Only a JVM has a live set.
                break;
            }
            let full_gcs = || self.tree.full_gc_count();
            let answered = found.take(&jvms, number > left_out, self.stop, full_gcs);
            failures = if answered { 0 } else { failures + 1 };
            if failures == 0 && found.heap_max_bytes.is_none() {
                found.heap_max_bytes = jvms.iter().map(|pid| heap_max(*pid, self.stop)).sum();
            }
        }
        found
    }
}

impl Checkpoints {
    /// Takes one; `false` when a JVM did not answer. Those that do not `count` leave the classes out. `full_gcs` reads
    /// the JVMs' number of full collections so far.
    fn take(
        &mut self,
        jvms: &[u32],
        counts: bool,
        stop: &AtomicBool,
        full_gcs: impl Fn() -> Option<u64>,
    ) -> bool {
        let full_before = full_gcs();
        let at_ns = clock::monotonic_ns();
        let answers: Vec<_> = jvms.iter().map(|pid| attach::ask(*pid, "GC.class_histogram", stop)).collect();
        let took_ns = clock::monotonic_ns().saturating_sub(at_ns);
        let forced_full_gcs = forced(full_before, full_gcs(), jvms.len());
        let mut classes = Classes::new();
        let mut live_bytes = Some(0);
        for answer in answers {
            let read = match answer {
                Ok(text) => histogram(&text, &mut classes).ok_or(Finding::NoTotal),
                Err(why) => Err(Finding::Failed { error: why.to_string() }),
            };
            live_bytes = live_bytes.zip(read.as_ref().ok()).map(|(sum, bytes)| sum + bytes);
            let said = read.err().map(|why| Finding::NotAsked { why: Box::new(why) });
            self.missing.extend(said.filter(|said| !self.missing.contains(said)));
        }
        self.all.push(Checkpoint { at_ns, took_ns, live_bytes, forced_full_gcs });
        if live_bytes.is_some() && counts {
            self.before.get_or_insert_with(|| classes.clone());
            self.after = classes;
        }
        live_bytes.is_some()
    }

    /// Adds them to the telemetry of the window that began at `start_ns`, and takes the full collections that they
    /// forced from what the subject did of itself.
    pub fn enter(self, used: &mut SubjectUse, telemetry: &mut Telemetry, start_ns: u64) {
        let forced: u64 = self.all.iter().filter_map(|at| at.forced_full_gcs).sum();
        used.full_gc_count = used.full_gc_count.map(|all| all.saturating_sub(forced));
        let from_start = |at: Checkpoint| Checkpoint { at_ns: at.at_ns.saturating_sub(start_ns), ..at };
        telemetry.checkpoints = self.all.into_iter().map(from_start).collect();
        telemetry.growth = growth(&self.before.unwrap_or_default(), &self.after);
        telemetry.heap_max_bytes = self.heap_max_bytes;
        telemetry.missing.extend(self.missing);
    }
}

/// Full collections between two readings that a request to `jvms` JVMs forced. Each makes at most one; further ones
/// were the program's own. It makes none while native code holds the heap in its place.
fn forced(before: Option<u64>, after: Option<u64>, jvms: usize) -> Option<u64> {
    Some(after?.saturating_sub(before?).min(jvms as u64))
}

fn growth(before: &Classes, after: &Classes) -> Vec<ClassGrowth> {
    let grown = |(class, bytes): (&String, &u64)| {
        let before_bytes = before.get(class).copied().unwrap_or(0);
        (*bytes > before_bytes).then(|| ClassGrowth {
            class: class.clone(),
            before_bytes,
            after_bytes: *bytes,
        })
    };
    let mut all: Vec<ClassGrowth> = after.iter().filter_map(grown).collect();
    all.sort_by_key(|of| std::cmp::Reverse(of.after_bytes - of.before_bytes));
    all.truncate(CLASSES_MAX);
    all
}

/// Adds a histogram to classes; the bytes of its last line, `Total  1234  56789`.
///
/// A line of it is `   1:   5432   123456  [B (java.base@17.0.1)`: rank, instances, bytes, class.
fn histogram(text: &str, classes: &mut Classes) -> Option<u64> {
    let mut total = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["Total", _, bytes] => total = bytes.parse().ok(),
            [rank, _, bytes, class, ..] if rank.ends_with(':') => {
                if let Ok(bytes) = bytes.parse::<u64>() {
                    let sum = classes.entry(class.to_string()).or_default();
                    *sum = sum.saturating_add(bytes);
                }
            }
            _ => {}
        }
    }
    total
}

/// Largest size of a JVM's heap, of its flags: `-XX:MaxHeapSize=268435456`, given or by default.
fn heap_max(pid: u32, stop: &AtomicBool) -> Option<u64> {
    parse_heap_max(&attach::ask(pid, "VM.flags", stop).ok()?)
}

fn parse_heap_max(text: &str) -> Option<u64> {
    text.split_whitespace().find_map(|word| word.strip_prefix("-XX:MaxHeapSize=")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTOGRAM: &str = " num     #instances         #bytes  class name (module)\n\
        -------------------------------------------------------\n   \
        1:          5432         654321  [B (java.base@17.0.15)\n   \
        2:          1000          24000  java.lang.String (java.base@17.0.15)\n   \
        3:             2             48  Leak\n\
        Total          6434         678369\n";

    #[test]
    fn a_class_histogram_is_its_total_and_its_classes() {
        let mut classes = Classes::new();
        assert_eq!(histogram(HISTOGRAM, &mut classes), Some(678_369));
        assert_eq!((classes["[B"], classes["Leak"], classes.len()), (654_321, 48, 3));
        // A second JVM adds up.
        assert_eq!(histogram("  1:  1  79 [B\nTotal 1 79\n", &mut classes), Some(79));
        assert_eq!(classes["[B"], 654_400);
        for odd in ["", "Total x y", "   1:  1  79 [B\n", "Total 1"] {
            assert_eq!(histogram(odd, &mut Classes::new()), None, "{odd:?}");
        }
    }

    #[test]
    fn what_grew_most_comes_first_and_what_shrank_is_not_there() {
        let of =
            |all: &[(&str, u64)]| all.iter().map(|(name, n)| (name.to_string(), *n)).collect::<Classes>();
        let found = growth(&of(&[("a", 10), ("b", 10)]), &of(&[("a", 9), ("b", 15), ("c", 30)]));
        let names: Vec<&str> = found.iter().map(|of| of.class.as_str()).collect();
        assert_eq!((names, found[0].before_bytes), (vec!["c", "b"], 0));
    }

    #[test]
    fn the_largest_heap_is_read_from_the_flags() {
        let flags =
            "-XX:CICompilerCount=2 -XX:InitialHeapSize=16777216 -XX:MaxHeapSize=268435456 -XX:+UseSerialGC";
        assert_eq!(parse_heap_max(flags), Some(268_435_456));
        assert_eq!(parse_heap_max("-XX:MaxHeapSize=x"), None);
    }

    #[test]
    fn each_jvm_is_made_to_collect_at_most_once_and_what_is_more_is_its_own() {
        assert_eq!(forced(Some(3), Some(4), 1), Some(1));
        assert_eq!(forced(Some(3), Some(6), 2), Some(2), "one was the program's own");
        assert_eq!(forced(Some(3), Some(3), 1), Some(0), "it was held up");
        assert_eq!((forced(None, Some(1), 1), forced(Some(1), None, 1)), (None, None));
    }

    #[test]
    fn forced_full_collections_are_not_the_subjects_own() {
        let at = |forced_full_gcs| Checkpoint { at_ns: 70, forced_full_gcs, ..Checkpoint::default() };
        let own = |full_gc_count, all| {
            let mut used = SubjectUse { full_gc_count, gc_count: Some(9), ..SubjectUse::default() };
            let mut telemetry = Telemetry::default();
            Checkpoints { all, ..Checkpoints::default() }.enter(&mut used, &mut telemetry, 50);
            assert!(telemetry.checkpoints.iter().all(|at| at.at_ns == 20), "{telemetry:?}");
            assert_eq!(used.gc_count, Some(9), "all collections are all");
            used.full_gc_count
        };
        assert_eq!(own(Some(5), vec![at(Some(1)), at(None), at(Some(2))]), Some(2));
        assert_eq!(own(Some(0), vec![at(Some(1))]), Some(0), "it ended behind the last sample");
        assert_eq!(own(None, vec![at(Some(1))]), None);
    }

    #[test]
    fn a_subject_without_a_jvm_has_no_checkpoints() {
        let tree = Tree::of(std::process::id());
        let soak = Checkpointer {
            tree: &tree,
            every_ns: 1_000_000,
            length_ns: 20_000_000,
            stop: &AtomicBool::new(false),
        };
        let found = soak.run(&AtomicU64::new(clock::monotonic_ns()), &AtomicBool::new(false));
        let (mut used, mut telemetry) = (SubjectUse::default(), Telemetry::default());
        found.enter(&mut used, &mut telemetry, 0);
        assert_eq!((used, telemetry), (SubjectUse::default(), Telemetry::default()));
        // A load that never began.
        let found = soak.run(&AtomicU64::new(0), &AtomicBool::new(true));
        assert!(found.all.is_empty());
    }
}
