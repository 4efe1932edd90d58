//! Records made in memory, written, read back, judged and drawn in every format.

use crate::facts::told;
use crate::made::{CASE, Case, plan, result, result_of};
use crate::page::read_only;
use proofload_analysis::{Overall, overall};
use proofload_facts::Limit;
use proofload_measure::Outcome;
use proofload_report::{Undecided, html, json, junit, markdown, text, text_within};
use proofload_store::bad_answer;
use proofload_store::schema::{
    LoadPoint, Plan, PlannedClaim, PlannedExpectation, PlannedFigure, PlannedReference, Verdict,
};
use proofload_testkit::schema_complaints;

#[test]
fn a_supported_claim_in_every_format() {
    let result = result(CASE);
    assert_eq!(result.claims[0].verdict, Verdict::Supported, "{:?}", result.claims[0]);
    insta::assert_snapshot!("supported.txt", text(&result, false));
    insta::assert_snapshot!("supported.md", markdown(&result));
    insta::assert_snapshot!("supported.html", read_only(&html(&result, &[])));
    let said = text(&result, false);
    let last = said.lines().last().expect("a last line");
    assert!(last.starts_with("nio2 serves at least 1.0") && last.ends_with(", 4 restarts"), "{last}");
}

#[test]
fn a_refuted_claim_says_so_first() {
    let result = result(Case { ratio: 0.9, ..CASE });
    assert_eq!(result.claims[0].verdict, Verdict::Refuted);
    assert_eq!(overall(&result), Overall::Refuted);
    insta::assert_snapshot!("refuted.txt", text(&result, false));
}

#[test]
fn an_undecided_claim_says_its_resolution() {
    let result = result(Case { ratio: 1.01, wobble: 0.03, ..CASE });
    assert_eq!(result.claims[0].verdict, Verdict::Undecided);
    assert!(told(&result.claims[0].reasons)[0].contains("resolution"), "{:?}", result.claims[0].reasons);
    assert_eq!(overall(&result), Overall::Undecided);
    insta::assert_snapshot!("undecided.txt", text(&result, false));
    let said = text(&result, false);
    assert!(said.trim_end().ends_with("4 restarts (undecided)"), "{said}");
}

#[test]
fn one_block_decides_nothing_and_says_what_would() {
    let result = result(Case { blocks: 1, ..CASE });
    assert!(result.claims.iter().all(|claim| claim.verdict == Verdict::Undecided));
    assert!(told(&result.claims[0].reasons).join(" ").contains("±5"), "{:?}", result.claims[0].reasons);
    insta::assert_snapshot!("smoke.txt", text(&result, false));
}

#[test]
fn no_verdict_rests_on_an_unfit_generator_or_on_errors() {
    let unfit = result(Case { fit: false, ..CASE });
    assert_eq!(unfit.claims[0].verdict, Verdict::Undecided);
    assert_eq!(overall(&unfit), Overall::Invalid);
    insta::assert_snapshot!("client-limited.txt", text(&unfit, false));
    // What the servers' processes used is not the generator's: it is offered, with the claim that a study would make of it.
    let claim = "throughput_per_cpu(nio2) > throughput_per_cpu(nio)";
    for drawn in [text(&unfit, false), markdown(&unfit), html(&unfit, &[]), json(&unfit)] {
        assert!(drawn.replace('\\', "").replace("&gt;", ">").contains(claim), "{drawn}");
    }
    let stored: serde_json::Value = serde_json::from_str(&json(&unfit)).expect("JSON");
    let limits = stored["limits"].as_array().expect("limits");
    assert!(limits.iter().any(|limit| limit["code"] == "servers-own"), "{limits:?}");
    let errors = result(Case { rejected: 5, ..CASE });
    assert_eq!(errors.claims[0].verdict, Verdict::Undecided);
    assert_eq!(
        errors.claims[1].verdict,
        Verdict::Refuted,
        "a claim about errors is judged: {:?}",
        errors.claims[1]
    );
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
            ..PlannedReference::default()
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
    let outcomes: Vec<&str> = result.expectations.iter().map(|row| row.outcome.name()).collect();
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
    for drawn in [text(&result, false), markdown(&result), html(&result, &[])] {
        for part in ["Expected and found", "not met", "14k/s..", "Published elsewhere", "never judged"] {
            assert!(drawn.contains(part), "no {part} in {drawn}");
        }
        assert!(!drawn.contains('\u{1b}'), "a control character came through");
    }
    assert!(!html(&result, &[]).contains("<report>") && !markdown(&result).contains("<report>"));
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
    result.points[0].bad_answers =
        vec![bad_answer(Outcome::Rejected, "status 503", received.as_bytes(), &[])];
    for shown in [text(&result, false), markdown(&result), html(&result, &[]), json(&result)] {
        assert!(shown.contains("status 503") && shown.contains("HTTP/1.1 503 Busy"), "{shown}");
    }
}

#[test]
fn processes_are_not_setups() {
    let result = result(Case { replication: "process", ..CASE });
    assert!(result.limits.contains(&Limit::RunningServers), "{:?}", result.limits);
}

#[test]
fn json_is_what_the_schema_says() {
    let (_, schema) = proofload_store::schemas()
        .into_iter()
        .find(|(name, _)| *name == "result.schema.json")
        .expect("a schema of results");
    for case in [CASE, Case { blocks: 1, ..CASE }, Case { fit: false, rejected: 9, ..CASE }] {
        let value = serde_json::from_str(&json(&result(case))).expect("JSON");
        assert_eq!(schema_complaints(&schema, &value), Vec::<String>::new());
    }
}

#[test]
fn colours_only_when_asked_for() {
    let result = result(Case { blocks: 1, ..CASE });
    assert!(text(&result, true).contains('\u{1b}'));
    assert!(!text(&result, false).contains('\u{1b}'));
}

#[test]
fn a_table_wider_than_the_terminal_is_drawn_row_by_row() {
    let result = result(CASE);
    let wide = text(&result, false);
    assert_eq!(text_within(&result, within(200)), wide);
    let narrow = text_within(&result, within(80));
    assert!(
        narrow.contains(
            "\n  nio2 @ 64c\n    errors           0\n    loop             closed\n    throughput       "
        ),
        "{narrow}"
    );
    let figures = narrow.split_once("Figures").expect("figures").1;
    let figures = figures.split_once("\n\n").expect("an end").0;
    assert!(figures.lines().all(|line| line.chars().count() <= 80), "{figures}");
    for cell in ["errors", "cpu_per_request"] {
        assert_eq!(figures.matches(cell).count(), result.points.len(), "{figures}");
    }
}

#[test]
fn a_claim_that_is_named_by_its_text_is_said_once() {
    let mut result = result(CASE);
    result.exploratory.clear();
    for (text_of, at) in [("p99(nio) < 50ms", ""), ("p99(nio) < 50ms", " @ 64c")] {
        result.claims[0].name = text_of.into();
        result.claims[0].text = format!("{text_of}{at}");
        for drawn in
            [text(&result, false), markdown(&result), html(&result, &[]), junit(&result, Undecided::Skip)]
        {
            let name = text_of.split(" <").next().expect("a first part");
            let said = drawn.lines().filter(|line| line.contains(name)).count();
            assert_eq!((said, drawn.matches(name).count()), (1, 1), "{drawn}");
        }
    }
}

#[test]
fn long_names_leave_the_other_lines_where_they_were() {
    let mut result = result(CASE);
    let long = "a-name-that-somebody-chose-so-that-nobody-need-ever-ask-what-it-means";
    result.plan.as_mut().expect("a plan").variants[0].name = long.into();
    let said = text(&result, false);
    assert!(said.contains("\nworkload  ") && said.contains(&format!("\n{long}  ")), "{said}");
}

fn within(columns: usize) -> proofload_report::Terminal {
    proofload_report::Terminal { colour: false, columns }
}
