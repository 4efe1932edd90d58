//! Resource use of a subject's processes, read from outside: /proc and the JVM's performance-data file.
//!
//! Nothing is loaded into the subject, and nothing is asked of it but the class histogram of [`Checkpointer`]. Counters
//! run from the start of a process; the use within a period is the difference of two samples, at its beginning and its
//! end.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start and time what they need"))]

mod attach;
mod backend;
mod balance;
mod checkpoints;
mod digest;
mod facts;
pub mod hsperf;
mod jvm;
mod machine;
mod sampler;
mod sockets;
mod threads;
mod tree;

pub use checkpoints::{Checkpointer, Checkpoints};
pub use jvm::{Collector, JvmUse};
pub use sampler::{Sampled, Sampler, Target};
pub use tree::Tree;

use proofload_store::schema::SubjectUse;

/// One live process of a tree at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessSample {
    pub pid: u32,
    /// Clock ticks from boot to its start.
    pub start_ticks: u64,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// CPU time of its threads, ended ones included.
    pub cpu_ns: u64,
    pub rss_bytes: u64,
    pub threads: u64,
}

/// A process tree at one moment. Times count from the start of its processes, those that ended included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeSample {
    /// Monotonic time of the sample.
    pub at_ns: u64,
    /// CPU time, user and system. Never less than in an earlier sample.
    pub cpu_ns: u64,
    /// Resident memory; memory shared by processes is counted in each.
    pub rss_bytes: u64,
    pub threads: u64,
    /// Open descriptors; `None` when the kernel does not let us count those of some process.
    pub descriptors: Option<u64>,
    pub processes: u32,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that waited for a disk.
    pub major_faults: u64,
    /// Bytes fetched from disks; `None` when we may not look.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to the page cache on their way to a disk.
    pub disk_written_bytes: Option<u64>,
    /// True if a JVM with performance data is among them.
    pub jvm: bool,
    /// Counters of its JVMs, all together.
    pub jvm_use: JvmUse,
    pub each: Vec<ProcessSample>,
}

impl TreeSample {
    /// A value of processes; `None` if there are none.
    pub(crate) fn of_processes(&self, value: u64) -> Option<u64> {
        (self.processes > 0).then_some(value)
    }

    /// Resource use between `earlier` and this sample: differences of the counters; memory, threads and descriptors as
    /// they are now. A counter that `earlier` did not know stays unknown, and so does everything if no process lives: a
    /// value that was not measured is not zero.
    pub fn since(&self, earlier: &TreeSample) -> SubjectUse {
        if self.processes == 0 {
            return SubjectUse::default();
        }
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let (now, then) = (&self.jvm_use, &earlier.jvm_use);
        SubjectUse {
            cpu_ns: Some(self.cpu_ns.saturating_sub(earlier.cpu_ns)),
            rss_bytes: Some(self.rss_bytes),
            threads: Some(self.threads),
            descriptors: self.descriptors,
            processes: Some(u64::from(self.processes)),
            minor_faults: Some(self.minor_faults.saturating_sub(earlier.minor_faults)),
            major_faults: Some(self.major_faults.saturating_sub(earlier.major_faults)),
            disk_read_bytes: grown(self.disk_read_bytes, earlier.disk_read_bytes),
            disk_written_bytes: grown(self.disk_written_bytes, earlier.disk_written_bytes),
            jit_ns: grown(now.jit_ns, then.jit_ns),
            gc_ns: grown(now.gc_ns, then.gc_ns),
            gc_count: grown(now.gc_count, then.gc_count),
            full_gc_count: grown(now.full_gc_count, then.full_gc_count),
            heap_used_bytes: now.heap_used_bytes,
            heap_capacity_bytes: now.heap_capacity_bytes,
            old_used_before_bytes: then.old_used_bytes,
            old_used_bytes: now.old_used_bytes,
            old_capacity_bytes: now.old_capacity_bytes,
            safepoints: grown(now.safepoints, then.safepoints),
            safepoint_ns: grown(now.safepoint_ns, then.safepoint_ns),
            jvm_threads: now.threads,
            jvm_threads_peak: now.threads_peak,
            jvm_threads_daemon: now.threads_daemon,
            loaded_classes: now.loaded_classes,
            contended_locks: grown(now.contended_locks, then.contended_locks),
            ..SubjectUse::default()
        }
    }
}

/// Share of a core that was used between two samples: 1.0 is one core all the time.
pub fn idle_share(before: &TreeSample, after: &TreeSample) -> f64 {
    let elapsed_ns = after.at_ns.saturating_sub(before.at_ns);
    if elapsed_ns == 0 {
        return 0.0;
    }
    after.cpu_ns.saturating_sub(before.cpu_ns) as f64 / elapsed_ns as f64
}

#[cfg(test)]
mod tests;
