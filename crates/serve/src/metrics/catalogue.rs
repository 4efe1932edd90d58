//! Every metric there is: its name, unit, labels and help. Documents, dashboard and both formats follow this table.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A count that only grows.
    Counter,
    /// A value as it is now.
    Gauge,
    /// Counts of durations between bounds.
    Histogram,
    /// Labels that describe the run; its value is 1.
    Info,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Count,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A share, 0 to 1.
    Ratio,
}

impl Unit {
    /// Suffix of a name in Prometheus; empty for a number.
    pub const fn ending(self) -> &'static str {
        match self {
            Unit::Count => "",
            Unit::Seconds => "seconds",
            Unit::Bytes => "bytes",
            Unit::Ratio => "ratio",
        }
    }

    /// The code for it in OpenTelemetry (UCUM).
    pub const fn ucum(self) -> &'static str {
        match self {
            Unit::Count => "",
            Unit::Seconds => "s",
            Unit::Bytes => "By",
            Unit::Ratio => "1",
        }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct About {
    /// Its name, without what a format adds.
    pub name: &'static str,
    pub kind: Kind,
    pub unit: Unit,
    /// Its labels, besides `study`, which all have.
    pub labels: &'static [&'static str],
    /// Meaning, in a sentence without a full stop.
    pub help: &'static str,
}

impl About {
    /// As it is called in queries of Prometheus; a histogram's parts end in `_bucket`, `_sum` and `_count`.
    pub fn in_prometheus(&self) -> String {
        let ending = self.unit.ending();
        let unit = if ending.is_empty() { String::new() } else { format!("_{ending}") };
        let kind = match self.kind {
            Kind::Counter => "_total",
            Kind::Info => "_info",
            Kind::Gauge | Kind::Histogram => "",
        };
        format!("proofload_{}{unit}{kind}", self.name)
    }

    /// As it is called in OpenTelemetry, from which Prometheus makes [`About::in_prometheus`].
    pub fn in_opentelemetry(&self) -> String {
        // OpenTelemetry has no such kind, so that nothing is added to a gauge's name.
        let kind = if self.kind == Kind::Info { "_info" } else { "" };
        format!("proofload.{}{kind}", self.name)
    }
}

macro_rules! metrics {
    ($($id:ident $name:literal $kind:ident $unit:ident [$($label:literal)*] $help:literal;)+) => {
        $(
            #[doc = $help]
            pub(crate) static $id: About = About {
                name: $name,
                kind: Kind::$kind,
                unit: Unit::$unit,
                labels: &[$($label),*],
                help: $help,
            };
        )+

        /// All metrics, in the order in which they are shown.
        pub static ALL: [&About; [$(stringify!($id)),+].len()] = [$(&$id),+];
    };
}

metrics! {
    RUN "run" Info Count ["version" "preset" "seed"]
        "The run: Proofload's version, how much time it takes, its seed";
    RUN_STATE "run_state" Gauge Count ["state"]
        "1 for what is being done now, 0 for the rest";
    RUN_PROGRESS "run_progress" Gauge Ratio []
        "How much of its time is over, if it takes as long as is most likely";
    BLOCK "block" Gauge Count []
        "The present block";
    BLOCKS_LAST "blocks_last" Gauge Count []
        "The last block, if none has to be made up for";
    BLOCKS_COMPLETE "blocks_complete" Gauge Count []
        "Complete blocks";
    BLOCKS_DISTURBED "blocks_disturbed" Counter Count []
        "Blocks left out because the machine disturbed them";
    CYCLE "cycle" Gauge Count []
        "The present cycle of the block";
    CYCLES "cycles" Gauge Count []
        "Cycles of the block";
    LOST "variants_lost" Counter Count ["variant"]
        "Times that a variant did not get through a block";
    CLAIM_VERDICT "claim_verdict" Gauge Count ["claim" "verdict"]
        "1 for the verdict as it is now, 0 for the others";
    CLAIM_SETTLED "claim_settled" Gauge Count ["claim"]
        "1 when the verdict is final";
    CLAIM_ESTIMATE "claim_estimate" Gauge Count ["claim" "unit"]
        "What the claim is about, in its unit";
    CLAIM_LOW "claim_low" Gauge Count ["claim" "unit"]
        "Lower end of its interval";
    CLAIM_HIGH "claim_high" Gauge Count ["claim" "unit"]
        "Upper end of its interval";
    CLAIM_BLOCKS "claim_blocks" Gauge Count ["claim"]
        "Blocks that it rests on";
    EXCHANGES "exchanges" Counter Count ["variant" "point" "stream" "phase" "outcome"]
        "Exchanges intended in the window, by how they ended";
    DROPPED "exchanges_dropped" Counter Count ["variant" "point" "stream" "phase"]
        "Unsent exchanges that were given up because no connection was free";
    IN_WINDOW "answers_in_window" Counter Count ["variant" "point" "stream" "phase"]
        "Answers that came within the window: throughput is these over the measured seconds";
    MEASURED "measured" Counter Seconds ["variant" "point" "stream" "phase"]
        "Time measured";
    SLICES "slices" Counter Count ["variant" "point" "stream" "phase"]
        "Slices on record";
    CODES "answer_codes" Counter Count ["variant" "point" "stream" "phase" "code"]
        "Answers by their code";
    SENT "sent" Counter Bytes ["variant" "point" "stream" "phase"]
        "Bytes sent in the window";
    RECEIVED "received" Counter Bytes ["variant" "point" "stream" "phase"]
        "Bytes received in the window";
    RESPONSE "response_time" Histogram Seconds ["variant" "point" "stream" "phase"]
        "From intended to the end of the answer";
    SERVICE "service_time" Histogram Seconds ["variant" "point" "stream" "phase"]
        "From sent to the end of the answer";
    RESPONSE_LATEST "response_time_latest" Gauge Seconds ["variant" "point" "stream" "percentile"]
        "Response time of the latest second or slice; a lower end where exchanges had no end";
    SERVICE_LATEST "service_time_latest" Gauge Seconds ["variant" "point" "stream" "percentile"]
        "Service time of the latest second or slice";
    THROUGHPUT "throughput_latest" Gauge Count ["variant" "point" "stream"]
        "Answers per second in the latest second or slice";
    CONNECTIONS "connections" Gauge Count ["variant" "point" "stream"]
        "Most connections at once in the latest slice";
    GENERATOR_CPU "generator_cpu" Counter Seconds ["variant" "point" "stream" "phase"]
        "CPU time of the generator's threads in the window";
    GENERATOR_BUSY "generator_busy" Gauge Ratio ["variant" "point" "stream"]
        "CPU time of the generator's threads over their time, in the latest slice";
    CHECKS "generator_checks" Counter Count ["variant" "point" "stream" "phase" "check" "outcome"]
        "Self-checks of the generator, one of each kind for each slice, by outcome";
    CHECK "generator_check" Gauge Count ["variant" "point" "stream" "check" "unit"]
        "What a self-check found in the latest slice, in its unit";
    CHECK_LIMIT "generator_check_limit" Gauge Count ["variant" "point" "stream" "check" "unit"]
        "What it may find at most";
    SUBJECT_CPU "subject_cpu" Counter Seconds ["variant" "point" "phase"]
        "CPU time of the subject's processes in the window";
    SUBJECT_GC "subject_gc_pause" Counter Seconds ["variant" "point" "phase"]
        "Garbage collection pauses of its JVMs in the window";
    SUBJECT_GCS "subject_gcs" Counter Count ["variant" "point" "phase"]
        "Garbage collections of its JVMs in the window";
    SUBJECT_SAFEPOINT "subject_safepoint" Counter Seconds ["variant" "point" "phase"]
        "Time at safepoints of its JVMs in the window, collections included";
    SUBJECT_JIT "subject_jit" Counter Seconds ["variant" "point" "phase"]
        "Time of its JIT compilers in the window";
    SUBJECT_FAULTS "subject_major_faults" Counter Count ["variant" "point" "phase"]
        "Page faults in the window that waited for a disk";
    SUBJECT_READ "subject_disk_read" Counter Bytes ["variant" "point" "phase"]
        "Bytes read from disks in the window";
    SUBJECT_WRITTEN "subject_disk_written" Counter Bytes ["variant" "point" "phase"]
        "Bytes written to disks in the window, or due to be";
    SAMPLER_CPU "sampler_cpu" Counter Seconds ["variant" "point" "phase"]
        "CPU time of the sampler, which looks at the subject";
    SUBJECT_MEMORY "subject_memory" Gauge Bytes ["variant" "point"]
        "Resident memory of the subject's processes";
    SUBJECT_HEAP "subject_heap_used" Gauge Bytes ["variant" "point"]
        "Heap in use, as its JVMs last counted it";
    SUBJECT_HEAP_CAPACITY "subject_heap_capacity" Gauge Bytes ["variant" "point"]
        "Memory that the heap has";
    SUBJECT_THREADS "subject_threads" Gauge Count ["variant" "point"]
        "Threads of the subject's processes";
    SUBJECT_PROCESSES "subject_processes" Gauge Count ["variant" "point"]
        "Live processes of the subject";
    SUBJECT_DESCRIPTORS "subject_descriptors" Gauge Count ["variant" "point"]
        "Open descriptors of the subject's processes";
    SUBJECT_CONNECTIONS "subject_connections" Gauge Count ["variant" "point"]
        "Established connections of the subject's sockets after the latest slice that was looked at closely";
    SUBJECT_TIME_WAIT "subject_time_wait" Gauge Count ["variant" "point"]
        "Connections of the subject's ports in TIME_WAIT after that slice";
    SUBJECT_QUEUE "subject_accept_queue" Gauge Count ["variant" "point"]
        "Most connections that waited to be accepted in the latest slice";
    PROCESS_CPU "process_cpu" Counter Seconds []
        "CPU time of the whole process of Proofload";
    PROCESS_MEMORY "process_memory" Gauge Bytes []
        "Resident memory of Proofload";
    EXPORTER_CPU "exporter_cpu" Counter Seconds ["exporter"]
        "CPU time of the threads that serve and push these figures";
    EXPORTER_SENT "exporter_sent" Counter Bytes ["exporter"]
        "Bytes of figures that were served or pushed, without HTTP's heads";
    EXPORTER_DONE "exporter_deliveries" Counter Count ["exporter" "outcome"]
        "Times that figures were served or pushed, or failed to be";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_labels_are_what_prometheus_takes() {
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        let names: BTreeSet<String> = ALL.iter().map(|about| about.in_prometheus()).collect();
        assert_eq!(names.len(), ALL.len(), "each once");
        for about in ALL {
            assert!(plain(about.name) && about.labels.iter().all(|label| plain(label)), "{about:?}");
            assert!(!about.help.ends_with('.') && !about.labels.contains(&"study"), "{about:?}");
        }
        assert_eq!(EXCHANGES.in_prometheus(), "proofload_exchanges_total");
        assert_eq!(SUBJECT_CPU.in_prometheus(), "proofload_subject_cpu_seconds_total");
        assert_eq!(GENERATOR_BUSY.in_prometheus(), "proofload_generator_busy_ratio");
        assert_eq!(RUN.in_prometheus(), "proofload_run_info");
        assert_eq!(RUN.in_opentelemetry(), "proofload.run_info");
        assert_eq!(EXCHANGES.in_opentelemetry(), "proofload.exchanges");
    }
}
