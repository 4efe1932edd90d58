//! A small record, the same bytes every time.

use proofload_measure::{ExchangeTimes, Outcome, Recorder, Snapshot, Window};
use proofload_store::schema::{
    Environment, FORMAT_VERSION, Generator, Level, LoadPoint, Model, Plan, PlannedClaim, PlannedConclusion,
    PlannedFigure, PlannedReference, Point, Preset, Replication, Slice, SubjectKind, SubjectUse, Timing,
    Variant,
};
use proofload_store::{RunWriter, bad_answer, histograms_of, point_of};
use std::path::Path;

/// 2026-01-31T12:00:00Z.
pub const STARTED_NS: u64 = 1_769_860_800_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// Two variants, one load point, two cycles.
pub fn plan() -> Plan {
    let variant = |name: &str| Variant {
        name: name.to_string(),
        levels: vec![Level { factor: "connector".to_string(), level: name.to_string() }],
        kind: SubjectKind::Command,
        description: format!("server with {name}"),
        command: vec!["server".to_string(), format!("--connector={name}")],
        ..Variant::default()
    };
    Plan {
        format: FORMAT_VERSION,
        study: "fixture".to_string(),
        question: "Is nio2 faster than nio?".to_string(),
        preset: Preset::Quick,
        seed: 7,
        replication: Replication::Start,
        alpha: 0.05,
        variants: vec![variant("nio"), variant("nio2")],
        workload: vec!["page: GET /test".to_string()],
        points: vec![LoadPoint {
            label: "64c".to_string(),
            model: Model::Closed,
            connections: 64,
            keep_alive: "on".to_string(),
            ..LoadPoint::default()
        }],
        claims: vec![PlannedClaim {
            name: "nio2 is faster".to_string(),
            text: "throughput(nio2) > throughput(nio) @ 64c".to_string(),
        }],
        timing: Timing {
            warm_up_ns: SECOND_NS,
            cycles: 2,
            slice_ns: SECOND_NS,
            looks: vec![4, 6],
            budget_ns: 480 * SECOND_NS,
            ..Timing::default()
        },
        order: vec![vec![vec![0, 1], vec![1, 0]]],
        references: vec![PlannedReference {
            source: "Some report, 2011".to_string(),
            url: "https://example.org/report".to_string(),
            figures: vec![PlannedFigure {
                quantity: "throughput(nio) @ 64c".to_string(),
                value: "14402/s".to_string(),
            }],
            conclusions: vec![PlannedConclusion {
                says: "nio2 is faster".to_string(),
                claims: vec!["nio2 is faster".to_string()],
                was: "1.10".to_string(),
                beware: "it was one run".to_string(),
                ..PlannedConclusion::default()
            }],
        }],
        generator_cpus: vec![0],
        subject_cpus: vec![1],
        estimated_seconds: 120.5,
        study_text: "study: fixture\n".to_string(),
        ..Plan::default()
    }
}

pub fn environment() -> Environment {
    Environment {
        proofload: "0.1.0".to_string(),
        machine: "c0ffee".to_string(),
        kernel: "6.1.0".to_string(),
        cpu_model: "An example CPU".to_string(),
        cpus: vec![0, 1],
        memory_bytes: 8 << 30,
        descriptors: 1024,
        ephemeral_ports: (32_768, 60_999),
        ..Environment::default()
    }
}

/// A second of load: `answers` exchanges of `took_ns` + 0, 1, 2 … microseconds, and `rejected` bad ones.
pub fn snapshot(answers: u64, took_ns: u64, rejected: u64) -> Snapshot {
    let mut recorder = Recorder::new(Window { start_ns: 0, end_ns: SECOND_NS });
    for i in 0..answers + rejected {
        let intended_ns = i * (SECOND_NS / 2) / (answers + rejected);
        let end_ns = intended_ns + took_ns + i * 1_000;
        let times = ExchangeTimes {
            intended_ns,
            sent_ns: Some(intended_ns + 500),
            first_byte_ns: Some(end_ns - 100),
            end_ns,
        };
        let outcome = if i < answers { Outcome::Answered } else { Outcome::Rejected };
        recorder.record(&times, outcome);
        recorder.record_code(intended_ns, if i < answers { 200 } else { 503 });
        recorder.record_bytes(intended_ns, 100, 1_000);
    }
    recorder.finish()
}

/// Cycle 0 is the warm-up.
pub fn slice(block: u32, cycle: u32, position: u32, variant: &str, snapshot: &Snapshot) -> Slice {
    let bad = snapshot.outcomes.errors() > 0;
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: if cycle == 0 { "warm-up" } else { "measure" }.into(),
        cycle,
        position,
        started_unix_ns: STARTED_NS + u64::from(block * 100 + cycle * 10 + position) * SECOND_NS,
        age_seconds: f64::from(cycle * 4 + position) + 0.1,
        measured: Point {
            variant: variant.to_string(),
            point: "64c".to_string(),
            model: Model::Closed,
            connections: 64,
            per_second: vec![snapshot.answered_in_window],
            generator: Generator {
                cpu_ns: 100_000_000,
                cpu_ns_per_exchange: Some(100_000_000.0 / snapshot.outcomes.finished() as f64),
                peak_rss_bytes: 20 << 20,
                threads: 1,
                driver: "epoll".to_string(),
                fit: true,
                findings: Vec::new(),
                ..Generator::default()
            },
            subject: Some(SubjectUse {
                cpu_ns: Some(snapshot.answered_in_window * 20_000),
                rss_bytes: Some(u64::from(block * 10 + cycle) << 20),
                threads: Some(30),
                descriptors: Some(100),
                jit_ns: Some(1_000_000),
                gc_ns: Some(2_000_000),
                gc_count: Some(1),
                ..SubjectUse::default()
            }),
            bad_answers: match bad {
                true => vec![bad_answer(
                    Outcome::Rejected,
                    "status 503",
                    b"HTTP/1.1 503\r\nSet-Cookie: s=1\r\n\r\n",
                    &[],
                )],
                false => Vec::new(),
            },
            ..point_of(snapshot)
        },
        histograms: histograms_of(snapshot),
        answered_in_window: snapshot.answered_in_window,
        ..Slice::default()
    }
}

/// The slices of a whole block: a warm-up each, then the plan's cycles. `nio2` is faster by a tenth.
pub fn slices(block: u32) -> Vec<Slice> {
    let nio = |n: u64| snapshot(1_000 + n, 2_000_000, 0);
    let nio2 = |n: u64| snapshot(1_100 + n, 1_800_000, 2);
    vec![
        slice(block, 0, 1, "nio", &snapshot(10, 50_000_000, 0)),
        slice(block, 0, 2, "nio2", &snapshot(10, 50_000_000, 0)),
        slice(block, 1, 1, "nio", &nio(u64::from(block))),
        slice(block, 1, 2, "nio2", &nio2(u64::from(block))),
        slice(block, 2, 1, "nio2", &nio2(u64::from(block) + 50)),
        slice(block, 2, 2, "nio", &nio(u64::from(block) + 50)),
    ]
}

/// Writes a run of `blocks` whole blocks.
pub fn write(root: &Path, plan: &Plan, blocks: u32) -> RunWriter {
    let mut run = RunWriter::create(root, plan, &environment(), STARTED_NS).unwrap();
    for number in 1..=blocks {
        write_block(&mut run, number);
    }
    run
}

pub fn write_block(run: &mut RunWriter, number: u32) {
    let mut block = run.begin_block(number).unwrap();
    for slice in slices(number) {
        block.append(&slice).unwrap();
    }
    block.finish().unwrap();
}
