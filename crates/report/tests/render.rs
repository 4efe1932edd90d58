//! Records made in memory, written, read back, judged and drawn in every format.

use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_report::{Looking, Overall, html, json, markdown, of_run, overall, text};
use proofload_store::schema::{
    Environment, FORMAT_VERSION, Generator, Level, LoadPoint, Plan, PlannedClaim, PlannedExpectation,
    PlannedFigure, PlannedReference, Point, RunResult, Slice, SubjectUse, Timing, Variant,
};
use proofload_store::{Run, RunWriter, bad_answer, histograms_of, point_of};

const SECOND: u64 = 1_000_000_000;

/// How the made-up servers differ.
#[derive(Clone, Copy)]
struct Case {
    blocks: u32,
    /// Answers a second of `nio`, times this is that of `nio2`.
    ratio: f64,
    /// Relative wobble from block to block, alternating in sign between variants.
    wobble: f64,
    /// Rejected exchanges for each thousand of `nio2`.
    rejected: u64,
    fit: bool,
    replication: &'static str,
}

const CASE: Case =
    Case { blocks: 4, ratio: 1.10, wobble: 0.004, rejected: 0, fit: true, replication: "start" };

fn plan(case: Case) -> Plan {
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

fn slice(case: Case, block: u32, cycle: u32, variant: usize) -> Slice {
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
                findings: if case.fit {
                    Vec::new()
                } else {
                    vec!["worker 0 was busy 100 % of the time".into()]
                },
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
        marks: Vec::new(),
        telemetry: None,
    }
}

fn result(case: Case) -> RunResult {
    result_of(case, &plan(case))
}

fn result_of(case: Case, plan: &Plan) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let environment = Environment {
        proofload: "0.1.0".into(),
        kernel: "6.18".into(),
        cpus: vec![0, 1],
        ..Environment::default()
    };
    let mut record =
        RunWriter::create(root.path(), plan, &environment, 1_790_000_000 * SECOND).expect("a record");
    for block in 1..=case.blocks {
        let mut writer = record.begin_block(block).expect("a block");
        for cycle in 1..=2 {
            for variant in 0..2 {
                writer.append(&slice(case, block, cycle, variant)).expect("written");
            }
        }
        writer.finish().expect("whole");
    }
    let run = Run::open(record.path()).expect("readable");
    let mut result = of_run(&run).expect("a result");
    // Whoever decides when the run may end sees what the report says.
    let live = Looking::of(plan).expect("a plan").look(&run).expect("a judgement");
    let settled = |word: &str| word != "undecided";
    let all = result.claims.iter().all(|claim| settled(&claim.verdict))
        && result.expectations.iter().all(|row| settled(&row.outcome));
    assert!(live.settled || !all, "{live:?}");
    assert_eq!(live.claims.len(), result.claims.len());
    result.run = "runs/connectors/latest".into();
    result.status.state = "finished".into();
    result
}

#[test]
fn a_supported_claim_in_every_format() {
    let result = result(CASE);
    assert_eq!(result.claims[0].verdict, "supported", "{:?}", result.claims[0]);
    insta::assert_snapshot!("supported.txt", text(&result, false));
    insta::assert_snapshot!("supported.md", markdown(&result));
    insta::assert_snapshot!("supported.html", html(&result));
    let said = text(&result, false);
    let last = said.lines().last().expect("a last line");
    assert!(last.starts_with("nio2 serves 1.") && last.ends_with(", 4 blocks"), "{last}");
}

#[test]
fn a_refuted_claim_says_so_first() {
    let result = result(Case { ratio: 0.9, ..CASE });
    assert_eq!(result.claims[0].verdict, "refuted");
    assert_eq!(overall(&result), Overall::Refuted);
    insta::assert_snapshot!("refuted.txt", text(&result, false));
}

#[test]
fn an_undecided_claim_says_its_resolution() {
    let result = result(Case { ratio: 1.01, wobble: 0.03, ..CASE });
    assert_eq!(result.claims[0].verdict, "undecided");
    assert!(result.claims[0].reasons[0].contains("resolution"), "{:?}", result.claims[0].reasons);
    assert_eq!(overall(&result), Overall::Undecided);
    insta::assert_snapshot!("undecided.txt", text(&result, false));
    let said = text(&result, false);
    assert!(said.trim_end().ends_with("4 blocks (undecided)"), "{said}");
}

#[test]
fn one_block_decides_nothing_and_says_what_would() {
    let result = result(Case { blocks: 1, ..CASE });
    assert!(result.claims.iter().all(|claim| claim.verdict == "undecided"));
    assert!(result.claims[0].reasons.join(" ").contains("±5"), "{:?}", result.claims[0].reasons);
    insta::assert_snapshot!("smoke.txt", text(&result, false));
}

#[test]
fn no_verdict_rests_on_an_unfit_generator_or_on_errors() {
    let unfit = result(Case { fit: false, ..CASE });
    assert_eq!(unfit.claims[0].verdict, "undecided");
    assert_eq!(overall(&unfit), Overall::Invalid);
    insta::assert_snapshot!("client-limited.txt", text(&unfit, false));
    let errors = result(Case { rejected: 5, ..CASE });
    assert_eq!(errors.claims[0].verdict, "undecided");
    assert_eq!(errors.claims[1].verdict, "refuted", "a claim about errors is judged: {:?}", errors.claims[1]);
    insta::assert_snapshot!("errors.txt", text(&errors, false));
}

#[test]
fn the_last_line_compares_two_variants_under_one_load() {
    let mut result = result(CASE);
    let plan = result.plan.as_mut().expect("a plan");
    plan.points.push(LoadPoint { label: "128c".into(), ..plan.points[0].clone() });
    for text in
        ["throughput(nio2) @ 64c > throughput(nio) @ 128c", "throughput(nio) @ 64c > throughput(nio) @ 128c"]
    {
        let plan = result.plan.as_mut().expect("a plan");
        plan.claims = vec![PlannedClaim { name: "across".into(), text: text.into() }];
        let said = proofload_report::text(&result, false);
        assert!(!said.contains("times as many"), "{said}");
    }
}

fn expecting(rows: &[(&str, &str)]) -> Plan {
    let row = |(quantity, range): &(&str, &str)| PlannedExpectation {
        quantity: quantity.to_string(),
        range: range.to_string(),
        source: "the plan of <2011> | \u{1b}[2J".into(),
    };
    let figure =
        |(quantity, value): (&str, &str)| PlannedFigure { quantity: quantity.into(), value: value.into() };
    Plan {
        expectations: rows.iter().map(row).collect(),
        references: vec![PlannedReference {
            source: "Some <report>".into(),
            url: "https://example.org/a?b=1&c=2".into(),
            figures: [("throughput(nio) @ 64c", "20k/s"), ("rss(nio2) @ 64c", "300MiB")].map(figure).to_vec(),
        }],
        ..plan(CASE)
    }
}

#[test]
fn expectations_stand_beside_what_was_found_in_every_format() {
    let rows = [
        ("throughput(nio) @ 64c", "8k/s..14k/s"),
        ("throughput(nio2)", "14k/s.."),
        ("ratio(throughput, nio2, nio)", "1.1..1.2"),
    ];
    let result = result_of(CASE, &expecting(&rows));
    let outcomes: Vec<&str> = result.expectations.iter().map(|row| row.outcome.as_str()).collect();
    assert_eq!(outcomes, ["met", "not met", "undecided"]);
    assert_eq!((result.expectations[0].low, result.expectations[0].unit.as_str()), (Some(8000.0), "per_s"));
    let found = result.expectations[0].estimate.as_ref().expect("an estimate");
    assert!(found.low.is_some_and(|low| low > 8000.0) && found.unit == "per_s", "{found:?}");
    assert_eq!(overall(&result), Overall::Refuted, "an expectation that is not met is told by the exit code");
    let published = &result.published[0];
    let share = published.found.as_ref().expect("a figure").point / 20_000.0;
    assert_eq!((published.ratio, published.published), (Some(share), 20_000.0));
    assert_eq!(result.published[1].published, 300.0 * 1_048_576.0);
    insta::assert_snapshot!("expected.txt", text(&result, false));
    for drawn in [text(&result, false), markdown(&result), html(&result)] {
        for part in ["Expected and found", "not met", "14k/s..", "Published elsewhere", "never judged"] {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
        assert!(!drawn.contains('\u{1b}'), "a control character came through");
    }
    assert!(!html(&result).contains("<report>") && !markdown(&result).contains("<report>"));
}

#[test]
fn expectations_have_an_error_rate_of_their_own() {
    let alone = result(CASE);
    let beside = result_of(CASE, &expecting(&[("throughput(nio) @ 64c", "8k/s..14k/s")]));
    assert_eq!(alone.claims, beside.claims, "a row changes no claim");
    assert_eq!(overall(&beside), Overall::AllSupported);
    let two = result_of(CASE, &expecting(&[("throughput(nio)", "8k/s.."), ("throughput(nio2)", "..10k/s")]));
    assert!(two.expectations[0].confidence > 0.95, "rows share among themselves: {:?}", two.expectations[0]);
}

#[test]
fn the_first_bad_answers_are_shown_in_every_format() {
    let mut result = result(Case { blocks: 1, ..CASE });
    let received = "HTTP/1.1 503 Busy\r\n\r\n<b>no</b>";
    result.points[0].bad_answers = vec![bad_answer(Outcome::Rejected, "status 503", received.as_bytes())];
    for shown in [text(&result, false), markdown(&result), html(&result), json(&result)] {
        assert!(shown.contains("status 503") && shown.contains("HTTP/1.1 503 Busy"), "{shown}");
    }
}

#[test]
fn processes_are_not_setups() {
    let result = result(Case { replication: "process", ..CASE });
    assert!(result.limits.iter().any(|limit| limit.contains("between these two running processes")));
}

#[test]
fn json_is_what_the_schema_says() {
    let (_, schema) = proofload_store::schemas()
        .into_iter()
        .find(|(name, _)| *name == "result.schema.json")
        .expect("a schema of results");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for case in [CASE, Case { blocks: 1, ..CASE }, Case { fit: false, rejected: 9, ..CASE }] {
        let value = serde_json::from_str(&json(&result(case))).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn hostile_names_are_harmless_in_every_format() {
    let mut result = result(Case { blocks: 1, ..CASE });
    let hostile = "<script>alert(1)</script>\u{1b}[31m|x`\u{202e}\r\n# h";
    result.study = hostile.into();
    result.question = hostile.into();
    result.claims[0].name = hostile.into();
    result.claims[0].reasons = vec![hostile.into()];
    result.points[0].variant = hostile.into();
    result.limits.push(hostile.into());
    result.environment.facts.insert(hostile.into(), hostile.into());
    let page = html(&result);
    assert!(!page.contains("<script") && !page.contains('\u{1b}') && !page.contains('\u{202e}'));
    let shown = text(&result, false);
    assert!(shown.chars().all(|c| !c.is_control() || c == '\n') && !shown.contains('\u{202e}'));
    let marked = markdown(&result);
    assert!(!marked.contains("<script") && !marked.contains("\n# h") && !marked.contains('\u{1b}'));
}

#[test]
fn colours_only_when_asked_for() {
    let result = result(Case { blocks: 1, ..CASE });
    assert!(text(&result, true).contains('\u{1b}'));
    assert!(!text(&result, false).contains('\u{1b}'));
}
