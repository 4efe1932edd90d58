//! A record made in memory, of two servers with a known difference.
#![allow(dead_code, reason = "each test file uses its part")]

use proofload_analysis::RunJudge;
use proofload_facts::Finding;
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_report::of_run;
use proofload_store::schema::{
    Environment, FORMAT_VERSION, FitnessCheck, Generator, Level, LoadPoint, Plan, PlannedClaim, Point,
    RunResult, RunState, Slice, SubjectUse, Timing, Variant,
};
use proofload_store::{Run, RunWriter, histograms_of, point_of};

pub const SECOND: u64 = 1_000_000_000;

/// Differences between the made-up servers.
#[derive(Clone, Copy)]
pub struct Case {
    pub blocks: u32,
    /// Answers a second of `nio`, times this is that of `nio2`.
    pub ratio: f64,
    /// Relative wobble from block to block, alternating in sign between variants.
    pub wobble: f64,
    /// Rejected exchanges for each thousand of `nio2`.
    pub rejected: u64,
    pub fit: bool,
    pub replication: &'static str,
}

pub const CASE: Case =
    Case { blocks: 4, ratio: 1.10, wobble: 0.004, rejected: 0, fit: true, replication: "start" };

/// Finding of a generator that is at its limit.
pub fn busy() -> Finding {
    Finding::WorkerBusy { worker: 0, busy_share: 1.0, allowed_share: 0.9 }
}

/// The check by which it found that.
fn busy_check() -> FitnessCheck {
    FitnessCheck {
        check: "at_work".into(),
        outcome: "failed".into(),
        found: Some(1.0),
        limit: Some(0.9),
        unit: "share".into(),
        ..FitnessCheck::default()
    }
}

pub fn plan(case: Case) -> Plan {
    let variant = |level: &str| Variant {
        name: level.to_string(),
        levels: vec![Level { factor: "connector".into(), level: level.into() }],
        kind: "catalogue".into(),
        description: format!("tomcat 9.0.110, connector {level}"),
        ..Variant::default()
    };
    let claim = |name: &str, text: &str| PlannedClaim { name: name.into(), text: text.into() };
    Plan {
        format: FORMAT_VERSION,
        study: "connectors".into(),
        question: "Does NIO2 serve more than NIO?".into(),
        preset: if case.blocks == 1 { "smoke" } else { "quick" }.into(),
        seed: 7,
        replication: case.replication.into(),
        alpha: 0.05,
        variants: vec![variant("nio"), variant("nio2")],
        workload: vec!["GET /echo, expect status 200, 1024 bytes".into()],
        points: vec![LoadPoint {
            label: "64c".into(),
            model: "closed".into(),
            connections: 64,
            ..LoadPoint::default()
        }],
        claims: vec![
            claim("NIO2 serves more", "throughput(nio2) > throughput(nio)"),
            claim("no error", "errors(nio2) == 0"),
        ],
        timing: Timing {
            warm_up_ns: 12 * SECOND,
            cycles: 2,
            slice_ns: SECOND,
            looks: if case.blocks == 1 { vec![1] } else { vec![4, 6, 8, 10, 12] },
            budget_ns: 480 * SECOND,
            ..Timing::default()
        },
        order: vec![vec![vec![0, 1], vec![1, 0]]; case.blocks as usize],
        generator_cpus: vec![0],
        subject_cpus: vec![1],
        estimated_seconds: 320.0,
        ..Plan::default()
    }
}

pub fn slice(case: Case, block: u32, cycle: u32, variant: usize) -> Slice {
    let sign = if (block + variant as u32).is_multiple_of(2) { 1.0 } else { -1.0 };
    let rate = 10_000.0
        * if variant == 1 { case.ratio } else { 1.0 }
        * (1.0 + sign * case.wobble * f64::from(block));
    let window = Window { start_ns: SECOND, end_ns: 2 * SECOND };
    let mut recorder = Recorder::new(window);
    for i in 0..rate as u64 {
        let at_ns = SECOND + i * 50_000;
        let took_ns = 3_000_000 + (i % 97) * 20_000;
        let times = ExchangeTimes {
            intended_ns: at_ns,
            sent_ns: Some(at_ns + 4_000),
            first_byte_ns: Some(at_ns + took_ns - 10_000),
            end_ns: at_ns + took_ns,
        };
        let rejected = variant == 1 && i % 1_000 < case.rejected;
        recorder.record(&times, if rejected { Outcome::Rejected } else { Outcome::Answered });
        recorder.record_code(at_ns, if rejected { 503 } else { 200 });
    }
    let snapshot = recorder.finish();
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: "measure".into(),
        cycle,
        position: variant as u32 + 1,
        started_unix_ns: 1_790_000_000 * SECOND,
        age_seconds: 13.0 + f64::from(cycle),
        measured: Point {
            variant: ["nio", "nio2"][variant].into(),
            point: "64c".into(),
            model: "closed".into(),
            connections: 64,
            generator: Generator {
                cpu_ns: 400_000_000,
                threads: 1,
                driver: "epoll".into(),
                fit: case.fit,
                findings: if case.fit { Vec::new() } else { vec![busy()] },
                checks: if case.fit { Vec::new() } else { vec![busy_check()] },
                ..Generator::default()
            },
            subject: Some(SubjectUse {
                cpu_ns: Some(700_000_000),
                rss_bytes: Some(200 << 20),
                ..SubjectUse::default()
            }),
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: snapshot.answered_in_window,
        ..Slice::default()
    }
}

/// A slice of `exchanges` exchanges with the durations that `took_ns` returns.
pub fn answering(slice: &mut Slice, exchanges: u64, took_ns: &dyn Fn(u64) -> u64) {
    let mut recorder = Recorder::new(Window { start_ns: SECOND, end_ns: 2 * SECOND });
    for i in 0..exchanges {
        let at_ns = SECOND + i * (SECOND / exchanges.max(1));
        let end_ns = at_ns + took_ns(i);
        let times =
            ExchangeTimes { intended_ns: at_ns, sent_ns: Some(at_ns), first_byte_ns: Some(end_ns), end_ns };
        recorder.record(&times, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    let measured = point_of(&snapshot);
    slice.measured.outcomes = measured.outcomes;
    slice.measured.response_time_ns = measured.response_time_ns;
    slice.histograms = histograms_of(&snapshot);
    slice.answered_in_window = snapshot.answered_in_window;
}

pub fn result(case: Case) -> RunResult {
    result_of(case, &plan(case))
}

/// A record below that directory.
pub fn record(case: Case, plan: &Plan, root: &std::path::Path) -> Run {
    let environment = Environment {
        proofload: "0.1.0".into(),
        kernel: "6.18".into(),
        cpus: vec![0, 1],
        ..Environment::default()
    };
    let mut record = RunWriter::create(root, plan, &environment, 1_790_000_000 * SECOND).expect("a record");
    for block in 1..=case.blocks {
        let mut writer = record.begin_block(block).expect("a block");
        for cycle in 1..=2 {
            for variant in 0..2 {
                writer.append(&slice(case, block, cycle, variant)).expect("written");
            }
        }
        writer.finish().expect("whole");
    }
    record.set_status(RunState::Finished, None, 1_790_000_500 * SECOND).expect("written");
    Run::open(record.path()).expect("readable")
}

pub fn result_of(case: Case, plan: &Plan) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let run = record(case, plan, root.path());
    let mut result = of_run(&run).expect("a result");
    // The verdict that may end the run is the one in the report.
    let live = RunJudge::of(plan).expect("a plan").judge(&run).expect("a judgement");
    let settled = |word: &str| word != "undecided";
    let all = result.claims.iter().all(|claim| settled(claim.verdict.name()))
        && result.expectations.iter().all(|row| settled(row.outcome.name()));
    assert!(live.settled || !all, "{live:?}");
    assert!(live.claims.len() >= result.claims.len() + result.expectations.len());
    result.run = "runs/connectors/latest".into();
    result.status.state = "finished".into();
    result
}
