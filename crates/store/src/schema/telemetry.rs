//! Resources used by the subject's processes, and the machine around them. The source of each number, and what it
//! leaves out, is in `docs/measures.md`.

use super::{Checkpoint, ClassGrowth};
use proofload_facts::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Resources used by a subject's process tree within a slice or a trial. Counters count what was added within the
/// window; *at the end* means the end of the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubjectUse {
    /// CPU time, user and system, all processes of the tree.
    pub cpu_ns: Option<u64>,
    /// Resident memory at the end.
    pub rss_bytes: Option<u64>,
    /// Threads at the end.
    pub threads: Option<u64>,
    /// Open descriptors at the end.
    pub descriptors: Option<u64>,
    /// Time the JIT compilers spent (JVM).
    pub jit_ns: Option<u64>,
    /// Time of garbage collection pauses (JVM), all collectors.
    pub gc_ns: Option<u64>,
    /// Number of garbage collections (JVM).
    pub gc_count: Option<u64>,
    /// Full collections among them, less those that were forced at checkpoints (JVM; not known of collectors that do
    /// not count them apart).
    pub full_gc_count: Option<u64>,
    /// Live processes at the end.
    pub processes: Option<u64>,
    /// Largest resident memory that a sample showed.
    pub rss_peak_bytes: Option<u64>,
    /// Resident memory after the window, what processes share divided among those that share it.
    pub pss_bytes: Option<u64>,
    /// Resident memory after the window that no other process shares.
    pub uss_bytes: Option<u64>,
    /// Page faults that needed no disk.
    pub minor_faults: Option<u64>,
    /// Page faults that waited for a disk.
    pub major_faults: Option<u64>,
    /// Times that threads gave up the CPU themselves: they waited for something.
    pub voluntary_switches: Option<u64>,
    /// Times that the kernel took the CPU from a thread.
    pub involuntary_switches: Option<u64>,
    /// Evenness of CPU time over the threads of the busiest pool: `balance` of these [`ThreadsUse`].
    pub worker_balance: Option<f64>,
    /// Bytes read from disks.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to disks, or due to be.
    pub disk_written_bytes: Option<u64>,
    /// Established connections of the subject's sockets after the window.
    pub connections: Option<u64>,
    /// Connections of the subject's ports in TIME_WAIT after the window.
    pub time_wait: Option<u64>,
    /// Most connections that a sample found waiting to be accepted, all listening sockets of the subject together.
    pub accept_queue_max: Option<u64>,
    /// Connections that found an accept queue full: the whole machine.
    pub listen_overflows: Option<u64>,
    /// Connection attempts that a listening socket dropped, for that reason or another: the whole machine.
    pub listen_drops: Option<u64>,
    /// Payload bytes, both ways, on connections to the subject's ports other than the one that is loaded.
    /// `null` when too much of it went by between two looks.
    pub backend_bytes: Option<u64>,
    /// Back-end connections that were seen.
    pub backend_connections: Option<u64>,
    /// Back-end connections of which some bytes were not seen: closed after the last look at them, or never seen
    /// alive.
    pub backend_connections_lost: Option<u64>,
    /// Bytes used in the heap at the end, as the JVM last counted them.
    pub heap_used_bytes: Option<u64>,
    /// Bytes of memory that the heap has at the end (JVM).
    pub heap_capacity_bytes: Option<u64>,
    /// Bytes used in the old generation when the window began (JVM).
    pub old_used_before_bytes: Option<u64>,
    /// Bytes used in the old generation at the end (JVM).
    pub old_used_bytes: Option<u64>,
    /// Bytes of memory that the old generation has at the end (JVM).
    pub old_capacity_bytes: Option<u64>,
    /// Safepoints (JVM).
    pub safepoints: Option<u64>,
    /// Time for which the program was stopped at safepoints, collections included (JVM).
    pub safepoint_ns: Option<u64>,
    /// Live threads that the JVM knows of, at the end.
    pub jvm_threads: Option<u64>,
    /// Most of them since the JVM's start.
    pub jvm_threads_peak: Option<u64>,
    /// Daemons among them at the end.
    pub jvm_threads_daemon: Option<u64>,
    /// Classes loaded at the end (JVM).
    pub loaded_classes: Option<u64>,
    /// Times that a thread found a monitor taken (JVM; releases after JDK 21 count it only with the catalogue's
    /// `count_locks`).
    pub contended_locks: Option<u64>,
    /// CPU time of the sampler itself: what looking at the subject cost the machine, from before the window to
    /// after it.
    pub sampler_cpu_ns: Option<u64>,
}

/// Samples of a subject and its machine while a slice was measured, on the time axis of its latencies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Telemetry {
    /// Time between two samples.
    pub period_ns: u64,
    /// Time of each sample, from the start of the window.
    pub at_ns: Vec<u64>,
    /// For each name as many values as there are samples. Counters (`cpu_ns`, `gc_ns`, ...) hold what was added
    /// since the sample before, 0 in the first; other series what there was at the moment. Series of which
    /// nothing is known are left out.
    pub series: BTreeMap<String, Vec<Option<u64>>>,
    /// The processes, most CPU time first; beyond 32 the rest together, under the name `(others)` and process id 0.
    pub processes: Vec<ProcessUse>,
    /// Threads by name, digits at the end of a name left out, most CPU time first; beyond 24 the rest as `(others)`.
    pub threads: Vec<ThreadsUse>,
    /// Sockets of the subject by state after the window.
    pub sockets: BTreeMap<String, u64>,
    /// Garbage collectors of the JVMs, by name.
    pub collectors: BTreeMap<String, CollectorUse>,
    /// The machine around the subject.
    pub machine: MachineUse,
    /// Checkpoints of a soak, in order.
    #[serde(default)]
    pub checkpoints: Vec<Checkpoint>,
    /// The classes whose live objects grew most over a soak, the largest growth first.
    #[serde(default)]
    pub growth: Vec<ClassGrowth>,
    /// Largest size that the heaps may have (JVM); asked at checkpoints only.
    pub heap_max_bytes: Option<u64>,
    /// Values that could not be measured, with reasons.
    pub missing: Vec<Finding>,
}

/// Resources used by one process of a subject within a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessUse {
    /// Its name, as the kernel keeps it (15 bytes).
    pub name: String,
    /// Its process id.
    pub pid: u32,
    /// CPU time.
    pub cpu_ns: u64,
    /// Resident memory at the end.
    pub rss_bytes: u64,
    /// Threads at the end.
    pub threads: u64,
}

/// Resources used by the threads of one name, from just before a window to just after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsUse {
    /// Their name.
    pub name: String,
    /// Number of threads.
    pub threads: u64,
    /// CPU time.
    pub cpu_ns: u64,
    /// Times that they gave up the CPU themselves.
    pub voluntary_switches: u64,
    /// Times that the kernel took the CPU from them.
    pub involuntary_switches: u64,
    /// Jain's fairness index of the CPU time of those that were there all the time: 1 is even, 1/n is one of n that
    /// did everything. `null` when fewer than two used any, and for threads that a JVM runs for itself.
    pub balance: Option<f64>,
}

/// Collections of one garbage collector within a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectorUse {
    /// Collections.
    pub count: u64,
    /// Time of its pauses.
    pub pause_ns: u64,
}

/// Activity of the whole machine within a window, the generator and the subject included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineUse {
    /// CPU time that the hypervisor gave to others, all CPUs.
    pub steal_ns: Option<u64>,
    /// CPU time of software interrupts (where the network's receive work is done), all CPUs.
    pub softirq_ns: Option<u64>,
    /// CPU time in which nothing ran, all CPUs.
    pub idle_ns: Option<u64>,
    /// Bytes that went through the loopback device, each once.
    pub loopback_bytes: Option<u64>,
    /// TCP segments sent again.
    pub retransmits: Option<u64>,
    /// Connections in TIME_WAIT at the end.
    pub time_wait: Option<u64>,
}
