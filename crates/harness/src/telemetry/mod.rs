//! What a subject's processes use, read from outside: /proc and the JVM's performance-data file.
//!
//! Nothing is loaded into the subject. All counters run from the start of a process; what was used within a
//! stretch of time is the difference of two samples, taken where the stretch begins and ends.

mod facts;
pub mod hsperf;
pub(crate) mod process;
mod tree;

pub use tree::Tree;

use proofload_store::schema::SubjectUse;

/// What the compilers and collectors of a JVM did since it started; `None` for what is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JvmUse {
    /// Time that compilations took, summed over the compilers' threads, by the clock on the wall: on a busy machine
    /// more than their CPU time. A compilation counts when it is done.
    pub jit_ns: Option<u64>,
    /// Time of garbage collection pauses, all collectors. Work beside the running program is not among it.
    pub gc_ns: Option<u64>,
    /// Garbage collections, as the collectors count them (Shenandoah counts phases).
    pub gc_count: Option<u64>,
}

impl JvmUse {
    /// Sums; what only one side knows is kept.
    fn plus(self, other: JvmUse) -> JvmUse {
        let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        JvmUse {
            jit_ns: add(self.jit_ns, other.jit_ns),
            gc_ns: add(self.gc_ns, other.gc_ns),
            gc_count: add(self.gc_count, other.gc_count),
        }
    }
}

/// A process tree at one moment. Times count from the start of its processes, those that ended included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeSample {
    /// Monotonic time of the sample.
    pub at_ns: u64,
    /// CPU time, user and system. Never less than in an earlier sample.
    pub cpu_ns: u64,
    /// Resident memory; what processes share is counted in each.
    pub rss_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Open descriptors; `None` when the kernel does not let us count those of some process.
    pub descriptors: Option<u64>,
    /// Live processes.
    pub processes: u32,
    /// Whether a JVM with performance data is among them.
    pub jvm: bool,
    /// Time of the JIT compilers; see [`JvmUse`].
    pub jit_ns: Option<u64>,
    /// Time of garbage collection pauses.
    pub gc_ns: Option<u64>,
    /// Garbage collections.
    pub gc_count: Option<u64>,
}

impl TreeSample {
    /// What was used between `earlier` and this sample: differences of the counters; memory, threads and
    /// descriptors as they are now. A counter that `earlier` did not know stays unknown.
    pub fn since(&self, earlier: &TreeSample) -> SubjectUse {
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        SubjectUse {
            cpu_ns: Some(self.cpu_ns.saturating_sub(earlier.cpu_ns)),
            rss_bytes: Some(self.rss_bytes),
            threads: Some(self.threads),
            descriptors: self.descriptors,
            jit_ns: grown(self.jit_ns, earlier.jit_ns),
            gc_ns: grown(self.gc_ns, earlier.gc_ns),
            gc_count: grown(self.gc_count, earlier.gc_count),
            ..SubjectUse::default()
        }
    }
}

/// How much of a core was used between two samples: 1.0 is one core all the time.
pub fn idle_share(before: &TreeSample, after: &TreeSample) -> f64 {
    let elapsed_ns = after.at_ns.saturating_sub(before.at_ns);
    if elapsed_ns == 0 {
        return 0.0;
    }
    after.cpu_ns.saturating_sub(before.cpu_ns) as f64 / elapsed_ns as f64
}

#[cfg(test)]
mod tests;
