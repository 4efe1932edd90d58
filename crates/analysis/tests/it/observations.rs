//! From slices to what the judge reads.

use crate::fixture::{STARTED_NS, environment, plan, slice, slices, snapshot, write, write_block};
use proofload_analysis::{observations, observations_of, points, steady_states};
use proofload_facts::Finding;
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_stats::{Cell, Measure, Observations, Reach, Replication};
use proofload_store::schema::{FORMAT_VERSION, FitnessCheck, LoadPoint, Model, Plan, Point, Slice, WarmUp};
use proofload_store::{Run, RunWriter, histograms_of, point_of};

const MEASURES: [Measure; 8] = [
    Measure::Throughput,
    Measure::ResponseQuantile(9900),
    Measure::ResponseMean,
    Measure::ResponseMax,
    Measure::ErrorShare,
    Measure::Errors,
    Measure::CpuPerRequest,
    Measure::Rss,
];

fn cell(observations: &Observations, block: u32, variant: usize, measure: Measure) -> &Cell {
    let mut cells = observations.cells.iter();
    cells.find(|c| (c.block, c.variant, c.point, c.measure) == (block, variant, 0, measure)).unwrap()
}

fn near(found: Option<f64>, expected: f64, share: f64) {
    let found = found.unwrap();
    assert!((found / expected - 1.0).abs() <= share, "{found}, expected {expected}");
}

#[test]
fn every_measure_comes_by_cycle_and_merged_without_the_warm_up() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = write(root.path(), &plan(), 2);
    drop(writer.begin_block(3).unwrap());
    let seen = observations(&Run::open(writer.path()).unwrap(), &MEASURES).unwrap();
    assert_eq!((seen.blocks.as_slice(), seen.excluded_blocks), (&[1, 2][..], 1));
    assert_eq!(seen.replication, Replication::Start);
    assert_eq!(seen.cells.len(), 2 * 2 * MEASURES.len());

    let nio2 = |measure| cell(&seen, 1, 1, measure);
    assert_eq!(nio2(Measure::Throughput).cycles, [Some(1_101.0), Some(1_151.0)]);
    assert_eq!(nio2(Measure::Throughput).merged, Some(1_126.0));
    assert_eq!((nio2(Measure::Throughput).finished, nio2(Measure::Throughput).errors), (2_256, 4));
    assert_eq!(nio2(Measure::Errors).cycles, [Some(2.0), Some(2.0)]);
    assert_eq!(nio2(Measure::ErrorShare).merged, Some(4.0 / 2_256.0));
    assert_eq!(nio2(Measure::CpuPerRequest).merged, Some(20_000.0));
    assert_eq!(nio2(Measure::Rss).merged, Some(f64::from(12 << 20)));
    // Latencies are 1.8 ms + i µs for i below 1,101 and below 1,151: together nearly uniform up to 2.95 ms.
    near(nio2(Measure::ResponseMax).merged, 1_800_000.0 + 1_150_000.0, 1e-3);
    near(nio2(Measure::ResponseMean).merged, 1_800_000.0 + 562_900.0, 1e-3);
    near(nio2(Measure::ResponseQuantile(9900)).cycles[0], 1_800_000.0 + 1_090_000.0, 1e-3);
    near(nio2(Measure::ResponseQuantile(9900)).merged, 1_800_000.0 + 1_128_000.0, 1e-3);
    assert!(nio2(Measure::Throughput).unfit.is_empty());
}

#[test]
fn what_was_not_measured_is_none_and_never_zero() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(
        root.path(),
        &Plan { order: Vec::new(), replication: "process".into(), ..plan() },
        &environment(),
        STARTED_NS,
    )
    .unwrap();
    let mut block = writer.begin_block(1).unwrap();
    let mut lonely = slice(1, 3, 1, "nio", &snapshot(0, 0, 0));
    lonely.measured.subject = None;
    block.append(&lonely).unwrap();
    let mut stranger = lonely.clone();
    stranger.measured.variant = "apr".to_string();
    block.append(&stranger).unwrap();
    block.finish().unwrap();

    let run = Run::open(writer.path()).unwrap();
    let seen = observations(&run, &MEASURES).unwrap();
    assert_eq!(seen.replication, Replication::Process);
    assert_eq!(
        seen.cells.len(),
        MEASURES.len(),
        "one variant, and the one that is not in the plan is left out"
    );
    assert_eq!(cell(&seen, 1, 0, Measure::Throughput).cycles, [None, None, Some(0.0)]);
    for measure in [Measure::ResponseQuantile(5000), Measure::ResponseMean, Measure::ErrorShare] {
        let none = observations(&run, &[measure]).unwrap();
        assert_eq!(none.cells[0].merged, None, "{measure:?}");
    }
    for measure in [Measure::CpuPerRequest, Measure::Rss, Measure::ResponseMax] {
        assert_eq!(cell(&seen, 1, 0, measure).merged, None, "{measure:?}");
    }
}

#[test]
fn an_unfit_generator_is_told_with_its_place() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = write(root.path(), &plan(), 0);
    let mut block = writer.begin_block(1).unwrap();
    for mut slice in slices(1) {
        let once = slice.cycle == 2 && slice.measured.variant == "nio2";
        if slice.cycle > 0 && (once || slice.measured.variant == "nio") {
            slice.measured.generator.fit = false;
            slice.measured.generator.findings = vec![Finding::NoProcess];
        }
        block.append(&slice).unwrap();
    }
    block.finish().unwrap();
    let run = Run::open(writer.path()).unwrap();
    let seen = observations(&run, &[Measure::Throughput]).unwrap();
    let unfit = &cell(&seen, 1, 0, Measure::Throughput).unfit;
    let in_cycle = |cycle| Finding::InSlice {
        variant: "nio".to_string(),
        point: "64c".to_string(),
        stream: String::new(),
        block: 1,
        cycle,
        what: Box::new(Finding::NoProcess),
    };
    assert_eq!(*unfit, [in_cycle(1), in_cycle(2)]);
    assert!(cell(&seen, 1, 1, Measure::Throughput).unfit.is_empty(), "one slice of two");
    let points = points(&run).unwrap();
    assert_eq!(points.iter().map(|point| point.generator.fit).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_cycle_in_which_an_idle_variant_was_not_quiet_is_left_out_for_both() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = write(root.path(), &plan(), 0);
    let mut block = writer.begin_block(1).unwrap();
    for mut slice in slices(1) {
        if slice.cycle == 2 && slice.measured.variant == "nio2" {
            slice.marks = vec![Finding::NoProcess];
        }
        block.append(&slice).unwrap();
    }
    block.finish().unwrap();
    let seen = observations(&Run::open(writer.path()).unwrap(), &[Measure::Throughput]).unwrap();
    for variant in [0, 1] {
        let cell = cell(&seen, 1, variant, Measure::Throughput);
        assert!(matches!(cell.cycles[..], [Some(_)]), "{cell:?}");
        assert_eq!(cell.merged, cell.cycles[0]);
    }
}

#[test]
fn what_had_no_end_ranks_above_all_answers_and_makes_a_quantile_a_lower_end() {
    const P50: Measure = Measure::ResponseQuantile(5000);
    const P99: Measure = Measure::ResponseQuantile(9900);
    let answered: u64 = 980;
    let mut recorder = Recorder::new(Window { start_ns: 0, end_ns: 1_000_000_000 });
    for at in 0..1_000 {
        let (intended_ns, is_answered) = (at * 1_000_000, at < answered);
        let took_ns = if is_answered { 1_470_000 } else { 2_000_000_000 };
        let (sent_ns, end_ns) = (Some(intended_ns), intended_ns + took_ns);
        let times = ExchangeTimes { intended_ns, sent_ns, first_byte_ns: None, end_ns };
        recorder.record(&times, if is_answered { Outcome::Answered } else { Outcome::Unanswered });
    }
    let snapshot = recorder.finish();
    let fresh = Slice {
        measured: point_of(&snapshot),
        histograms: histograms_of(&snapshot),
        answered_in_window: answered,
        ..slices(1).remove(0)
    };
    // An earlier version knew only how many.
    let mut old = fresh.clone();
    old.histograms.unended = String::new();
    let unanswered = old.measured.outcomes.remove("unanswered").expect("a count");
    old.measured.outcomes.insert("abandoned".to_string(), unanswered);
    for (slice, p99_ms) in [(&fresh, 2000.0), (&old, 1.47)] {
        let seen = observations_of(slice, &[P50, P99, Measure::Errors, Measure::ErrorShare]).unwrap().cells;
        let at_least: Vec<bool> = seen.iter().map(|cell| cell.at_least).collect();
        assert_eq!(at_least, [false, true, false, false]);
        let values: Vec<f64> = seen.iter().map(|cell| cell.merged.unwrap()).collect();
        for (value, expected) in values.iter().zip([1.47e6, p99_ms * 1e6, 20.0, 0.02]) {
            assert!((value / expected - 1.0).abs() < 2e-3, "{values:?}");
        }
        assert_eq!((seen[1].errors, seen[1].unanswered, seen[1].unsent), (20, 20, 0));
    }
    let times = &fresh.measured.response_time_ns;
    assert_eq!(
        (times.count, times.unended, times.is_at_least(0.98), times.is_at_least(0.99)),
        (980, 20, false, true)
    );
}

/// A slice of 500 answers that begin after 20 ms and end after 80 ms, and of `unended` exchanges that never do.
fn streamed(unended: u64) -> Slice {
    let mut recorder = Recorder::new(Window { start_ns: 0, end_ns: 1_000_000_000 });
    for at in 0..500 + unended {
        // Sent 5 ms late.
        let (intended_ns, sent_ns) = (at * 1_000_000, at * 1_000_000 + 5_000_000);
        let is_answered = at < 500;
        let end_ns = sent_ns + if is_answered { 80_000_000 } else { 3_000_000_000 };
        let first_byte_ns = Some(sent_ns + 20_000_000);
        let times = ExchangeTimes { intended_ns, sent_ns: Some(sent_ns), first_byte_ns, end_ns };
        recorder.record(&times, if is_answered { Outcome::Answered } else { Outcome::Timeout });
    }
    let snapshot = recorder.finish();
    Slice {
        measured: point_of(&snapshot),
        histograms: histograms_of(&snapshot),
        answered_in_window: 500,
        ..slices(1).remove(0)
    }
}

#[test]
fn the_first_byte_is_timed_from_sending_and_what_had_no_end_ranks_above_it() {
    let measures = [
        Measure::FirstByteQuantile(9500),
        Measure::FirstByteMean,
        Measure::FirstByteMax,
        Measure::ResponseQuantile(9500),
    ];
    let all = observations_of(&streamed(0), &measures).unwrap().cells;
    for (cell, expected) in all.iter().zip([20e6, 20e6, 20e6, 85e6]) {
        near(cell.merged, expected, 2e-3);
        assert!(!cell.at_least);
    }
    let some = observations_of(&streamed(50), &measures).unwrap().cells;
    assert!(some.iter().all(|cell| cell.at_least), "a tenth had no end");
    near(some[0].merged, 3_005e6, 2e-3);
    let times = streamed(50).measured.first_byte_ns;
    assert_eq!((times.count, times.unended), (500, 50));
    assert!(!times.is_at_least(0.9) && times.is_at_least(0.95), "the screen says what claims do");
}

#[test]
fn delays_of_the_generator_are_a_larger_share_of_the_first_byte() {
    let mut slice = streamed(0);
    let check = FitnessCheck {
        check: "lengthened_mean".into(),
        outcome: "passed".into(),
        found: Some(0.01),
        ..FitnessCheck::default()
    };
    slice.measured.generator.checks = vec![check];
    let cells = observations_of(&slice, &[Measure::ResponseMean, Measure::FirstByteMean]).unwrap().cells;
    let below: Vec<f64> = cells.iter().map(|cell| cell.moved.below.exp() - 1.0).collect();
    near(Some(below[0]), 0.02, 1e-3);
    near(Some(below[1]), 0.02 * 85.0 / 20.0, 5e-3);
}

#[test]
fn an_unfit_generator_bounds_no_time_to_the_first_byte() {
    let mut slice = streamed(0);
    slice.measured.model = Model::Open;
    slice.measured.generator.fit = false;
    slice.measured.generator.checks = vec![FitnessCheck {
        check: "send_delay".into(),
        outcome: "failed".into(),
        ..FitnessCheck::default()
    }];
    let cells = observations_of(&slice, &[Measure::ResponseQuantile(5000), Measure::FirstByteQuantile(5000)])
        .unwrap()
        .cells;
    assert_eq!(cells[0].unfit_reach, Reach::AT_MOST, "what was sent late is in the response time");
    assert_eq!(cells[1].unfit_reach, Reach::ANY, "and not in this");
}

#[test]
fn a_generator_can_only_have_slowed_one_closed_loop_whose_counts_agree() {
    let fine = slices(1).remove(0);
    let slowed = |change: fn(&mut Slice)| {
        let mut slice = fine.clone();
        change(&mut slice);
        observations_of(&slice, &[Measure::Throughput]).unwrap().cells[0].unfit_reach == Reach::AT_LEAST
    };
    let littles_law = |outcome: &str| FitnessCheck {
        check: "littles_law".into(),
        outcome: outcome.into(),
        ..FitnessCheck::default()
    };
    assert!(slowed(|_| ()));
    assert!(!slowed(|slice| slice.measured.model = "open".into()));
    assert!(!slowed(|slice| slice.measured.stream = "fast".into()));
    let mut slice = fine.clone();
    for (outcome, expected) in [("passed", true), ("failed", false)] {
        slice.measured.generator.checks = vec![littles_law(outcome)];
        let seen = observations_of(&slice, &[Measure::Throughput]).unwrap();
        let expected = if expected { Reach::AT_LEAST } else { Reach::ANY };
        assert_eq!(seen.cells[0].unfit_reach, expected, "{outcome}");
    }
}

#[test]
fn a_late_generator_can_only_have_lengthened_the_times_of_an_open_loop_that_was_sent_whole() {
    let check =
        |name: &str| FitnessCheck { check: name.into(), outcome: "failed".into(), ..FitnessCheck::default() };
    let bound = |checks: &[&str], change: fn(&mut Slice)| {
        let mut slice = slices(1).remove(0);
        slice.measured.model = "open".into();
        slice.measured.generator.fit = false;
        slice.measured.generator.checks = checks.iter().map(|name| check(name)).collect();
        change(&mut slice);
        observations_of(&slice, &[Measure::ResponseQuantile(9900)]).unwrap().cells[0].unfit_reach
    };
    assert_eq!(bound(&["send_delay", "at_work", "hiccups"], |_| ()), Reach::AT_MOST);
    let closed = bound(&["send_delay"], |slice| slice.measured.model = "closed".into());
    assert!(closed.below.is_infinite() && closed.above.is_finite() && closed.above > 0.0, "{closed:?}");
    assert_eq!(bound(&["send_delay"], |slice| slice.measured.unsent = 1), Reach::ANY);
    assert_eq!(bound(&["send_delay", "ports"], |_| ()), Reach::ANY);
    assert_eq!(bound(&[], |_| ()), Reach::ANY, "nobody says what was wrong");
}

#[test]
fn a_late_step_is_seen_where_a_block_measured_some_of_the_points() {
    let root = tempfile::tempdir().unwrap();
    let mut plan = Plan { order: Vec::new(), ..plan() };
    plan.points.push(LoadPoint { label: "8c".into(), ..plan.points[0].clone() });
    let mut writer = RunWriter::create(root.path(), &plan, &environment(), STARTED_NS).unwrap();
    for (number, points) in [(1, &["64c", "8c"][..]), (2, &["64c"])] {
        let mut block = writer.begin_block(number).unwrap();
        for variant in ["nio", "nio2"] {
            for (cycle, point) in (1..=6).flat_map(|cycle| points.iter().map(move |point| (cycle, *point))) {
                let mut line = slice(number, cycle, 1, variant, &snapshot(100, 2_000_000, 0));
                line.measured.point = point.into();
                let each_ns = if variant == "nio2" && cycle > 3 { 22_000 } else { 20_000 };
                line.measured.subject.as_mut().unwrap().cpu_ns = Some(line.answered_in_window * each_ns);
                block.append(&line).unwrap();
            }
            if !points.contains(&"8c") {
                let measured = Point { variant: variant.into(), point: "8c".into(), ..Point::default() };
                let (format, phase) = (FORMAT_VERSION, "spared".into());
                block.append(&Slice { format, block: number, phase, measured, ..Slice::default() }).unwrap();
            }
        }
        block.finish().unwrap();
        let warm_up =
            |variant: &str| WarmUp { variant: variant.into(), ended: "steady".into(), ..WarmUp::default() };
        writer.write_warm_ups(number, &[warm_up("nio"), warm_up("nio2")]).unwrap();
    }
    let states = steady_states(&Run::open(writer.path()).unwrap()).unwrap();
    let found = |at: usize| states[at].starts.iter().map(|start| start.found.name()).collect::<Vec<_>>();
    assert_eq!((found(0), found(1)), (vec!["steady"; 2], vec!["late_step"; 2]));
}

#[test]
fn points_are_the_trials_of_all_complete_blocks_merged() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = write(root.path(), &plan(), 1);
    let one = points(&Run::open(writer.path()).unwrap()).unwrap();
    write_block(&mut writer, 2);
    let points = points(&Run::open(writer.path()).unwrap()).unwrap();
    let nio2 = &points[1];
    assert_eq!(
        (points.len(), nio2.variant.as_str(), nio2.point.as_str(), nio2.connections),
        (2, "nio2", "64c", 64)
    );
    assert_eq!(
        (nio2.seconds, nio2.throughput_per_s),
        (4.0, Some(f64::from(1_101 + 1_151 + 1_102 + 1_152) / 4.0))
    );
    assert_eq!(nio2.outcomes["answered"], 4_506);
    assert_eq!((nio2.outcomes["rejected"], nio2.outcomes.len()), (8, 18));
    assert_eq!((nio2.codes["200"], nio2.codes["503"]), (4_506, 8));
    assert_eq!(nio2.response_time_ns.count, 4_506);
    assert_eq!((nio2.intended, nio2.sent, nio2.unsent), (4_514, 4_514, 0));
    assert_eq!(nio2.per_second, [1_101, 1_151, 1_102, 1_152]);
    assert_eq!(nio2.generator.cpu_ns, 400_000_000);
    let subject = nio2.subject.as_ref().unwrap();
    assert_eq!((subject.cpu_ns, subject.gc_count), (Some(4_506 * 20_000), Some(4)));
    assert_eq!(subject.rss_bytes, Some(22 << 20));
    assert_eq!(nio2.bad_answers.len(), 1);
    assert!(nio2.bad_answers[0].received.contains("Set-Cookie: [redacted]"));
    assert!(one[1].response_time_ns.max <= nio2.response_time_ns.max);
}

#[test]
fn figures_read_back_as_the_very_numbers_that_were_written() {
    let root = tempfile::tempdir().unwrap();
    let mut plan = plan();
    for (alpha, seconds) in
        [(0.1 + 0.2, 1.0 / 3.0), (f64::MIN_POSITIVE, 1e300), (5e-324, 123_456_789.123_456_79)]
    {
        (plan.alpha, plan.estimated_seconds) = (alpha, seconds);
        let read = Run::open(write(root.path(), &plan, 0).path()).unwrap();
        assert_eq!((read.plan().alpha, read.plan().estimated_seconds), (alpha, seconds));
    }
}

#[test]
fn streams_are_told_apart_and_seen_together() {
    let root = tempfile::tempdir().unwrap();
    let load = |stream: &str| proofload_store::schema::StreamLoad {
        stream: stream.to_string(),
        model: Model::Closed,
        connections: 64,
        ..Default::default()
    };
    let mut plan = Plan { streams: vec!["fast".to_string(), "slow".to_string()], ..plan() };
    plan.points[0].streams = vec![load("fast"), load("slow")];
    let mut writer = RunWriter::create(root.path(), &plan, &environment(), STARTED_NS).unwrap();
    let mut block = writer.begin_block(1).unwrap();
    for (cycle, position, variant) in [(1, 1, "nio"), (1, 2, "nio2"), (2, 1, "nio2"), (2, 2, "nio")] {
        let mut fast = slice(1, cycle, position, variant, &snapshot(1_000, 1_000_000, 0));
        fast.measured.stream = "fast".to_string();
        (fast.measured.connections_peak, fast.measured.connections_most) = (10 + cycle, 40);
        let mut slow = slice(1, cycle, position, variant, &snapshot(90, 300_000_000, 10));
        slow.measured.stream = "slow".to_string();
        // The resources used by the processes are in the first line, for both.
        slow.measured.subject = None;
        (slow.measured.connections_peak, slow.measured.connections_most) = (20 + cycle, 50);
        slow.measured.generator.fit = false;
        slow.measured.generator.findings = vec![Finding::NoProcess];
        block.append(&fast).unwrap();
        block.append(&slow).unwrap();
    }
    block.finish().unwrap();
    let run = Run::open(writer.path()).unwrap();
    assert_eq!(run.blocks().len(), 1);
    let seen = observations(&run, &MEASURES).unwrap();
    let of = |stream: Option<usize>, measure| {
        let mut cells = seen.cells.iter();
        cells.find(|c| (c.variant, c.stream, c.measure) == (0, stream, measure)).unwrap()
    };
    assert_eq!(of(Some(0), Measure::Throughput).merged, Some(1_000.0));
    assert_eq!(of(Some(1), Measure::Throughput).cycles, [Some(90.0), Some(90.0)]);
    let all = of(None, Measure::Throughput);
    assert_eq!((all.merged, &all.cycles[..]), (Some(1_090.0), &[Some(1_090.0), Some(1_090.0)][..]));
    assert_eq!((all.finished, all.errors), (2_200, 20));
    assert_eq!(
        (of(Some(0), Measure::Errors).merged, of(None, Measure::Errors).merged),
        (Some(0.0), Some(20.0))
    );
    let p99 = |stream| of(stream, Measure::ResponseQuantile(9900)).merged.unwrap();
    assert!(p99(Some(0)) < 3e6 && p99(Some(1)) > 3e8 && p99(None) > 3e8, "merged, not averaged");
    // Per request of both streams, and of neither alone.
    let cpu = of(None, Measure::CpuPerRequest).merged.unwrap();
    let used = run.blocks()[0].slices[0].measured.subject.clone().unwrap().cpu_ns.unwrap();
    near(Some(cpu), used as f64 / 1_090.0, 1e-9);
    assert_eq!(of(Some(0), Measure::CpuPerRequest).merged, None);
    assert!(!of(Some(0), Measure::Throughput).unfit.is_empty(), "a late generator is late for both");

    let points = points(&run).unwrap();
    let named: Vec<_> =
        points.iter().map(|p| (p.variant.as_str(), p.stream.as_str(), p.per_second.len())).collect();
    assert_eq!(named[..3], [("nio", "", 2), ("nio", "fast", 2), ("nio", "slow", 2)]);
    assert_eq!((points[0].per_second[0], points[0].seconds, points[0].connections), (1_090, 2.0, 64));
    // Of streams together all connections, of slices after each other the most.
    let connections = |at: usize| (points[at].connections_peak, points[at].connections_most);
    assert_eq!([0, 1, 2].map(connections), [(34, 90), (12, 40), (22, 50)]);
    // Whatever the judge holds unfit is nowhere called fit.
    for point in &points {
        assert!(!point.generator.fit, "{} [{}]", point.variant, point.stream);
        assert_eq!(point.generator.findings, [Finding::NoProcess], "{} [{}]", point.variant, point.stream);
    }
}
