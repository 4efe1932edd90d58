//! Measures of what the subject's processes used.

use crate::merge::mean;
use proofload_stats::Measure;
use proofload_store::schema::{Slice, SubjectUse};

/// A measure of the subject's processes over slices of one trial, in their order. A ratio is over the slices that know
/// it, a sum is `None` when one does not; `None` as well for measures that do not come from there.
pub(super) fn value(measure: Measure, slices: &[&Slice]) -> Option<f64> {
    let count = |n: u64| n as f64;
    match measure {
        Measure::CpuPerRequest => per_exchange(slices, |used| used.cpu_ns),
        Measure::ThroughputPerCpu => {
            let ns = per_exchange(slices, |used| used.cpu_ns)?;
            (ns > 0.0).then(|| 1e9 / ns)
        }
        Measure::Cpu => share_of_time(slices, |used| used.cpu_ns),
        Measure::CtxSwitchesPerRequest => per_exchange(slices, |used| {
            used.voluntary_switches
                .zip(used.involuntary_switches)
                .map(|(waited, lost)| waited.saturating_add(lost))
        }),
        Measure::WorkerBalance => mean(all(slices).filter_map(|(_, used)| used.worker_balance)),
        Measure::PageFaultsPerRequest => per_exchange(slices, |used| used.minor_faults),
        Measure::MajorFaults => sum(slices, |used| used.major_faults).map(count),
        Measure::Threads => last(slices, |used| used.threads).map(count),
        Measure::Descriptors => last(slices, |used| used.descriptors).map(count),
        Measure::Rss => last(slices, |used| used.rss_bytes).map(count),
        Measure::RssPeak => largest(slices, |used| used.rss_peak_bytes).map(count),
        Measure::Pss => last(slices, |used| used.pss_bytes).map(count),
        Measure::Uss => last(slices, |used| used.uss_bytes).map(count),
        Measure::DiskRead => sum(slices, |used| used.disk_read_bytes).map(count),
        Measure::DiskWritten => sum(slices, |used| used.disk_written_bytes).map(count),
        Measure::Connections => last(slices, |used| used.connections).map(count),
        Measure::TimeWait => last(slices, |used| used.time_wait).map(count),
        Measure::AcceptQueueMax => largest(slices, |used| used.accept_queue_max).map(count),
        Measure::ListenOverflows => sum(slices, |used| used.listen_overflows).map(count),
        Measure::ListenDrops => sum(slices, |used| used.listen_drops).map(count),
        Measure::BackendBytesPerExchange => per_exchange(slices, |used| used.backend_bytes),
        other => of_jvm(other, slices),
    }
}

fn of_jvm(measure: Measure, slices: &[&Slice]) -> Option<f64> {
    let count = |n: u64| n as f64;
    match measure {
        Measure::GcCount => sum(slices, |used| used.gc_count).map(count),
        Measure::FullGcCount => sum(slices, |used| used.full_gc_count).map(count),
        Measure::GcTimeShare => share_of_time(slices, |used| used.gc_ns),
        Measure::GcPause => {
            let collections = sum(slices, |used| used.gc_count).filter(|count| *count > 0)?;
            Some(sum(slices, |used| used.gc_ns)? as f64 / collections as f64)
        }
        Measure::HeapUsed => last(slices, |used| used.heap_used_bytes).map(count),
        Measure::HeapCapacity => last(slices, |used| used.heap_capacity_bytes).map(count),
        Measure::OldGenUsed => last(slices, |used| used.old_used_bytes).map(count),
        Measure::OldGenCapacity => last(slices, |used| used.old_capacity_bytes).map(count),
        Measure::OldGenGrowth => {
            let before = all(slices).find_map(|(_, used)| used.old_used_before_bytes)?;
            Some(last(slices, |used| used.old_used_bytes)?.saturating_sub(before) as f64)
        }
        Measure::SafepointCount => sum(slices, |used| used.safepoints).map(count),
        Measure::SafepointTimeShare => share_of_time(slices, |used| used.safepoint_ns),
        Measure::JvmThreads => last(slices, |used| used.jvm_threads).map(count),
        Measure::LoadedClasses => last(slices, |used| used.loaded_classes).map(count),
        Measure::ContendedLocksPerRequest => per_exchange(slices, |used| used.contended_locks),
        Measure::JitShare => share_of_time(slices, |used| used.jit_ns),
        _ => None,
    }
}

/// Resources used by the subject's processes; `None` where none was found.
fn found(slice: &Slice) -> Option<&SubjectUse> {
    slice.measured.subject.as_ref().filter(|used| used.processes != Some(0))
}

fn all<'a>(slices: &'a [&'a Slice]) -> impl DoubleEndedIterator<Item = (&'a Slice, &'a SubjectUse)> {
    slices.iter().filter_map(|slice| Some((*slice, found(slice)?)))
}

/// A sum over all slices. One that does not know would make it smaller than that of a variant whose slices all do.
fn sum(slices: &[&Slice], of: impl Fn(&SubjectUse) -> Option<u64>) -> Option<u64> {
    let each = slices.iter().map(|slice| found(slice).and_then(&of));
    each.reduce(|a, b| Some(a?.saturating_add(b?))).flatten()
}

fn largest(slices: &[&Slice], of: impl Fn(&SubjectUse) -> Option<u64>) -> Option<u64> {
    all(slices).filter_map(|(_, used)| of(used)).max()
}

fn last(slices: &[&Slice], of: impl Fn(&SubjectUse) -> Option<u64>) -> Option<u64> {
    all(slices).rev().find_map(|(_, used)| of(used))
}

/// Over the answered exchanges of the slices that know it.
fn per_exchange(slices: &[&Slice], of: impl Fn(&SubjectUse) -> Option<u64>) -> Option<f64> {
    let known = all(slices).filter_map(|(slice, used)| Some((of(used)?, slice.answered_in_window)));
    let (total, answered) = known.reduce(|(a, b), (c, d)| (a.saturating_add(c), b.saturating_add(d)))?;
    (answered > 0).then(|| total as f64 / answered as f64)
}

/// Over the length of the slices that know it: nanoseconds per nanosecond.
fn share_of_time(slices: &[&Slice], of: impl Fn(&SubjectUse) -> Option<u64>) -> Option<f64> {
    let known = all(slices).filter_map(|(slice, used)| Some((of(used)?, slice.measured.seconds)));
    let (total, seconds) = known.reduce(|(a, b), (c, d)| (a.saturating_add(c), b + d))?;
    (seconds > 0.0).then(|| total as f64 / (seconds * 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_stats::Source;
    use proofload_store::schema::Point;

    fn slice(seconds: f64, answered: u64, subject: Option<SubjectUse>) -> Slice {
        Slice {
            answered_in_window: answered,
            measured: Point { seconds, subject, ..Point::default() },
            ..Slice::default()
        }
    }

    /// Every field known, so that a measure without a value has no arm.
    fn full(n: u64) -> SubjectUse {
        let names = serde_json::to_value(SubjectUse::default()).expect("an object");
        let fields = names.as_object().expect("an object").keys().map(|name| (name.clone(), n.into()));
        serde_json::from_value(serde_json::Value::Object(fields.collect())).expect("all fields are numbers")
    }

    #[test]
    fn every_measure_of_a_subject_has_a_value_when_everything_is_known() {
        let slice = slice(1.0, 10, Some(full(7)));
        for measure in Measure::all() {
            let of_subject = measure.source() != Source::Generator;
            assert_eq!(value(measure, &[&slice]).is_some(), of_subject, "{}", measure.name());
        }
    }

    #[test]
    fn what_nobody_knows_is_not_zero() {
        let (without, blank) = (slice(1.0, 10, None), slice(1.0, 10, Some(SubjectUse::default())));
        for measure in Measure::all() {
            assert_eq!(value(measure, &[&without, &blank]), None, "{}", measure.name());
        }
    }

    /// Older records have zeros there.
    #[test]
    fn where_no_process_was_found_nothing_was_measured() {
        let nobody = slice(1.0, 10, Some(SubjectUse { processes: Some(0), ..full(0) }));
        for measure in Measure::all() {
            assert_eq!(value(measure, &[&nobody]), None, "{}", measure.name());
        }
    }

    #[test]
    fn counters_add_up_states_are_the_last_and_peaks_the_largest() {
        let (first, second) = (slice(1.0, 10, Some(full(8))), slice(3.0, 30, Some(full(4))));
        let of = |measure| value(measure, &[&first, &second]);
        assert_eq!((of(Measure::GcCount), of(Measure::FullGcCount)), (Some(12.0), Some(12.0)));
        assert_eq!(of(Measure::WorkerBalance), Some(6.0), "the mean");
        assert_eq!(of(Measure::Rss), Some(4.0));
        assert_eq!(of(Measure::RssPeak), Some(8.0));
        assert_eq!(of(Measure::BackendBytesPerExchange), Some(12.0 / 40.0));
        assert_eq!(of(Measure::CtxSwitchesPerRequest), Some(24.0 / 40.0));
        assert_eq!(of(Measure::GcTimeShare), Some(12.0 / 4e9));
        assert_eq!(of(Measure::GcPause), Some(1.0));
    }

    #[test]
    fn a_slice_that_does_not_know_is_left_out_with_its_time_and_its_exchanges() {
        let (known, unknown) = (slice(1.0, 10, Some(full(8))), slice(3.0, 30, Some(SubjectUse::default())));
        assert_eq!(value(Measure::BackendBytesPerExchange, &[&known, &unknown]), Some(0.8));
        assert_eq!(value(Measure::JitShare, &[&unknown, &known]), Some(8e-9));
        assert_eq!(value(Measure::WorkerBalance, &[&unknown, &known]), Some(8.0));
    }

    #[test]
    fn a_count_of_which_a_part_is_not_known_is_not_known() {
        let (known, unknown) = (slice(1.0, 10, Some(full(8))), slice(1.0, 10, None));
        for measure in [
            Measure::GcCount,
            Measure::FullGcCount,
            Measure::MajorFaults,
            Measure::ListenOverflows,
            Measure::GcPause,
        ] {
            assert_eq!(value(measure, &[&known, &unknown]), None, "{}", measure.name());
            assert_eq!(value(measure, &[&unknown, &known]), None, "{}", measure.name());
            assert!(value(measure, &[&known]).is_some(), "{}", measure.name());
        }
    }

    #[test]
    fn growth_runs_from_the_first_slices_beginning_to_the_last_ones_end() {
        let used = |before, after| {
            let known = SubjectUse {
                old_used_before_bytes: Some(before),
                old_used_bytes: Some(after),
                ..SubjectUse::default()
            };
            slice(1.0, 1, Some(known))
        };
        let (a, b) = (used(100, 150), used(300, 350));
        assert_eq!(value(Measure::OldGenGrowth, &[&a, &b]), Some(250.0));
        assert_eq!(value(Measure::OldGenGrowth, &[&used(100, 40)]), Some(0.0), "it shrank");
    }

    #[test]
    fn a_record_from_before_most_of_these_were_known_is_read() {
        let old =
            r#"{"cpu_ns":1,"rss_bytes":2,"threads":3,"descriptors":4,"jit_ns":5,"gc_ns":6,"gc_count":7}"#;
        let used: SubjectUse = serde_json::from_str(old).expect("additions are optional");
        assert_eq!((used.gc_count, used.backend_bytes), (Some(7), None));
    }

    #[test]
    fn without_collections_there_is_no_mean_pause() {
        let none = SubjectUse { gc_count: Some(0), gc_ns: Some(0), ..SubjectUse::default() };
        let slice = slice(1.0, 1, Some(none));
        assert_eq!(value(Measure::GcPause, &[&slice]), None);
        assert_eq!(value(Measure::GcCount, &[&slice]), Some(0.0));
    }
}
