//! The facts about each measure that has a fixed name: one line each.

use super::{Measure, Source};
use Measure as M;
use Source as S;

/// Properties of a measure.
pub(super) struct Facts {
    pub measure: Measure,
    pub name: &'static str,
    pub unit: &'static str,
    pub source: Source,
    pub is_speed: bool,
    pub may_be_zero: bool,
    pub pairs_by_cycle: bool,
}

const fn facts(measure: Measure, name: &'static str, unit: &'static str, source: Source) -> Facts {
    Facts { measure, name, unit, source, is_speed: false, may_be_zero: true, pairs_by_cycle: false }
}

impl Facts {
    const fn speed(mut self) -> Facts {
        self.is_speed = true;
        self
    }

    const fn above_zero(mut self) -> Facts {
        self.may_be_zero = false;
        self
    }

    const fn by_cycle(mut self) -> Facts {
        self.pairs_by_cycle = true;
        self
    }
}

pub(super) const TABLE: &[Facts] = &[
    facts(M::Throughput, "throughput", "per_s", S::Generator).speed().above_zero().by_cycle(),
    facts(M::ResponseMean, "mean", "ns", S::Generator).speed().above_zero(),
    facts(M::ResponseMax, "max", "ns", S::Generator).speed().above_zero(),
    facts(M::Errors, "errors", "count", S::Generator),
    facts(M::ErrorShare, "error_share", "share", S::Generator),
    facts(M::CpuPerRequest, "cpu_per_request", "ns", S::Process).speed().above_zero().by_cycle(),
    facts(M::ThroughputPerCpu, "throughput_per_cpu", "per_s", S::Process).speed().above_zero().by_cycle(),
    facts(M::Cpu, "cpu", "cores", S::Process).above_zero().by_cycle(),
    facts(M::ReceivedBytesPerExchange, "received_bytes_per_exchange", "bytes", S::Generator)
        .speed()
        .above_zero()
        .by_cycle(),
    facts(M::CtxSwitchesPerRequest, "ctx_switches_per_request", "count", S::Process).speed().by_cycle(),
    facts(M::WorkerBalance, "worker_balance", "count", S::Workers).above_zero(),
    facts(M::PageFaultsPerRequest, "page_faults_per_request", "count", S::Process).speed(),
    facts(M::MajorFaults, "major_faults", "count", S::Process),
    facts(M::Threads, "threads", "count", S::Process).above_zero(),
    facts(M::Descriptors, "descriptors", "count", S::Process).above_zero(),
    facts(M::Rss, "rss", "bytes", S::Process).above_zero().by_cycle(),
    facts(M::RssPeak, "rss_peak", "bytes", S::Process).above_zero(),
    facts(M::Pss, "pss", "bytes", S::Process).above_zero(),
    facts(M::Uss, "uss", "bytes", S::Process).above_zero(),
    facts(M::DiskRead, "disk_read", "bytes", S::Process),
    facts(M::DiskWritten, "disk_written", "bytes", S::Process),
    facts(M::Connections, "connections", "count", S::Sockets),
    facts(M::TimeWait, "time_wait", "count", S::Sockets),
    facts(M::AcceptQueueMax, "accept_queue_max", "count", S::Sockets),
    facts(M::ListenOverflows, "listen_overflows", "count", S::Machine),
    facts(M::ListenDrops, "listen_drops", "count", S::Machine),
    facts(M::BackendBytesPerExchange, "backend_bytes_per_exchange", "bytes", S::Backend)
        .speed()
        .above_zero()
        .by_cycle(),
    facts(M::GcCount, "gc_count", "count", S::Jvm),
    facts(M::FullGcCount, "full_gc_count", "count", S::FullCollections),
    facts(M::GcTimeShare, "gc_time_share", "share", S::Jvm),
    facts(M::GcPause, "gc_pause", "ns", S::Collections).above_zero(),
    facts(M::HeapUsed, "heap_used", "bytes", S::Jvm),
    facts(M::HeapCapacity, "heap_capacity", "bytes", S::Jvm).above_zero(),
    facts(M::OldGenUsed, "old_gen_used", "bytes", S::Generations),
    facts(M::OldGenCapacity, "old_gen_capacity", "bytes", S::Generations),
    facts(M::OldGenGrowth, "old_gen_growth", "bytes", S::Generations),
    facts(M::SafepointCount, "safepoint_count", "count", S::Jvm),
    facts(M::SafepointTimeShare, "safepoint_time_share", "share", S::Jvm),
    facts(M::JvmThreads, "jvm_threads", "count", S::Jvm).above_zero(),
    facts(M::LoadedClasses, "loaded_classes", "count", S::Jvm).above_zero(),
    facts(M::ContendedLocksPerRequest, "contended_locks_per_request", "count", S::Locks).speed(),
    facts(M::JitShare, "jit_share", "share", S::Jvm),
    facts(M::FirstByteMean, "first_byte_mean", "ns", S::Generator).speed().above_zero(),
    facts(M::FirstByteMax, "first_byte_max", "ns", S::Generator).speed().above_zero(),
];
