//! The measures that claims name, and how they are written. `docs/measures.md` defines them.

mod table;

use table::{Facts, TABLE};

/// A measure that a trial yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// Answered exchanges per second.
    Throughput,
    /// Quantile of the response time in nanoseconds, in units of 1/10000 (p99 = 9900, p999 = 9990).
    ResponseQuantile(u16),
    /// Mean response time in nanoseconds.
    ResponseMean,
    /// Largest response time in nanoseconds.
    ResponseMax,
    /// Quantile of the time from sending a request to the first byte of its answer in nanoseconds, in units of 1/10000.
    FirstByteQuantile(u16),
    /// Mean of that time in nanoseconds.
    FirstByteMean,
    /// Largest such time in nanoseconds.
    FirstByteMax,
    /// Errors among the finished, 0 to 1.
    ErrorShare,
    Errors,
    /// Bytes that the generator received, heads included, per answered exchange.
    ReceivedBytesPerExchange,
    /// CPU time of the subject per answered exchange in nanoseconds.
    CpuPerRequest,
    /// Answered exchanges per second of the subject's CPU time: the inverse.
    ThroughputPerCpu,
    /// Resident memory of the subject in bytes.
    Rss,
    /// CPU time of the subject per second, in cores.
    Cpu,
    /// Context switches of the subject's threads per answered exchange.
    CtxSwitchesPerRequest,
    /// Evenness of CPU time over the threads of the subject's busiest pool: Jain's fairness index, 0 to 1.
    WorkerBalance,
    /// Page faults without a disk per answered exchange.
    PageFaultsPerRequest,
    /// Page faults that waited for a disk.
    MajorFaults,
    Threads,
    /// Open descriptors of the subject.
    Descriptors,
    /// Largest resident memory that a sample showed, in bytes.
    RssPeak,
    /// Resident memory, shared pages divided, in bytes.
    Pss,
    /// Resident memory that no other process shares, in bytes.
    Uss,
    /// Bytes read from disks.
    DiskRead,
    /// Bytes written to the page cache for a disk.
    DiskWritten,
    /// Established connections of the subject.
    Connections,
    /// Connections of the subject's ports in TIME_WAIT.
    TimeWait,
    /// Most connections seen waiting to be accepted.
    AcceptQueueMax,
    /// Connections that found an accept queue full, on the whole machine.
    ListenOverflows,
    /// Connection attempts dropped by listening sockets, on the whole machine.
    ListenDrops,
    /// Payload bytes, both ways, on connections to a subject's back end, per answered exchange.
    BackendBytesPerExchange,
    GcCount,
    /// Full collections, less those that Proofload forced.
    FullGcCount,
    /// Time of garbage collection pauses over time.
    GcTimeShare,
    /// Mean pause of a garbage collection in nanoseconds.
    GcPause,
    /// Bytes used in the heap.
    HeapUsed,
    /// Bytes that the heap has.
    HeapCapacity,
    /// Bytes used in the old generation.
    OldGenUsed,
    /// Bytes that the old generation has.
    OldGenCapacity,
    /// Bytes by which the old generation grew; 0 when it shrank.
    OldGenGrowth,
    SafepointCount,
    /// Time at safepoints over time.
    SafepointTimeShare,
    /// Live threads that the JVM knows of.
    JvmThreads,
    LoadedClasses,
    /// Times that a thread found a monitor taken, per answered exchange.
    ContendedLocksPerRequest,
    /// Time of the JIT compilers over time; above 1 when several are busy.
    JitShare,
}

/// Source of a measure: the facility that a subject must have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The generator's books: every subject has it.
    Generator,
    Process,
    /// Threads of such processes, at least two of one name.
    Workers,
    /// Sockets of such processes, seen by the kernel's socket diagnosis.
    Sockets,
    /// Counters of the whole machine, read beside a subject that Proofload started.
    Machine,
    /// Connections between processes of the subject, most of which live longer than a look takes.
    Backend,
    Jvm,
    /// The same, when there was a collection.
    Collections,
    /// The same, of a collector that counts full collections apart.
    FullCollections,
    /// The same, of a collector with generations.
    Generations,
    /// The same, of a release that counts contended locks, or where they are counted for it.
    Locks,
}

/// Quantiles as they are usually asked for; any from `p01` to `p9999` is understood.
const USUAL_QUANTILES: [&str; 5] = ["p50", "p90", "p99", "p999", "p9999"];

/// The same of the first byte.
const FIRST_BYTE_QUANTILES: [&str; 3] = ["first_byte_p50", "first_byte_p95", "first_byte_p99"];

/// Beginning of the names of quantiles of the first byte.
const FIRST_BYTE: &str = "first_byte_";

impl Measure {
    /// Reads the name used in claims; any quantile from `p01` to `p9999` is understood, and from `first_byte_p01` on.
    pub fn parse(text: &str) -> Option<Measure> {
        let found = TABLE.iter().find(|facts| facts.name == text).map(|facts| facts.measure);
        found.or_else(|| match text.strip_prefix(FIRST_BYTE) {
            Some(text) => quantile(text).map(Measure::FirstByteQuantile),
            None => quantile(text).map(Measure::ResponseQuantile),
        })
    }

    /// The names used in claims, quantiles by their usual members.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let (first, rest) = TABLE.split_at(1);
        let names = |facts: &'static [Facts]| facts.iter().map(|facts| facts.name);
        names(first).chain(USUAL_QUANTILES).chain(names(rest)).chain(FIRST_BYTE_QUANTILES)
    }

    /// Every measure with a fixed name: all but the quantiles.
    pub fn all() -> impl Iterator<Item = Measure> {
        TABLE.iter().map(|facts| facts.measure)
    }

    fn facts(self) -> Option<&'static Facts> {
        TABLE.iter().find(|facts| facts.measure == self)
    }

    /// The name used in claims: `throughput`, `p99`, `cpu_per_request`.
    pub fn name(self) -> String {
        if let Some(facts) = self.facts() {
            return facts.name.to_string();
        }
        let digits = format!("{:04}", self.quantile().unwrap_or_default());
        let kept = digits.trim_end_matches('0').len().max(2);
        let of = if self.is_of_first_byte() { FIRST_BYTE } else { "" };
        format!("{of}p{}", &digits[..kept.min(digits.len())])
    }

    /// The quantile that it is, of whatever time, in units of 1/10000.
    pub fn quantile(self) -> Option<u16> {
        match self {
            Measure::ResponseQuantile(share) | Measure::FirstByteQuantile(share) => Some(share),
            _ => None,
        }
    }

    /// The same of the whole response time, where it is of the first byte.
    pub fn of_whole(self) -> Measure {
        match self {
            Measure::FirstByteQuantile(share) => Measure::ResponseQuantile(share),
            Measure::FirstByteMean => Measure::ResponseMean,
            Measure::FirstByteMax => Measure::ResponseMax,
            other => other,
        }
    }

    /// True if it is a measure of the time to the first byte.
    pub fn is_of_first_byte(self) -> bool {
        self.of_whole() != self
    }

    /// The base unit of its values: `per_s`, `ns`, `share`, `count`, `bytes` or `cores`.
    pub fn unit(self) -> &'static str {
        self.facts().map_or("ns", |facts| facts.unit)
    }

    /// Source of the measure.
    pub fn source(self) -> Source {
        self.facts().map_or(Source::Generator, |facts| facts.source)
    }

    /// True if it tells how fast something is, or is counted per answered exchange. No claim on such a measure is
    /// decided while errors are many, because a fast error page is not throughput.
    pub fn is_speed(self) -> bool {
        self.facts().is_none_or(|facts| facts.is_speed)
    }

    /// True if exchanges without an end are in it, ranked above all that ended: it is a measure of their times.
    pub fn ranks_unended(self) -> bool {
        let of = self.of_whole();
        matches!(of, Measure::ResponseQuantile(_) | Measure::ResponseMean | Measure::ResponseMax)
    }

    /// True if it is known for one of several streams that run at once. The resources of a process are used for all
    /// of them.
    pub fn is_of_exchanges(self) -> bool {
        self.source() == Source::Generator
    }

    /// True if it is known of one entry of a mix.
    pub fn is_of_entries(self) -> bool {
        use Measure::{ErrorShare, Errors, ResponseMax, ResponseMean, ResponseQuantile, Throughput};
        matches!(self, Throughput | Errors | ErrorShare | ResponseQuantile(_) | ResponseMean | ResponseMax)
    }

    /// True if it is the CPU time that an exchange costs the subject, or its inverse.
    pub fn is_of_cpu_cost(self) -> bool {
        matches!(self, Measure::CpuPerRequest | Measure::ThroughputPerCpu)
    }

    /// True if more of it is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Measure::Throughput | Measure::ThroughputPerCpu)
    }

    /// True if zero is a value like any other; a throughput or a time of zero means that nothing was measured.
    pub(crate) fn may_be_zero(self) -> bool {
        self.facts().is_some_and(|facts| facts.may_be_zero)
    }

    /// True if slices of one cycle are compared with each other. A quantile of a short slice is biased and rough, so
    /// quantiles are taken from the merged slices of a block; so are counts, and events that are rare in a slice.
    pub fn pairs_by_cycle(self) -> bool {
        self.facts().is_some_and(|facts| facts.pairs_by_cycle)
    }
}

/// `p50` to `p99`, and longer ones that begin with 9: `p999`, `p9995`.
fn quantile(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('p')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let usual = digits.len() == 2 || (matches!(digits.len(), 3 | 4) && digits.starts_with('9'));
    let value: u16 = digits.parse().ok().filter(|&value| usual && value > 0)?;
    let scale = 10_u16.pow(4 - digits.len() as u32);
    Some(value * scale)
}

#[cfg(test)]
mod tests;
