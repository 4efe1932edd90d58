use super::super::backend::BackendTraffic;
use super::super::machine::Machine;
use super::super::sampler::{Edge, Thorough};
use super::super::{Collector, JvmUse};
use super::*;

const MS: u64 = 1_000_000;

fn sample(at_ms: u64, cpu_ms: u64, rss_bytes: u64) -> Sample {
    let tree = TreeSample {
        at_ns: at_ms * MS,
        cpu_ns: cpu_ms * MS,
        rss_bytes,
        processes: 1,
        ..TreeSample::default()
    };
    Sample { tree, ..Sample::default() }
}

fn sampled(samples: Vec<Sample>) -> Sampled {
    Sampled { period_ns: 100 * MS, samples, ..Sampled::default() }
}

#[test]
fn the_axis_begins_with_the_window_and_counters_are_growth() {
    let samples = vec![sample(1_000, 50, 7), sample(1_100, 90, 9), sample(1_200, 100, 8)];
    let (used, telemetry) = sampled(samples).digest(1_000 * MS, 1_200 * MS).unwrap();
    assert_eq!(telemetry.at_ns, [0, 100 * MS, 200 * MS]);
    assert_eq!(telemetry.series["cpu_ns"], [Some(0), Some(40 * MS), Some(10 * MS)]);
    assert_eq!(telemetry.series["rss_bytes"], [Some(7), Some(9), Some(8)]);
    assert_eq!((used.cpu_ns, used.rss_bytes, used.rss_peak_bytes), (Some(50 * MS), Some(8), Some(9)));
    assert!(!telemetry.series.contains_key("gc_ns"), "nothing is known of it");
    assert_eq!((used.gc_count, used.accept_queue_max, used.voluntary_switches), (None, None, None));
}

#[test]
fn samples_beyond_the_window_are_left_out_and_cpu_time_is_scaled_to_it() {
    let samples = [900, 1_004, 1_100, 1_204, 1_500].map(|at| sample(at, at, at)).to_vec();
    let (used, telemetry) = sampled(samples).digest(1_000 * MS, 1_190 * MS).unwrap();
    assert_eq!(telemetry.at_ns, [4 * MS, 100 * MS, 204 * MS]);
    assert_eq!(used.cpu_ns, Some(190 * MS));
    assert_eq!(used.rss_peak_bytes, Some(1_204));
}

/// A load of a count is over 15 ms before that is noticed; in these the server did nothing any more.
#[test]
fn what_was_used_until_a_load_came_to_its_count_is_used_in_its_window_whole() {
    let ended = || {
        let (mut before, mut after) = (Edge::default(), Edge { at_ns: 1_220 * MS, ..Edge::default() });
        before.at_ns = 1_000 * MS;
        let thread = |voluntary| threads::Thread { name: "exec".into(), voluntary, ..Default::default() };
        let thorough = |voluntary| Thorough {
            threads: Some(threads::Threads::from([((1, 1), thread(voluntary))])),
            ..Thorough::default()
        };
        before.thorough = Some(thorough(0));
        after.thorough = Some(thorough(600));
        let samples = vec![sample(1_000, 0, 7), sample(1_100, 100, 9), sample(1_115, 110, 9)];
        Sampled { ends_with_load: true, edges: Some((before, after)), ..sampled(samples) }
    };
    let (used, telemetry) = ended().digest(1_000 * MS, 1_110 * MS).unwrap();
    assert_eq!((used.cpu_ns, used.voluntary_switches), (Some(110 * MS), Some(600)));
    assert_eq!(telemetry.at_ns, [0, 100 * MS, 115 * MS]);
    // Work that ends just behind the last answer is work for it; the sample before would miss it.
    let (used, _) = ended().digest(1_000 * MS, 1_101 * MS).unwrap();
    assert_eq!(used.cpu_ns, Some(110 * MS));
    // The dear look before the load made the first sample late: what it missed is made up for.
    let mut late = ended();
    late.samples[0] = sample(1_010, 10, 7);
    let (used, _) = late.digest(1_000 * MS, 1_110 * MS).unwrap();
    assert_eq!(used.cpu_ns, Some(110 * MS));
}

/// A command whose leader ended: its processes cannot be found.
#[test]
fn where_no_process_was_found_nothing_was_measured() {
    let nobody = |at_ms| {
        let mut sample = sample(at_ms, 0, 0);
        sample.tree.processes = 0;
        sample
    };
    let (used, telemetry) =
        sampled(vec![nobody(1_000), nobody(1_100)]).digest(1_000 * MS, 1_100 * MS).unwrap();
    let known = SubjectUse { sampler_cpu_ns: used.sampler_cpu_ns, ..SubjectUse::default() };
    assert_eq!(used, known);
    assert!(telemetry.series.is_empty(), "{:?}", telemetry.series);
    assert_eq!(telemetry.missing, [Finding::NoProcessFound]);
}

#[test]
fn without_two_samples_nothing_is_said() {
    assert!(sampled(Vec::new()).digest(0, 10).is_none());
    assert!(sampled(vec![sample(5, 1, 1)]).digest(0, 10).is_none());
}

#[test]
fn collectors_and_machine_counters_are_told_as_growth() {
    let jvm = |count| JvmUse {
        collectors: vec![Collector { name: "young".into(), count, pause_ns: 10 * count }],
        ..JvmUse::default()
    };
    let (mut first, mut last) = (sample(0, 0, 1), sample(100, 1, 1));
    (first.tree.jvm_use, last.tree.jvm_use) = (jvm(3), jvm(5));
    first.machine = Machine { steal_ns: Some(5), listen_drops: Some(1), ..Machine::default() };
    last.machine =
        Machine { steal_ns: Some(9), listen_drops: Some(4), time_wait: Some(6), ..Machine::default() };
    let (used, telemetry) = sampled(vec![first, last]).digest(0, 100 * MS).unwrap();
    assert_eq!(telemetry.collectors["young"], CollectorUse { count: 2, pause_ns: 20 });
    assert_eq!((telemetry.machine.steal_ns, telemetry.machine.time_wait), (Some(4), Some(6)));
    assert_eq!((used.listen_drops, used.listen_overflows), (Some(3), None));
}

#[test]
fn many_processes_are_summed_beyond_the_limit_and_a_reused_number_is_another_process() {
    let process = |pid: u32, start_ticks, cpu_ns| ProcessSample {
        pid,
        start_ticks,
        name: "httpd".into(),
        cpu_ns,
        rss_bytes: 1,
        threads: 2,
    };
    let first = TreeSample { each: vec![process(1, 10, 100), process(2, 10, 500)], ..TreeSample::default() };
    let mut each = vec![process(1, 10, 150), process(2, 11, 60)];
    each.extend((3..43).map(|pid| process(pid, 10, 1)));
    let all = processes(&first, &TreeSample { each, ..TreeSample::default() });
    assert_eq!(all.len(), PROCESSES_MAX + 1);
    assert_eq!((all[0].pid, all[0].cpu_ns, all[1].pid, all[1].cpu_ns), (2, 60, 1, 50));
    let others = &all[PROCESSES_MAX];
    assert_eq!((others.name.as_str(), others.pid, others.threads), (OTHERS, 0, 20));
    assert_eq!(all.iter().map(|process| process.cpu_ns).sum::<u64>(), 60 + 50 + 40);
}

#[test]
fn looks_at_the_back_end_that_come_late_stand_for_the_window_by_their_time() {
    let look = |at_ms: u64, bytes: u64| Sample {
        backend_at_ns: at_ms * MS,
        backend_bytes: Some(bytes),
        ..sample(at_ms, 0, 1)
    };
    let carried = |looks: Vec<Sample>| {
        let mut backend = BackendTraffic::new(vec![8009], &[]);
        let bytes = Some((0, 0));
        let socket = super::super::sockets::Socket {
            local_port: 8009,
            remote_port: 4000,
            bytes,
            ..Default::default()
        };
        backend.sample(&[socket]);
        let sampled = Sampled { backend, backend_from_ns: 950 * MS, ..sampled(looks) };
        let (used, telemetry) = sampled.digest(1_000 * MS, 2_000 * MS).unwrap();
        (used.backend_bytes, telemetry.missing.len())
    };
    assert_eq!(
        carried(vec![look(1_003, 60), look(1_500, 70), look(2_009, 1_060)]),
        (Some(1_000), 0),
        "in time"
    );
    // A fifth of the window was over at the first look within it.
    assert_eq!(carried(vec![look(1_200, 250), look(1_500, 550), look(2_000, 1_050)]), (Some(1_000), 0));
    // The load was over at the last one.
    assert_eq!(carried(vec![look(1_001, 51), look(1_900, 950), look(2_200, 1_100)]), (Some(1_000), 0));
    assert_eq!(carried(vec![look(1_300, 350), look(2_200, 900)]), (None, 1), "too little of it was seen");
}

#[test]
fn a_back_end_of_connections_too_short_to_be_seen_is_not_measured_and_said_so() {
    let mut first = sample(0, 0, 1);
    let mut last = sample(1_000, 0, 1);
    (first.backend_bytes, last.backend_bytes) = (Some(0), Some(500));
    let mut backend = BackendTraffic::new(vec![8009], &[]);
    backend.sample(&[]);
    let waiting = super::super::sockets::Socket {
        state: TIME_WAIT,
        local_port: 8009,
        remote_port: 4000,
        ..Default::default()
    };
    backend.close(&[waiting]);
    let (used, telemetry) = Sampled { backend, ..sampled(vec![first, last]) }.digest(0, 1_000 * MS).unwrap();
    assert_eq!((used.backend_bytes, used.backend_connections_lost), (None, Some(1)));
    assert_eq!(telemetry.missing, [Finding::BackendLost { lost: 1, connections: 1 }]);
}
