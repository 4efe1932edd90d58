//! Counters of a JVM, and the sum of several JVMs.

/// Work of one garbage collector of a JVM since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collector {
    /// Its name: `G1 young collection pauses`.
    pub name: String,
    pub count: u64,
    pub pause_ns: u64,
}

/// The struct of counters, which add up, and states, which replace each other, and how two of it are combined.
macro_rules! jvm_use {
    (counters { $($(#[$of_counter:meta])* $counter:ident,)+ } states { $($(#[$of_state:meta])* $state:ident,)+ }) => {
        /// Work of a JVM since it started, and the resources that it holds now; `None` for what is not known.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct JvmUse {
            $($(#[$of_counter])* pub $counter: Option<u64>,)+
            $($(#[$of_state])* pub $state: Option<u64>,)+
            /// Each collector by its name.
            pub collectors: Vec<Collector>,
        }

        impl JvmUse {
            /// Counters and states combined each in its way; collectors of the first.
            fn combined(
                &self,
                other: &JvmUse,
                counter: impl Fn(Known, Known) -> Known,
                state: impl Fn(Known, Known) -> Known,
            ) -> JvmUse {
                JvmUse {
                    $($counter: counter(self.$counter, other.$counter),)+
                    $($state: state(self.$state, other.$state),)+
                    collectors: self.collectors.clone(),
                }
            }
        }
    };
}

jvm_use! {
    counters {
        /// Time that compilations took, summed over the compilers' threads, by the clock on the wall: on a busy machine
        /// more than their CPU time. A compilation counts when it is done.
        jit_ns,
        /// Time of garbage collection pauses, all collectors. Work beside the running program is not among it.
        gc_ns,
        /// Garbage collections, as the collectors count them (Shenandoah counts phases).
        gc_count,
        /// Full collections among them, in which the program is paused; `None` for collectors that do not count them
        /// apart (ZGC, Shenandoah, CMS).
        full_gc_count,
        safepoints,
        safepoint_ns,
        /// Times that a thread found a monitor taken.
        contended_locks,
    }
    states {
        /// Bytes used in all spaces, as of their last change.
        heap_used_bytes,
        /// Bytes of memory that the generations have.
        heap_capacity_bytes,
        /// Bytes used in the old generation.
        old_used_bytes,
        /// Bytes of memory that the old generation has.
        old_capacity_bytes,
        /// Bytes used by classes and what belongs to them.
        metaspace_used_bytes,
        threads,
        /// Most of them so far.
        threads_peak,
        threads_daemon,
        loaded_classes,
    }
}

type Known = Option<u64>;

impl JvmUse {
    /// Sums; a value that only one side knows is kept.
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

    /// Part that remains of a JVM that ended: its work, not the resources that it held.
    pub(super) fn ended(&self) -> JvmUse {
        let counted = self.combined(&JvmUse::default(), |a, _| a, |_, _| None);
        JvmUse { collectors: self.collectors.clone(), ..counted }
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
