//! What a JVM has counted, and how several of them add up.

/// What one garbage collector of a JVM did since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collector {
    /// Its name: `G1 young collection pauses`.
    pub name: String,
    pub count: u64,
    pub pause_ns: u64,
}

/// What a JVM did since it started, and what it holds now; `None` for what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmUse {
    /// Time that compilations took, summed over the compilers' threads, by the clock on the wall: on a busy machine
    /// more than their CPU time. A compilation counts when it is done.
    pub jit_ns: Option<u64>,
    /// Time of garbage collection pauses, all collectors. Work beside the running program is not among it.
    pub gc_ns: Option<u64>,
    /// Garbage collections, as the collectors count them (Shenandoah counts phases).
    pub gc_count: Option<u64>,
    /// Full collections among them, in which the program stands still; `None` for collectors that do not count them
    /// apart (ZGC, Shenandoah, CMS).
    pub full_gc_count: Option<u64>,
    pub safepoints: Option<u64>,
    pub safepoint_ns: Option<u64>,
    /// Times that a thread found a monitor taken.
    pub contended_locks: Option<u64>,
    /// Bytes used in all spaces, as of their last change.
    pub heap_used_bytes: Option<u64>,
    /// Bytes of memory that the generations have.
    pub heap_capacity_bytes: Option<u64>,
    /// Bytes used in the old generation.
    pub old_used_bytes: Option<u64>,
    /// Bytes of memory that the old generation has.
    pub old_capacity_bytes: Option<u64>,
    /// Bytes used by classes and what belongs to them.
    pub metaspace_used_bytes: Option<u64>,
    pub threads: Option<u64>,
    /// Most of them so far.
    pub threads_peak: Option<u64>,
    pub threads_daemon: Option<u64>,
    pub loaded_classes: Option<u64>,
    pub collectors: Vec<Collector>,
}

type Known = Option<u64>;

impl JvmUse {
    /// Sums; what only one side knows is kept.
    pub(super) fn plus(&self, other: &JvmUse) -> JvmUse {
        let add = |a: Known, b: Known| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        let mut sum = self.combined(other, add, add);
        for more in &other.collectors {
            match sum.collectors.iter_mut().find(|known| known.name == more.name) {
                Some(known) => {
                    known.count += more.count;
                    known.pause_ns += more.pause_ns;
                }
                None => sum.collectors.push(more.clone()),
            }
        }
        sum
    }

    /// A later reading of the same JVM: counters never go back, states are as they were read last.
    pub(super) fn followed_by(&self, read: JvmUse) -> JvmUse {
        let next = self.combined(&read, |a, b| a.max(b), |a, b| b.or(a));
        JvmUse { collectors: read.collectors, ..next }
    }

    /// What is left of a JVM that ended: what it did, not what it held.
    pub(super) fn ended(&self) -> JvmUse {
        let counted = self.combined(&JvmUse::default(), |a, _| a, |_, _| None);
        JvmUse { collectors: self.collectors.clone(), ..counted }
    }

    fn combined(
        &self,
        other: &JvmUse,
        counter: impl Fn(Known, Known) -> Known,
        state: impl Fn(Known, Known) -> Known,
    ) -> JvmUse {
        JvmUse {
            jit_ns: counter(self.jit_ns, other.jit_ns),
            gc_ns: counter(self.gc_ns, other.gc_ns),
            gc_count: counter(self.gc_count, other.gc_count),
            full_gc_count: counter(self.full_gc_count, other.full_gc_count),
            safepoints: counter(self.safepoints, other.safepoints),
            safepoint_ns: counter(self.safepoint_ns, other.safepoint_ns),
            contended_locks: counter(self.contended_locks, other.contended_locks),
            heap_used_bytes: state(self.heap_used_bytes, other.heap_used_bytes),
            heap_capacity_bytes: state(self.heap_capacity_bytes, other.heap_capacity_bytes),
            old_used_bytes: state(self.old_used_bytes, other.old_used_bytes),
            old_capacity_bytes: state(self.old_capacity_bytes, other.old_capacity_bytes),
            metaspace_used_bytes: state(self.metaspace_used_bytes, other.metaspace_used_bytes),
            threads: state(self.threads, other.threads),
            threads_peak: state(self.threads_peak, other.threads_peak),
            threads_daemon: state(self.threads_daemon, other.threads_daemon),
            loaded_classes: state(self.loaded_classes, other.loaded_classes),
            collectors: self.collectors.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jvm(gc: u64, heap: u64) -> JvmUse {
        JvmUse {
            gc_count: Some(gc),
            heap_used_bytes: Some(heap),
            collectors: vec![Collector { name: "young".into(), count: gc, pause_ns: 10 * gc }],
            ..JvmUse::default()
        }
    }

    #[test]
    fn several_jvms_add_up_and_the_unknown_stays_unknown() {
        let both = jvm(2, 100).plus(&jvm(3, 50)).plus(&JvmUse::default());
        assert_eq!((both.gc_count, both.heap_used_bytes, both.jit_ns), (Some(5), Some(150), None));
        assert_eq!(both.collectors, [Collector { name: "young".into(), count: 5, pause_ns: 50 }]);
    }

    #[test]
    fn counters_never_go_back_and_states_do() {
        let later = jvm(5, 100).followed_by(jvm(4, 30));
        assert_eq!((later.gc_count, later.heap_used_bytes), (Some(5), Some(30)));
        assert_eq!(jvm(5, 100).followed_by(JvmUse::default()).heap_used_bytes, Some(100));
    }

    #[test]
    fn a_jvm_that_ended_keeps_what_it_did_and_holds_nothing() {
        let ended = jvm(5, 100).ended();
        assert_eq!((ended.gc_count, ended.heap_used_bytes, ended.collectors.len()), (Some(5), None, 1));
    }
}
