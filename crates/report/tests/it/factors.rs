//! Settings that matter, written as records, read back and drawn in every format.

use crate::facts::told;
use crate::made::{CASE, SECOND, busy, plan};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_report::{html, json, markdown, of_run, text};
use proofload_store::schema::{
    Environment, FORMAT_VERSION, FactorEffect, FactorTable, Generator, Level, Plan, Point, RunResult, Slice,
    SubjectUse, Variant,
};
use proofload_store::{Run, RunWriter, histograms_of, point_of};
use proofload_testkit::schema_complaints;

const CONNECTORS: [&str; 2] = ["nio", "nio2"];
const HEAPS: [&str; 3] = ["256m", "512m", "1g"];
const LOGS: [&str; 2] = ["off", "on"];

/// Answers a second: nio2 serves a quarter more, 1g a tenth, a log costs a fifth, but half with nio2.
fn truth(levels: &[Level]) -> f64 {
    let has = |level: &str| levels.iter().any(|own| own.level == level);
    let mut per_s = 10_000.0;
    for (factor, gains) in
        [(1.25, has("nio2")), (1.10, has("1g")), (0.80, has("on")), (0.625, has("on") && has("nio2"))]
    {
        if gains {
            per_s *= factor;
        }
    }
    per_s
}

fn grid() -> Plan {
    let mut variants = Vec::new();
    for connector in CONNECTORS {
        for heap in HEAPS {
            for log in LOGS {
                let levels = [("connector", connector), ("heap", heap), ("log", log)];
                variants.push(Variant {
                    name: format!("{connector},{heap},{log}"),
                    levels: levels
                        .map(|(factor, level)| Level { factor: factor.into(), level: level.into() })
                        .to_vec(),
                    kind: "catalogue".into(),
                    ..Variant::default()
                });
            }
        }
    }
    Plan { variants, claims: Vec::new(), order: Vec::new(), ..plan(CASE) }
}

/// 200 exchanges: enough for a median, too few for a p99 unless the slice has another number.
fn slice(block: u32, variant: &Variant, at: usize) -> Slice {
    let wobble = f64::from((block * 7 + at as u32 * 3 + block * at as u32) % 11) / 1_000.0 - 0.005;
    let per_s = truth(&variant.levels) * (1.0 + wobble);
    let mut recorder = Recorder::new(Window { start_ns: SECOND, end_ns: 2 * SECOND });
    for i in 0..200 {
        let at_ns = SECOND + i * 1_000_000;
        let end_ns = at_ns + (64e9 / per_s) as u64;
        let times =
            ExchangeTimes { intended_ns: at_ns, sent_ns: Some(at_ns), first_byte_ns: Some(end_ns), end_ns };
        recorder.record(&times, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: "measure".into(),
        cycle: 1,
        position: at as u32 + 1,
        measured: Point {
            variant: variant.name.clone(),
            point: "64c".into(),
            model: "closed".into(),
            connections: 64,
            generator: Generator { fit: true, ..Generator::default() },
            // As much for each exchange, whatever the settings.
            subject: Some(SubjectUse {
                cpu_ns: Some((per_s * 50_000.0 * (1.0 - wobble)) as u64),
                ..SubjectUse::default()
            }),
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: per_s as u64,
        ..Slice::default()
    }
}

fn record(plan: &Plan, spoil: &dyn Fn(&mut Slice)) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let mut record = RunWriter::create(root.path(), plan, &Environment::default(), SECOND).expect("a record");
    for block in 1..=6 {
        let mut writer = record.begin_block(block).expect("a block");
        for (at, variant) in plan.variants.iter().enumerate() {
            let mut slice = slice(block, variant, at);
            spoil(&mut slice);
            writer.append(&slice).expect("written");
        }
        writer.finish().expect("whole");
    }
    let mut result = of_run(&Run::open(record.path()).expect("readable")).expect("a result");
    result.run = "RUN".into();
    result
}

fn table(result: &RunResult) -> &FactorTable {
    result.factors.as_ref().expect("a table")
}

fn of<'a>(table: &'a FactorTable, measure: &str) -> Vec<&'a FactorEffect> {
    table.effects.iter().filter(|effect| effect.measure == measure).collect()
}

/// `log: off → on`, as `on`; of an interaction both levels.
fn to(effect: &FactorEffect) -> String {
    effect.changes.iter().map(|change| change.to.as_str()).collect::<Vec<_>>().join("+")
}

#[test]
fn which_settings_matter_is_told_in_every_format() {
    let result = record(&grid(), &|_| {});
    let found = table(&result);
    let throughput = of(found, "throughput");
    assert_eq!(
        throughput.iter().map(|effect| to(effect)).collect::<Vec<_>>(),
        ["on", "1g", "nio2", "512m", "nio2+on"],
        "{throughput:?}"
    );
    // The log costs 20 % with nio, 50 % with nio2: √(0.8 · 0.5) on average; nio2 serves √(1.25 · 0.78125) times as much.
    for (effect, truth, finding) in [
        (throughput[0], (0.8_f64 * 0.5).sqrt(), "matters"),
        (throughput[1], 1.1, "matters"),
        (throughput[4], 0.625, "matters"),
    ] {
        let estimate = &effect.estimate;
        assert!((estimate.point / truth - 1.0).abs() < 0.01, "{effect:?}");
        assert!(estimate.low < Some(truth) && estimate.high > Some(truth), "{effect:?}");
        assert_eq!((effect.finding.as_str(), effect.blocks), (finding, 6), "{effect:?}");
    }
    assert_eq!((throughput[0].matched, throughput[0].combinations), (6, 6));
    let none = of(found, "cpu_per_request");
    assert!(none.len() == 4 && none.iter().all(|effect| effect.finding == "practically equal"), "{none:?}");
    assert_eq!((found.main_effects, found.interactions), (8, 10), "of throughput and CPU");
    assert!(of(found, "p99").is_empty());
    assert!(
        told(&found.reasons)
            .iter()
            .any(|why| why
                .contains("p99 @ 64c of nio,256m,off; nio,256m,on; nio,512m,off and 9 more left out")),
        "{found:?}"
    );
    insta::assert_snapshot!("factors.txt", text(&result, false));
    for drawn in [text(&result, false), markdown(&result), html(&result, &[])] {
        for part in ["Which settings matter", "log: off → on", "connector: nio → nio2 with log: off → on"]
        {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
        assert!(drawn.contains("10 interactions; 1 interaction is shown"), "{drawn}");
    }
    let schema = proofload_store::schemas().into_iter().find(|(name, _)| *name == "result.schema.json");
    let value: serde_json::Value = serde_json::from_str(&json(&result)).expect("JSON");
    assert_eq!(schema_complaints(&schema.expect("a schema").1, &value), Vec::<String>::new());
    assert!(value["factors"]["effects"][0]["estimate"]["low"].is_f64(), "{}", value["factors"]);
}

#[test]
fn a_grid_with_combinations_left_out_says_how_many_match() {
    let mut holes = grid();
    holes.variants.retain(|variant| variant.name != "nio2,1g,on" && variant.name != "nio2,1g,off");
    let result = record(&holes, &|_| {});
    let heap = table(&result).effects.iter().find(|effect| to(effect) == "1g").expect("a main effect");
    assert_eq!((heap.matched, heap.combinations), (2, 4));
    assert!(
        (heap.estimate.point / 1.1 - 1.0).abs() < 0.01,
        "the connector is not taken for the heap: {heap:?}"
    );
    assert!(text(&result, false).contains("2 of 4 combinations of the others, those that match, 6 blocks"));
}

#[test]
fn a_combination_on_which_no_verdict_rests_is_left_out_and_named() {
    let result = record(&grid(), &|slice| {
        if slice.measured.variant == "nio,1g,on" && slice.block == 2 {
            slice.measured.generator.fit = false;
            slice.measured.generator.findings = vec![busy()];
        }
    });
    let found = table(&result);
    let why = "throughput @ 64c of nio,1g,on left out: client-limited: worker 0 was busy";
    assert!(told(&found.reasons).iter().any(|reason| reason.contains(why)), "{:?}", found.reasons);
    let log = of(found, "throughput").into_iter().find(|effect| to(effect) == "on").expect("a main effect");
    assert_eq!((log.matched, log.combinations), (5, 6));
}

#[test]
fn one_factor_alone_has_no_such_table() {
    let mut one = grid();
    one.variants.retain(|variant| variant.name.ends_with("256m,on"));
    let result = record(&one, &|_| {});
    assert_eq!(result.factors, None);
    assert!(!text(&result, false).contains("settings matter"));
    let mut confounded = grid();
    confounded.variants.retain(|of| ["nio,256m,off", "nio2,512m,on"].contains(&of.name.as_str()));
    let result = record(&confounded, &|_| {});
    assert!(table(&result).effects.is_empty());
    let said = text(&result, false);
    assert!(said.contains("cannot tell which settings matter"), "{said}");
    assert!(said.contains("no effect of heap: 256m → 512m on throughput @ 64c"), "{said}");
}
