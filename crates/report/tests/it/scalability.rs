//! Ladders whose knee and peak are known, written as records, read back and drawn in every format.

use crate::facts::told;
use crate::made::{CASE, SECOND, busy, plan};
use proofload_facts::{Limit, Reason};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_report::{html, json, markdown, of_run, text};
use proofload_store::schema::{
    Environment, FORMAT_VERSION, Generator, LoadPoint, Plan, Point, RunResult, Scalability, Slice,
};
use proofload_store::{Run, RunWriter, histograms_of, point_of};
use proofload_testkit::schema_complaints;

const LADDER: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Answers a second of each variant. `nio` falls behind 57 connections; `nio2` can do 40,000 from 10 on.
fn truth(variant: usize, n: u32) -> f64 {
    let n = f64::from(n);
    match variant {
        0 => 4_000.0 * n / (1.0 + 0.03 * (n - 1.0) + 3e-4 * n * (n - 1.0)),
        _ => 4_000.0 * n.min(10.0),
    }
}

fn ladder(connections: &[u32], think_ns: u64) -> Plan {
    let rung = |n: &u32| LoadPoint {
        label: format!("{n}c"),
        model: "closed".into(),
        connections: *n,
        think_ns,
        keep_alive: "on".into(),
        ..LoadPoint::default()
    };
    Plan { points: connections.iter().map(rung).collect(), claims: Vec::new(), ..plan(CASE) }
}

/// One slice: what was answered wobbles by up to 1 % from block to block, differently at each rung.
fn slice(block: u32, cycle: u32, variant: usize, point: &LoadPoint) -> Slice {
    let n = point.connections;
    let wobble = f64::from((block * 7 + n * 3 + block * n) % 11) / 500.0 - 0.01;
    let per_s = truth(variant, n) * (1.0 + wobble);
    let cycle_ns = (f64::from(n) / per_s * 1e9) as u64;
    let mut recorder = Recorder::new(Window { start_ns: SECOND, end_ns: 2 * SECOND });
    for i in 0..100 {
        let at_ns = SECOND + i * 1_000_000;
        let times = ExchangeTimes {
            intended_ns: at_ns,
            sent_ns: Some(at_ns),
            first_byte_ns: Some(at_ns),
            end_ns: at_ns + cycle_ns.saturating_sub(point.think_ns).max(1),
        };
        recorder.record(&times, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: "measure".into(),
        cycle,
        position: variant as u32 + 1,
        measured: Point {
            variant: ["nio", "nio2"][variant].into(),
            point: point.label.clone(),
            model: point.model.clone(),
            connections: n,
            generator: Generator { fit: true, ..Generator::default() },
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: per_s as u64,
        ..Slice::default()
    }
}

fn record(plan: &Plan, blocks: u32, spoil: &dyn Fn(&mut Slice)) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let mut record = RunWriter::create(root.path(), plan, &Environment::default(), SECOND).expect("a record");
    for block in 1..=blocks {
        let mut writer = record.begin_block(block).expect("a block");
        for cycle in 1..=2 {
            for point in &plan.points {
                for variant in 0..2 {
                    let mut slice = slice(block, cycle, variant, point);
                    spoil(&mut slice);
                    writer.append(&slice).expect("written");
                }
            }
        }
        writer.finish().expect("whole");
    }
    of_run(&Run::open(record.path()).expect("readable")).expect("a result")
}

fn of<'a>(result: &'a RunResult, variant: &str) -> &'a Scalability {
    result.scalability.iter().find(|of| of.variant == variant).expect("an entry")
}

#[test]
fn knee_and_peak_of_a_ladder_are_told_in_every_format() {
    let result = record(&ladder(&LADDER, 0), 5, &|_| {});
    let nio = of(&result, "nio");
    let peak = nio.peak.as_ref().expect("a peak");
    assert!((peak.point - 56.9).abs() < 2.0 && peak.high.is_some_and(|high| high < 128.0), "{peak:?}");
    let knee = nio.knee.as_ref().expect("a knee");
    // The most is answered at 64 connections, 15.6 times as much as at one.
    assert!((knee.point - 15.6).abs() < 0.4 && knee.low < Some(15.6) && knee.high > Some(15.6), "{knee:?}");
    assert_eq!((nio.connections.as_slice(), nio.blocks), (&LADDER[..], 5));
    let contention = nio.contention.as_ref().expect("a coefficient");
    assert!((contention.point - 0.03).abs() < 0.005, "{contention:?}");
    let flat = of(&result, "nio2");
    let knee = flat.knee.as_ref().expect("a knee");
    assert!((knee.point - 10.0).abs() < 0.3 && flat.peak.is_none(), "{flat:?}");
    assert_eq!(flat.plateau_from.as_ref().map(|from| from.point), Some(16.0));
    assert!(flat.reasons.contains(&Reason::PeakBeyond { highest: 128 }), "{flat:?}");
    insta::assert_snapshot!("ladder.txt", text(&result, false).replace(&result.run, "RUN"));
    for drawn in [text(&result, false), markdown(&result), html(&result, &[])] {
        for part in ["Scalability", "knee, connections", "not observed up to 128", "5 blocks"] {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
        assert!(!drawn.contains("significant"), "{drawn}");
    }
    let schema = proofload_store::schemas().into_iter().find(|(name, _)| *name == "result.schema.json");
    let value: serde_json::Value = serde_json::from_str(&json(&result)).expect("JSON");
    assert_eq!(schema_complaints(&schema.expect("a schema").1, &value), Vec::<String>::new());
    assert!(value["scalability"][0]["knee"]["low"].is_f64(), "{}", value["scalability"]);
}

#[test]
fn think_time_is_part_of_the_knee() {
    let think_ns = 200_000;
    // nio2 at 1 connection: 0.25 ms for a cycle, of which 0.2 ms are think time.
    let result = record(&ladder(&LADDER, think_ns), 5, &|_| {});
    let flat = of(&result, "nio2");
    let low = flat.low_load_response.as_ref().expect("a response time");
    assert!((low.point - 50_000.0).abs() < 3_000.0, "{low:?}");
    assert!(flat.knee.as_ref().is_some_and(|knee| (knee.point - 10.0).abs() < 0.3), "{flat:?}");
    assert!(flat.contention.is_none() && flat.think_ns == think_ns, "{flat:?}");
}

#[test]
fn a_load_point_on_which_no_verdict_rests_is_no_rung() {
    let limited = |slice: &mut Slice| {
        if slice.measured.variant == "nio" && slice.measured.connections == 128 && slice.block == 3 {
            slice.measured.generator.fit = false;
            slice.measured.generator.findings = vec![busy()];
        }
        if slice.measured.variant == "nio2" && slice.measured.connections == 2 {
            slice.measured.outcomes.insert("reset_reused".into(), 1);
        }
    };
    let result = record(&ladder(&LADDER, 0), 5, &limited);
    let nio = of(&result, "nio");
    assert_eq!(nio.connections, LADDER[..7]);
    assert!(nio.peak.is_none(), "what is left ends at 64: {nio:?}");
    let said = told(&nio.reasons).join("; ");
    assert!(said.contains("128 connections left out: client-limited: worker 0 was busy"), "{said}");
    assert!(said.contains("peak not observed up to 64"), "{said}");
    let other = of(&result, "nio2");
    assert_eq!(other.connections, [1, 4, 8, 16, 32, 64, 128]);
    assert!(told(&other.reasons).iter().any(|why| why.contains("2 connections left out")), "{other:?}");
}

#[test]
fn too_few_load_points_or_blocks_are_said_among_the_limits() {
    let three = record(&ladder(&LADDER[..3], 0), 4, &|_| {});
    let two_blocks = record(&ladder(&LADDER, 0), 2, &|_| {});
    for (result, why) in
        [(three, "too few load levels (3 of 4) to find a knee"), (two_blocks, "2 blocks in which")]
    {
        let mut limits = result.limits.clone();
        limits.retain(|limit| matches!(limit, Limit::NoScalability { .. }));
        let said = told(&limits);
        assert!(said.len() == 1 && said[0].starts_with("no knee or peak can be given"), "{said:?}");
        assert!(said[0].contains(why), "{said:?}");
        assert!(result.scalability.iter().all(|of| of.knee.is_none() && of.most.is_none()));
        assert!(!text(&result, false).contains("Scalability"), "{}", text(&result, false));
    }
    let one = record(&ladder(&LADDER[..1], 0), 4, &|_| {});
    assert!(one.scalability.is_empty());
    assert!(!told(&one.limits).iter().any(|limit| limit.contains("knee")), "{:?}", one.limits);
}

#[test]
fn only_plain_closed_loops_that_differ_in_their_connections_alone_are_a_ladder() {
    let plain = ladder(&LADDER, 0);
    let change: [&dyn Fn(&mut LoadPoint); 4] = [
        &|point| point.model = "open".into(),
        &|point| point.whole = true,
        &|point| point.profile = "ramp 0 to 64".into(),
        &|point| point.think_ns += u64::from(point.connections),
    ];
    for change in change {
        let mut other = plain.clone();
        other.points.iter_mut().for_each(change);
        let result = record(&other, 3, &|_| {});
        assert_eq!(result.scalability, Vec::new());
    }
    let mut mixed = plain;
    mixed.points[7].think_ns = 5;
    let result = record(&mixed, 3, &|_| {});
    assert_eq!(of(&result, "nio").connections, LADDER[..7]);
}

#[test]
fn each_request_that_is_asked_alone_has_a_ladder_of_its_own() {
    let mut plan = ladder(&LADDER, 0);
    let big = |point: &LoadPoint| LoadPoint {
        label: format!("{}-big", point.label),
        asks: "big".into(),
        connections: point.connections + 1,
        ..point.clone()
    };
    let more: Vec<LoadPoint> = plan.points.iter().map(big).collect();
    plan.points.iter_mut().for_each(|point| point.asks = "home".into());
    plan.points.extend(more);
    let result = record(&plan, 4, &|_| {});
    let told: Vec<(&str, &str, u32)> = result
        .scalability
        .iter()
        .map(|of| (of.variant.as_str(), of.asks.as_str(), of.connections[0]))
        .collect();
    let lowest = LADDER[0];
    assert_eq!(
        told,
        [
            ("nio", "home", lowest),
            ("nio2", "home", lowest),
            ("nio", "big", lowest + 1),
            ("nio2", "big", lowest + 1)
        ]
    );
    assert!(text(&result, false).contains("nio2, big"), "{}", text(&result, false));
}
